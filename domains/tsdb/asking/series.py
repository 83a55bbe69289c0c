"""Series as arrays: their points by time, of one series or of the aggregate of a group."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray


@attrs.frozen(eq=False)
class Values:
    """The points of one series, or of an aggregate, by time."""

    times_ms: NDArray[np.int64]
    """Milliseconds since 1970-01-01 UTC, each once."""
    numbers: NDArray[np.float64]
    """All numbers as floats."""
    ints: NDArray[np.int64]
    """The numbers of those points that are ints; anything for the others."""
    are_floats: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.times_ms)

    @classmethod
    def of_floats(cls, times_ms: NDArray[np.int64], numbers: NDArray[np.float64]) -> "Values":
        """Points that are all floats."""
        return cls(times_ms, numbers, np.zeros(len(numbers), np.int64), np.ones(len(numbers), np.bool_))

    @classmethod
    def of(cls, points: Iterable[tuple[int, int | float]]) -> "Values":
        """Points as time and number, by time."""
        pairs = list(points)
        are_floats = np.array([isinstance(number, float) for _, number in pairs], np.bool_)
        return cls(
            np.array([time_ms for time_ms, _ in pairs], np.int64),
            np.array([float(number) for _, number in pairs], np.float64),
            np.array([0 if isinstance(number, float) else number for _, number in pairs], np.int64),
            are_floats,
        )

    def taking(self, places: Any) -> "Values":
        """The points at these places."""
        return Values(self.times_ms[places], self.numbers[places], self.ints[places], self.are_floats[places])

    def between(self, since_ms: int, until_ms: int) -> "Values":
        """The points from `since_ms` to `until_ms` (exclusive)."""
        return self.taking(slice(*np.searchsorted(self.times_ms, (since_ms, until_ms)).tolist()))

    def points(self) -> list[tuple[int, int | float]]:
        """Time and number of each point, as Python has them."""
        numbers = self.ints.astype(object)
        numbers[self.are_floats] = self.numbers[self.are_floats]
        return list(zip(self.times_ms.tolist(), numbers.tolist(), strict=True))


@attrs.frozen
class Series:
    """The points of one series, or of the aggregate of a group, in a period."""

    metric: str
    tags: Mapping[str, str]
    """Names and values; for a group, the tags that have one value."""
    aggregated_tags: tuple[str, ...]
    """The tags of a group that have several values."""
    values: Values = attrs.field(eq=False)
    tsuids: tuple[str, ...] = ()
    """The TSUID of each series in it: the UIDs of metric and tags in upper-case hex."""
