"""What the application holds: one event of a log, and what tells equal events apart. No storage."""

import hashlib
from collections import Counter

import attrs
import msgpack

from shared.records import LAST_MS, fixed_bytes, integer, text

TIE_BYTES = 8


def tie_of(event: "LogEvent", ordinal: int = 0) -> bytes:
    """The tie-breaker of an event among those of its host, kind and millisecond: the same wherever it is computed.

    The first eight bytes of the md5 of [host, event, time_ms, severity, message, ordinal], each as text, in msgpack.
    `ordinal` counts those that are equal in all the rest, from 0.
    """
    # As text, lone surrogates too: it is the validators, which run later, that refuse what is none.
    said = (event.host, event.event, event.time_ms, event.severity, event.message, ordinal)
    packed = msgpack.packb([str(each) for each in said], unicode_errors="surrogatepass")
    return hashlib.md5(packed, usedforsecurity=False).digest()[:TIE_BYTES]


@attrs.frozen
class LogEvent:
    """One event of a host's log."""

    host: str = attrs.field(validator=text())
    event: str = attrs.field(validator=text())
    """What kind of event it is, in a word: a status, a level, a name."""
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC; the timestamp of its cells too, so never below 0."""
    severity: str = attrs.field(default="", validator=text(empty=True))
    message: str = attrs.field(default="", validator=text(empty=True))
    tie: bytes = attrs.field(default=attrs.Factory(tie_of, takes_self=True), validator=fixed_bytes(TIE_BYTES))
    """`tie_of` the event; or a number that its source gave it, in eight bytes. A changed copy keeps the tie it had."""


class Repeats:
    """Numbers the events of one file that are equal in all they say, so that each is a row of its own.

    The same file numbers them the same way, so that reading it again changes nothing. An event with a number of its
    source keeps it. Remembers the tie of every other event of the file.
    """

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()

    def __call__(self, event: LogEvent) -> LogEvent:
        """The event; with a tie of its own where one that is equal to it came before."""
        if event.tie != tie_of(event):
            return event
        ordinal = self._seen[event.tie]
        self._seen[event.tie] += 1
        return attrs.evolve(event, tie=tie_of(event, ordinal)) if ordinal else event
