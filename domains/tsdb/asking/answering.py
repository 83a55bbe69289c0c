"""The answer to a question: one series for each group of the series that were read.

A question has up to three steps, in this order:

    1. `downsampled`, each series by itself: one number for each interval.
    2. `rates`, each series by itself: the change per second since the previous point.
    3. `aggregated`, the series of a group: one number for each time at which any has a point.

A series of ints stays one of ints until step 1 or 2, which make floats.
"""

from collections.abc import Iterable, Sequence

import attrs
import numpy as np

from .aggregation import AGGREGATORS, aggregated
from .downsampling import downsampled
from .query_text import NONE, SubQuery
from .rates import rates
from .series import Series


@np.errstate(invalid="ignore", divide="ignore", over="ignore")  # as in Java, such results are NaN or infinite
def answered(
    sub_query: SubQuery, all_series: Sequence[Series], read_ms: tuple[int, int], asked_ms: tuple[int, int]
) -> list[Series]:
    """The groups of these series that have points in the period `asked_ms`, by their TSUIDs.

    `read_ms` is the longer period that was read, for rates, intervals and interpolation at the ends. Both are start and
    end in milliseconds; the end is exclusive. `all_series` must be in the order of their rows.
    """
    aggregator = AGGREGATORS.get(sub_query.aggregator)
    if aggregator is None or not aggregator.picks_one:  # the sums of floats would depend on the salt, as OpenTSDB's do
        all_series = by_tsuid(all_series)
    if sub_query.downsampling is not None:
        sub_query.downsampling.check_count(len(all_series), *read_ms)
    groups: dict[tuple[str, ...], list[Series]] = {}
    for number, series in enumerate(all_series):
        group = tuple(series.tags.get(tag, "") for tag in sub_query.grouped_tags)
        if not all(group) or series.values.times_ms[0] > read_ms[1]:
            continue  # without a tag that makes groups a series is in none of them
        if sub_query.aggregator == NONE:
            group = (str(number),)
        values = series.values
        if sub_query.downsampling is not None:
            values = downsampled(values, sub_query.downsampling, *read_ms)
        if sub_query.rate is not None:
            values = rates(values, sub_query.rate)
        if sub_query.downsampling is not None:
            values = values.between(*read_ms)  # without the interval before it, which only the first rate needs
        groups.setdefault(group, []).append(attrs.evolve(series, values=values))
    answers = (_of_group(sub_query, group) for group in groups.values())
    cut = (attrs.evolve(answer, values=answer.values.between(*asked_ms)) for answer in answers)
    return by_tsuid(answer for answer in cut if len(answer.values))


def _of_group(sub_query: SubQuery, group: Sequence[Series]) -> Series:
    if sub_query.aggregator == NONE:
        first = 0 if sub_query.rate is None else 1  # the first rate is that since 1970
        return attrs.evolve(group[0], values=group[0].values.taking(slice(first, None)))
    tags: dict[str, set[str]] = {}
    for series in group:
        for tag, value in series.tags.items():
            tags.setdefault(tag, set()).add(value)
    return Series(
        group[0].metric,
        {tag: next(iter(values)) for tag, values in tags.items() if len(values) == 1},
        tuple(tag for tag, values in tags.items() if len(values) > 1),
        aggregated([series.values for series in group], sub_query.aggregator, are_rates=sub_query.rate is not None),
        tuple(tsuid for series in group for tsuid in series.tsuids),
    )


def by_tsuid(series: Iterable[Series]) -> list[Series]:
    """Series by the first of their TSUIDs."""
    return sorted(series, key=lambda one: min(one.tsuids))
