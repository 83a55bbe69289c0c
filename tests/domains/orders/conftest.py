"""An empty store with the tables of the design."""

import pytest

from domains.orders import TABLES, OrderRepository
from shared.stores import connect
from shared.tables import create_tables


@pytest.fixture
def connection():
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    yield connection
    connection.close()


@pytest.fixture
def orders(connection):
    return OrderRepository(connection)
