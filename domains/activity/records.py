"""The application's records: one action of a user. Nothing here knows of storage."""

import attrs

from shared.records import LAST_MS, TIE_BYTES, fixed_bytes, integer, text, tie_of


@attrs.frozen
class Action:
    """One thing that a user did."""

    user: str = attrs.field(validator=text())
    verb: str = attrs.field(validator=text())
    """What the user did, in a word or two: `login`, `sshd failed`."""
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC; the timestamp of its cells too, so never below 0."""
    object: str = attrs.field(default="", validator=text(empty=True))
    """What the user did it to, such as a document or a host."""
    source: str = attrs.field(default="", validator=text(empty=True))
    """Where the user did it from, such as an address."""
    detail: str = attrs.field(default="", validator=text(empty=True))
    tie: bytes = attrs.field(default=attrs.Factory(tie_of, takes_self=True), validator=fixed_bytes(TIE_BYTES))
    """`tie_of` the action, or a number from its source in eight bytes. A changed copy keeps its tie."""
