"""Times in a format of the user's own, in strptime's notation: `7/4/1996` is `%m/%d/%Y`."""

from datetime import UTC, datetime
from typing import Any

import attrs

from ..keys.errors import shown
from .errors import InvalidTimeFormat
from .written_times import AS_WRITTEN, WrittenTimes

_EXAMPLE = datetime(1996, 7, 4, 18, 4, 5, tzinfo=UTC)


@attrs.frozen
class TimeFormat:
    """How the times of one field are written, such as `%Y.%m.%d %H:%M`. Without a zone (`%z`) they are in UTC.

    Raises InvalidTimeFormat for a format that strptime does not know, and for one with which it would guess: without a
    year (strptime assumes 1900), with hours up to 12 without `%p` or the reverse, with a zone's name, which strptime
    reads and ignores.
    """

    field: str
    """Record and field, for errors."""
    notation: str
    times: WrittenTimes = AS_WRITTEN

    def __attrs_post_init__(self) -> None:
        wanted = ""
        if not any(year in self.notation for year in ("%Y", "%y", "%G", "%c", "%x")):
            wanted = "have a year, %Y or %y"
        elif ("%I" in self.notation) != ("%p" in self.notation):
            wanted = "have %I and %p, or %H"
        elif "%Z" in self.notation:
            wanted = "have %z, or the name of the zone as text, without %Z"
        if wanted:
            raise InvalidTimeFormat(f"{self.field}: its time format must {wanted} (got {shown(self.notation)})")
        try:
            datetime.strptime(_EXAMPLE.strftime(self.notation), self.notation)
        except ValueError as error:
            reason = f"must be one of strptime, such as %m/%d/%Y %H:%M: {error}"
            raise InvalidTimeFormat(f"{self.field}: its time format {reason} (got {shown(self.notation)})") from None

    def read(self, value: Any) -> int:
        """The milliseconds of a text in this format; ValueError for any other value."""
        try:
            moment = datetime.strptime(value, self.notation)
        except (TypeError, ValueError, OverflowError):
            example = _EXAMPLE.strftime(self.notation)
            raise ValueError(f"must be a time by {self.notation}, such as {example} (got {shown(value)})") from None
        return self.times.milliseconds(moment, value)
