"""Times in a format of the user's own, in strptime's notation: `7/4/1996` is `%m/%d/%Y`."""

from datetime import UTC, datetime
from typing import Any

import attrs

from ..keys.errors import shown
from .errors import InvalidTimeFormat
from .log_times import CountedYears, not_in
from .written_times import AS_WRITTEN, WrittenTimes

_EXAMPLE = datetime(1996, 7, 4, 18, 4, 5, tzinfo=UTC)
_YEARS = ("%Y", "%y", "%G", "%c", "%x")
_MONTHS = ("%m", "%b", "%B")
_LEAP_YEAR = 2000
"""Has all days that any year has."""


@attrs.frozen
class TimeFormat:
    """How the times of one field are written, such as `%Y.%m.%d %H:%M`. Without a zone (`%z`) they are in UTC.

    Raises InvalidTimeFormat for a format that strptime does not know, and for one with which it would guess: without a
    year (strptime assumes 1900) unless `years` count them, with hours up to 12 without `%p` or the reverse, with a
    zone's name, which strptime reads and ignores.
    """

    field: str
    """Record and field, for errors."""
    notation: str
    times: WrittenTimes = AS_WRITTEN
    years: CountedYears | None = None
    """Those of times without a year."""

    @property
    def has_year(self) -> bool:
        """Whether its times have a year."""
        return any(year in self.notation for year in _YEARS)

    def __attrs_post_init__(self) -> None:
        wanted = ""
        if not self.has_year and self.years is None:
            wanted = "have a year, %Y or %y, or --year must give that of the first line"
        elif not self.has_year and (
            "%j" in self.notation or not any(month in self.notation for month in _MONTHS)
        ):  # the days of a year have other numbers in a leap year
            wanted = "have a year, or a month, such as %m, to count years"
        elif ("%I" in self.notation) != ("%p" in self.notation):
            wanted = "have %I and %p, or %H"
        elif "%Z" in self.notation:
            wanted = "have %z, or the name of the zone as text, without %Z"
        if wanted:
            raise InvalidTimeFormat(f"{self.field}: its time format must {wanted} (got {shown(self.notation)})")
        try:
            self._moment(_EXAMPLE.strftime(self.notation))
        except ValueError as error:
            reason = f"must be one of strptime, such as %m/%d/%Y %H:%M: {error}"
            raise InvalidTimeFormat(f"{self.field}: its time format {reason} (got {shown(self.notation)})") from None

    def read(self, value: Any) -> int:
        """The milliseconds of a text in this format, or of an int of such digits; ValueError for any other value."""
        text = str(value) if type(value) is int else value
        try:
            moment = self._moment(text)
        except (TypeError, ValueError, OverflowError):
            example = _EXAMPLE.strftime(self.notation)
            raise ValueError(f"must be a time by {self.notation}, such as {example} (got {shown(value)})") from None
        if self.years is None or self.has_year:
            return self.times.milliseconds(moment, text)
        year = self.years.of(moment.month)
        try:
            moment = moment.replace(year=year)
        except ValueError:  # a 29th of February
            raise not_in(year, text) from None
        self.years.keep(year, moment.month)
        return self.times.milliseconds(moment, text)

    def _moment(self, text: str) -> datetime:
        """What strptime makes of a text; in a leap year, if the text has none."""
        if self.has_year:
            return datetime.strptime(text, self.notation)
        return datetime.strptime(f"{_LEAP_YEAR} " + text, f"%Y {self.notation}")
