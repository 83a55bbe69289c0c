"""Times in a format of the user's own, in strptime's notation: `7/4/1996` is `%m/%d/%Y`."""

import re
from datetime import UTC, datetime
from typing import Any

import attrs

from ..keys.errors import shown
from .errors import InvalidTimeFormat
from .log_times import LEAP_YEAR, Years
from .written_times import AS_WRITTEN, WrittenTimes

_EXAMPLE = datetime(1996, 7, 4, 18, 4, 5, tzinfo=UTC)
_ZONES = re.compile(r"\b(?:UTC|GMT|Z|MSK|[A-Z]{2,4}T)\b")
"""Names of zones, as texts of a notation."""
_UTC = ("UTC", "GMT", "Z")


@attrs.frozen
class TimeFormat:
    """How the times of one field are written, such as `%Y.%m.%d %H:%M`.

    Without a zone (`%z`, or the text UTC, GMT or Z) they are in that of `times`. Without a year they are in those of
    `years`.

    Raises InvalidTimeFormat for a format that strptime does not know, and for one with which it would guess: without a
    year or a day (strptime assumes 1900-01-01), with hours up to 12 without `%p` or the reverse, with a zone's name,
    which strptime reads and ignores.
    """

    field: str
    """Record and field, for errors."""
    notation: str
    times: WrittenTimes = AS_WRITTEN
    years: Years | None = None
    has_year: bool = attrs.field(init=False)
    """Whether its times have a year."""
    names_zone: bool = attrs.field(init=False)
    """Whether it says in which zone its times are."""

    def __attrs_post_init__(self) -> None:
        names = set(_ZONES.findall(re.sub("%.", " ", self.notation)))
        is_in_utc = not names.isdisjoint(_UTC)
        has_year = self._has("%Y", "%y", "%G", "%c", "%x")
        wanted = ""
        if not has_year and self.years is None:
            wanted = "have a year, %Y or %y, or --year must give that of the first line"
        elif not has_year and not (self._has("%m", "%b", "%B") and self._has("%d")):
            wanted = "have a month and a day, such as %b %d"
        elif self._has("%I") != self._has("%p"):
            wanted = "have %I and %p, or %H"
        elif self._has("%Z"):
            wanted = "have %z, or the name of the zone as text, without %Z"
        elif names and not is_in_utc and self.times.zone is None:
            wanted = f"not name the zone {min(names)} unless --zone says which one that is, such as Europe/Rome"
        if wanted:
            raise InvalidTimeFormat(f"{self.field}: its time format must {wanted} (got {shown(self.notation)})")
        object.__setattr__(self, "has_year", has_year)
        object.__setattr__(self, "names_zone", is_in_utc or self._has("%z"))
        if is_in_utc:
            object.__setattr__(self, "times", attrs.evolve(self.times, zone=UTC))
        try:
            self._moment(_EXAMPLE.strftime(self.notation))
        except ValueError as error:
            reason = f"must be one of strptime, such as %m/%d/%Y %H:%M: {error}"
            raise InvalidTimeFormat(f"{self.field}: its time format {reason} (got {shown(self.notation)})") from None

    def _has(self, *directives: str) -> bool:
        return any(directive in self.notation for directive in directives)

    def read(self, value: Any) -> int:
        """The milliseconds of a text in this format, or of an int of such digits; ValueError for any other value."""
        text = str(value) if type(value) is int else value
        try:
            moment = self._moment(text)
        except (TypeError, ValueError, OverflowError):
            example = _EXAMPLE.strftime(self.notation)
            raise ValueError(f"must be a time by {self.notation}, such as {example} (got {shown(value)})") from None
        if not self.has_year and self.years is not None:
            moment = self.years.with_year(moment, text)
        return self.times.milliseconds(moment, text)

    def _moment(self, text: str) -> datetime:
        """What strptime makes of a text; in a leap year, if the text has none."""
        if self.has_year:
            return datetime.strptime(text, self.notation)
        return datetime.strptime(f"{LEAP_YEAR} " + text, f"%Y {self.notation}")
