"""Rows that no release has put: one whose key cannot be decoded, and one with a damaged cell."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import happybase

from ..keys import InvalidKey, KeyLayout
from ..tables import InvalidRow, TableLayout
from ..tables.layouts import PhysicalTable, physical_tables

NOT_KEYS = (b"\xff\xfe\xfd", b"\xff", b"damaged", b"\x00")
"""Rows to try: no codec of text accepts the first, and few widths of numbers the others."""
NOT_VALUES = (b"\xc1", b"", b"\xff" * 3)
"""Values to try: msgpack never begins with the first byte."""
SOME_VALUES = (datetime(2020, 1, 1, tzinfo=UTC), date(2020, 1, 1), UUID(int=7), True)
"""Values of Python's own types to try for a part."""
AT_MS = 1
"""The time of the cells: old enough to be removed at once."""


def put_damaged_rows(
    connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]
) -> set[tuple[str, bytes]]:
    """Puts both rows into each table, as far as it can have them; returns their tables and rows."""
    damaged: set[tuple[str, bytes]] = set()
    for table in physical_tables(tables):
        for row, cells in damaged_rows(table):
            connection.table(table.name).put(row, cells, timestamp=AT_MS)
            damaged.add((table.name, row))
    return damaged


def damaged_rows(table: PhysicalTable) -> Iterator[tuple[bytes, dict[bytes, bytes]]]:
    """The rows with their cell: a key that no layout of the table decodes, and a known key of the first one."""
    column = _some_column(table.layouts[0])
    for row in NOT_KEYS:
        if all(_is_damaged(layout, row, {column: b"\xc3"}) for layout in table.layouts):
            yield row, {column: b"\xc3"}
            break
    row = some_row(table.layouts[0].key, table.name)
    for value in NOT_VALUES if row else ():
        if all(_is_damaged(layout, row, {column: value}) for layout in table.layouts):
            yield row, {column: value}
            break


def some_row(layout: KeyLayout[Any], text: str) -> bytes:
    """A row of a layout: of each part the first value that its codec accepts, this text if it does; empty if none."""
    values = {part.name: [*_accepted(part.codec, text)] for part in layout.parts}
    if not all(values.values()):
        return b""
    return layout.row_of(layout.key_class(**{name: first for name, (first, *_) in values.items()}))


def _accepted(codec: Any, text: str) -> Iterator[Any]:
    for value in (
        *getattr(codec, "values", ()),
        *(text, "7", 7, 0, 7.5),
        *(b"\x07" * width for width in range(1, 33)),
        *SOME_VALUES,
    ):
        with suppress(ValueError, TypeError):
            codec.encode(value)
            yield value


def _some_column(layout: TableLayout[Any, Any]) -> bytes:
    column: bytes = layout.cells.columns[0]
    return column if b":" in column else column + b":damaged"


def _is_damaged(layout: TableLayout[Any, Any], row: bytes, cells: dict[bytes, bytes]) -> bool:
    try:
        return not layout.records(row, cells)
    except (InvalidKey, InvalidRow):
        return True
