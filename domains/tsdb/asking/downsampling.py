"""Downsampling: one number for each interval of a series, with OpenTSDB's results."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from shared.keys import InvalidQuestion, shown
from shared.records import check_one_of

from .calendars import CalendarUnit, interval_start, later, milliseconds, starts_ms
from .series import Values

Fill: TypeAlias = Literal["none", "nan", "zero"]
"""The value of an interval without points: none, NaN (which aggregators skip) or 0."""
MAX_INTERVALS = 10_000_000
"""The most intervals of all series together that are filled or found by the calendar. Each needs about 50 bytes, and a
deadline ends only the reading, not the computation."""
MAX_INTERVAL_MS = 365 * 86_400_000 * 1000
"""A thousand years: the longest interval."""


@attrs.frozen
class Downsampling:
    """One number for each interval; intervals start at multiples of their length since 1970 UTC, or by the calendar."""

    every_ms: int
    """The length of an interval; for months and years of the calendar, of 30 and 365 days each."""
    by: str
    """One of `DOWNSAMPLERS`."""
    fill: Fill = "none"
    calendar: CalendarUnit | None = None
    count: int = 1
    """Units of an interval of the calendar."""

    def __attrs_post_init__(self) -> None:
        if type(self.every_ms) is not int or not 1 <= self.every_ms <= MAX_INTERVAL_MS:
            raise InvalidQuestion(
                f"Downsampling.every_ms: must be 1..{MAX_INTERVAL_MS}, a thousand years (got {shown(self.every_ms)})"
            )
        check_one_of("Downsampling.by", self.by, *DOWNSAMPLERS)
        check_one_of("Downsampling.fill", self.fill, "none", "nan", "zero")

    def check_count(self, series: int, since_ms: int, until_ms: int) -> None:
        """Raises InvalidQuestion if so many series would have too many intervals in a period."""
        count = series * -((since_ms - until_ms) // self.every_ms)
        if count > MAX_INTERVALS and (self.fill != "none" or self.calendar is not None):
            wanted = f"all series must have {MAX_INTERVALS} intervals at most"
            raise InvalidQuestion(f"downsampling: {wanted} (got {count}); ask for longer ones, or for a shorter period")

    def next_start_ms(self, time_ms: int) -> int:
        """The start of the first interval that does not start before this time."""
        if self.calendar is None:
            return -(-time_ms // self.every_ms) * self.every_ms
        start = interval_start(time_ms, self.count, self.calendar)
        return milliseconds(start if milliseconds(start) == time_ms else later(start, self.count, self.calendar))

    def starts_between(self, since_ms: int, until_ms: int) -> NDArray[np.int64]:
        """The starts of intervals to fill: from the one that contains `since_ms` to the last that ends by `until_ms`.

        As in OpenTSDB, a calendar interval that contains `until_ms` is filled if it also contains `since_ms`.
        """
        if self.calendar is None:
            first_ms, end_ms = (time_ms - time_ms % self.every_ms for time_ms in (since_ms, until_ms))
            return np.arange(first_ms, end_ms, self.every_ms)
        start, end = (interval_start(time_ms, self.count, self.calendar) for time_ms in (since_ms, until_ms))
        end = later(start, self.count, self.calendar) if start == end else end
        return np.fromiter(starts_ms(start, milliseconds(end), self.count, self.calendar), np.int64)

    def starts_of(self, times_ms: NDArray[np.int64]) -> NDArray[np.int64]:
        """The start of the interval of each time; the times are in order."""
        if self.calendar is None or not len(times_ms):
            return times_ms - times_ms % self.every_ms
        start = interval_start(int(times_ms[0]), self.count, self.calendar)
        all_ms = np.fromiter(starts_ms(start, int(times_ms[-1]) + 1, self.count, self.calendar), np.int64)
        return np.asarray(all_ms[np.searchsorted(all_ms, times_ms, side="right") - 1])


def _sums(numbers: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sums of intervals, one number after the other, as OpenTSDB adds them: numpy's own sums add pairs."""
    intervals = np.repeat(np.arange(len(starts)), _lengths(numbers, starts))
    return np.asarray(np.bincount(intervals, numbers, len(starts)), np.float64)


def _deviations(numbers: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The standard deviation of each interval, point after point as OpenTSDB computes it; 0 for a single number."""
    variances: list[float] = []
    for interval in np.split(numbers, starts[1:]):
        mean = squares = 0.0
        for count, number in enumerate(interval.tolist(), start=1):
            before = mean
            mean = before + (number - before) / count
            squares += (number - before) * (number - mean)
        variances.append(squares / len(interval))
    return np.sqrt(np.array(variances, np.float64))  # NaN, as in Java, if a difference is above the largest float


DOWNSAMPLERS: dict[str, Callable[[NDArray[np.float64], NDArray[np.int64]], NDArray[np.float64]]] = {
    "sum": _sums,
    "avg": lambda numbers, starts: _sums(numbers, starts) / _lengths(numbers, starts),
    "min": np.minimum.reduceat,
    "max": np.maximum.reduceat,
    "count": lambda numbers, starts: _lengths(numbers, starts).astype(np.float64),
    "first": lambda numbers, starts: numbers[starts],
    "last": lambda numbers, starts: numbers[starts + _lengths(numbers, starts) - 1],
    "dev": _deviations,
}
"""A function of the numbers, and of where the intervals start among them."""


def _lengths(numbers: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.diff(np.append(starts, len(numbers)))


def downsampled(values: Values, how: Downsampling, since_ms: int, until_ms: int) -> Values:
    """One point for each interval that starts in the period, at its start; always floats.

    If the values go on after the period, its last interval is whole. An interval that starts before the period is
    filled, too, if it contains `since_ms`; OpenTSDB uses it for the rate of the next one.
    """
    values = values.taking(slice(int(np.searchsorted(values.times_ms, how.next_start_ms(since_ms))), None))
    intervals_ms, starts = np.unique(how.starts_of(values.times_ms), return_index=True)
    numbers = DOWNSAMPLERS[how.by](values.numbers, starts) if len(values) else np.zeros(0)
    if how.fill != "none":
        all_ms = how.starts_between(since_ms, until_ms)
        filled = np.full(len(all_ms), np.nan if how.fill == "nan" else 0.0)
        places = np.searchsorted(all_ms, intervals_ms)
        known = all_ms[np.minimum(places, len(all_ms) - 1)] == intervals_ms
        filled[places[known]] = numbers[known]
        numbers, intervals_ms = filled, all_ms
    until = slice(int(np.searchsorted(intervals_ms, until_ms)))
    return Values.of_floats(intervals_ms[until], numbers[until])
