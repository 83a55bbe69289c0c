"""The contents of one cell of a table, as values by name."""

from collections.abc import Mapping
from typing import Any

import attrs

from ..intents.source_cells import SourceCells
from ..keys.errors import shown_bytes
from ..tables import InvalidRecord, ItemCells, RecordCells, TableLayout
from ..tables.cells import families_of


@attrs.frozen
class CellContents:
    """The contents of a cell: a description, and its values."""

    holds: str
    """In a few words: `Point`, `Order.item`, `3 points, compacted`."""
    values: tuple[Mapping[str, Any], ...]
    """Values by name: one mapping for each record or point; all have the same names."""


def column_of(table: TableLayout[Any, Any], family: str | None, qualifier: bytes) -> bytes:
    """The column of a qualifier. Raises InvalidRecord if no cell of the table's records can have it.

    If `family` is None, the table must have one family only.
    """
    if family is None:
        family, *others = families_of(table.cells)
        if others:
            families = " and ".join([family, *others])
            raise InvalidRecord(f"column: must be FAMILY:HEX, because its families are {families}")
    start = f"{family}:".encode()
    column = start + qualifier
    label = table.cells.label if isinstance(table.cells, ItemCells) else b""
    if column in table.cells.columns or (start[:-1] in table.cells.columns and qualifier.startswith(label)):
        return column
    declared = [
        shown_column(name) if b":" in name else f"{shown_column(name + b':' + label)}HEX"
        for name in table.cells.columns
    ]
    wanted = f"one of {', '.join(declared)}" if len(declared) > 1 else declared[0]
    raise InvalidRecord(f"column: must be {wanted} (got {shown_column(column)})")


def shown_column(column: bytes) -> str:
    """`o:69`: the family, and the qualifier in hex."""
    family, _colon, qualifier = column.partition(b":")
    return f"{family.decode(errors='backslashreplace')}:{qualifier.hex()}"


def contents_of(table: TableLayout[Any, Any], key: Any, column: bytes, value: bytes) -> CellContents:
    """The contents of a cell of a row with this decoded key. Raises InvalidRecord for a damaged one."""
    cells = table.cells
    record = cells.record.__name__
    if isinstance(cells, SourceCells):
        source = cells.source(key, value)
        revision = {"revision": source.revision, "revision_ms": source.time_ms}
        if source.record is None:
            return CellContents(f"no {record}: it is deleted, or never was", (revision,))
        return CellContents(record, (revision | attrs.asdict(source.record),))
    if isinstance(cells, RecordCells):
        if cells.marker is not None:
            return CellContents(f"{record}, whose attributes are all in the row key", ())
        for name, mapping in cells.mappings.items():
            if mapping.has(column):
                return CellContents(f"{record}.{name}", (mapping.unpack({column: value}),))
        (name,) = (name for name in cells.attributes if name not in cells.mappings and cells.column(name) == column)
        return CellContents(f"{record}.{name}", ({name: cells.unpack_value(name, value)},))
    records = tuple(attrs.asdict(one) for one in cells.records(key, {column: value}))
    if not records:
        raise InvalidRecord(f"{record}: must be a cell that holds one (got {shown_bytes(value) or 'no bytes'})")
    return CellContents(record, records)
