"""An empty store with the table of a variant; what asks for `points` runs for each of them."""

import pytest

from domains.monitoring.design import DESIGN


@pytest.fixture(params=DESIGN.variants, ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def points(connection, variant):
    return variant.open(connection)
