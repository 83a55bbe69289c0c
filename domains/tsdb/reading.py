r"""Finds the rows that hold the series of a question, and reads their points as arrays.

The time is before the tags in a row key, so the rows of an hour are those of all series of a metric. Region servers
leave out most of the others: a `RowFilter` searches each row key for the UIDs of the requested tags.

    pair of tag and value       pattern
    00 00 01 00 00 02           \x00\x00\x01\x00\x00\x02
    00 00 01 00 00 80           \x00\x00\x01\x00\x00[^\x00-\x7f]+

Through Thrift1, HBase decodes the row key as UTF-8 before it searches: bytes 00 to 7f match themselves, bytes from 80
on may become any other letters. So the filter lets every wanted row pass, and sometimes another one: the client
compares the UIDs again.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from shared.keys import InvalidQuestion, Plan, any_of, between, shown
from shared.queries import CellArrays, scan_cells
from shared.tables import BoundTable, InvalidRecord, InvalidRow

from .aggregation import Values
from .annotations import tsuid_bytes
from .qualifiers import HOUR_MS, Duplicates, PointArrays, read_cells
from .query_text import SubQuery, TagFilter
from .records import LAST_POINT_MS, SeriesPoint
from .uids import Uids, UnknownUid

ROWS_AT_ONCE = 250
"""Rows in a batch of a scan: an hour of a point a second is about 100 KB before it is compacted."""
MAX_FILTER_BYTES = 65_536
"""A longer filter is not sent: 2,620 values of a tag, by UIDs of three bytes. OpenTSDB has such a limit, too."""
FOREVER_MS = LAST_POINT_MS + 1
_UNWANTED = -1
"""The number of a series that the servers did not leave out, but nobody asked for."""

TimedCells: TypeAlias = Mapping[bytes, tuple[bytes, int]]
"""Value and timestamp of the cells of a row, by column."""


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


@attrs.frozen
class Selection:
    """Some series of one metric in a period: their rows, and the filters that tell them from others there."""

    metric: str
    metric_uid: bytes
    plan: Plan
    has_uids: Callable[[bytes], bool]
    """Whether the tags of a row may be those of a series, by their UIDs."""
    row_filter: bytes | None = None
    """The filter on the servers: every wanted row passes, and perhaps others."""
    filters: tuple[TagFilter, ...] = ()
    """Filters that need the names of the tags, which the client compares."""

    def matching(self, uids: Uids, series: Iterable[bytes]) -> dict[bytes, dict[str, str]]:
        """The names of the tags of the series that are selected, by the UIDs of their tags. Raises UnknownUid.

        Costs: two calls for each 1,000 names that are not remembered.
        """
        names = uids.names_of_tags(series)
        return {pairs: tags for pairs, tags in names.items() if all(one.matches(tags) for one in self.filters)}

    def filter_with(self, other: bytes) -> bytes:
        """The filter of the rows, and another one."""
        return other if self.row_filter is None else self.row_filter + b" AND " + other

    def tsuid(self, tag_uids: bytes) -> str:
        """The TSUID of one of its series."""
        return (self.metric_uid + tag_uids).hex().upper()


def check_period(since_ms: int, until_ms: int) -> None:
    """Raises InvalidQuestion for times that OpenTSDB's rows cannot hold."""
    for name, time_ms in (("since_ms", since_ms), ("until_ms", until_ms)):
        if type(time_ms) is not int or not 0 <= time_ms <= FOREVER_MS:
            raise InvalidQuestion(f"{name}: must be 0..{FOREVER_MS} (got {shown(time_ms)})")


def whole_hours(since_ms: int, until_ms: int) -> tuple[int, int]:
    """The hours that a period touches, from the start of the first to the end of the last; at most `FOREVER_MS`."""
    return since_ms - since_ms % HOUR_MS, min(until_ms + -until_ms % HOUR_MS, FOREVER_MS)


def hours_between(since_ms: int, until_ms: int) -> Any:
    """The condition of a row key for the hours that a period touches. Raises InvalidQuestion."""
    check_period(since_ms, until_ms)
    first_ms, end_ms = whole_hours(since_ms, until_ms)
    return between(first_ms, None if end_ms > LAST_POINT_MS else end_ms)


def series_of_filters(
    points: BoundTable[Any, SeriesPoint],
    uids: Uids,
    metric: str,
    filters: Iterable[TagFilter],
    since_ms: int,
    until_ms: int,
) -> Selection | None:
    """The series of a metric that match all filters; None if the metric or a value has no UID, so that none does."""
    hours = hours_between(since_ms, until_ms)
    metric_uid = uids.metrics.id_of(metric)
    if metric_uid is None:
        return None
    filters = tuple(filters)
    wanted: list[set[bytes]] = []
    for filter in filters:
        if filter.literals is not None:
            tag = uids.tag_names.id_of(filter.tag)
            values = uids.tag_values.ids_of(filter.literals).values()
            if tag is None or not values:
                return None
            wanted.append({tag + value for value in values})

    def has_uids(pairs: bytes) -> bool:
        pairs_of_series = {tag + value for tag, value in uids.split(pairs).items()}
        return not any(pairs_of_tag.isdisjoint(pairs_of_series) for pairs_of_tag in wanted)

    plan = points.plan(metric_uid=metric_uid, time_ms=hours)
    return Selection(metric, metric_uid, plan, has_uids, row_filter(wanted), filters)


def unknown_names(uids: Uids, sub_query: SubQuery) -> list[str]:
    """The names of a sub-query that have no UID, such as `metric 'requests' has no UID`: no series has them.

    Of tag values, only those that a `literal_or` names are looked up.
    """
    named = [("metric", uids.metrics, [sub_query.metric] if sub_query.metric else [])]
    named += [("tag", uids.tag_names, [filter.tag for filter in sub_query.filters])]
    named += [("tag value", uids.tag_values, [text for filter in sub_query.filters for text in filter.literals or ()])]
    unknown: list[str] = []
    for what, dictionary, names in named:
        known = dictionary.ids_of(names)
        unknown += [f"{what} {shown(name)} has no UID" for name in dict.fromkeys(names) if name not in known]
    return unknown


def series_of_tsuids(
    points: BoundTable[Any, SeriesPoint], uids: Uids, tsuids: Collection[str], since_ms: int, until_ms: int
) -> Selection:
    """The series of these TSUIDs, which are of one metric. Raises InvalidQuestion, and UnknownUid for its metric."""
    hours = hours_between(since_ms, until_ms)
    metric_bytes = uids.metrics.id_bytes
    series = [tsuid_bytes(tsuid) for tsuid in tsuids]
    metric_uids = {uids_of_series[:metric_bytes] for uids_of_series in series}
    if len(metric_uids) != 1:
        raise InvalidQuestion(f"tsuids: must be of one metric (got {len(metric_uids)} metrics)")
    (metric_uid,) = metric_uids
    metric = uids.metrics.name_of(metric_uid)
    if metric is None:
        raise UnknownUid(f"{uids.metrics.kind}: must be a UID with a name (got {metric_uid.hex(' ')})")
    wanted = {uids_of_series[metric_bytes:] for uids_of_series in series}
    which = any_of(sorted(wanted)) if len(wanted) > 1 else min(wanted)
    plan = points.narrow(metric_uid=metric_uid, time_ms=hours, tag_uids=which)
    return Selection(metric, metric_uid, plan, wanted.__contains__, row_filter([wanted]))


def row_filter(wanted: Collection[Collection[bytes]]) -> bytes | None:
    """The filter of the rows whose key holds one of each of these collections; None if empty or too long."""
    patterns = ["|".join(sorted(set(map(_pattern, alternatives)))) for alternatives in wanted]
    text = " AND ".join(f"RowFilter(=, 'regexstring:{pattern}')" for pattern in patterns).encode()
    return text if 0 < len(text) <= MAX_FILTER_BYTES else None


def _pattern(uids: bytes) -> str:
    """A Java pattern that finds these bytes in any text of UTF-8 that holds them."""
    runs = re.findall(rb"[\x00-\x7f]+|[\x80-\xff]+", uids)
    return "".join("[^\\x00-\\x7f]+" if run[0] > 0x7F else "".join(f"\\x{byte:02x}" for byte in run) for run in runs)


def scan_series(points: BoundTable[Any, SeriesPoint], selection: Selection) -> Iterator[tuple[bytes, Any, TimedCells]]:
    """The rows of a selection: row, key and the cells with their timestamps, bucket after bucket of a salt.

    The filters by name are left to the caller. Raises InvalidRow.
    """
    for range_ in selection.plan.ranges:
        for row, cells in points.rows.scan(
            range_.start,
            range_.stop,
            columns=points.layout.cells.columns,
            filter=selection.row_filter,
            include_timestamp=True,
            batch_size=ROWS_AT_ONCE,
        ):
            try:
                key = points.layout.key.decode(row)
            except ValueError as error:
                raise InvalidRow(points.layout.name, row, str(error)) from None
            if selection.has_uids(key.tag_uids):
                yield row, key, cells


def read_series(
    points: BoundTable[Any, SeriesPoint],
    uids: Uids,
    selection: Selection,
    since_ms: int,
    until_ms: int,
    duplicates: Duplicates,
) -> list[Series]:
    """The series of a selection that have a point in the period, by the UIDs of their tags."""
    numbers: dict[bytes, int] = {}
    parts: list[tuple[NDArray[np.int64], Values]] = []
    for cells in scan_cells(
        points.rows,
        selection.plan.ranges,
        columns=points.layout.cells.columns,
        filter=selection.row_filter,
        batch_rows=ROWS_AT_ONCE,
    ):
        parts.append(_points_of_series(points, selection, cells, numbers, duplicates))
    by_number = _by_series(parts, len(numbers))
    with_points: list[Series] = []
    found = {pairs: number for pairs, number in numbers.items() if number != _UNWANTED}
    for pairs, tags in sorted(selection.matching(uids, found).items()):
        values = by_number[found[pairs]].between(since_ms, until_ms)
        if len(values):
            with_points.append(Series(selection.metric, tags, (), values, (selection.tsuid(pairs),)))
    return with_points


def _points_of_series(
    points: BoundTable[Any, SeriesPoint],
    selection: Selection,
    cells: CellArrays,
    numbers: dict[bytes, int],
    duplicates: Duplicates,
) -> tuple[NDArray[np.int64], Values]:
    """For each point of some rows the number of its series, and the points themselves; each row's by time.

    `numbers` has a number for each series, by the UIDs of its tags; new ones get the next.
    """
    series: list[int] = []
    hours_ms: list[int] = []
    for row in cells.rows:
        try:
            key = points.layout.key.decode(row)
        except ValueError as error:
            raise InvalidRow(points.layout.name, row, str(error)) from None
        number = numbers.get(key.tag_uids)
        if number is None:
            number = len(numbers) if selection.has_uids(key.tag_uids) else _UNWANTED
            numbers[key.tag_uids] = number
        series.append(number)
        hours_ms.append(key.time_ms)
    if _UNWANTED in series:
        cells = cells.taking(np.array(series)[cells.row_of_cell] != _UNWANTED)
    read = _read_points(points.layout.name, cells, duplicates)
    ints, floats = read.numbers()
    times_ms = np.array(hours_ms, np.int64)[read.rows] + read.offsets_ms
    return np.array(series, np.int64)[read.rows], Values(times_ms, floats, ints, read.are_floats)


def _read_points(table: str, cells: CellArrays, duplicates: Duplicates) -> PointArrays:
    """The points of some rows, each row's by time. Raises InvalidRow."""
    try:
        return read_cells(cells).merged(duplicates)
    except InvalidRecord:
        for number, row in enumerate(cells.rows):
            try:
                read_cells(cells.taking(cells.row_of_cell == number)).merged(duplicates)
            except InvalidRecord as error:
                raise InvalidRow(table, row, str(error)) from None
        raise


def _by_series(parts: Sequence[tuple[NDArray[np.int64], Values]], numbers: int) -> list[Values]:
    """The points of each series, by its number; each series has its rows in the order in which they were read."""
    rows: list[list[Values]] = [[] for _ in range(numbers)]
    for series, values in parts:
        if len(series):
            changes: list[int] = (np.flatnonzero(series[1:] != series[:-1]) + 1).tolist()
            for start, end in pairwise([0, *changes, len(series)]):
                number = int(series[start])
                rows[number].append(values.taking(slice(start, end)))
    return [_joined(of_series) if of_series else Values.of(()) for of_series in rows]


def _joined(parts: Sequence[Values]) -> Values:
    """The points of several parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    return Values(
        np.concatenate([part.times_ms for part in parts]),
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.ints for part in parts]),
        np.concatenate([part.are_floats for part in parts]),
    )
