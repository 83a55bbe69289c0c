"""Times as text, as users type and read them; records hold milliseconds since 1970-01-01 UTC."""

import re
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple, TypeAlias, get_args

from ..keys.errors import shown

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LIKELY_FROM_S = 946_684_800  # 2000-01-01
_LIKELY_UP_TO_S = 7_258_118_400  # 2200-01-01
_INTEGER = re.compile("[+-]?[0-9]{1,4300}")  # Python reads no more digits
# What fromisoformat reads, but with T or one blank between date and time: it would accept any character there.
_ISO = re.compile(r"((?:\d{4}-\d\d-\d\d|\d{8}|\d{4}-?W\d\d(?:-?\d)?)(?:[T ]\S+?)??)( ?UTC)?", re.ASCII)

Unit: TypeAlias = Literal["s", "ms", "us"]
"""What the number of a time may count since 1970-01-01 UTC: seconds, milliseconds or microseconds."""
UNITS: tuple[Unit, ...] = get_args(Unit)


class LikelyUnit(NamedTuple):
    """A unit other than milliseconds, and the time that a number means in it."""

    unit: str
    """`s`, `us` or `ns`; `ns` is not a `Unit`."""
    name: str
    time: str


def parse_time(text: str) -> int:
    """Milliseconds of an ISO 8601 time, of `2017-06-23 21:05:06 UTC`, or of integer milliseconds.

    A time without zone is UTC. ValueError refuses digits below the millisecond, a date of eight digits (as
    milliseconds, 20170623 would be in the morning of 1970-01-01), and a number for which `likely_unit` knows another
    unit. With a plus sign, such a date or number is milliseconds.
    """
    moment = _moment(text)
    if _INTEGER.fullmatch(text):
        number = int(text)
        likely = None if text.startswith("+") else likely_unit(number)
        if moment or likely:
            wanted = f"{moment.date()} for that day" if moment else f"{likely.time} for {likely.name}" if likely else ""
            raise ValueError(f"must be {wanted}, or +{text} for milliseconds (got {text!r})")
        return number
    if moment is None:
        example = "2017-06-23T21:05:06.000Z, 2017-06-23 21:05:06 UTC or 1498251906000"
        raise ValueError(f"must be a time such as {example} (got {text!r:.100})")
    since = moment - _EPOCH
    # fromisoformat cuts off digits below the microsecond, so the text is searched, too.
    if since % _MILLISECOND or re.search(r"[.,]\d{6}\d*[1-9]", text):
        raise ValueError(f"must be a time in whole milliseconds (got {text!r:.100})")
    return since // _MILLISECOND


def show_time(at_ms: int) -> str:
    """ISO 8601 in UTC with milliseconds, or, for years of more than four digits, a number that `parse_time` reads."""
    try:
        moment = _EPOCH + at_ms * _MILLISECOND
    except OverflowError:
        return f"+{at_ms}" if likely_unit(at_ms) else str(at_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_unit(number: int, unit: Unit) -> int:
    """Milliseconds of a number of this unit; ValueError for microseconds that are not whole milliseconds."""
    if unit == "us" and number % 1000:
        raise ValueError(f"must be a time in whole milliseconds (got {shown(number)} microseconds)")
    return number * 1000 if unit == "s" else number // 1000 if unit == "us" else number


def likely_unit(number: int) -> LikelyUnit | None:
    """The unit in which a number is a time from 2000 to 2199; None if it is one in milliseconds, or in no unit."""
    if _LIKELY_UP_TO_S <= number < _LIKELY_FROM_S * 10**6:  # nearly every number of milliseconds
        return None
    for unit, name, per_second in (("s", "seconds", 1), ("us", "microseconds", 10**6), ("ns", "nanoseconds", 10**9)):
        if _LIKELY_FROM_S * per_second <= number < _LIKELY_UP_TO_S * per_second:
            return LikelyUnit(unit, name, show_time(number * 1000 // per_second))
    return None


def _moment(text: str) -> datetime | None:
    """The time of an ISO 8601 text; None for any other text."""
    match = _ISO.fullmatch(text)
    if not match:
        return None
    try:
        moment = datetime.fromisoformat(match[1])
    except ValueError:
        return None
    if moment.tzinfo:
        return None if match[2] else moment  # a text with two zones is not a time
    return moment.replace(tzinfo=UTC)
