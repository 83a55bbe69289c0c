"""Host, kind of event, time ascending; the host padded with `x` to a fixed width, as published."""

from shared.keys import EscapedText, FixedBytes, FixedText, Int64, KeyLayout, part, row_key
from shared.records import TIE_BYTES
from shared.tables import TableLayout

from ..keys import LOG_CELLS, LogTables


@row_key
class LogHostFirst:
    """One event in the list of its host and kind, oldest first.

    Order:  by host (as padded bytes, so ab! comes before ab), by kind of event, oldest first.
    Serves: what `LogNewestFirst` serves; the latest N events need a reverse scan.
    Costs:  one scan. A host of more than 20 bytes, or with an x in it, cannot be stored.
    Fixed:  the width of a host.
    Source: S0.11, [hostname][log-event][timestamp], and S0.10's first remedy, rpad(column1, 'x', 20).
    """

    host: str = part(FixedText(20, pad="x"), "where it happened; at most 20 bytes, without an x")
    event: str = part(EscapedText, "what kind of event, in a word")
    time_ms: int = part(Int64, "when, milliseconds since 1970 UTC")
    tie: bytes = part(FixedBytes(TIE_BYTES), "distinguishes events of one millisecond")


TABLE = TableLayout("logs_host_first", "one event", KeyLayout(LogHostFirst), LOG_CELLS)
TABLES = LogTables(TABLE)
