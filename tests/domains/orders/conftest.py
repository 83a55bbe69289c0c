"""An empty store with the tables of a variant; what asks for `orders` runs for each of them."""

import pytest

from domains.orders.example import DESIGN
from shared.stores import connect
from shared.tables import create_tables


@pytest.fixture(params=DESIGN.variants, ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def connection(variant):
    connection = connect("embedded:")
    create_tables(connection, variant.tables)
    yield connection
    connection.close()


@pytest.fixture
def orders(connection, variant):
    return variant.open(connection)
