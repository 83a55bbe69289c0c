"""Times as a file writes them: without a zone, or with more digits than milliseconds."""

import math
import re
from datetime import datetime, tzinfo
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import attrs

from ..keys.errors import shown
from ..records.times import Unit, from_unit, milliseconds_of, parse_datetime, parse_time
from .errors import InvalidDescription

_NUMBER = re.compile(r"[+-]?[0-9]+")
_BELOW_MICROSECONDS = re.compile(r"([.,][0-9]{6})[0-9]+")
_OFFSET = re.compile("[+-][0-9]{2}:[0-9]{2}")
_WITH_ZONE = re.compile(r"(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})\Z")


@attrs.frozen
class WrittenTimes:
    """Reads times of a file as milliseconds."""

    zone: tzinfo | None = None
    """The zone of times that name none; UTC if omitted."""
    are_cut: bool = False
    """Whether digits below the millisecond are cut off, and not refused."""

    @classmethod
    def of(cls, zone: str, rounding: str) -> "WrittenTimes":
        """By the words of a description. Raises InvalidDescription."""
        if rounding not in ("", "ms"):
            raise InvalidDescription(f"round: must be ms (got {shown(rounding)})")
        try:
            return cls(_zone(zone) if zone else None, bool(rounding))
        except (ZoneInfoNotFoundError, ValueError, OSError):  # a name that cannot be a file
            wanted = "must be a time zone of this machine, such as Europe/Rome, or an offset, such as +02:00"
            raise InvalidDescription(f"zone: {wanted} (got {shown(zone)})") from None

    def read(self, text: str) -> int:
        """The milliseconds of a text, as `parse_time` reads it; ValueError for any other text."""
        if (self.zone is None and not self.are_cut) or _NUMBER.fullmatch(text):
            return parse_time(text)
        whole = _BELOW_MICROSECONDS.sub(r"\1", text) if self.are_cut else text
        try:
            moment = parse_datetime(whole)
        except ValueError:
            return parse_time(text)  # which says what a time is
        if not whole.endswith("UTC") and (written := datetime.fromisoformat(whole)).tzinfo is None:
            moment = written
        return self.milliseconds(moment, text)

    def milliseconds(self, moment: datetime, text: str) -> int:
        """The milliseconds of a moment that was read from a text."""
        if self.are_cut:
            moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
        return milliseconds_of(moment if moment.tzinfo or self.zone is None else self._placed(moment, text), text)

    def _placed(self, moment: datetime, text: str) -> datetime:
        """A moment in the zone; ValueError if the clocks there show it twice, or never."""
        first, second = (moment.replace(tzinfo=self.zone, fold=fold) for fold in (0, 1))
        before, after = first.utcoffset(), second.utcoffset()
        if before is not None and after is not None and before != after:
            why = "occurs twice" if before > after else "does not exist"
            advice = "where clocks are changed then: write its offset"
            raise ValueError(f"{why} in {self.zone}, {advice} (got {shown(text)})")
        return first

    def from_unit(self, number: int | Decimal, unit: Unit) -> int:
        """The milliseconds of a number of a unit."""
        if not self.are_cut:
            return from_unit(number, unit)
        return math.floor(Fraction(number) * Fraction(from_unit(1000, unit), 1000))


def _zone(name: str) -> tzinfo:
    return (_OFFSET.fullmatch(name) and datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo) or ZoneInfo(name)


def names_no_zone(text: str) -> bool:
    """Whether a text is a time of a day without a zone."""
    return ":" in text and not _WITH_ZONE.search(text)


AS_WRITTEN = WrittenTimes()
"""Times without a zone are in UTC, and digits below the millisecond are refused."""
