"""Calendar intervals in UTC, of one or more days, weeks, months, years or smaller units, bounded as in OpenTSDB.

    unit        starts with        several: counted from
    ms          a millisecond      the second; from the minute if they do not divide it
    s           a second           the minute; from the hour if they do not divide it
    m           a minute           the hour; from the day if they do not divide it
    h           an hour            the day; from the month if they do not divide it
    d           a day              the start of the year
    w           from Sunday on     the Sunday before the first point
    n           a month            the start of the year
    y           a year             the year of the first point

Intervals of several units follow one another from the first one on, and do not start anew with a day, month or year.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import attrs

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)


@attrs.frozen
class CalendarUnit:
    """A unit of the calendar."""

    name: str
    length: timedelta | None = None
    """Its length; None for months and years, whose lengths differ."""
    parts: int = 1
    """How many of them make the next larger unit, from whose start intervals that divide it are counted."""


CALENDAR_UNITS = {
    unit.name: unit
    for unit in (
        CalendarUnit("ms", _MS, 1000),
        CalendarUnit("s", timedelta(seconds=1), 60),
        CalendarUnit("m", timedelta(minutes=1), 60),
        CalendarUnit("h", timedelta(hours=1), 24),
        CalendarUnit("d", timedelta(days=1)),
        CalendarUnit("w", timedelta(weeks=1)),
        CalendarUnit("n"),
        CalendarUnit("y"),
    )
}


def interval_start(time_ms: int, count: int, unit: CalendarUnit) -> datetime:
    """The start of the interval of `count` units that contains this time."""
    moment = _EPOCH + time_ms * _MS
    start = _anchor(moment, count, unit)
    if unit.length is not None:
        step = unit.length if unit.name == "w" else count * unit.length  # OpenTSDB starts with the week in any case
        return start + (moment - start) // step * step
    while (after := later(start, count, unit)) <= moment:
        start = after
    return start


def later(start: datetime, count: int, unit: CalendarUnit) -> datetime:
    """The start of the next interval after the one that starts at `start`."""
    if unit.length is not None:
        return start + count * unit.length
    months = start.year * 12 + start.month - 1 + count * (12 if unit.name == "y" else 1)
    return start.replace(year=months // 12, month=months % 12 + 1)


def milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970 UTC."""
    return (moment - _EPOCH) // _MS


def starts_ms(start: datetime, until_ms: int, count: int, unit: CalendarUnit) -> Iterator[int]:
    """The starts of intervals before `until_ms`, the first of which is `start`."""
    while (time_ms := milliseconds(start)) < until_ms:
        yield time_ms
        start = later(start, count, unit)


def _anchor(moment: datetime, count: int, unit: CalendarUnit) -> datetime:
    """The time, not after this moment, from which its intervals are counted."""
    divides = count <= unit.parts and unit.parts % count == 0
    second = moment.replace(microsecond=0)
    minute, hour = second.replace(second=0), second.replace(second=0, minute=0)
    day = hour.replace(hour=0)
    match unit.name:
        case "ms":
            return second if divides else minute
        case "s":
            return minute if divides else hour
        case "m":
            return hour if divides else day
        case "h":
            return day if divides else day.replace(day=1)
        case "d":
            return day.replace(day=1) if count == 1 else day.replace(month=1, day=1)
        case "w":
            return day - timedelta(days=(day.weekday() + 1) % 7)
        case _:
            return day.replace(month=1, day=1)
