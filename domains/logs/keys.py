"""One table of events: host, kind of event, newest first."""

from shared.keys import Descending, EscapedText, FixedBytes, Int64, KeyLayout, part, row_key
from shared.records import TIE_BYTES
from shared.sources import Table

from .records import LogEvent


@row_key
class LogNewestFirst:
    """One event in the list of its host and kind of event.

    Order:  by host, by kind of event, newest first.
    Serves: the latest N events of a host and kind; its events of a period; events of hosts whose names share a prefix.
    Costs:  one scan. A period of all kinds of a host is filtered and sorted by the client; of all hosts it is refused.
    Fixed:  the sequence of the parts and the direction of time; changing them means a new table.
    Source: S0.12, [hostname][log-event][Long.MAX_VALUE - timestamp], which loses events of one millisecond.
    """

    host: str = part(EscapedText, "where it happened; any text, and host1 never matches host12")
    event: str = part(EscapedText, "what kind of event, in a word")
    time_ms: int = part(Descending(Int64), "when, milliseconds since 1970 UTC, newest first")
    tie: bytes = part(
        Descending(FixedBytes(TIE_BYTES)),
        "distinguishes events of one millisecond; descending, like the time",
    )


@row_key
class LogTimeFirst:
    """One event in the log of all hosts. The client also sorts answers by this key.

    Order:  by time, then host, then kind of event.
    Serves: as the key of a table: all events of a period, in one range.
    Costs:  as the key of a table: one scan. For one host the client filters all hosts. Writes go to the last region.
    Fixed:  the time comes first, so split points cannot be chosen beforehand.
    Source: S0.7, [timestamp][hostname][log-event], the key from which it starts.
    """

    time_ms: int = part(Int64, "when, milliseconds since 1970 UTC")
    host: str = part(EscapedText, "where it happened; any text")
    event: str = part(EscapedText, "what kind of event, in a word")
    tie: bytes = part(FixedBytes(TIE_BYTES), "distinguishes events of one millisecond")


LOGS = Table(
    "logs",
    LogNewestFirst,
    LogEvent,
    {"severity": "l:s", "message": "l:m"},
    dated_by="time_ms",
    holds="one event",
)
TABLES = LOGS.tables

BY_TIME = KeyLayout(LogTimeFirst)
"""The order of answers: the client sorts those that come in another order."""
