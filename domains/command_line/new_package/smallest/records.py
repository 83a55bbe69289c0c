"""The application's records. Nothing here knows of storage."""

import attrs

from shared.records import LAST_MS, integer, text


@attrs.frozen
class Ticket:
    """A ticket that a team has to answer."""

    team: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC."""
    ticket_id: str = attrs.field(validator=text())
    title: str = attrs.field(validator=text(empty=True))
