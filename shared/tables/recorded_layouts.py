"""Records of the key layouts of a store's tables, so that a changed layout under an old name is refused.

HBase knows tables and families, not how their keys are made. A program with another layout finds none or only some of
the rows, and other programs do not find the rows that it writes. So the table `rowbook_layouts`, with the same prefix,
has a row for each table, in JSON, which the HBase shell can show:

    row     l:l
    logs    {"layouts": [{"format": "row Salt(of=part 1, buckets=8), EscapedText", "codes": [], "claims": ...}], ...}

`create_tables` writes it by `checkAndPut`, in steps that any other process may interrupt:

1. Read the record of a table, then list the tables. If the table is missing, its record is out of date. If it says
   `is_created: true`, put it as `false` with a random number, and start again: the bytes of `true` might come again.
2. Put the declared layouts as `is_created: false`, if the record is still that of step 1.
3. Create the table.
4. Read the record again and compare it. If it has these layouts, put it as `is_created: true`. Only then use the table.
   A program that only uses tables also does this step, if the record is not yet `is_created`.

Two processes with different layouts cannot both pass: if the second replaces the record between the steps of the first,
either step 4 of the first refuses, or step 2 of the second finds another record than it has read, and starts again. A
process that dies leaves a record that the next one completes or, without a table, replaces.

A connection compares a table when it first uses it, and again ten minutes later, because the table may be dropped and
created with another layout meanwhile. Nothing is put into a table, or read from it, before it is compared: if it is
missing when the tables are listed, the store is asked for it, and reports that, or has it by now.

**A list that was created after its sources** lacks their lines until `repair` has put them. The row of its table has a
mark, in a column of its own, because a release that does not know marks puts `l:l` anew:

    row     l:l   l:u
    lines   ...   created after other tables; not repaired since; sources: notes

- Each process that is about to create the table puts the mark in step 2, by a `checkAndPut` that expects the record of
  step 1. So it is there before the table, and once step 4 has confirmed the record, no process puts an outdated mark.
  A table gets none if the tables of sources in the same call are new, too, or if the store had no other tables.
  New computed columns of an existing table get it before they are recorded.
- An `IntentWriter` tells its connection which tables are lists (`add_list`). The mark of any other table means nothing.
- Whoever compares a marked list when no write is under way and, read after that, no source is stored, removes the mark.
  Every writer does so before its first write, unless the mark names other sources than its own, as those of another
  variant that has the same list. A complete `repair` removes the mark that it found when it began. Both delete it up to
  its own timestamp, so they spare the mark of a table that was dropped and created again meanwhile.
- The age of a mark does not tell whether it counts: each added code or column puts the record anew, after the mark.
- As long as there is a mark, readers of the list get `UnfilledList` (`check_filled`); writers and upkeep go on.

A table that the HBase shell creates, or a release that does not know marks, has none: run `repair` before its readers.

The record holds formats, not meanings: swapping two parts of one codec, or changing the unit of a number, makes the
same format. Nothing in a table shows the difference, so it is not refused.
"""

import json
import os
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

import attrs

from ..keys import KeyLayout, TrailingText, part, row_key
from .cells import Column
from .conditional_puts import put_if
from .declarations import Claim, claimed_by_both, claims_of
from .errors import InvalidRecord
from .key_formats import KeyFormat
from .layouts import PhysicalTable, TableLayout
from .packing import TEXT
from .record_cells import RecordCells

if TYPE_CHECKING:
    import happybase


class TableMismatch(ValueError):
    """A table of that name exists with other families, options or keys than declared."""


class LayoutMismatch(TableMismatch):
    """The keys of a table are made by another layout than the declared one."""


class UnfilledList(TableMismatch):
    """A list was created after its sources, and `repair` has not filled it yet."""


class UnrecordedLayout(UserWarning):
    """The store has no record of a table's layout, so its keys may be made by another one."""


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
UNFILLED = b"l:u"
"""The column of the mark of a table that was created after others, and that `repair` has not filled yet."""
MARK = b"created after other tables; not repaired since"
_CREATED = b'"is_created": true'
COMPARED_FOR_S = 600
"""How long a connection relies on its comparison of a table with the record, in seconds."""


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


HasNothing: TypeAlias = Callable[["happybase.Connection"], bool]
"""Returns whether no source is stored, and no write is under way that may have put its lines into an earlier table."""


@attrs.frozen
class StoredRecord:
    """The row of one table's record, as it was read."""

    cell: bytes | None
    """The layouts; None if they are not recorded."""
    unfilled_ms: int | None
    """The timestamp of the mark; None without one."""
    mark: bytes = b""

    def may_be_of(self, source: str) -> bool:
        """Whether the mark may be of a list of these sources: it names them, or none."""
        named = self.mark.partition(b": ")[2]
        return not named or source.encode() in named.split(b", ")


@attrs.define
class _Known:
    """What one connection knows of one table."""

    record: StoredRecord | None = None
    """None if it has to be read."""
    read_again_s: float = 0.0
    """When it has to be read again, by the monotonic clock."""
    compared: set[KeyFormat] = attrs.field(factory=set[KeyFormat])
    """The formats of the layouts that agree with the record."""
    is_warned_of: bool = False
    """Whether the connection has warned that the table has no record."""
    lists: "dict[tuple[frozenset[Claim], str], HasNothing]" = attrs.field(
        factory=dict[tuple[frozenset[Claim], str], HasNothing]
    )
    """Whether there are no sources of a list in this table, by the cells of its lines and the table of its sources."""

    def note(self, record: StoredRecord) -> None:
        """Keeps a record that was just read."""
        self.record = record
        self.read_again_s = time.monotonic() + COMPARED_FOR_S

    def forget(self) -> None:
        """Makes the next call read the record, and compare all layouts with it."""
        self.record = None
        self.compared.clear()


_known: "WeakKeyDictionary[happybase.Connection, dict[tuple[bytes | None, str], _Known]]" = WeakKeyDictionary()
"""By connection, then by prefix and table."""


def check_layouts(connection: "happybase.Connection", tables: Sequence[TableLayout[Any, Any]]) -> None:
    """Compares the layouts of tables with those recorded in the store.

    Raises LayoutMismatch if a table's keys are made by another layout, and the store's own error if a table is missing.
    Warns of `UnrecordedLayout` if the store has no record of a table that exists. Costs: for each connection, at first
    and once in ten minutes, one call that lists the tables, and one get for each. One checkAndPut if the process that
    created the table died before it confirmed the record; two scans for a list that was created after its sources'
    table, and one delete if that is empty.
    """
    now_s = time.monotonic()
    new = [
        (table, known)
        for table in tables
        if table.is_recorded and not _holds(known := _of(connection, table.name), table, now_s)
    ]
    if not new:
        return
    for _, known in new:
        if now_s >= known.read_again_s:
            known.forget()
    _read_records(connection, {table.name: known for table, known in new if known.record is None})
    for table, known in new:
        if table.format in known.compared or known.record is None:
            continue
        if known.record.cell is not None:
            merged_layouts(table.name, recorded_in(known.record.cell), [table])
        _remove_mark_of_nothing(connection, known, table.name)
        known.compared.add(table.format)


def has_record(connection: "happybase.Connection", table: TableLayout[Any, Any]) -> bool:
    """Whether the store has a record of a table. Costs: those of `check_layouts`, which compares it."""
    check_layouts(connection, [table])
    record = _of(connection, table.name).record
    return record is not None and record.cell is not None


def _holds(known: _Known, table: TableLayout[Any, Any], now_s: float) -> bool:
    return table.format in known.compared and now_s < known.read_again_s


def _of(connection: "happybase.Connection", name: str) -> _Known:
    of_connection = _known.get(connection)
    if of_connection is None:
        of_connection = _known.setdefault(connection, {})
    key = connection.table_prefix, name
    known = of_connection.get(key)
    return of_connection.setdefault(key, _Known()) if known is None else known


def _read_records(connection: "happybase.Connection", unread: Mapping[str, _Known]) -> None:
    """Reads the records of these tables. Raises the store's own error for a table that does not exist."""
    if not unread:
        return
    existing = connection.tables()
    for name in unread:
        if name.encode() not in existing:
            connection.table(name).row(name.encode())  # the store reports that it is missing, or it exists by now
            existing = connection.tables()
    has_records = RECORDS.name.encode() in existing
    for name, known in unread.items():
        record = _confirmed(connection, name) if has_records else StoredRecord(None, None)
        if record.cell is None and not known.is_warned_of:
            known.is_warned_of = True
            _warn(name)
        known.note(record)


def _confirmed(connection: "happybase.Connection", name: str) -> StoredRecord:
    """The record of a table that exists, once it is put as `is_created: true`.

    After that, a process that has not seen the table can no longer replace the record, nor mark it: see step 2.
    """
    while (cell := (record := read_record(connection, name)).cell) is not None:
        recorded = recorded_in(cell)  # refuses what is not JSON
        if json.loads(cell).get("is_created"):
            break
        replace_cell(connection, name, cell, json_of(recorded, is_created=True))
    return record


# ---- lists that lack lines


def add_list(
    connection: "happybase.Connection", table: TableLayout[Any, Any], source: str, has_nothing: HasNothing
) -> None:
    """Tells the connection that a table holds lines of these sources, so that a mark of it counts."""
    known, of = _of(connection, table.name), (frozenset(claims_of(table.cells)), source)
    if of not in known.lists:
        known.lists[of] = has_nothing
        known.compared.clear()  # no call has looked yet whether there are sources


def check_filled(
    connection: "happybase.Connection", table: TableLayout[Any, Any], columns: Iterable[bytes] = ()
) -> None:
    """Raises UnfilledList if a table that is about to be read, or one of these columns, is a list that lacks lines.

    Does what `check_layouts` does before. Costs: those; one get if the table has a mark.
    """
    check_layouts(connection, [table])
    known = _of(connection, table.name)
    if not known.lists or known.record is None or known.record.unfilled_ms is None:
        return
    read = [*claims_of(table.cells), *((column, False) for column in columns)]
    for claims, source in known.lists:
        if claimed_by_both(claims, read) is not None and read_record(connection, table.name).unfilled_ms is not None:
            raise UnfilledList(
                f"table {table.name}: was created after {source} had rows, and lacks their lines: run the repair"
                " of the upkeep, or rowbook repair"
            )
    known.forget()
    check_layouts(connection, [table])


def _remove_mark_of_nothing(connection: "happybase.Connection", known: _Known, name: str) -> None:
    """Removes the mark of a list whose sources' table has no source: from now on every write puts its lines."""
    record = known.record
    if record is None or record.unfilled_ms is None or not known.lists:
        return
    if all(record.may_be_of(source) and has_nothing(connection) for (_, source), has_nothing in known.lists.items()):
        remove_mark(connection, name, record.unfilled_ms)
        known.record = attrs.evolve(record, unfilled_ms=None)


def marked_ms(connection: "happybase.Connection", tables: Iterable[TableLayout[Any, Any]]) -> dict[str, int]:
    """The timestamp of the mark of each of these tables that has one. Costs: 1 call, and 1 get for each table."""
    names = {table.name for table in tables}
    if not names or RECORDS.name.encode() not in connection.tables():
        return {}
    records = {name: read_record(connection, name) for name in names}
    return {name: record.unfilled_ms for name, record in records.items() if record.unfilled_ms is not None}


def remove_mark(connection: "happybase.Connection", name: str, until_ms: int) -> None:
    """Removes the mark of a table, but not one that was put later. Costs: 1 delete."""
    connection.table(RECORDS.name).delete(record_row(connection, name), columns=[UNFILLED], timestamp=until_ms)


def _warn(table: str) -> None:
    warnings.warn(
        f"table {table}: the store has no record of its key layout, so it is unknown whether the declared one made"
        " its rows; rowbook adopt compares them, and records it",
        UnrecordedLayout,
        stacklevel=2,
    )


# ---- the steps of `create_tables` and `drop_tables`


def claim_table(connection: "happybase.Connection", table: PhysicalTable, sources: Set[str], created: Set[str]) -> None:
    """Steps 1 and 2: records the layouts of a table that is missing; does nothing if it exists by now.

    `sources` are the tables of sources among those of the call, and `created` those that it has created.
    """
    declared = merged_layouts(table.name, (), _recorded(table))
    while declared:
        cell = read_cell(connection, table.name)
        existing = {name.decode() for name in connection.tables()}  # after the cell was read: see step 1
        if table.name in existing:
            return
        if cell is not None and _CREATED in cell:
            left = cell.replace(_CREATED, b'"is_created": false, "left": "%s"' % os.urandom(8).hex().encode())
            replace_cell(connection, table.name, cell, left)
            continue
        earlier = existing - created - {RECORDS.name}
        is_late = table.name not in sources and bool(earlier & sources if sources else earlier)
        new = json_of(declared, is_created=False)
        if replace_cell(connection, table.name, cell, new, marks=is_late, sources=sources):
            return


def compare_table(connection: "happybase.Connection", table: PhysicalTable, *, has_records: bool) -> None:
    """Step 4: compares the layouts of a table that exists with its record, and adds what is new and compatible.

    Raises LayoutMismatch; warns of a table without a record.
    """
    layouts = _recorded(table)
    record = StoredRecord(None, None)
    if not layouts:
        return
    while True:
        record = read_record(connection, table.name) if has_records else record
        if record.cell is None:
            _warn(table.name)
            break
        recorded = recorded_in(record.cell)
        new = json_of(merged_layouts(table.name, recorded, layouts), is_created=True)
        if new == record.cell:
            break
        replace_cell(connection, table.name, record.cell, new, marks=_has_new_list(recorded, layouts))
    known = _of(connection, table.name)
    known.note(record)
    has_marked_list = record.unfilled_ms is not None and known.lists
    known.compared = set() if has_marked_list else {layout.format for layout in layouts}


def _has_new_list(recorded: Recorded, declared: Iterable[TableLayout[Any, Any]]) -> bool:
    """Whether none of the cells of a declared layout is recorded."""
    return any(
        all(claimed_by_both(layout.claims, other.claims) is None for other in recorded)
        for layout in map(RecordedLayout.of, declared)
    )


def recorded_at_ms(connection: "happybase.Connection", name: str) -> dict[bytes, int]:
    """The timestamps of a table's record and of its mark, by column."""
    rows = connection.table(RECORDS.name)
    cells = rows.row(record_row(connection, name), columns=[COLUMN, UNFILLED], include_timestamp=True)
    return {column: written_ms for column, (_, written_ms) in cells.items()}


def delete_record(connection: "happybase.Connection", name: str, until_ms: Mapping[bytes, int]) -> None:
    """Deletes the record and the mark of a table, but not those that were put later."""
    for column, written_ms in until_ms.items():
        connection.table(RECORDS.name).delete(record_row(connection, name), columns=[column], timestamp=written_ms)


def forget_compared(connection: "happybase.Connection", name: str) -> None:
    """Makes the next call on this connection compare the layouts of a table again."""
    _of(connection, name).forget()


def _recorded(table: PhysicalTable) -> list[TableLayout[Any, Any]]:
    return [layout for layout in table.layouts if layout.is_recorded]


# ---- a record


def record_row(connection: "happybase.Connection", name: str) -> bytes:
    """The row of a table's record."""
    return RECORDS.row(RowOfTable(connection.table(name).name.decode()))


def read_record(connection: "happybase.Connection", name: str) -> StoredRecord:
    """The record of a table, and its mark. Costs: 1 get."""
    row, columns = record_row(connection, name), [COLUMN, UNFILLED]
    cells = connection.table(RECORDS.name).row(row, columns=columns, include_timestamp=True)
    cell, _ = cells.get(COLUMN, (None, 0))
    mark, unfilled_ms = cells.get(UNFILLED, (b"", None))
    return StoredRecord(cell, unfilled_ms, mark)


def read_cell(connection: "happybase.Connection", name: str) -> bytes | None:
    """The record of a table; None if it has none."""
    return read_record(connection, name).cell


def replace_cell(
    connection: "happybase.Connection",
    name: str,
    cell: bytes | None,
    new: bytes,
    *,
    marks: bool = False,
    sources: Collection[str] = (),
) -> bool:
    """Puts the record of a table, unless it has changed since it was `cell`; returns whether it did.

    With `marks`, marks the table before, on the same condition, as a list of one of these `sources`.
    """
    rows, row = connection.table(RECORDS.name), record_row(connection, name)
    mark = MARK + f"; sources: {', '.join(sorted(sources))}".encode() if sources else MARK
    if marks and not put_if(rows, row, COLUMN, cell, mark, into=UNFILLED):
        return False
    return put_if(rows, row, COLUMN, cell, new)


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
