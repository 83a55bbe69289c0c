"""Times as text, as users type and read them; records hold milliseconds since 1970-01-01 UTC."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias, get_args

from ..keys.errors import shown
from .lengths import UNIT_LENGTHS_MS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LIKELY_FROM_S = 946_684_800  # 2000-01-01
_LIKELY_UP_TO_S = 7_258_118_400  # 2200-01-01
_INTEGER = re.compile("[+-]?[0-9]{1,4300}")  # Python reads no more digits
# As fromisoformat, which however accepts any character between date and time: here only T or one blank.
_ISO = re.compile(r"((?:\d{4}-\d\d-\d\d|\d{8}|\d{4}-?W\d\d(?:-?\d)?)(?:[T ]\S+?)??)( ?UTC)?", re.ASCII)

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

_AGO = re.compile(rf"([0-9]{{1,12}})({'|'.join(UNIT_LENGTHS_MS)})-ago")

Unit: TypeAlias = Literal["s", "ms", "us"]
"""What the number of a time may count since 1970-01-01 UTC: seconds, milliseconds or microseconds."""
UNITS: tuple[Unit, ...] = get_args(Unit)
"""All units of times."""
_NAMES: dict[Unit, str] = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}
_MILLISECONDS: dict[Unit, Fraction] = {"s": Fraction(1000), "ms": Fraction(1), "us": Fraction(1, 1000)}


class LikelyUnit(NamedTuple):
    """A unit other than milliseconds, and the time that a number is in that unit."""

    unit: str
    """`s`, `us` or `ns`; `ns` is not a `Unit`."""
    name: str
    time: str


def parse_time(text: str) -> int:
    """Milliseconds of an ISO 8601 time, of `2017-06-23 21:05:06 UTC`, or of integer milliseconds.

    A time without zone is UTC. Raises ValueError for digits below the millisecond, a date of eight digits (as
    milliseconds, 20170623 would be in the morning of 1970-01-01), and a number for which `likely_unit` knows another
    unit. With a plus sign, such a date or number is milliseconds.
    """
    moment = _moment(text)
    if _INTEGER.fullmatch(text):
        number = int(text)
        likely = None if text.startswith("+") else likely_unit(number)
        if moment or likely:
            wanted = f"{moment.date()} for that day" if moment else f"{likely.time} for {likely.name}" if likely else ""
            raise ValueError(f"must be {wanted}, or +{text} for milliseconds (got {shown(text)})")
        return number
    if moment is None:
        example = "2017-06-23T21:05:06.000Z, 2017-06-23 21:05:06 UTC or 1498251906000"
        raise ValueError(f"must be a time such as {example} (got {shown(text)})")
    # fromisoformat cuts off digits below the microsecond, so the text is searched, too.
    if re.search(r"[.,]\d{6}\d*[1-9]", text):
        raise ValueError(f"must be a time in whole milliseconds (got {shown(text)})")
    return milliseconds_of(moment, text)


def parse_moment(text: str, now_ms: int) -> int:
    """Milliseconds of a time in a question: as `parse_time` reads it, or relative to now, as in OpenTSDB.

    `now`, `90s-ago`, `1h-ago`, `7d-ago`; the units are those of `UNIT_LENGTHS_MS`. Raises ValueError.
    """
    if text == "now":
        return now_ms
    match = _AGO.fullmatch(text)
    if match is None and text.endswith("-ago"):
        raise ValueError(f"must be a number and a unit, {', '.join(UNIT_LENGTHS_MS)}, as in 1h-ago (got {shown(text)})")
    return parse_time(text) if match is None else now_ms - int(match[1]) * UNIT_LENGTHS_MS[match[2]]


def parse_datetime(text: str) -> datetime:
    """The datetime, in UTC, of an ISO 8601 time or of `2017-06-23 21:05:06 UTC`; without zone it is in UTC.

    Raises ValueError for a number, and for digits below the microsecond.
    """
    moment = None if _INTEGER.fullmatch(text) else _moment(text)
    if moment is None or re.search(r"[.,]\d{6}\d*[1-9]", text):  # fromisoformat cuts off the seventh digit
        raise ValueError(f"must be a time such as 2017-06-23T21:05:06.000001Z (got {shown(text)})")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"must be in the years 1 to 9999 in UTC (got {shown(text)})") from None


def parse_date(text: str) -> date:
    """The date of `2017-06-23`. Raises ValueError."""
    if _DATE.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:  # such as a 31st of June
            pass
    raise ValueError(f"must be a date such as 2017-06-23 (got {shown(text)})")


def show_datetime(moment: datetime) -> str:
    """ISO 8601 in UTC, as `parse_datetime` reads it."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def milliseconds_of(moment: datetime, text: str) -> int:
    """Milliseconds of a moment that was read from a text; without a zone it is in UTC. ValueError for microseconds."""
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    if since % _MILLISECOND:
        raise ValueError(f"must be a time in whole milliseconds (got {shown(text)})")
    return since // _MILLISECOND


def show_time(at_ms: int) -> str:
    """ISO 8601 in UTC with milliseconds, or, for years of more than four digits, a number that `parse_time` reads."""
    try:
        moment = _EPOCH + at_ms * _MILLISECOND
    except OverflowError:
        return f"+{at_ms}" if likely_unit(at_ms) else shown(at_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_unit(number: int | Decimal, unit: Unit) -> int:
    """Milliseconds of a number of this unit; ValueError for a number that is not whole milliseconds."""
    if unit == "ms" and type(number) is int:
        return number
    time_ms = Fraction(number) * _MILLISECONDS[unit]
    if time_ms.denominator != 1:
        given = str(number) if isinstance(number, Decimal) else shown(number)
        raise ValueError(f"must be a time in whole milliseconds (got {given} {_NAMES[unit]})")
    return int(time_ms)


def likely_unit(number: int) -> LikelyUnit | None:
    """The unit in which a number is a time from 2000 to 2199; None if milliseconds are such a time, or no unit is."""
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
