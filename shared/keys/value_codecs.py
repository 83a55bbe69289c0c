"""Python's own times, dates, UUIDs and bools, each in the format of a plainer codec, and as the int that it is there.

Types are exact: a datetime is not a date, and has a zone. A datetime is decoded in UTC.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from .codecs import Codec, FixedBytes, Int32, Int64, UInt8
from .errors import InvalidKey, shown

if TYPE_CHECKING:
    from uuid import UUID

V = TypeVar("V")
S = TypeVar("S")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_MICROSECOND = timedelta(microseconds=1)
_FIRST_US, _LAST_US = ((moment.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND for moment in (datetime.min, datetime.max))


# ---- values as ints ------------------------------------------------------------------------------


def is_moment(value: object) -> bool:
    """Whether a value is a datetime with a zone."""
    return type(value) is datetime and value.utcoffset() is not None


def microseconds_of(moment: datetime) -> int:
    """Microseconds since 1970-01-01 UTC; ValueError if that is outside the years 1 to 9999 in UTC."""
    number = (moment - _EPOCH) // _MICROSECOND
    if not _FIRST_US <= number <= _LAST_US:
        raise ValueError("must be in the years 1 to 9999 in UTC")
    return number


def moment_of(number: int) -> datetime:
    """The datetime in UTC of microseconds since 1970-01-01 UTC; ValueError if they are outside the years 1 to 9999."""
    try:
        return _EPOCH + number * _MICROSECOND
    except OverflowError:
        raise ValueError(f"must be microseconds of the years 1 to 9999 (got {shown(number)})") from None


def days_of(day: date) -> int:
    """Days since 1970-01-01."""
    return day.toordinal() - _EPOCH_DAY


def day_of(number: int) -> date:
    """The date of days since 1970-01-01; ValueError if they are outside the years 1 to 9999."""
    try:
        return date.fromordinal(number + _EPOCH_DAY)
    except (OverflowError, ValueError):
        raise ValueError(f"must be days of the years 1 to 9999 (got {shown(number)})") from None


def is_uuid(value: object) -> bool:
    """Whether a value is a UUID."""
    from uuid import UUID  # takes as long to load as some codecs, and few keys need it

    return type(value) is UUID


def uuid_of(data: bytes) -> "UUID":
    """The UUID of its 16 bytes; ValueError for bytes of another length."""
    from uuid import UUID

    if len(data) != 16:
        raise ValueError(f"must be the 16 bytes of a UUID (got {len(data)})")
    return UUID(bytes=data)


def _bool_of(number: int) -> bool:
    if number > 1:
        raise ValueError(f"must be 00 or 01 (got {number:02x})")
    return number == 1


# ---- codecs --------------------------------------------------------------------------------------


class _Value(Codec[V]):
    """A datetime, date, UUID or bool in the format of a plainer codec, in the same order.

    DateTime: microseconds since 1970-01-01 UTC, as Int64
    Date: days since 1970-01-01, as Int32
    Uuid: its 16 bytes
    Bool: False -> 00, True -> 01
    """

    def __init__(
        self,
        name: str,
        stored: Codec[S],
        wanted: str,
        is_value: Callable[[object], bool],
        to_stored: Callable[[V], S],
        from_stored: Callable[[S], V],
    ) -> None:
        super().__init__(name, width_bytes=stored.width_bytes)
        self._stored: Codec[Any] = stored
        self._wanted = wanted
        self._is_value = is_value
        self._to_stored = to_stored
        self._from_stored: Callable[[Any], V] = from_stored

    def encode(self, value: V) -> bytes:
        if not self._is_value(value):
            raise InvalidKey(f"must be {self._wanted} (got {shown(value)}, {type(value).__name__})")
        try:
            return self._stored.encode(self._to_stored(value))
        except ValueError as error:
            raise InvalidKey(f"{error} (got {shown(value)})") from None

    def decode_first(self, data: bytes) -> tuple[V, bytes]:
        stored, rest = self._stored.decode_first(data)
        try:
            return self._from_stored(stored), rest
        except ValueError as error:
            raise InvalidKey(str(error)) from None


DateTime: Codec[datetime] = _Value("DateTime", Int64, "a datetime with a zone", is_moment, microseconds_of, moment_of)
Date: Codec[date] = _Value("Date", Int32, "a date", lambda value: type(value) is date, days_of, day_of)
Uuid: "Codec[UUID]" = _Value("Uuid", FixedBytes(16), "a UUID", is_uuid, lambda value: value.bytes, uuid_of)
Bool: Codec[bool] = _Value("Bool", UInt8, "a bool", lambda value: type(value) is bool, int, _bool_of)
