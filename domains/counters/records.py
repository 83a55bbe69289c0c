"""The application's records: a login, the count of a user's day, the state of a day. Nothing here knows of storage."""

from typing import Literal

import attrs

from shared.records import LAST_MS, integer, text

DAY_MS = 24 * 60 * 60 * 1000
"""A day of UTC, which has no leap seconds and no summer time, in milliseconds."""


@attrs.frozen
class Login:
    """One login of a user, or whatever else is counted by name and day, such as a request of a client."""

    user: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC; the timestamp of its cells too, so never below 0."""
    tie: int = attrs.field(default=0, validator=integer(0, 2**64 - 1))
    """Distinguishes logins of one user in one millisecond: a number from their source, or counted by `Repeats`."""


@attrs.frozen
class DayCount:
    """How often a user logged in on one day."""

    user: str
    day_ms: int
    """The start of the UTC day, milliseconds since 1970."""
    count: int

    @property
    def time_ms(self) -> int:
        """`day_ms`, by the name that the row key of its logins has for it."""
        return self.day_ms


@attrs.frozen
class DayState:
    """The state of a day that takes no more logins."""

    day_ms: int
    """The start of the UTC day, milliseconds since 1970."""
    state: Literal["closed", "folded"]
    """closed: a fold has begun. folded: each user of the day has a sum."""
