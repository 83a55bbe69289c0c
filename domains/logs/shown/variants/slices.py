"""Time in slices of fifteen minutes; within a slice by host, which ends with a delimiter, as published."""

from functools import partial

from shared.keys import DelimitedText, EscapedText, FixedBytes, Int64, KeyLayout, TimeBucket, part, row_key
from shared.records import TIE_BYTES

from ...keys import LOGS
from ...repository import LogRepository

SLICE_MS = 15 * 60 * 1000


@row_key
class LogInSlices:
    """One event in a slice of fifteen minutes.

    Order:  by slice, by host (as bytes with the delimiter _, so A1 comes before A), by time, then kind of event.
    Serves: all events of a host in a period, one range for each slice; whole slices, to archive or delete them.
    Costs:  one range for each slice. A question without a period is refused. Every write goes to the newest slice.
    Fixed:  the length of a slice, and the delimiter, which no host may contain.
    Source: S3.9 C, here with the time after the host, and S0.10's second remedy, [column1][_][column2].
    """

    host: str = part(DelimitedText("_"), "where it happened; any text without _")
    time_ms: int = part(Int64, "when, milliseconds since 1970 UTC")
    event: str = part(EscapedText, "what kind of event, in a word")
    tie: bytes = part(FixedBytes(TIE_BYTES), "distinguishes events of one millisecond")


TABLE = LOGS.like("logs_slices", KeyLayout(LogInSlices, TimeBucket(of="time_ms", every_ms=SLICE_MS)))
TABLES = TABLE.tables
Repository = partial(LogRepository, logs=TABLE)
