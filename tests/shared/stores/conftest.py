"""Stores for tests: in memory with one table of two families, or in a file."""

from collections.abc import Callable, Iterator
from pathlib import Path

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


@pytest.fixture
def path(tmp_path) -> Path:
    """A file with a store of one empty table."""
    path = tmp_path / "store.db"
    connection = connect(f"embedded:{path}")
    connection.create_table("t", {"d": {}})
    connection.close()
    return path


def rows_read(connection: happybase.Connection, read: Callable[[], object]) -> int:
    """How many rows the store reads to answer."""
    before = connection.client.rows_read
    read()
    return connection.client.rows_read - before
