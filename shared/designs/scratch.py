"""Stores in memory for samples of any age, and for rows of published code."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import attrs

from ..tables import TableLayout, create_tables
from ..writes import allow_expired

if TYPE_CHECKING:
    import happybase


def scratch_store(tables: Iterable[TableLayout[Any, Any]]) -> "happybase.Connection":
    """A new store in memory with these tables, empty. It ends with its connection.

    Its cells never expire, and old records are stored whatever TTL their families declare: so samples of any age can be
    measured.
    """
    from ..stores import connect

    connection = connect("embedded:")
    create_tables(connection, map(_without_ttl, tables))
    allow_expired(connection)
    return connection


def _without_ttl(table: TableLayout[Any, Any]) -> TableLayout[Any, Any]:
    return attrs.evolve(
        table, families={name: attrs.evolve(family, ttl_seconds=None) for name, family in table.families.items()}
    )


def scratch_table(rows: Iterable[bytes] = (), families: Iterable[str] = ("f",)) -> "happybase.Table":
    """A table of a new store in memory, as published code makes it; each of its rows has an empty cell `f:v`."""
    from ..stores import connect

    connection = connect("embedded:")
    connection.create_table("t", {family: {} for family in families})
    table = connection.table("t")
    with table.batch() as batch:
        for row in rows:
            batch.put(row, {b"f:v": b""})
    return table
