"""An empty store with the tables of a variant; what asks for `repository` runs for each of them."""

import pytest

from domains.counters.design import DESIGN


@pytest.fixture(params=DESIGN.variants, ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def repository(connection, variant):
    return variant.open(connection)
