"""Checks of what is stored: every table has rows, every cell belongs to a record, and storing twice changes nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import happybase

from ..intents.source_cells import SourceCells
from ..tables import COUNTER, ItemCells, RecordCells, TableLayout
from ..tables.layouts import physical_tables

Tables: TypeAlias = Sequence[TableLayout[Any, Any]]


def stored_cells(connection: happybase.Connection, tables: Tables) -> dict[str, list[Any]]:
    """Every row of the tables with its cells and their timestamps."""
    return {table.name: list(connection.table(table.name).scan(include_timestamp=True)) for table in tables}


def check_every_table_has_rows(connection: happybase.Connection, tables: Tables) -> None:
    """The samples fill every table, so that the other checks cover each."""
    empty = [name for name, rows in stored_cells(connection, tables).items() if not rows]
    assert not empty, f"{', '.join(empty)}: need a sample that fills them, or must be in Variant.unfilled"


def check_round_trip(connection: happybase.Connection, tables: Tables) -> None:
    """Every stored row holds records, which make the same row and, together, all its cells.

    If several layouts name a table, each may read some of the cells; a cell that none of them reads fails.
    """
    for table in physical_tables(tables):
        for row, cells in connection.table(table.name).scan():
            packed: set[tuple[bytes, bytes]] = set()
            for layout in table.layouts:
                for record in layout.records(row, cells):
                    assert layout.row(record) == row, f"{table.name}: {record}"
                    packed.update(cells_of(layout, record, cells).items())
            assert packed == {*cells.items()}, f"{table.name}: row {row.hex(' ')}"


def cells_of(table: TableLayout[Any, Any], record: Any, stored: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """The cells that a record packs, and the `stored` ones of its counters, which `pack` leaves out or refuses."""
    cells = table.cells
    if isinstance(cells, SourceCells):  # its revision, time and writes are not part of the record
        key = table.key.key_of(record)
        source = cells.source(key, stored[cells.columns[0]])
        return {cells.columns[0]: cells.pack_revision(source.revision, source.time_ms, source.writes, record)}
    if isinstance(cells, ItemCells) and cells.packing is COUNTER:
        return {cells.column(record): COUNTER.pack(getattr(record, str(cells.value)))}
    if not isinstance(cells, RecordCells):
        return cells.pack(record)
    counters = {name for name, column in cells.attributes.items() if column.packing is COUNTER}
    packed = {} if counters and counters == {*cells.attributes} else cells.pack(record)
    for name in counters:
        if cells.column(name) in stored:
            packed[cells.column(name)] = cells.pack_value(name, getattr(record, name))
    return packed


def check_loading_twice(
    connection: happybase.Connection, tables: Tables, store: Callable[[Any], object], records: Iterable[Any]
) -> None:
    """Storing the records that are stored already changes no cell and no timestamp."""
    before = stored_cells(connection, tables)
    for record in records:
        store(record)
    assert stored_cells(connection, tables) == before
