"""Time in front: the starting point, and the hot spot that the others are there to avoid."""

from shared.keys import EscapedText, FixedBytes, Int64, KeyLayout, part, row_key
from shared.tables import TableLayout

from .keys import LOG_CELLS
from .records import TIE_BYTES


@row_key
class LogTimeFirst:
    """One event in the log of all hosts.

    Order:  by time, then host, then kind of event.
    Serves: everything that happened in a period, in one range; the newest of all.
    Costs:  one scan. A single host is filtered out of all. Every write goes to the last region.
    Fixed:  the time leads, so no split point can be known beforehand.
    Source: S0.7, [timestamp][hostname][log-event], the key it starts from.
    """

    time_ms: int = part(Int64, "when, milliseconds since 1970 UTC")
    host: str = part(EscapedText, "where it happened; any text")
    event: str = part(EscapedText, "what kind of event, in a word")
    tie: bytes = part(FixedBytes(TIE_BYTES), "tells events of one millisecond apart")


BY_TIME = KeyLayout(LogTimeFirst)

TABLE = TableLayout("logs_time_first", "one event", BY_TIME, LOG_CELLS)
