"""Each change is in two tables: in the history of its record, newest first, and in the log of its source, by position.

A source is a database whose records change. A third table has the watermark of each source: the position up to which
every change is in both. A question first gets the watermark, and asks for no change beyond it. A writer first decides,
by checkAndPut, which changes have the positions of a call, puts their rows into both tables, then moves the watermark:
readers see all of the call or nothing. A source has one writer at a time. If it dies, the next one starts after the
watermark, and puts the same rows again; if two write at once, one of them is refused before it puts a row.

A fourth table has copies of tables, a row for each record; a fifth has how far each copy has got. A feed brings a copy
up to the watermark, so a copy may be behind.
"""

from collections.abc import Mapping

from shared.keys import Descending, EscapedText, TrailingText, UInt64, part, row_key
from shared.sources import Table
from shared.tables import OtherColumns

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
    Costs:  one get of the watermark, and one scan, which reads one row more than the page. New rows of a source go to
            the end of its range, so to one region.
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


COLUMNS: Mapping[str, str | OtherColumns] = {
    "kind": "m:k",
    "time_ms": "m:t",
    "transaction": "m:x",
    "values": OtherColumns("v"),
}
"""The columns of a change in every table; the log has one more for each attribute that its key lacks."""

BY_RECORD = Table("changes", ChangeOfRecord, Change, COLUMNS, dated_by="time_ms", holds="one change of a record")
BY_POSITION = Table(
    "changes_log",
    ChangeByPosition,
    Change,
    {"table": "m:b", "key": "m:r", **COLUMNS},
    dated_by="time_ms",
    holds="one change of a source",
)
SOURCES = Table(
    "changes_sources",
    SourceKey,
    BegunSource,
    {"position": "s:p", "tables": OtherColumns("t"), "begun": "s:b"},
    holds="the watermark of a source",
)
"""The watermarks of one pair of tables. Without a TTL."""
WATERMARKS = Table(
    "changes_sources",
    SourceKey,
    StoredSource,
    {"position": "s:p", "tables": OtherColumns("t")},
    holds="the watermark of a source",
)
"""What readers get of a source. The cell `s:b` has up to 30 KB."""
COPY = Table(
    "changes_copy",
    RecordInCopy,
    CopiedRecord,
    {"kind": "c:k", "time_ms": "c:t", "fence": "c:f", "values": OtherColumns("v")},
    holds="a record in a copy",
)
"""`fence` is a cell that INSERT and DELETE put: readers drop the cells of its row that are older."""
CHECKPOINTS = Table("changes_checkpoints", CopiedTable, Checkpoint, {"position": "c:p"}, holds="how far a copy has got")

TABLES = (*BY_RECORD.tables, *BY_POSITION.tables, *SOURCES.tables, *COPY.tables, *CHECKPOINTS.tables)
