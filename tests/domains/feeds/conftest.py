"""An empty store with the tables of a variant; what asks for `feeds` runs for each of them."""

import pytest

from domains.feeds.design import DESIGN


@pytest.fixture(params=DESIGN.variants, ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def feeds(connection, variant):
    return variant.open(connection)
