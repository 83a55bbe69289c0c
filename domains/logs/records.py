"""The application's records: one event of a log, and the tie-breaker of equal events. Nothing here knows of storage."""

import hashlib

import attrs
import msgpack

from shared.keys import shown
from shared.records import LAST_MS, Ordinals, fixed_bytes, integer, text

TIE_BYTES = 8


def tie_of(event: "LogEvent", ordinal: int = 0) -> bytes:
    """The tie-breaker of an event among those of its host, kind and millisecond; every program computes the same one.

    The first eight bytes of the md5 of [host, event, time_ms, severity, message, ordinal], each as text, in msgpack.
    `ordinal` counts events that are equal in all other fields, from 0.
    """
    # Lone surrogates are packed too, and values of wrong types as an error shows them: the validators, which run later,
    # refuse them.
    values = (event.host, event.event, event.time_ms, event.severity, event.message, ordinal)
    texts = [value if type(value) is str else shown(value) for value in values]
    packed = msgpack.packb(texts, unicode_errors="surrogatepass")
    return hashlib.md5(packed, usedforsecurity=False).digest()[:TIE_BYTES]


@attrs.frozen
class LogEvent:
    """One event of a host's log."""

    host: str = attrs.field(validator=text())
    event: str = attrs.field(validator=text())
    """The kind of event, in a word: a status, a level, a name."""
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC; the timestamp of its cells too, so never below 0."""
    severity: str = attrs.field(default="", validator=text(empty=True))
    message: str = attrs.field(default="", validator=text(empty=True))
    tie: bytes = attrs.field(default=attrs.Factory(tie_of, takes_self=True), validator=fixed_bytes(TIE_BYTES))
    """`tie_of` the event, or a number from its source in eight bytes. A changed copy keeps its tie."""


class Repeats:
    """Numbers the equal events of one file, so that each is a row of its own.

    Reading the same file again gives the same numbers, so it changes nothing. An event with a number from its source
    keeps it. Remembers the tie of every other event of the file.
    """

    def __init__(self) -> None:
        self._ordinals = Ordinals()

    def __call__(self, event: LogEvent) -> LogEvent:
        """The event; if an equal one came before, with a tie of its own."""
        if event.tie != tie_of(event):
            return event
        ordinal = self._ordinals(event.tie)
        return attrs.evolve(event, tie=tie_of(event, ordinal)) if ordinal else event
