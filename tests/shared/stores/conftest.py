"""An empty store in memory with one table of two families."""

from collections.abc import Iterator

import happybase
import pytest

from shared.stores import connect


@pytest.fixture
def connection() -> Iterator[happybase.Connection]:
    connection = connect("embedded:")
    yield connection
    connection.close()


@pytest.fixture
def table(connection: happybase.Connection) -> happybase.Table:
    connection.create_table("t", {"d": {}, "m": {"max_versions": 1}})
    return connection.table("t")
