"""Series as arrays: downsampled, turned into rates, and aggregated, with OpenTSDB's results.

A query does these steps in this order:

    1. `downsampled`, each series by itself: one number for each interval.
    2. `rates`, each series by itself: the change per second since the previous point.
    3. `aggregated`, the series of a group: one number for each time at which any has a point.

A series of ints stays one of ints until step 1 or 2, which make floats. If series do not have the same times, each has
a number between its own first and last point at the times of the others: interpolated (`linear`), or a fixed one, as
its aggregator says. Before the first and after the last point it has none.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from shared.keys import InvalidQuestion, shown

from .calendars import CalendarUnit, interval_start, later, milliseconds, starts_ms

LONG_MAX, LONG_MIN = 2**63 - 1, -(2**63)
Fill: TypeAlias = Literal["none", "nan", "zero"]
"""The value of an interval without points: none, NaN (which aggregators skip) or 0."""


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


# ---- 1. downsampling -----------------------------------------------------------------------------

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
        one_of("Downsampling.by", self.by, DOWNSAMPLERS)
        one_of("Downsampling.fill", self.fill, ("none", "nan", "zero"))

    def next_start_ms(self, time_ms: int) -> int:
        """The start of the first interval that does not start before this time."""
        if self.calendar is None:
            return -(-time_ms // self.every_ms) * self.every_ms
        start = interval_start(time_ms, self.count, self.calendar)
        return milliseconds(start if milliseconds(start) == time_ms else later(start, self.count, self.calendar))

    def starts_between(self, since_ms: int, until_ms: int) -> NDArray[np.int64]:
        """The starts of intervals to fill: from that with `since_ms` on, those that start before `until_ms`.

        Of the calendar, as in OpenTSDB, that with `until_ms` is not filled, unless it has `since_ms`, too.
        """
        if self.calendar is None:
            return np.arange(since_ms - since_ms % self.every_ms, until_ms, self.every_ms)
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
    deviations: list[float] = []
    for interval in np.split(numbers, starts[1:]):
        mean = squares = 0.0
        for count, number in enumerate(interval.tolist(), start=1):
            before = mean
            mean = before + (number - before) / count
            squares += (number - before) * (number - mean)
        deviations.append(math.sqrt(squares / len(interval)))
    return np.array(deviations, np.float64)


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

    The values may go on after the period, which then has whole intervals.
    """
    values = values.taking(slice(int(np.searchsorted(values.times_ms, how.next_start_ms(since_ms))), None))
    intervals_ms, starts = np.unique(how.starts_of(values.times_ms), return_index=True)
    numbers = DOWNSAMPLERS[how.by](values.numbers, starts) if len(values) else np.zeros(0)
    if how.fill != "none":
        all_ms = how.starts_between(since_ms, until_ms)
        filled = np.full(len(all_ms), np.nan if how.fill == "nan" else 0.0)
        known = np.isin(intervals_ms, all_ms)
        filled[np.searchsorted(all_ms, intervals_ms[known])] = numbers[known]
        numbers, intervals_ms = filled, all_ms
    in_period = slice(*np.searchsorted(intervals_ms, (since_ms, until_ms)).tolist())
    return Values.of_floats(intervals_ms[in_period], numbers[in_period])


# ---- 2. rates ------------------------------------------------------------------------------------


@attrs.frozen
class Rate:
    """How changes become rates. A counter only grows: a smaller number means that it started again after `max`."""

    is_counter: bool = False
    max: int = LONG_MAX
    reset: float = 0
    """If a new start would give a rate above this, it is 0, because the counter was reset. 0 means no such limit."""
    drops_resets: bool = False
    """Leaves out the point at which a counter is smaller than before."""


def rates(values: Values, how: Rate) -> Values:
    """The change per second since the previous point, always floats.

    The first point has a rate, too: the one since 0 in 1970. `aggregated` does not return it, but uses it as the rate
    until the second point, as OpenTSDB does.
    """
    seconds = np.diff(values.times_ms, prepend=0) / 1000.0
    before_ints = np.concatenate([np.zeros(1, np.int64), values.ints])[:-1]
    before = np.concatenate([np.zeros(1), values.numbers])[:-1]
    are_ints = ~(values.are_floats | np.concatenate([np.zeros(1, np.bool_), values.are_floats])[:-1])
    changes = np.where(are_ints, (values.ints - before_ints).astype(np.float64), values.numbers - before)
    if not how.is_counter:
        return Values.of_floats(values.times_ms, changes / seconds)
    is_smaller = changes < 0
    if how.drops_resets:
        return Values.of_floats(values.times_ms[~is_smaller], (changes / seconds)[~is_smaller])
    int_rolled = (np.int64(how.max) - before_ints + values.ints).astype(np.float64)
    rolled = np.where(are_ints, int_rolled, how.max - before + values.numbers) / seconds
    if how.reset > 0:
        rolled[rolled > how.reset] = 0.0
    return Values.of_floats(values.times_ms, np.where(is_smaller, rolled, changes / seconds))


# ---- 3. aggregation ------------------------------------------------------------------------------

Between: TypeAlias = Literal["linear", "zero", "max", "min"]
"""The number of a series between two of its points: on the line between them, 0, or the largest or the smallest one."""


@attrs.frozen
class Aggregator:
    """How the numbers of several series at one time become one."""

    name: str
    between: Between
    of_ints: Callable[[NDArray[np.int64], NDArray[np.bool_]], NDArray[np.int64]]
    """A function of rows of ints, and of which of them exist. As in Java, a sum wraps and an average is cut towards
    0."""
    of_floats: Callable[[NDArray[np.float64], NDArray[np.bool_]], NDArray[np.float64]]
    """A function of rows of floats, and of which of them exist; each time has at least one."""
    picks_one: bool = False
    """Whether it takes the number of one series, by their order, even if it is NaN; others skip NaN."""


def _sum(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    total = np.zeros(numbers.shape[1], numbers.dtype)
    for row, is_present in zip(numbers, present, strict=True):  # one series after the other, as OpenTSDB adds them
        total = np.where(is_present, total + row, total)
    return total


def _min(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    return np.asarray(np.where(present, numbers, _largest(numbers.dtype)).min(axis=0))


def _max(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    return np.asarray(np.where(present, numbers, _smallest(numbers.dtype)).max(axis=0))


def _count(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    return np.asarray(present.sum(axis=0).astype(numbers.dtype))


def _int_average(numbers: NDArray[np.int64], present: NDArray[np.bool_]) -> NDArray[np.int64]:
    return _divided(_sum(numbers, present), present.sum(axis=0))


def _float_average(numbers: NDArray[np.float64], present: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.asarray(_sum(numbers, present) / present.sum(axis=0))


def _deviation(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    """The standard deviation of the series at each time, one after the other, as OpenTSDB computes it; 0 for one."""
    count = np.zeros(numbers.shape[1], np.int64)
    mean, squares = np.zeros(numbers.shape[1]), np.zeros(numbers.shape[1])
    for row, is_present in zip(numbers.astype(np.float64), present, strict=True):
        count += is_present
        before = mean
        mean = np.where(is_present, before + (row - before) / np.maximum(count, 1), before)
        squares += np.where(is_present, (row - before) * (row - mean), 0.0)
    deviation = np.sqrt(squares / np.maximum(count, 1))
    if numbers.dtype != np.int64:
        return deviation
    is_largest = deviation >= float(LONG_MAX)  # which has no int of 64 bits; Java takes the largest one
    return np.where(is_largest, LONG_MAX, np.where(is_largest, 0.0, deviation).astype(np.int64))


def _first(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    return np.asarray(numbers[present.argmax(axis=0), np.arange(numbers.shape[1])])


def _last(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    return _first(numbers[::-1], present[::-1])


def _divided(number: NDArray[np.int64], by: NDArray[np.int64]) -> NDArray[np.int64]:
    """The quotient cut towards 0, as Java divides; `by` is above 0."""
    quotient = number // by
    return np.asarray(quotient + ((number < 0) & (quotient * by != number)))


def _largest(dtype: "np.dtype[Any]") -> Any:
    return LONG_MAX if dtype == np.int64 else np.finfo(np.float64).max


def _smallest(dtype: "np.dtype[Any]") -> Any:
    return LONG_MIN if dtype == np.int64 else -np.finfo(np.float64).max


AGGREGATORS = {
    aggregator.name: aggregator
    for aggregator in (
        Aggregator("sum", "linear", _sum, _sum),
        Aggregator("avg", "linear", _int_average, _float_average),
        Aggregator("min", "linear", _min, _min),
        Aggregator("max", "linear", _max, _max),
        Aggregator("count", "zero", _count, _count),
        Aggregator("zimsum", "zero", _sum, _sum),
        Aggregator("mimmin", "max", _min, _min),
        Aggregator("mimmax", "min", _max, _max),
        Aggregator("first", "zero", _first, _first, picks_one=True),
        Aggregator("last", "zero", _last, _last, picks_one=True),
        Aggregator("dev", "linear", _deviation, _deviation),
    )
}
"""By name. OpenTSDB's `none` is not one of them: it leaves each series as it is."""


def aggregated(series: Sequence[Values], name: str, *, are_rates: bool = False) -> Values:
    """One point for each time that any of the series has.

    A number is an int if all series have ints there, both in their last point and in their next one. Rates are not
    interpolated: the previous rate still counts; before the second point, the first rate does, which is not returned
    itself.
    Costs: memory for each time once for each series.
    """
    aggregator = AGGREGATORS[one_of("aggregator", name, AGGREGATORS)]
    series = [values for values in series if len(values) > are_rates]
    if not series:
        return Values.of(())
    times_ms = _all_times([values.times_ms[int(are_rates) :] for values in series])
    present = np.zeros((len(series), len(times_ms)), np.bool_)
    numbers = np.zeros(present.shape, np.float64)
    ints = np.zeros(present.shape, np.int64)
    is_float = np.zeros(len(times_ms), np.bool_)
    for row, values in enumerate(series):
        before = np.searchsorted(values.times_ms, times_ms, side="right") - 1
        present[row] = ((before >= 0) | are_rates) & (times_ms <= values.times_ms[-1])
        after = np.minimum(before + 1, len(values) - 1)
        before = np.maximum(before, 0)
        is_over = times_ms > values.times_ms[-1]
        is_float |= (present[row] & values.are_floats[before]) | (~is_over & values.are_floats[after])
        times_before = values.times_ms[before]
        at = _Places(before, after, times_ms - times_before, values.times_ms[after] - times_before)
        between: Between | Literal["last"] = "last" if are_rates else aggregator.between
        numbers[row] = _numbers_at(values.numbers, np.divide, between, at)
        ints[row] = _numbers_at(values.ints, _divided, between, at)
    float_numbers = _skipping_nan(aggregator, numbers, present)
    int_numbers = aggregator.of_ints(ints, present)
    return Values(times_ms, np.where(is_float, float_numbers, int_numbers.astype(np.float64)), int_numbers, is_float)


def _all_times(series: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The times of some series, each once."""
    if all(np.array_equal(series[0], times_ms) for times_ms in series[1:]):
        return series[0]
    times_ms = np.sort(np.concatenate(series), kind="stable")  # numpy's `unique` does not exploit sorted runs
    return np.asarray(times_ms[np.append(True, times_ms[1:] > times_ms[:-1])])


@attrs.frozen(eq=False)
class _Places:
    """The positions of an aggregate's times among the points of one series."""

    before: NDArray[np.int64]
    """The number of the last point up to each time."""
    after: NDArray[np.int64]
    """The number of the point after that one, or of the last point."""
    since_ms: NDArray[np.int64]
    """The time since the previous point; 0 if the series has a point at this very time."""
    length_ms: NDArray[np.int64]
    """The time between the two points."""


def _skipping_nan(
    aggregator: Aggregator, numbers: NDArray[np.float64], present: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The aggregate of the numbers that are not NaN; NaN if all are."""
    if aggregator.picks_one:
        return aggregator.of_floats(numbers, present)
    known = present & ~np.isnan(numbers)
    has_any = known.any(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        result = aggregator.of_floats(np.where(known, numbers, 0.0), known)
    return np.where(has_any, result, 0.0 if aggregator.name == "count" else np.nan)


def _numbers_at(
    numbers: NDArray[Any],
    divided: Callable[[NDArray[Any], NDArray[np.int64]], NDArray[Any]],
    between: Between | Literal["last"],
    at: _Places,
) -> NDArray[Any]:
    """The numbers of a series at these places, with its own division for interpolated ones."""
    y0, y1 = numbers[at.before], numbers[at.after]
    match between:
        case "linear":
            number = y0 + divided(at.since_ms * (y1 - y0), np.maximum(at.length_ms, 1))
        case "last":
            number = y0
        case _:
            number = np.full(len(y0), _fixed(between, numbers.dtype))
    return np.where(at.since_ms == 0, y0, number)


def _fixed(between: str, dtype: "np.dtype[Any]") -> Any:
    return {"zero": 0, "max": _largest(dtype), "min": _smallest(dtype)}[between]


def one_of(what: str, name: str, names: Iterable[str]) -> str:
    """The name. Raises InvalidQuestion if it is not one of `names`."""
    if name not in (known := list(names)):
        raise InvalidQuestion(f"{what}: must be one of {', '.join(known)} (got {shown(name)})")
    return name
