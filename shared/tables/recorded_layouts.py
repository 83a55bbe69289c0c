"""Records of the key layouts of a store's tables, so that a changed layout under an old name is refused.

HBase knows tables and families, not how their keys are made. A program with another layout finds none or only some of
the rows, and other programs do not find the rows that it writes. So the table `rowbook_layouts`, with the same prefix,
has a row for each table, in JSON, which the HBase shell can show:

    row     l:l
    logs    {"layouts": [{"format": "row Salt(of=part 1, buckets=8), EscapedText", "codes": [], "claims": ...}], ...}

`create_tables` writes it by `checkAndPut`, in steps that any other process may interrupt:

1. Read the record of a table, then list the tables. If the table is missing, its record is out of date.
2. Put the declared layouts as `is_created: false`, if the record is still that of step 1.
3. Create the table.
4. Read the record again and compare it. If it has these layouts, put it as `is_created: true`. Only then use the table.
   A program that only uses tables also does this step, if the record is not yet `is_created`.

Two processes with different layouts cannot both pass: if the second replaces the record between the steps of the first,
either step 4 of the first refuses, or step 2 of the second finds another record than it has read, and starts again. A
process that dies leaves a record that the next one completes or, without a table, replaces.

The record holds formats, not meanings: swapping two parts of one codec, or changing the unit of a number, makes the
same format. Nothing in a table shows the difference, so it is not refused.
"""

import json
import warnings
from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import attrs

from ..keys import KeyLayout, TrailingText, part, row_key
from .cells import Column
from .declarations import Claim, claimed_by_both, claims_of
from .errors import InvalidRecord
from .key_formats import KeyFormat
from .layouts import PhysicalTable, TableLayout
from .packing import TEXT
from .put_if import put_if
from .record_cells import RecordCells

if TYPE_CHECKING:
    import happybase


class TableMismatch(ValueError):
    """A table of that name exists, but its families, their options, or its keys are not as declared."""


class LayoutMismatch(TableMismatch):
    """The keys of a table are made by another layout than the declared one."""


class UnrecordedLayout(UserWarning):
    """The store has no record of a table's layout, so it is unknown whether the declared one made its keys."""


@row_key
class RowOfTable:
    """The key of one table's record.

    Order:  by name.
    Serves: the layouts of a table.
    Costs:  one get for each table and connection.
    Fixed:  the name.
    Source: none
    """

    table: str = part(TrailingText, "the table's name, with the prefix of the connection")


@attrs.frozen
class RecordedTable:
    """The record of one table, as JSON."""

    table: str
    layouts: str


RECORDS = TableLayout(
    "rowbook_layouts",
    "the layouts of a table",
    KeyLayout(RowOfTable),
    RecordCells(RecordedTable, {"layouts": Column("l:l", TEXT)}),
    is_recorded=False,
)
COLUMN = RECORDS.cells.columns[0]


@attrs.frozen
class RecordedLayout:
    """The format of the keys of some cells of a table."""

    format: KeyFormat
    claims: frozenset[Claim]

    @classmethod
    def of(cls, table: TableLayout[Any, Any]) -> "RecordedLayout":
        """The record of a declared layout."""
        return cls(table.format, frozenset(claims_of(table.cells)))


Recorded = tuple[RecordedLayout, ...]


@attrs.define
class _Known:
    """The records that one connection has read, and the layouts that it has compared with them."""

    records: dict[tuple[bytes | None, str], Recorded | None] = attrs.field(
        factory=dict[tuple[bytes | None, str], Recorded | None]
    )
    """By prefix and table; None for a table without a record."""
    compared: set[tuple[bytes | None, str, KeyFormat]] = attrs.field(factory=set[tuple[bytes | None, str, KeyFormat]])
    """By prefix, table and format."""


_known: "WeakKeyDictionary[happybase.Connection, _Known]" = WeakKeyDictionary()


def check_layouts(connection: "happybase.Connection", tables: Sequence[TableLayout[Any, Any]]) -> None:
    """Compares the layouts of tables with those recorded in the store.

    Raises LayoutMismatch if a table's keys are made by another layout. Warns of `UnrecordedLayout` if the store has no
    record of a table that exists. Costs: once for each table and connection one get, with one call that lists the
    tables; one checkAndPut if the process that created the table died before it confirmed the record.
    """
    known, prefix = _known_on(connection), connection.table_prefix
    new = [table for table in tables if (prefix, table.name, table.format) not in known.compared and table.is_recorded]
    if not new:
        return
    _read_records(connection, known, {table.name for table in new if (prefix, table.name) not in known.records})
    for table in new:
        if (prefix, table.name) not in known.records:
            continue  # the table is missing: the store will report it
        recorded = known.records[prefix, table.name]
        if recorded is None:
            _warn(table.name)
        else:
            merged_layouts(table.name, recorded, [table])
        known.compared.add((prefix, table.name, table.format))


def has_record(connection: "happybase.Connection", table: TableLayout[Any, Any]) -> bool:
    """Whether the store has a record of a table. Costs: those of `check_layouts`, which compares it."""
    check_layouts(connection, [table])
    return _known_on(connection).records.get((connection.table_prefix, table.name)) is not None


def _known_on(connection: "happybase.Connection") -> _Known:
    known = _known.get(connection)
    if known is None:
        known = _known[connection] = _Known()
    return known


def _read_records(connection: "happybase.Connection", known: _Known, names: Set[str]) -> None:
    """Reads the records of these tables; skips tables that do not exist."""
    existing = connection.tables() if names else []
    for name in names:
        if name.encode() in existing:
            has_records = RECORDS.name.encode() in existing
            known.records[connection.table_prefix, name] = _confirmed(connection, name) if has_records else None


def _confirmed(connection: "happybase.Connection", name: str) -> Recorded | None:
    """The record of a table that exists, put as `is_created: true`; None if it has none.

    After that, a process that has not seen the table can no longer replace the record: see step 2.
    """
    while (cell := read_cell(connection, name)) is not None:
        recorded = recorded_in(cell)
        is_created = json.loads(cell).get("is_created")
        if is_created or replace_cell(connection, name, cell, json_of(recorded, is_created=True)):
            return recorded
    return None


def _warn(table: str) -> None:
    warnings.warn(
        f"table {table}: the store has no record of its key layout, so it is unknown whether the declared one made"
        " its rows; rowbook adopt compares them, and records it",
        UnrecordedLayout,
        stacklevel=2,
    )


# ---- the steps of `create_tables` and `drop_tables`


def claim_table(connection: "happybase.Connection", table: PhysicalTable) -> None:
    """Steps 1 and 2: records the layouts of a table that is missing; does nothing if it exists by now."""
    declared = merged_layouts(table.name, (), _recorded(table))
    while declared:
        cell = read_cell(connection, table.name)
        if table.name.encode() in connection.tables():  # listed after the cell was read: see step 1
            return
        if replace_cell(connection, table.name, cell, json_of(declared, is_created=False)):
            return


def compare_table(connection: "happybase.Connection", table: PhysicalTable, *, has_records: bool) -> None:
    """Step 4: compares the layouts of a table that exists with its record, and adds what is new and compatible.

    Raises LayoutMismatch; warns of a table without a record.
    """
    layouts = _recorded(table)
    merged: Recorded | None = None
    while layouts:
        cell = read_cell(connection, table.name) if has_records else None
        if cell is None:
            _warn(table.name)
            break
        merged = merged_layouts(table.name, recorded_in(cell), layouts)
        new = json_of(merged, is_created=True)
        if new == cell or replace_cell(connection, table.name, cell, new):
            break
    known, prefix = _known_on(connection), connection.table_prefix
    known.records[prefix, table.name] = merged
    known.compared.update((prefix, table.name, layout.format) for layout in layouts)


def recorded_at_ms(connection: "happybase.Connection", name: str) -> int | None:
    """The timestamp of a table's record; None without one."""
    rows = connection.table(RECORDS.name)
    cells = rows.row(record_row(connection, name), columns=[COLUMN], include_timestamp=True)
    return cells[COLUMN][1] if cells else None


def delete_record(connection: "happybase.Connection", name: str, until_ms: int) -> None:
    """Deletes the record of a table, but not one that was put later."""
    row = record_row(connection, name)
    connection.table(RECORDS.name).delete(row, columns=[COLUMN], timestamp=until_ms)


def forget_compared(connection: "happybase.Connection", name: str) -> None:
    """Makes the next call on this connection compare the layouts of a table again."""
    known, prefix = _known_on(connection), connection.table_prefix
    known.records.pop((prefix, name), None)
    known.compared = {compared for compared in known.compared if compared[:2] != (prefix, name)}


def _recorded(table: PhysicalTable) -> list[TableLayout[Any, Any]]:
    return [layout for layout in table.layouts if layout.is_recorded]


# ---- a record


def record_row(connection: "happybase.Connection", name: str) -> bytes:
    """The row of a table's record."""
    return RECORDS.row(RowOfTable(connection.table(name).name.decode()))


def read_cell(connection: "happybase.Connection", name: str) -> bytes | None:
    """The record of a table; None if it has none."""
    row = record_row(connection, name)
    return connection.table(RECORDS.name).row(row, columns=[COLUMN]).get(COLUMN)


def replace_cell(connection: "happybase.Connection", name: str, cell: bytes | None, new: bytes) -> bool:
    """Puts the record of a table, unless it has changed since it was `cell`; returns whether it did."""
    return put_if(connection.table(RECORDS.name), record_row(connection, name), COLUMN, cell, new)


def json_of(layouts: Recorded, *, is_created: bool) -> bytes:
    """The cell of some layouts."""
    values = [
        {
            "format": layout.format.text,
            "codes": [dict(codes) for codes in layout.format.codes],
            "claims": sorted((column.decode("latin-1"), starts) for column, starts in layout.claims),
        }
        for layout in layouts
    ]
    values.sort(key=lambda value: str(value["claims"]))
    return json.dumps({"layouts": values, "is_created": is_created}).encode()


def recorded_in(cell: bytes) -> Recorded:
    """The layouts of a cell. Raises InvalidRecord."""
    try:
        return tuple(
            RecordedLayout(
                KeyFormat(
                    value["format"],
                    tuple(tuple(sorted((int(byte), name) for byte, name in codes.items())) for codes in value["codes"]),
                ),
                frozenset((column.encode("latin-1"), starts) for column, starts in value["claims"]),
            )
            for value in json.loads(cell)["layouts"]
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidRecord(f"{COLUMN.decode()}: must be layouts as JSON: {error!r} (got {cell!r:.200})") from None


def merged_layouts(name: str, recorded: Recorded, declared: Iterable[TableLayout[Any, Any]]) -> Recorded:
    """The recorded layouts, extended by the declared ones: by names of a `Code`, cells, layouts of other cells.

    Raises LayoutMismatch if a declared layout makes other keys for the same cells than a recorded one.
    """
    merged = [*recorded]
    for layout in map(RecordedLayout.of, declared):
        same_cells = [other for other in merged if claimed_by_both(layout.claims, other.claims) is not None]
        joined = layout.format
        for other in same_cells:
            of_both = joined.joined(other.format)
            if of_both is None:
                raise LayoutMismatch(
                    f"table {name}: its keys are {other.format} (the declared layout makes {layout.format}):"
                    " another layout needs a table of another name"
                )
            joined = of_both
        claims = layout.claims.union(*(other.claims for other in same_cells))
        merged = [other for other in merged if other not in same_cells]
        merged.append(RecordedLayout(joined, claims))
    return tuple(merged)
