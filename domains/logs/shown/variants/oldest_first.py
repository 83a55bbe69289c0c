"""Host, kind of event, time ascending, as published."""

from functools import partial

from shared.keys import EscapedText, FixedBytes, Int64, part, row_key
from shared.records import TIE_BYTES

from ...keys import LOGS
from ...repository import LogRepository


@row_key
class LogOldestFirst:
    """One event in the list of its host and kind, oldest first.

    Order:  by host, by kind of event, oldest first.
    Serves: what `LogNewestFirst` serves; the latest N events need a reverse scan.
    Costs:  one scan.
    Fixed:  the direction of time.
    Source: S0.11, [hostname][log-event][timestamp], which loses events of one millisecond.
    """

    host: str = part(EscapedText, "where it happened; any text, and host1 never matches host12")
    event: str = part(EscapedText, "what kind of event, in a word")
    time_ms: int = part(Int64, "when, milliseconds since 1970 UTC")
    tie: bytes = part(FixedBytes(TIE_BYTES), "distinguishes events of one millisecond")


TABLE = LOGS.like("logs_oldest_first", LogOldestFirst)
TABLES = TABLE.tables
Repository = partial(LogRepository, logs=TABLE)
