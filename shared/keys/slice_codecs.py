"""One value in two places: the start of its slice in the row key, the rest of it in the column qualifier.

    @row_key
    class HourOfMetric:
        time_ms: int = part(Slice(Int64, HOUR_MS), "the hour")

    @row_key
    class WithinHour:
        time_ms: int = part(Rest(UInt32, HOUR_MS), "the rest of the hour, milliseconds")

A record holds the whole value. The table divides it to make a row or a plan, and joins the two shares to read a record.
A key that is encoded by itself must be given the start of a slice, so that decoding gives back what was encoded.
"""

from typing import Any

from .codecs import Codec, Descending, check_codec, check_type, holds
from .errors import InvalidKey, shown


class _Share(Codec[int]):
    """One of the two shares of an int that is divided into slices of `every`."""

    def __init__(self, name: str, codec: Codec[int], every: int) -> None:
        if type(every) is not int or every < 1:
            raise InvalidKey(f"{name}.every: must be 1 or more (got {shown(every)})")
        check_codec(name, codec, "a codec of ints")
        if codec.descending or codec.trailing:
            why = f"must be ascending; write Descending({name}(...))" if codec.descending else "must have a terminator"
            raise InvalidKey(f"{name}: {codec} {why}")
        if not holds(codec, 0):
            raise InvalidKey(f"{name}: needs a codec of ints (got {codec})")
        if not (holds(codec, every - 1) or (isinstance(self, Slice) and holds(codec, every))):
            raise InvalidKey(f"{name}.every: {codec} must hold 0..every - 1 (got {shown(every)})")
        self.codec = codec
        self.every = every
        super().__init__(
            f"{name}({codec}, {every})",
            width_bytes=codec.width_bytes,
            ordered=codec.ordered,
            legible=codec.legible,
        )
        self.past_last = codec.past_last if isinstance(self, Slice) else every

    def share(self, value: int) -> int:
        """The share of a whole value that this codec holds."""
        raise NotImplementedError

    def _check(self, value: int) -> int:
        raise NotImplementedError

    def encode(self, value: int) -> bytes:
        check_type(int, value)
        return self.codec.encode(self._check(value))

    def decode_first(self, data: bytes) -> tuple[int, bytes]:
        value, rest = self.codec.decode_first(data)
        return self._check(value), rest

    def invert_order(self, data: bytes) -> bytes:
        return self.codec.invert_order(data)


class Slice(_Share):
    """The start of a slice: only multiples of `every`, which counts from 0 in both directions.

    Its codec needs to hold those multiples only, such as milliseconds that are stored in seconds.

    Slice(UInt16, 3600): 0 -> 00 00, 3600 -> 0e 10, 7200 -> 1c 20
    """

    def __init__(self, codec: Codec[int], every: int) -> None:
        super().__init__("Slice", codec, every)

    def share(self, value: int) -> int:
        check_type(int, value)
        return value - value % self.every

    def _check(self, value: int) -> int:
        if value % self.every:
            raise InvalidKey(f"must be a multiple of {self.every} (got {shown(value)})")
        return value


class Rest(_Share):
    """The offset of a value within its slice: 0..`every` - 1, also for values below 0.

    Rest(UInt16, 3600): 0 -> 00 00, 1 -> 00 01, 3599 -> 0e 0f
    """

    def __init__(self, codec: Codec[int], every: int) -> None:
        super().__init__("Rest", codec, every)

    def share(self, value: int) -> int:
        check_type(int, value)
        return value % self.every

    def _check(self, value: int) -> int:
        if not 0 <= value < self.every:
            raise InvalidKey(f"must be 0..{self.every - 1} (got {shown(value)})")
        return value


def share_codec(codec: Codec[Any]) -> Slice | Rest | None:
    """The `Slice` or `Rest` of a part, whatever its direction; None if the part holds its whole value."""
    ascending: Codec[Any] = codec.codec if isinstance(codec, Descending) else codec
    return ascending if isinstance(ascending, Slice | Rest) else None


def share_of(codec: Codec[Any], value: Any) -> Any:
    """The share of a value that a part with this codec holds: the value itself, unless it is divided."""
    divided = share_codec(codec)
    return value if divided is None else divided.share(value)
