"""The contents of tables after a write, to compare those after crashes; and how long tables keep tombstones."""

from collections.abc import Iterable
from itertools import chain
from typing import Any, TypeAlias

import attrs

from ..intents import KEEP_TOMBSTONES_MS
from ..intents.source_cells import SourceCells
from ..intents.writer import writers_of
from ..tables import TableLayout

Contents: TypeAlias = dict[str, dict[bytes, Any]]
"""The contents of each row, by table."""


def kept(table: TableLayout[Any, Any], keep_ms: int = KEEP_TOMBSTONES_MS) -> TableLayout[Any, Any]:
    """The same table with tombstones that outlast a compaction for `keep_ms`."""
    families = {name: attrs.evolve(family, keep_tombstones_ms=keep_ms) for name, family in table.families.items()}
    return attrs.evolve(table, families=families)


def dropped(table: TableLayout[Any, Any]) -> TableLayout[Any, Any]:
    """The same table with tombstones that no compaction keeps."""
    return kept(table, 0)


def sources(writer: Any) -> dict[bytes, Any]:
    """All records of the source table, by row."""
    records = {row: writer.reader.source_of(row, cells).record for row, cells in writer.rows(writer.source.name).scan()}
    return {row: record for row, record in records.items() if record is not None}


def sources_and_lines(repository: Any, tables: Iterable[TableLayout[Any, Any]]) -> Contents:
    """All records of the source table, and the cells of all rows derived from them; asserts that they agree."""
    assert [*map(str, repository.upkeep.verify())] == []
    (writer,) = writers_of(repository)
    records = sources(writer)
    lines: Contents = {}
    for table in tables:
        if table.name != writer.intents.name and not isinstance(table.cells, SourceCells):
            columns = [*table.cells.columns] if table.name == writer.source.name else None
            lines[table.name] = dict(writer.rows(table.name).scan(columns=columns))
    assert {*chain.from_iterable(map(writer.derived, records.values()))} == {
        (name, row, column) for name, rows in lines.items() for row, cells in rows.items() for column in cells
    }
    return {f"{writer.source.name}, sources": records, **lines}
