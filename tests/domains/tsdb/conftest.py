"""An empty store with the tables of `tsdb`."""

import pytest

from domains.tsdb.keys import TABLES


@pytest.fixture
def connection(new_store):
    return new_store(*TABLES)
