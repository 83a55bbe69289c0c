"""The application's records: one event of a log. Nothing here knows of storage."""

import attrs

from shared.records import LAST_MS, TIE_BYTES, fixed_bytes, integer, text, tie_of


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
