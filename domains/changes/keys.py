"""Each change is in two tables: in the history of its record, newest first, and in the log of its source, by position.

A third table has the watermark of each source: the position up to which every change is in both. A question first gets
the watermark, and asks for no change beyond it. A writer first decides, by checkAndPut, which changes have the
positions of a call, puts their rows into both tables, then moves the watermark: readers see all of the call or nothing.
A source has one writer at a time. If it dies, the next one starts after the watermark, and puts the same rows again; if
two write at once, one of them is refused before it puts a row.

A fourth table has copies of tables, a row for each record; a fifth has how far each copy has got. A feed brings a copy
up to the watermark, so a copy may be behind. The variants differ in the key of the log; the costs of a record are those
of the history.

    variant     key of the log                          a record now  a source's log  a table's log
    changes     [source][position]                      computed      1 range         filtered
    by-table    [source][table][position]               computed      4 ranges        1 range
    salted      [bucket of position][source][position]  computed      8 ranges        8 ranges, filtered
    thin-log    [source][position]                      computed      1 range, gets   filtered
    whole-rows  [source][position]                      1 range       1 range         filtered
    published   none                                    wrong answer  refused         refused

- Computed: from all changes of the record since its INSERT. `whole-rows` stores the whole record with each change; its
  writer reads the record before each UPDATE.
- A record as of a time also reads all later changes, because no key holds the time: in `whole-rows`, too.
- Ranges: `by-table` reads one for each table of the source, four in the samples; `salted` one for each bucket.
- Filtered: the scan also reads the changes of the source's other tables, and the client drops them.
- Gets: the log of `thin-log` holds only the key of the row in the history, which each page gets in one more call.

A call that stores changes of a source, at most 1,000, needs two puts (without Thrift2, for each different time among
them) and two checkAndPuts. In `whole-rows` it also needs a scan for each record that an UPDATE changes.

All new rows of a source's log go to one region, in `by-table` to one for each table. `salted` spreads them over eight,
and the history, too.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from shared.keys import Descending, EscapedText, KeyLayout, TrailingText, UInt64, part, row_key
from shared.tables import Column, OtherColumns, RecordCells, TableLayout

from .records import BegunSource, Change, Checkpoint, CopiedRecord, StoredSource


@row_key
class ChangeOfRecord:
    """One change in the history of its record.

    Order:  by source, table and key of the record, newest first.
    Serves: a record's history; a record, or all records of a table, as of a time or a position.
    Costs:  one get of the watermark, and one scan. A page of the history reads its rows and one more; a record, all its
            changes since the INSERT; the records of a table, all changes of the table.
    Fixed:  the sequence of the parts. The position stands where the published key has a time, because the clock of a
            source may go back: the newest change is the one with the highest position.
    Source: S2.9, 03,9223370455878258,17870: key reversed, time reversed, position; without source and table.
    """

    source: str = part(EscapedText, "the database whose record changed; any text, and shop never matches shop-2")
    table: str = part(EscapedText, "its table")
    key: str = part(EscapedText, "the primary key of the record, as text")
    position: int = part(Descending(UInt64), "the number of the change in the log of its source, newest first")


@row_key
class ChangeByPosition:
    """The same change in the log of its source.

    Order:  by source, then by position, oldest first.
    Serves: the changes of a source after a position; those of one table, which reads the other tables too.
    Costs:  one get of the watermark, and one scan of a page's rows and one more. New rows of a source go to the end of
            its range, so to one region.
    Fixed:  the width of a position.
    Source: none
    """

    source: str = part(EscapedText, "the database whose record changed; any text")
    position: int = part(UInt64, "the number of the change in the log of its source")


@row_key
class SourceKey:
    """One source: its watermark, the names of its tables, and the changes that were begun last.

    Order:  by source.
    Serves: every question, which first gets the watermark; the writer, which decides and moves it by checkAndPut.
    Costs:  one get for a question, two checkAndPuts for each call that stores changes.
    Fixed:  nothing; the family must not have a TTL.
    Source: none
    """

    source: str = part(TrailingText, "the database")


@row_key
class RecordInCopy:
    """One record in the copy of its table.

    Order:  by source, table and key of the record.
    Serves: a record, or all records of a table, as the last feed left them, without history.
    Costs:  one get, or one scan of a row for each record. Feeding it costs one put for each change.
    Fixed:  the timestamps: each cell is dated by the position of its change, so the families must not have a TTL.
    Source: none
    """

    source: str = part(EscapedText, "the database whose record it is")
    table: str = part(EscapedText, "its table")
    key: str = part(TrailingText, "the primary key of the record")


@row_key
class CopiedTable:
    """One table that is copied: the position up to which its copy has every change.

    Order:  by source, then by table.
    Serves: the feed of a copy, which continues after the position; recovery, which reads all copies.
    Costs:  one put for each 1,000 changes.
    Fixed:  nothing; the family must not have a TTL.
    Source: none
    """

    source: str = part(EscapedText, "the database")
    table: str = part(TrailingText, "its table")


_OF_CHANGE: Mapping[str, Column | OtherColumns] = {
    "kind": Column("m:k"),
    "time_ms": Column("m:t"),
    "transaction": Column("m:x"),
    "values": OtherColumns("v"),
}
HISTORY_CELLS = RecordCells(Change, _OF_CHANGE)
LOG_CELLS = RecordCells(Change, {"table": Column("m:b"), "key": Column("m:r"), **_OF_CHANGE})
LOG_CELLS_OF_TABLE = RecordCells(Change, {"key": Column("m:r"), **_OF_CHANGE})
_OF_SOURCE: Mapping[str, Column | OtherColumns] = {"position": Column("s:p"), "tables": OtherColumns("t")}
SOURCE_CELLS = RecordCells(BegunSource, {**_OF_SOURCE, "begun": Column("s:b")})
READ_CELLS = RecordCells(StoredSource, _OF_SOURCE)
"""What readers get of a source. The cell `s:b` has up to 30 KB."""
COPY_CELLS = RecordCells(
    CopiedRecord,
    {"kind": Column("c:k"), "time_ms": Column("c:t"), "fence": Column("c:f"), "values": OtherColumns("v")},
)
"""`fence` is a cell that INSERT and DELETE put: readers drop the cells of its row that are older."""


def sources_table(name: str) -> TableLayout[SourceKey, BegunSource]:
    """The table of the watermarks of one pair of tables. Without a TTL."""
    return TableLayout(name, "the watermark of a source", KeyLayout(SourceKey), SOURCE_CELLS)


BY_RECORD = TableLayout("changes", "one change of a record", KeyLayout(ChangeOfRecord), HISTORY_CELLS)
BY_POSITION = TableLayout("changes_log", "one change of a source", KeyLayout(ChangeByPosition), LOG_CELLS)
SOURCES = sources_table("changes_sources")
COPY = TableLayout("changes_copy", "a record in a copy", KeyLayout(RecordInCopy), COPY_CELLS)
CHECKPOINTS = TableLayout(
    "changes_checkpoints",
    "how far a copy has got",
    KeyLayout(CopiedTable),
    RecordCells(Checkpoint, {"position": Column("c:p")}),
)


class ChangeTables(NamedTuple):
    """The changes by record and by position, the watermarks of sources, the copy of their tables, and its progress."""

    by_record: TableLayout[Any, Change]
    by_position: TableLayout[Any, Any]
    sources: TableLayout[Any, BegunSource]
    copy: TableLayout[Any, CopiedRecord]
    checkpoints: TableLayout[Any, Checkpoint]


TABLES = ChangeTables(BY_RECORD, BY_POSITION, SOURCES, COPY, CHECKPOINTS)
