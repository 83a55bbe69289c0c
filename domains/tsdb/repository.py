"""Points of series in OpenTSDB's tables: stored, read, aggregated, compacted."""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import starmap

import happybase

from shared.keys import InvalidQuestion, shown
from shared.keys.ranges import EVERY_ROW, RowRange
from shared.queries.scanning import in_batches
from shared.tables import BoundTable
from shared.upkeep import CombinedUpkeep, Upkeep
from shared.writes import CLOCK, WriterClock, store_all

from .asking.answering import answered, by_tsuid
from .asking.exporting import StoredPoints
from .asking.query_text import SubQuery, TagFilter, parse_queries, parse_series
from .asking.reading import read_series
from .asking.selecting import (
    FOREVER_MS,
    Selection,
    check_period,
    hours_read,
    series_of_filters,
    series_of_tsuids,
    unknown_names,
)
from .asking.series import Series
from .changing.annotation_store import AnnotationStore
from .changing.compaction import CompactionResult, compact
from .changing.correcting import CorrectionResult, correct_rows
from .changing.deleting import Deleter, DeletionResult
from .changing.recovering import DeletionUpkeep
from .changing.registry import DeletionRegistry
from .changing.rewriting import append_points
from .changing.verifying import SeriesUpkeep
from .keys import DEFAULT_WIDTHS, TABLES, SeriesTables, Widths
from .records import Answer, Number, Point, RegisteredDeletion, SeriesPoint
from .storage.annotations import Annotation
from .storage.qualifiers import HOUR_MS, Duplicates, cell_of, pack_appended
from .storage.settings import check_settings
from .storage.uids import Uids

POINTS_AT_ONCE = 10_000
"""Points in one call of `store_all`: enough that interleaved series have several each, whose cells share a mutation."""
BUFFERED_S = 1.0
"""`store_all` sends its points if the next one comes this long after it read the first of them."""
POINTS_OF_ONE_TIME = 10_000
"""The most points that get one timestamp, plus those of one batch."""


class TsdbRepository:
    """Stores points of series, and answers OpenTSDB's questions, in the same tables as a running OpenTSDB.

    `duplicates` says what counts if two cells hold different numbers for one time: `newest`, as with OpenTSDB's
    `fix_duplicates`, or `strict`, which refuses the row as OpenTSDB does otherwise.

    `own` is the connection to the store with `tsdb-rowbook`, if it is another store: with a store in memory, the tables
    of an OpenTSDB can be read although they lack that table. Such a repository must not delete or compact points.

    Cells are dated by the writer's clock.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.

    Opening it costs one get, which compares the widths and the salt with those that the tables have; see `settings.py`.
    Raises WrongSettings.
    """

    def __init__(
        self,
        connection: happybase.Connection,
        tables: SeriesTables = TABLES,
        *,
        widths: Widths = DEFAULT_WIDTHS,
        duplicates: Duplicates = "newest",
        clock: WriterClock = CLOCK,
        own: happybase.Connection | None = None,
    ) -> None:
        if duplicates not in ("newest", "strict"):
            raise InvalidQuestion(f"duplicates: must be newest or strict (got {shown(duplicates)})")
        own = connection if own is None else own
        self.uids = Uids(connection, tables.uids, widths)
        check_settings(connection, own, tables, self.uids, widths)
        self._points = BoundTable(connection, tables.points)
        self._registry = DeletionRegistry(self._points, BoundTable(own, tables.deletions), self.uids, clock)
        self._deleter = Deleter(self._points, self.uids, self._registry, duplicates, clock)
        self._annotations = AnnotationStore(self._points, self.uids)
        names = BoundTable(connection, tables.uids)
        deletions = DeletionUpkeep(self._registry, self._deleter, BoundTable(own, tables.settings))
        series = SeriesUpkeep(self._points, names, self.uids, duplicates)
        self.upkeep: Upkeep = CombinedUpkeep(deletions, series)
        self._duplicates: Duplicates = duplicates
        self._clock = clock
        self._written_ms = 0
        self._written_then: dict[bytes, set[int]] = {}
        """Rows and times of the points with this timestamp."""
        self._dating = threading.Lock()

    # ---- writes

    def store(self, point: Point) -> None:
        """Stores a point; names without a UID get one. A value that is stored later, by the clock, replaces it.

        Costs: one put; for each new name the calls of `Dictionary.assign`.
        """
        self._put([point])

    def store_all(self, points: Iterable[Point]) -> int:
        """Stores points as `store` does, the cells of a row in one mutation; returns their number.

        A call is sent with 10,000 points, or with fewer if the next point comes a second after the first of them was
        read. Raises NotAllStored. Costs: one call for each 10,000 points of a source that does not pause.
        """
        return store_all(points, self._put, at_once=POINTS_AT_ONCE, within_s=BUFFERED_S)

    def _put(self, points: Iterable[Point]) -> tuple[dict[bytes, dict[int, Number]], int]:
        """Puts points; returns the values by row and time, and the timestamp of their cells."""
        values_by_row: dict[bytes, dict[int, Number]] = {}
        uids_by_series: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[bytes, bytes]] = {}
        values_by_hour: dict[tuple[str, tuple[tuple[str, str], ...], int], dict[int, Number]] = {}
        for point in points:
            hour = point.metric, point.tags, point.time_ms // HOUR_MS
            values = values_by_hour.get(hour)
            if values is None:
                series = point.metric, point.tags
                if series not in uids_by_series:
                    uids_by_series[series] = self.uids.assign(point.metric, dict(point.tags))
                metric, tags = uids_by_series[series]
                row = self._points.row(SeriesPoint(metric, point.time_ms, tags, point.value))
                values = values_by_hour[hour] = values_by_row.setdefault(row, {})
            # The last one of a time: an int and a float have different qualifiers, and here they would be equally new.
            values[point.time_ms] = point.value
        cells_by_row = {row: dict(starmap(cell_of, values.items())) for row, values in values_by_row.items()}
        written_ms = self._write_ms(values_by_row)
        with self._points.rows.batch(timestamp=written_ms) as batch:
            for row, cells in cells_by_row.items():
                batch.put(row, cells)
        return values_by_row, written_ms

    def _row(self, point: Point) -> bytes:
        """The row of a point; names without a UID get one."""
        metric, tags = self.uids.assign(point.metric, dict(point.tags))
        return self._points.row(SeriesPoint(metric, point.time_ms, tags, point.value))

    def _write_ms(self, times_by_row: Mapping[bytes, Iterable[int]]) -> int:
        """The timestamp of points of these times: now, but later than any that this repository gave such a point.

        Points that are stored in one millisecond share its timestamp. If each had its own, a writer of more than 1,000
        points a second would date them ahead of the system's clock.
        """
        with self._dating:
            now_ms = max(self._clock.read_ms(), self._written_ms)
            if now_ms == self._written_ms:
                then = self._written_then
                # If the system's clock was set back, this millisecond may last long.
                is_full = sum(map(len, then.values())) >= POINTS_OF_ONE_TIME
                if is_full or not all(
                    then[row].isdisjoint(times) for row, times in times_by_row.items() if row in then
                ):
                    now_ms += 1
            if now_ms > self._written_ms:
                self._written_ms, self._written_then = now_ms, {}
            for row, times in times_by_row.items():
                self._written_then.setdefault(row, set()).update(times)
            return now_ms

    def correct(self, points: Iterable[Point]) -> CorrectionResult:
        """Stores points in place of what the table holds for their times, so that no time has two cells.

        Do so instead of `store` if an OpenTSDB without `fix_duplicates` reads the table, and a point may be there
        already: put over HTTP, with a number of another type or width, or in a compacted hour; see `correcting.py`.
        After any error, repeating the call completes it.
        Raises InvalidRecord, ClockSkew and TooManyAttempts.
        Costs: those of `store_all`, and those of `correcting.correct_rows`, which reads all cells of the rows; 1 put
        and 1 get once in ten minutes.
        """
        stored = left = 0
        for batch in in_batches(points, POINTS_AT_ONCE):
            self._registry.check_clock()  # the cells that are replaced must be older
            left += correct_rows(self._deleter, *self._put(batch))
            stored += len(batch)
        return CorrectionResult(stored, left)

    def append(self, points: Iterable[Point]) -> int:
        """Appends points to one cell for each hour of a series, as with OpenTSDB's `enable_appends`; their number.

        If several points have one time, the last one counts. So repeating the call after a lost reply changes nothing,
        unless another writer has appended a point of the same time meanwhile. Rows with such a cell are not compacted.
        HBase reads the cell for each append, and replies with all of it.
        Costs: one call for each row, and for new names those of `Dictionary.assign`.
        """
        packed: dict[bytes, list[tuple[int, Number]]] = {}
        for point in points:
            packed.setdefault(self._row(point), []).append((point.time_ms % HOUR_MS, point.value))
        rows = self._points.rows
        for row, values in packed.items():
            append_points(rows, row, pack_appended(values))
        return sum(map(len, packed.values()))

    def delete_points(self, metric: str, filters: Iterable[TagFilter], since_ms: int, until_ms: int) -> DeletionResult:
        """Deletes the points of a period, of those series of a metric that match all filters; see `deleting.py`.

        The period is from `since_ms` to `until_ms` (exclusive). Annotations stay, unlike with OpenTSDB, which deletes
        whole hours. Store a deleted time again two minutes later: before that, if the writer's clock is behind that of
        the writer whose point was deleted, `store` returns, but the point stays hidden.
        After any error, repeating the call completes it. Raises ClockSkew and TooManyAttempts.
        Costs: those of `Deleter.delete`; 1 put and 1 get once in ten minutes.
        """
        filters = tuple(filters)
        if series_of_filters(self._points, self.uids, metric, filters, since_ms, until_ms) is None:
            return DeletionResult(0, 0, ())
        words = [[one.tag, one.kind, one.text] for one in filters]
        return self._delete(self._registry.new(metric=metric, filters=words, since_ms=since_ms, until_ms=until_ms))

    def delete_series(self, metric: str, tags: Mapping[str, str]) -> DeletionResult:
        """Deletes the series with just these tags: all its rows, with points, annotations and any other cell.

        Its names keep their UIDs. As after `delete_points`, store its times again two minutes later. After any error,
        repeating the call completes it. Raises ClockSkew and TooManyAttempts.
        Costs: those of `Deleter.delete`, in one range, which holds all series of the metric.
        """
        tsuid = self.tsuid(metric, tags)
        return DeletionResult(0, 0, ()) if tsuid is None else self._delete(self._registry.new(tsuid=tsuid))

    def _delete(self, deletion: RegisteredDeletion) -> DeletionResult:
        self._registry.check_clock()
        return self._deleter.delete(deletion)

    def store_annotation(self, annotation: Annotation, replaced: Annotation | None = None) -> bool:
        """Stores an annotation of a series, by its TSUID, or of all series; returns whether it is stored.

        It has the row and the column of its start. Nothing changes if the annotation there is not `replaced`; by
        default, if there is one. After any error, repeating the call is safe. Raises InvalidKey.
        Costs: 1 get, 1 checkAndPut.
        """
        return self._annotations.store(annotation, replaced)

    def delete_annotation(self, annotation: Annotation) -> bool:
        """Deletes an annotation, unless it was changed; returns whether there is none now. Costs: 1 get, 1 delete."""
        return self._annotations.delete(annotation)

    # ---- questions

    def tsuid(self, metric: str, tags: Mapping[str, str]) -> str | None:
        """The TSUID of a series, in upper-case hex; None if a name of it has no UID, so that it has no points.

        Costs: nothing for names that are remembered, otherwise one call for each kind of them.
        """
        uid = self.uids.metrics.id_of(metric)
        pairs = self.uids.pairs_of(tags)
        return None if uid is None or pairs is None else (uid + pairs).hex().upper()

    def unknown_names(self, sub_query: SubQuery) -> list[str]:
        """The names of a sub-query that have no UID, each as `metric 'requests' has no UID`; so an answer lacks them.

        Costs: a call for each kind of names that are not remembered, which unknown ones never are.
        """
        return unknown_names(self.uids, sub_query)

    def points(self, metric: str, tag: str, value: str, since_ms: int = 0, until_ms: int = FOREVER_MS) -> list[Answer]:
        """The points of the series of a metric that have a tag of this value, series after series, each by time.

        Costs: those of `read`.
        """
        series = self.read(metric, (TagFilter(tag, "literal_or", value),), since_ms, until_ms)
        return [answer for one in series for answer in _answers(one)]

    def query(self, m: str, since_ms: int, until_ms: int) -> list[Answer]:
        """OpenTSDB's answer from `/api/query` to an `m` such as `sum:1h-avg:requests{host=*}`, group after group.

        `m` may also be `tsuid=sum:1h-avg:ID,ID`, or several questions such as `sum:requests&m=max:load`, whose answers
        follow one another. Costs: for each question those of `read` or `read_tsuids`.
        """
        series = [one for sub_query in parse_queries(m) for one in self.ask(sub_query, since_ms, until_ms)]
        return [answer for one in series for answer in _answers(one)]

    def ask(self, sub_query: SubQuery, since_ms: int, until_ms: int) -> list[Series]:
        """One series for each group of a sub-query; see `answering.py` for the steps. Costs: those of `read`.

        It also reads points just outside the period, as OpenTSDB does: rates and interpolation at its ends need them.
        """
        check_period(since_ms, until_ms)
        read_since_ms, read_until_ms = hours_read(sub_query.downsampling, since_ms, until_ms)
        rows_until_ms = read_until_ms
        if sub_query.explicit_tags and sub_query.filters:  # OpenTSDB's scan then ends an hour later
            rows_until_ms = min(read_until_ms + HOUR_MS, FOREVER_MS)
        if sub_query.tsuids:
            all_series = self._read_tsuids(sub_query.tsuids, read_since_ms, rows_until_ms)
        else:
            selection = series_of_filters(
                self._points,
                self.uids,
                sub_query.metric,
                sub_query.filters,
                read_since_ms,
                rows_until_ms,
                explicit_tags=sub_query.explicit_tags,
            )
            all_series = self._read(selection, read_since_ms, rows_until_ms)
        return answered(sub_query, all_series, (read_since_ms, read_until_ms), (since_ms, until_ms))

    def read(
        self, metric: str, filters: Iterable[TagFilter] = (), since_ms: int = 0, until_ms: int = FOREVER_MS
    ) -> list[Series]:
        """The series of a metric that match all filters and have a point in the period, by the UIDs of their tags.

        The period is from `since_ms` to `until_ms` (exclusive).
        A name without a UID finds nothing; see `unknown_names`.
        Raises InvalidRow for a row that is not one of OpenTSDB's, and UnknownUid.
        Costs: one range, or one for each bucket of a salt. The server reads all series of the metric in these hours;
        for a filter with literal values it returns few others. The first time, two calls for each 1,000 names.
        """
        selection = series_of_filters(self._points, self.uids, metric, filters, since_ms, until_ms)
        return by_tsuid(self._read(selection, since_ms, until_ms))

    def read_tsuids(self, tsuids: Collection[str], since_ms: int = 0, until_ms: int = FOREVER_MS) -> list[Series]:
        """The series of these TSUIDs, in hex of either case, that have a point in the period.

        They must be of one metric, as OpenTSDB requires. Raises InvalidQuestion, InvalidRow and UnknownUid.
        Costs: one range; in a salted table one for a single TSUID, and one for each bucket for several.
        """
        return by_tsuid(self._read_tsuids(tsuids, since_ms, until_ms))

    def _read_tsuids(self, tsuids: Collection[str], since_ms: int, until_ms: int) -> list[Series]:
        return self._read(series_of_tsuids(self._points, self.uids, tsuids, since_ms, until_ms), since_ms, until_ms)

    def _read(self, selection: Selection | None, since_ms: int, until_ms: int) -> list[Series]:
        """The series in the order of their rows, in which OpenTSDB aggregates them: by the salt first."""
        if selection is None:
            return []
        return read_series(self._points, self.uids, selection, since_ms, until_ms, self._duplicates)

    def export(self, m: str = "", since_ms: int = 0, until_ms: int = FOREVER_MS) -> StoredPoints:
        """All stored points of a period, or those of the series that `m` names, such as `requests{host=web-1}`.

        Iterating over it raises InvalidRow for a row that cannot be read, unless `on_invalid` says what else to do.
        A name without a UID finds nothing; see `unknown_names`.
        Costs: one scan of the table, or the ranges of `read`.
        """
        check_period(since_ms, until_ms)
        ranges: Sequence[RowRange] = (EVERY_ROW,)
        selection = None
        if m != "":
            series = parse_series(m)
            selection = series_of_filters(self._points, self.uids, series.metric, series.filters, since_ms, until_ms)
            ranges = () if selection is None else selection.plan.ranges
        return StoredPoints(self._points, self.uids, ranges, selection, since_ms, until_ms, self._duplicates)

    def annotations(
        self, metric: str, filters: Iterable[TagFilter] = (), since_ms: int = 0, until_ms: int = FOREVER_MS
    ) -> list[Annotation]:
        """The annotations that start in a period, of those series of a metric that match all filters, by their start.

        Costs: those of `read`; the server leaves out most of the points.
        """
        selection = series_of_filters(self._points, self.uids, metric, filters, since_ms, until_ms)
        return [] if selection is None else self._annotations.of_series(selection, since_ms, until_ms)

    def global_annotations(self, since_ms: int = 0, until_ms: int = FOREVER_MS) -> list[Annotation]:
        """The annotations of all series that start in a period, by their start. Costs: one range, a row for an hour."""
        return self._annotations.of_all(since_ms, until_ms)

    # ---- upkeep

    def compact(self, metric: str, since_ms: int = 0, until_ms: int = FOREVER_MS) -> CompactionResult:
        """Puts the points of each past hour into one cell, for every series of a metric; see `compaction.py`.

        Raises ClockSkew and TooManyAttempts. Costs: those of `compaction.compact`; 1 put and 1 get once in ten minutes.
        """
        selection = series_of_filters(self._points, self.uids, metric, (), since_ms, until_ms)
        if selection is None:
            return CompactionResult(0, 0, ())
        self._registry.check_clock()
        return compact(self._deleter, selection.plan)

    def cancel(self, deletion: RegisteredDeletion) -> None:
        """Removes a deletion from those that are registered, so that points which are restored after it stay.

        Points that it has not deleted, because its writer died, stay too. Costs: 1 delete.
        """
        self._registry.remove(deletion)


def _answers(series: Series) -> Iterator[Answer]:
    tags = ",".join(f"{tag}={value}" for tag, value in sorted(series.tags.items()))
    return (Answer(series.metric, tags, time_ms, number) for time_ms, number in series.values.points())
