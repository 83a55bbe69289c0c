"""Table declarations: which families a table has, and the layout of its row keys; creates and drops them."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import happybase

from .cells import CellLayout
from .keys import KeyLayout


@attrs.frozen
class Family:
    """A column family and what HBase must know of it when the table is created."""

    max_versions: int = 1
    ttl_seconds: int | None = None
    bloom: str = "ROW"
    """ROW lets a get skip files that cannot hold the row; scans do not use it."""


@attrs.frozen
class TableDesign:
    """One table: its name, the layout of its row keys, its families, and what a row is."""

    name: str
    layout: KeyLayout[Any]
    families: Mapping[str, Family]
    row: str
    cells: CellLayout[Any] | None = None
    """The columns of a row, where they are the fields of a record."""


class TableMismatch(ValueError):
    """A table of that name exists and has other families."""


def create_tables(connection: happybase.Connection, tables: Iterable[TableDesign]) -> None:
    """Creates what is missing; a table that exists must have the declared families."""
    there = set(connection.tables())
    for table in tables:
        if table.name.encode() in there:
            found = {name.decode() for name in connection.table(table.name).families()}
            if found != set(table.families):
                wanted = ", ".join(sorted(table.families))
                raise TableMismatch(
                    f"table {table.name}: must have the families {wanted} (has {', '.join(sorted(found))})"
                )
            continue
        families: dict[str, dict[str, Any]] = {}
        for name, family in table.families.items():
            families[name] = {
                "max_versions": family.max_versions,
                "bloom_filter_type": family.bloom,
                "block_cache_enabled": True,  # off when created through Thrift1, unlike HBase's own default
                "time_to_live": -1 if family.ttl_seconds is None else family.ttl_seconds,
            }
        connection.create_table(table.name, families)


def drop_tables(connection: happybase.Connection, tables: Iterable[TableDesign]) -> None:
    """Deletes the tables and all that is in them; those that do not exist are passed over."""
    there = set(connection.tables())
    for table in tables:
        if table.name.encode() in there:
            connection.delete_table(table.name, disable=True)
