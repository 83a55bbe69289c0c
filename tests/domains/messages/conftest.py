"""An empty store with the tables of a variant; what asks for `messages` runs for each of them."""

import pytest

from domains.messages.design import DESIGN


@pytest.fixture(params=DESIGN.variants, ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def messages(connection, variant):
    return variant.open(connection)
