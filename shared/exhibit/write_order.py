"""When records were written: read from their values, not from the names of fields or the order of a file."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time
from functools import partial
from typing import Any
from uuid import UUID

import attrs

RISING = 0.9
"""A sequence rises if at least this share of its values are not below any value before them."""
DAY_MS = 86_400_000
LONGEST_MS = 5 * 366 * DAY_MS
"""A field of times over a longer period, such as dates of birth, tells when records were written only if it rises."""
FIRST_MS, LAST_MS = 946_684_800_000, 4_102_444_800_000
"""The years 2000 to 2099: numbers are times if, in one of the units, all are within them."""
MS_OF_UNITS = (1_000.0, 1.0, 1e-3)
"""Milliseconds of a second, a millisecond and a microsecond."""
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""The digits of a ULID; its first ten are milliseconds."""
LABEL = re.compile(r"[A-Za-z]+[-_:/.#]")
"""Letters before an id, such as `evt_`."""
DIGITS_OF_DATE = re.compile(r"(20\d\d)(\d\d)(\d\d)(?:T?(\d\d)(\d\d)?(\d\d)?)?(?!\d)")
"""A date in digits, with or without hours, minutes and seconds."""


def rises(values: Sequence[Any]) -> bool:
    """Whether the values rise, apart from a few."""
    highest, rose = values[0], 0
    for value in values:
        if value >= highest:
            highest = value
            rose += 1
    return rose >= RISING * len(values)


def _rises_on_the_whole(times: Sequence[float]) -> bool:
    """Whether times rise although some records come late: most are not above the time an eighth of the file later."""
    later = times[-(-len(times) // 8) :]
    return sum(one <= other for one, other in zip(times, later, strict=False)) >= RISING * len(later)


@attrs.frozen
class TimeField:
    """A field of records that tells when each was written."""

    name: str
    to_ms: Callable[[Any], float]
    """Milliseconds since 1970-01-01 UTC of a value."""

    def time_ms(self, record: Any) -> float:
        """When a record was written."""
        return self.to_ms(getattr(record, self.name))


def time_field(records: Sequence[Any]) -> TimeField | None:
    """The field that tells when records of one class were written; None if no field does.

    If several fields hold times, it prefers one that is not an id, then one that rises in the file, then the one that
    covers the shortest period.
    """
    if not records:
        return None
    fields: list[tuple[bool, bool, float, int, TimeField]] = []
    for number, field in enumerate(attrs.fields(records[0].__class__)):
        to_ms = time_format([getattr(record, field.name) for record in records])
        if to_ms is not None:
            found = TimeField(field.name, to_ms)
            times = [found.time_ms(record) for record in records]
            period_ms = max(times) - min(times)
            is_in_order = _rises_on_the_whole(times)
            if is_in_order or period_ms <= LONGEST_MS:
                is_id = to_ms in ID_FORMATS
                fields.append((is_id, not is_in_order, period_ms, number, found))
    return min(fields)[-1] if fields else None


def time_format(values: Sequence[Any]) -> Callable[[Any], float] | None:
    """A function that reads these values as times, in milliseconds since 1970; None if one of them is not a time."""
    if not values:
        return None
    return next((to_ms for to_ms in _formats(values[0].__class__) if _reads(to_ms, values)), None)


def are_ids(values: Sequence[Any]) -> bool:
    """Whether these values are ids that hold a time and more, so that two ids of one moment differ."""
    return time_format(values) in ID_FORMATS


def names_period(times_ms: Iterable[float], period_ms: int) -> bool:
    """Whether times are the starts of periods of this length, such as days."""
    return all(time_ms % period_ms == 0 for time_ms in times_ms)


def _reads(to_ms: Callable[[Any], float], values: Iterable[Any]) -> bool:
    try:
        return all(FIRST_MS <= to_ms(value) < LAST_MS for value in values)
    except (ValueError, TypeError, OverflowError):
        return False


def _formats(kind: type[Any]) -> tuple[Callable[[Any], float], ...]:
    if kind in (int, float):
        return (*(partial(_number_ms, unit) for unit in MS_OF_UNITS), _nanoseconds_ms)
    if kind is str:
        return (_iso_ms, _digits_of_date_ms, _ulid_ms, _uuid_ms, _number_of_text_ms)
    if kind is bytes:
        return (_bytes_ms,)
    if kind is UUID:
        return (_bytes_of_uuid_ms,)
    return (_date_ms,) if issubclass(kind, date) else ()


def _number_ms(unit: float, value: float) -> float:
    return value * unit


def _nanoseconds_ms(value: float) -> float:
    """Nanoseconds, or a Snowflake id made since 2017, whose upper bits are milliseconds: both rise, and few repeat."""
    return value * 1e-6


def _date_ms(value: date) -> float:
    at = value if isinstance(value, datetime) else datetime.combine(value, time())
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000


def _iso_ms(value: str) -> float:
    """`2026-01-12`, `2026/01/12 10:15`, `2026-01-12T10:15:00.250Z`, also `2026-01-12T10` and `2026-01`."""
    text = value.replace("/", "-")
    if re.fullmatch(r"\d{4}-\d\d", text):
        text += "-01"
    if not re.match(r"\d{4}-\d\d-\d\d", text):
        raise ValueError(f"must start with a date (got {value})")
    return _date_ms(datetime.fromisoformat(text))


def _digits_of_date_ms(value: str) -> float:
    """`20260112`, `20260112101500`, also within an id such as `INV-20260112-0042`."""
    match = DIGITS_OF_DATE.match(_unlabelled(value))
    if match is None:
        raise ValueError(f"must start with a date (got {value})")
    year, month, day, hour, minute, second = (int(digits or 0) for digits in match.groups())
    return _date_ms(datetime(year, month, day, hour, minute, second))


def _ulid_ms(value: str) -> float:
    digits = _unlabelled(value).upper()
    if len(digits) != 26:
        raise ValueError(f"must be a ULID (got {value})")
    return float(_number_in_base32(digits[:10]))


def _number_in_base32(digits: str) -> int:
    number = 0
    for digit in digits:
        number = 32 * number + CROCKFORD.index(digit)
    return number


def _uuid_ms(value: str) -> float:
    """A UUID of version 7, or an ObjectId of MongoDB, in hexadecimal digits."""
    digits = _unlabelled(value)
    if len(digits) == 24:
        return _bytes_ms(bytes.fromhex(digits))
    return _bytes_of_uuid_ms(UUID(digits))


def _bytes_of_uuid_ms(value: UUID) -> float:
    return _bytes_ms(value.bytes)


def _bytes_ms(value: bytes) -> float:
    """A UUID of version 7 or a ULID starts with milliseconds in six bytes, an ObjectId with seconds in four."""
    if len(value) not in (12, 16):
        raise ValueError(f"must be 12 or 16 bytes (got {len(value)})")
    return float(int.from_bytes(value[:6])) if len(value) == 16 else 1000.0 * int.from_bytes(value[:4])


def _number_of_text_ms(value: str) -> float:
    """The milliseconds or seconds of a text such as `1768212900250`."""
    return int(value) * (1.0 if len(value) == 13 else 1000.0)


def _unlabelled(value: str) -> str:
    label = LABEL.match(value)
    return value[label.end() :] if label else value


ID_FORMATS = (_nanoseconds_ms, _ulid_ms, _uuid_ms, _bytes_of_uuid_ms, _bytes_ms)
"""The formats of ids that hold a time and more, or count it from another epoch."""
