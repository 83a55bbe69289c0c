"""Time cut into slices of fifteen minutes, and within a slice by host; the host ends with a delimiter, as published."""

from shared.keys import DelimitedText, EscapedText, FixedBytes, Int64, KeyLayout, TimeBucket, part, row_key
from shared.tables import TableLayout

from ..keys import LOG_CELLS
from ..records import TIE_BYTES

SLICE_MS = 15 * 60 * 1000


@row_key
class LogInSlices:
    """One event of a host's quarter of an hour.

    Order:  by slice, by host (as bytes: a delimiter _ sorts A1 before A), by time, then kind of event.
    Serves: all that a host did in a period, one range for each slice; whole slices, to archive or to drop them.
    Costs:  as many ranges as slices. Without a period there is no answer. Every write goes to the newest slice.
    Fixed:  the length of a slice, and the delimiter, which no host may contain.
    Source: S3.9 C, here with the time behind the host, and S0.10's second remedy, [column1][_][column2].
    """

    host: str = part(DelimitedText("_"), "where it happened; any text without _")
    time_ms: int = part(Int64, "when, milliseconds since 1970 UTC")
    event: str = part(EscapedText, "what kind of event, in a word")
    tie: bytes = part(FixedBytes(TIE_BYTES), "tells events of one millisecond apart")


TABLE = TableLayout(
    "logs_slices", "one event", KeyLayout(LogInSlices, TimeBucket(of="time_ms", every_ms=SLICE_MS)), LOG_CELLS
)
TABLES = (TABLE,)
