"""One table of events: host, kind of event, newest first.

The variants lay out the same events in other orders; the README says which serves what.
"""

from shared.keys import Descending, EscapedText, FixedBytes, Int64, KeyLayout, part, row_key
from shared.tables import CellLayout, Column, TableLayout

from .records import TIE_BYTES, LogEvent


@row_key
class LogNewestFirst:
    """One event in the list of its host and kind.

    Order:  by host, by kind of event, newest first.
    Serves: the latest N of a host and kind; those of a period; hosts whose name begins alike.
    Costs:  one scan. A period of all kinds, or of all hosts, is no range: it is filtered and sorted, or refused.
    Fixed:  the sequence of the parts and the direction of time; changing them means a new table.
    Source: S0.12, [hostname][log-event][Long.MAX_VALUE - timestamp], which loses events of one millisecond.
    """

    host: str = part(EscapedText, "where it happened; any text, and host1 never matches host12")
    event: str = part(EscapedText, "what kind of event, in a word")
    time_ms: int = part(Descending(Int64), "when, milliseconds since 1970 UTC, newest first")
    tie: bytes = part(
        Descending(FixedBytes(TIE_BYTES)),
        "tells events of one millisecond apart; descending, so that a reverse scan mirrors the variant host-first",
    )


@row_key
class LogTimeFirst:
    """One event in the log of all hosts: the order in which a window is answered, so its key is made to sort by.

    Order:  by time, then host, then kind of event.
    Serves: as the key of a table (the variant time-first): everything that happened in a period, in one range.
    Costs:  as the key of a table: one scan; a single host is filtered out of all; every write goes to the last region.
    Fixed:  the time leads, so no split point can be known beforehand.
    Source: S0.7, [timestamp][hostname][log-event], the key it starts from.
    """

    time_ms: int = part(Int64, "when, milliseconds since 1970 UTC")
    host: str = part(EscapedText, "where it happened; any text")
    event: str = part(EscapedText, "what kind of event, in a word")
    tie: bytes = part(FixedBytes(TIE_BYTES), "tells events of one millisecond apart")


LOG_CELLS = CellLayout(LogEvent, "l", {"severity": Column("s"), "message": Column("m")})

LOGS = TableLayout("logs", "one event", KeyLayout(LogNewestFirst), LOG_CELLS)

TABLES = (LOGS,)

BY_TIME = KeyLayout(LogTimeFirst)
"""The order of answers that the client has to sort."""
