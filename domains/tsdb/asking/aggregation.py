"""Aggregation: the points of several series as those of one, with OpenTSDB's results.

If series do not have the same times, each has a number between its own first and last point at the times of the others:
interpolated (`linear`) or fixed, as the aggregator says. Before its first and after its last point it has none.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from shared.records import check_one_of

from ..records import FIRST_INT, LAST_INT
from .series import Values

Between: TypeAlias = Literal["linear", "zero", "max", "min"]
"""The number of a series between two points: on the line between them, 0, or the largest or smallest possible."""


@attrs.frozen
class Aggregator:
    """How the numbers of several series at one time become one."""

    name: str
    between: Between
    of_ints: Callable[[NDArray[np.int64], NDArray[np.bool_]], NDArray[np.int64]]
    """A function of the ints, a row for each series, and of which of them exist. As in Java, a sum wraps and an average
    is cut towards 0."""
    of_floats: Callable[[NDArray[np.float64], NDArray[np.bool_]], NDArray[np.float64]]
    """The same for floats; at each time at least one exists."""
    picks_one: bool = False
    """Whether it takes the number of the first or last series, even if it is NaN; the others skip NaN."""


def _sum(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    total = np.zeros(numbers.shape[1], numbers.dtype)
    for row, is_present in zip(numbers, present, strict=True):  # one series after the other, as OpenTSDB adds them
        total = np.where(is_present, total + row, total)
    return total


def _min(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    if numbers.dtype == np.int64:
        return np.asarray(np.where(present, numbers, LAST_INT).min(axis=0))
    smallest = np.where(present, numbers, np.inf).min(axis=0)
    return np.where(smallest == np.inf, np.nan, smallest)  # as OpenTSDB, which starts with that number


def _max(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    if numbers.dtype == np.int64:
        return np.asarray(np.where(present, numbers, FIRST_INT).max(axis=0))
    largest = np.where(present, numbers, -np.inf).max(axis=0)
    return np.where(largest == -np.inf, np.nan, largest)


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
        squares += np.where(is_present & (count > 1), (row - before) * (row - mean), 0.0)
    deviation = np.sqrt(squares / np.maximum(count, 1))
    if numbers.dtype != np.int64:
        return deviation
    is_largest = deviation >= float(LAST_INT)  # which has no int of 64 bits; Java takes the largest one
    return np.where(is_largest, LAST_INT, np.where(is_largest, 0.0, deviation).astype(np.int64))


def _first(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    return np.asarray(numbers[present.argmax(axis=0), np.arange(numbers.shape[1])])


def _last(numbers: NDArray[Any], present: NDArray[np.bool_]) -> NDArray[Any]:
    return _first(numbers[::-1], present[::-1])


def _divided(number: NDArray[np.int64], by: NDArray[np.int64]) -> NDArray[np.int64]:
    """The quotient cut towards 0, as Java divides; `by` is above 0."""
    quotient = number // by
    return np.asarray(quotient + ((number < 0) & (quotient * by != number)))


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
    check_one_of("aggregator", name, *AGGREGATORS)
    aggregator = AGGREGATORS[name]
    series = [values for values in series if len(values) > are_rates]
    if not series:
        return Values.of(())
    times_ms = _all_times([values.times_ms[int(are_rates) :] for values in series])
    present = np.zeros((len(series), len(times_ms)), np.bool_)
    numbers = np.zeros(present.shape, np.float64)
    ints = np.zeros(present.shape, np.int64)
    is_float = np.zeros(len(times_ms), np.bool_)
    for row, values in enumerate(series):
        if np.array_equal(values.times_ms, times_ms):  # nothing to interpolate
            present[row], numbers[row], ints[row] = True, values.numbers, values.ints
            is_float |= values.are_floats | np.append(values.are_floats[1:], values.are_floats[-1:])
            continue
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
    largest = np.finfo(np.float64).max
    numbers = {"max": LAST_INT, "min": FIRST_INT} if dtype == np.int64 else {"max": largest, "min": -largest}
    return numbers.get(between, 0)
