"""Points of series in OpenTSDB's tables: stored, read, aggregated, compacted."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, starmap
from typing import Any

import attrs
import happybase
import numpy as np

from shared.keys import InvalidQuestion, Plan, between
from shared.keys.errors import shown
from shared.queries import in_batches
from shared.tables import InvalidRecord, InvalidRow, TableLayout
from shared.writes import CLOCK, WriterClock, store_all

from .aggregation import Values, aggregated, downsampled, rates
from .compaction import CompactionResult, compact
from .keys import DEFAULT_WIDTHS, POINTS, UIDS, Widths
from .qualifiers import HOUR_MS, Cells, Duplicates, cell_of, cells_by_qualifier, read_points, read_rows
from .questions import NONE, SeriesQuestion, TagFilter, parse_question
from .records import LAST_POINT_MS, Answer, Number, Point, SeriesPoint, UidMapping
from .uids import Uids

ROWS_AT_ONCE = 250
"""Rows in a batch of a scan: an hour of a point a second is about 100 KB before it is compacted."""
POINTS_AT_ONCE = 10_000
"""Points of a call of `store_all`: series that take turns have several in it, whose cells share a mutation."""
BUFFERED_S = 1.0
"""How old a point may be, since `store_all` read it, when the next one comes, before it is sent."""
POINTS_OF_ONE_TIME = 10_000
"""Points that a repository gives one timestamp at most, plus those of one batch."""
FOREVER_MS = LAST_POINT_MS + 1


@attrs.frozen
class Series:
    """The points of one series, or of the aggregate of a group, in a period."""

    metric: str
    tags: Mapping[str, str]
    """Names and values; of a group, those that all its series share or the only value there is."""
    aggregated_tags: tuple[str, ...]
    """The tags of a group that have several values."""
    values: Values = attrs.field(eq=False)


class TsdbRepository:
    """Stores points of series, and answers OpenTSDB's questions, in the same tables as a running OpenTSDB.

    `duplicates` says what counts if two cells hold different numbers for one time: `newest`, as with OpenTSDB's
    `fix_duplicates`, or `strict`, which refuses the row as OpenTSDB does otherwise.

    Cells are dated by the writer's clock. A happybase connection serves one thread at a time, and so does a repository.
    """

    def __init__(
        self,
        connection: happybase.Connection,
        data: TableLayout[Any, SeriesPoint] = POINTS,
        uids: TableLayout[Any, UidMapping] = UIDS,
        *,
        widths: Widths = DEFAULT_WIDTHS,
        duplicates: Duplicates = "newest",
        clock: WriterClock = CLOCK,
    ) -> None:
        if duplicates not in ("newest", "strict"):
            raise InvalidQuestion(f"duplicates: must be newest or strict (got {shown(duplicates)})")
        self.uids = Uids(connection, uids, widths)
        self._rows = connection.table(data.name)
        self._data = data
        self._duplicates: Duplicates = duplicates
        self._clock = clock
        self._written_ms = 0
        self._written_then: dict[bytes, set[int]] = {}
        """Rows and times of the points with this timestamp."""

    # ---- writing

    def store(self, point: Point) -> None:
        """Stores a point; names without a UID get one. A later value at the same time replaces it.

        Costs: one put; for each new name the calls of `Dictionary.assign`.
        """
        self._put_all([point])

    def store_all(self, points: Iterable[Point]) -> int:
        """Stores points as `store` does, the cells of a row in one mutation; returns their number.

        A call is sent with 10,000 points, and with fewer if the first of them was read a second ago when the next one
        comes. Raises NotAllStored. Costs: one call for each 10,000 points of a source that does not pause.
        """
        return store_all(points, self._put_all, at_once=POINTS_AT_ONCE, within_s=BUFFERED_S)

    def _put_all(self, points: list[Point]) -> None:
        values_by_row: dict[bytes, dict[int, Number]] = {}
        values_by_hour: dict[tuple[str, tuple[tuple[str, str], ...], int], dict[int, Number]] = {}
        for point in points:
            hour = point.metric, point.tags, point.time_ms // HOUR_MS
            values = values_by_hour.get(hour)
            if values is None:
                values = values_by_hour[hour] = values_by_row.setdefault(self._row(point), {})
            # The last one of a time: an int and a float have other qualifiers, and here they would be equally new.
            values[point.time_ms] = point.value
        cells_by_row = {row: dict(starmap(cell_of, values.items())) for row, values in values_by_row.items()}
        with self._rows.batch(timestamp=self._write_ms(values_by_row)) as batch:
            for row, cells in cells_by_row.items():
                batch.put(row, cells)

    def _row(self, point: Point) -> bytes:
        """The row of a point; names without a UID get one."""
        metric, tags = self.uids.assign(point.metric, dict(point.tags))
        return self._data.row(SeriesPoint(metric, point.time_ms, tags, point.value))

    def _write_ms(self, times_by_row: Mapping[bytes, Iterable[int]]) -> int:
        """The timestamp of points of these times: now, but later than any that this repository gave one of them.

        Points that are stored in one millisecond share its timestamp. If each had its own, a writer of more than 1,000
        points a second would date them ahead of the system's clock.
        """
        now_ms = max(self._clock.read_ms(), self._written_ms)
        if now_ms == self._written_ms:
            then = self._written_then
            is_full = sum(map(len, then.values())) >= POINTS_OF_ONE_TIME  # the system's clock may have been set back
            if is_full or not all(then[row].isdisjoint(times) for row, times in times_by_row.items() if row in then):
                now_ms += 1
        if now_ms > self._written_ms:
            self._written_ms, self._written_then = now_ms, {}
        for row, times in times_by_row.items():
            self._written_then.setdefault(row, set()).update(times)
        return now_ms

    def compact(self, metric: str, since_ms: int = 0, until_ms: int = FOREVER_MS) -> CompactionResult:
        """Makes one cell of each whole hour of a metric that is over; see `compaction.py`."""
        plan = self._hours(metric, since_ms, until_ms)
        if plan is None:
            return CompactionResult(0, 0, ())
        return compact(self._rows, self._data, plan, duplicates=self._duplicates, clock=self._clock)

    # ---- reading

    def points(self, metric: str, tag: str, value: str, since_ms: int = 0, until_ms: int = FOREVER_MS) -> list[Answer]:
        """The points of the series of a metric that have a tag of this value, series after series, each by time.

        Costs: as `read`.
        """
        series = self.read(metric, (TagFilter(tag, "literal_or", value),), since_ms, until_ms)
        return [answer for one in series for answer in _answers(one)]

    def query(self, m: str, since_ms: int, until_ms: int) -> list[Answer]:
        """What OpenTSDB's `/api/query` answers to `m` such as `sum:1h-avg:requests{host=*}`, group after group.

        Costs: as `read`.
        """
        return [answer for one in self.ask(parse_question(m), since_ms, until_ms) for answer in _answers(one)]

    def ask(self, question: SeriesQuestion, since_ms: int, until_ms: int) -> list[Series]:
        """One series for each group of a question; see `aggregation.py` for its steps. Costs: as `read`.

        Points of the same hours before and after the period are read, too: they give the first rate and the numbers
        between points at the ends of the period.
        """
        _check_period(since_ms, until_ms)
        read_since_ms, read_until_ms = since_ms, until_ms
        if question.downsampling is not None:
            every_ms = question.downsampling.every_ms
            read_since_ms, read_until_ms = since_ms - since_ms % every_ms, until_ms + -until_ms % every_ms
        read_since_ms, read_until_ms = whole_hours(read_since_ms, min(read_until_ms, FOREVER_MS))
        groups: dict[tuple[str, ...], list[Series]] = {}
        for number, series in enumerate(self.read(question.metric, question.filters, read_since_ms, read_until_ms)):
            group = tuple(series.tags.get(tag, "") for tag in question.grouped_tags)
            if not all(group):
                continue  # without a tag that makes groups a series is in none of them
            if question.aggregator == NONE:
                group = (str(number),)
            values = series.values
            if question.downsampling is not None:
                values = downsampled(values, question.downsampling, read_since_ms, read_until_ms)
            if question.rate is not None:
                values = rates(values, question.rate)
            groups.setdefault(group, []).append(attrs.evolve(series, values=values))
        answers = (_aggregate(question, series) for series in groups.values())
        cut = (attrs.evolve(answer, values=answer.values.between(since_ms, until_ms)) for answer in answers)
        return [answer for answer in cut if len(answer.values)]

    def read(
        self, metric: str, filters: Iterable[TagFilter] = (), since_ms: int = 0, until_ms: int = FOREVER_MS
    ) -> list[Series]:
        """The series of a metric that match all filters and have a point in the period, by the UIDs of their tags.

        The period is from `since_ms` up to but not at `until_ms`.
        Raises InvalidRow for a row that is not one of OpenTSDB's, and UnknownUid.
        Costs: one range, or one for each bucket of a salt: all series of the metric in these hours, whichever match.
        The first time, two calls for each 1,000 names.
        """
        filters = tuple(filters)
        plan = self._hours(metric, since_ms, until_ms)
        wanted_pairs = None if plan is None else self._wanted_pairs(filters)
        if plan is None or wanted_pairs is None:
            return []
        hours: dict[bytes, list[Values]] = {}
        for batch in in_batches(self._scan(plan), ROWS_AT_ONCE):
            keys: list[Any] = []
            rows: list[tuple[bytes, Cells]] = []
            for row, cells in batch:
                try:
                    key = self._data.layout.decode(row)
                except ValueError as error:
                    raise InvalidRow(self._data.name, row, str(error)) from None
                if not any(wanted.isdisjoint(self.uids.split(key.tag_uids).items()) for wanted in wanted_pairs):
                    keys.append(key)
                    rows.append((row, cells_by_qualifier(cells)))
            for key, values in zip(keys, self._values([key.time_ms for key in keys], rows), strict=True):
                hours.setdefault(key.tag_uids, []).append(values)
        names = self.uids.names_of_tags(hours)
        found: list[Series] = []
        for pairs in sorted(hours):
            values = _joined(hours[pairs]).between(since_ms, until_ms)
            if len(values) and all(filter_.matches(names[pairs]) for filter_ in filters):
                found.append(Series(metric, names[pairs], (), values))
        return found

    def _values(self, hours_ms: list[int], rows: list[tuple[bytes, Cells]]) -> list[Values]:
        """The points of each row by time, from the start of its hour on; all rows are read as one array."""
        try:
            points = read_rows(cells for _, cells in rows).merged(self._duplicates)
        except InvalidRecord:
            for row, cells in rows:
                try:
                    read_points(cells).merged(self._duplicates)
                except InvalidRecord as error:
                    raise InvalidRow(self._data.name, row, str(error)) from None
            raise
        times_ms = np.array(hours_ms, np.int64)[points.rows] + points.offsets_ms
        ints, floats = points.numbers()
        values = Values(times_ms, floats, ints, points.are_floats)
        ends = np.searchsorted(points.rows, np.arange(len(rows) + 1)).tolist()
        return [values.taking(slice(start, end)) for start, end in pairwise(ends)]

    def _hours(self, metric: str, since_ms: int, until_ms: int) -> Plan | None:
        """The rows of a metric in a period; None if nothing was ever stored under its name."""
        _check_period(since_ms, until_ms)
        uid = self.uids.metrics.id_of(metric)
        if uid is None:
            return None
        first_ms, end_ms = whole_hours(since_ms, until_ms)
        return self._data.plan(metric_uid=uid, time_ms=between(first_ms, None if end_ms > LAST_POINT_MS else end_ms))

    def _wanted_pairs(self, filters: Iterable[TagFilter]) -> list[set[tuple[bytes, bytes]]] | None:
        """For each filter with literal values, the UIDs of tag and value of which a row has one; None if none has."""
        wanted: list[set[tuple[bytes, bytes]]] = []
        for filter_ in filters:
            if filter_.literals is not None:
                tag = self.uids.tag_names.id_of(filter_.tag)
                values = self.uids.tag_values.ids_of(filter_.literals).values()
                if tag is None or not values:
                    return None
                wanted.append({(tag, value) for value in values})
        return wanted

    def _scan(self, plan: Plan) -> Iterator[tuple[bytes, Mapping[bytes, tuple[bytes, int]]]]:
        """The rows of a plan with the timestamps of their cells, bucket after bucket of a salt."""
        for range_ in plan.ranges:
            yield from self._rows.scan(
                range_.start,
                range_.stop,
                columns=self._data.cells.columns,
                include_timestamp=True,
                batch_size=ROWS_AT_ONCE,
            )


def _check_period(since_ms: int, until_ms: int) -> None:
    for name, time_ms in (("since_ms", since_ms), ("until_ms", until_ms)):
        if type(time_ms) is not int or not 0 <= time_ms <= FOREVER_MS:
            raise InvalidQuestion(f"{name}: must be 0..{FOREVER_MS} (got {shown(time_ms)})")


def whole_hours(since_ms: int, until_ms: int) -> tuple[int, int]:
    """The hours that a period touches, from the start of the first to the end of the last; at most `FOREVER_MS`."""
    return since_ms - since_ms % HOUR_MS, min(until_ms + -until_ms % HOUR_MS, FOREVER_MS)


def _joined(hours: list[Values]) -> Values:
    """The points of several hours, by time."""
    if len(hours) == 1:
        return hours[0]
    return Values(
        np.concatenate([hour.times_ms for hour in hours]),
        np.concatenate([hour.numbers for hour in hours]),
        np.concatenate([hour.ints for hour in hours]),
        np.concatenate([hour.are_floats for hour in hours]),
    )


def _aggregate(question: SeriesQuestion, group: list[Series]) -> Series:
    if question.aggregator == NONE:
        first = 0 if question.rate is None else 1  # the first rate is that since 1970
        return attrs.evolve(group[0], values=group[0].values.taking(slice(first, None)))
    tags: dict[str, set[str]] = {}
    for series in group:
        for tag, value in series.tags.items():
            tags.setdefault(tag, set()).add(value)
    return Series(
        question.metric,
        {tag: next(iter(values)) for tag, values in tags.items() if len(values) == 1},
        tuple(tag for tag, values in tags.items() if len(values) > 1),
        aggregated([series.values for series in group], question.aggregator, are_rates=question.rate is not None),
    )


def _answers(series: Series) -> Iterator[Answer]:
    tags = ",".join(f"{tag}={value}" for tag, value in sorted(series.tags.items()))
    return (Answer(series.metric, tags, time_ms, number) for time_ms, number in series.values.points())
