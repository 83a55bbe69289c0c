"""Host, kind of event, newest first; the host is padded with `x` to a fixed width, as published."""

from functools import partial

from shared.keys import Descending, EscapedText, FixedBytes, FixedText, Int64, part, row_key
from shared.records import TIE_BYTES

from ...keys import LOGS
from ...repository import LogRepository


@row_key
class LogPadded:
    """One event in the list of its host and kind, newest first.

    Order:  by host (as padded bytes, so ab! comes before ab), by kind of event, newest first.
    Serves: what `LogNewestFirst` serves.
    Costs:  one scan. A host of more than 20 bytes, or with an x in it, cannot be stored.
    Fixed:  the width of a host.
    Source: S0.10's first remedy, [rpad(column1,'x',20)][column2].
    """

    host: str = part(FixedText(20, pad="x"), "where it happened; at most 20 bytes, without an x")
    event: str = part(EscapedText, "what kind of event, in a word")
    time_ms: int = part(Descending(Int64), "when, milliseconds since 1970 UTC, newest first")
    tie: bytes = part(
        Descending(FixedBytes(TIE_BYTES)), "distinguishes events of one millisecond; descending, like the time"
    )


TABLE = LOGS.like("logs_padded", LogPadded)
TABLES = TABLE.tables
Repository = partial(LogRepository, logs=TABLE)
