"""An empty store with the table of a variant; what asks for `logs` runs for each of them."""

import pytest

from domains.logs import LogEvent, Repeats
from domains.logs.example import DESIGN, SAMPLES
from shared.loading import read_records
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
def logs(connection, variant):
    return variant.open(connection)


@pytest.fixture(scope="session")
def samples():
    """The sample events, told apart as `load` does."""
    return list(map(Repeats(), read_records(SAMPLES, LogEvent)))
