"""The lists of what differs: each entry is true, and none misses. `opentsdb.questions` asks both random questions."""

from contextlib import nullcontext, suppress
from itertools import combinations

import attrs
import pytest

from domains.tsdb import Point, TagFilter, TsdbRepository
from domains.tsdb.asking.aggregation import AGGREGATORS
from domains.tsdb.asking.downsampling import MAX_INTERVALS
from domains.tsdb.asking.query_text import NONE, parse_query
from domains.tsdb.keys import POINTS
from domains.tsdb.records import SeriesPoint
from domains.tsdb.shown.differences import DIFFERENCES, MISSING_AGGREGATORS
from domains.tsdb.storage.qualifiers import column_of
from domains.tsdb.storage.uids import UnknownUid
from shared.keys import InvalidQuestion
from tests.programs.opentsdb.questions import HOUR_MS, T
from tests.programs.opentsdb.server import Refused, running

pytestmark = pytest.mark.opentsdb


@attrs.frozen
class Both:
    """Our repository and OpenTSDB, on the same tables."""

    repository: TsdbRepository
    opentsdb: object

    def stored(self, metric, *points):
        """Points of a metric as second, number and tags."""
        self.repository.store_all(Point(metric, T + int(at * 1000), number, tags) for at, number, tags in points)

    def ours(self, m, since_ms=T, until_ms=T + HOUR_MS):
        return [series.values.points() for series in self.repository.ask(parse_query(m), since_ms, until_ms)]

    def theirs(self, m, since_ms=T, until_ms=T + HOUR_MS):
        return [[tuple(pair) for pair in one["dps"]] for one in self.opentsdb.query(m, since_ms, until_ms)]

    def row(self, metric, tags):
        """The row of the first hour."""
        uid, pairs = self.repository.uids.assign(metric, tags)
        return POINTS.row(SeriesPoint(uid, T, pairs, 0))


A, B = {"host": "a"}, {"host": "b"}
HOUR = (T, T + HOUR_MS)
DIFFERENT = {
    "moment": ([(0, 1, A)], "sum:moment", (T, T + 1), [[(T, 1)]], "must be greater than the start time"),
    "empty": ([(10, 1, A)], "sum:empty", (T, T + 5000), [], [[]]),
    "infinite": ([(0, 1.7e308, A), (0, 1.7e308, B)], "sum:infinite", HOUR, [[(T, float("inf"))]], "Got Infinity"),
    "second-tag": (
        [(0, 1, {**A, "dc": "x"}), (0, 1, {**A, "dc": "y"})],
        *("sum:second-tag{}{host=a,dc=x,dc=y}", HOUR, [[(T, 2)]], [[(T, 1)]]),
    ),
    "explicit": (
        [(0, 1, {"host": host, "dc": dc}) for host in "ab" for dc in "xy"],
        *("sum:explicit_tags:explicit{host=a|b,dc=x|y}{}", HOUR, [[(T, 1)]] * 4, [[(T, 1)]] * 3),
    ),
    "steps": ([(0, 1, A)], "sum:rat:explain:steps", HOUR, None, [[(T, 1)]]),
    "regexp": ([(0, 1, A)], r"sum:regexp{host=regexp(a\h*)}", HOUR, None, [[(T, 1)]]),
}
"""Points of the metric, a question and its period, our answer or None if we refuse the question, and its answer or the
reason for which it refuses."""


@pytest.mark.parametrize("name", DIFFERENT)
def test_of_one_question_the_answers_are_as_different_as_the_page_says(connection, opentsdb, name):
    points, m, period, ours, theirs = DIFFERENT[name]
    both = Both(TsdbRepository(connection), opentsdb)
    both.stored(name, *points)
    with nullcontext() if ours is not None else pytest.raises(InvalidQuestion):
        assert both.ours(m, *period) == ours
    with nullcontext() if isinstance(theirs, list) else pytest.raises(Refused, match=theirs):
        assert both.theirs(m, *period) == theirs


def end(both):
    both.stored("end", (0, 1, A), (1, 2, A))
    assert both.ours("sum:end", T, T + 1000) == [[(T, 1)]]
    assert both.theirs("sum:end", T, T + 1001) == [[(T, 1), (T + 1000, 2)]]  # its end is the last millisecond


def early(both):
    boundary_ms = 10_000_000_000
    both.repository.store_all(Point("early", boundary_ms + at_ms, at_ms, A) for at_ms in (-1000, 1000))
    for period, are_equal in (
        ((boundary_ms - 5000, boundary_ms), False),  # the end that is asked of it is a millisecond earlier
        ((boundary_ms, boundary_ms + 5000), True),
    ):
        assert len(both.ours("sum:early", *period)) == 1
        assert (both.theirs("sum:early", *period) == both.ours("sum:early", *period)) == are_equal


def of_floats(both):
    both.stored("of.floats", (0, 1, A), (1, 2.5, A))
    assert str(both.ours("none:of.floats")) == str([[(T, 1), (T + 1000, 2.5)]])
    assert str(both.theirs("none:of.floats")) == str([[(T, 1.0), (T + 1000, 2.5)]])


def unknown(both):
    both.stored("unknown", (0, 1, A))
    for m in ("sum:nothing", "sum:unknown{planet=*}", "sum:unknown{}{host=nobody}"):
        assert both.ours(m) == []
        with pytest.raises(Refused, match="No such name"):
            both.theirs(m)


def no_name(both):
    both.stored("no.name", (0, 1, {"host": "lost"}), (0, 1, {"host": "found"}))
    names = both.repository._points.rows.connection.table("tsdb-uid")
    names.delete(both.repository.uids.tag_values.id_of("lost"), [b"name:tagv"])
    both = attrs.evolve(both, repository=TsdbRepository(names.connection))
    for m in ("sum:no.name", "sum:no.name{host=*}"):
        with pytest.raises(UnknownUid):
            both.ours(m)
    assert both.theirs("sum:no.name") == [[(T, 2)]]
    with pytest.raises(Refused, match="No such unique ID"):
        both.theirs("sum:no.name{host=*}")


def intervals(both):
    series = MAX_INTERVALS // (HOUR_MS // 100) + 1
    both.stored("intervals", *((0, 1, {"host": f"h{number}"}) for number in range(series)))
    assert len(both.theirs("sum:100ms-sum-zero:intervals")[0]) == HOUR_MS // 100
    with pytest.raises(InvalidQuestion, match=f"must have {MAX_INTERVALS} intervals at most"):
        both.ours("sum:100ms-sum-zero:intervals")


def null(both):
    both.stored("null", (0, 1, A), (120, 1, A))
    assert [str(number) for _, number in both.ours("none:1m-sum-null:null")[0]][:3] == ["1.0", "nan", "1.0"]
    assert [number for _, number in both.theirs("none:1m-sum-null:null")[0]][:3] == [1, None, 1]


FORMS = {
    "0000": "01",
    "0001": "0102",
    "000b": "3f000000",
    "f0000000": "02",
    "f000000b": "3e000000",
    "00000010": "030400",
}
"""Cells of the first second with different numbers; the last one is compacted."""


def ties(both):
    rows = both.repository._points.rows
    all_tied = [tied for count in (2, 3, 4) for tied in combinations(FORMS, count)]
    for number, tied in enumerate(all_tied):
        cells = {column_of(bytes.fromhex(form)): bytes.fromhex(FORMS[form]) for form in tied}
        rows.put(both.row("ties", {"host": f"h{number}"}), cells, timestamp=T)
    asked = [f"none:ties{{host=h{number}}}" for number in range(len(all_tied))]
    differing = [m for m in asked if both.ours(m) != both.theirs(m)]
    print(f"{len(differing)} of {len(all_tied)} have another winner")
    assert 0 < len(differing) < len(all_tied)


def overlap(both):
    row = both.row("overlap", A)
    later = row[:3] + (T // 1000 + 100).to_bytes(4, "big") + row[7:]
    for one, offsets in ((row, (0, 100, 200)), (later, (0, 50))):
        cells = {column_of((second << 4).to_bytes(2, "big")): b"\1" for second in offsets}
        both.repository._points.rows.put(one, cells)
    assert [ms - T for ms, _ in both.ours("none:overlap")[0]] == [0, 100_000, 150_000, 200_000]
    with suppress(Refused):
        assert both.theirs("none:overlap") != both.ours("none:overlap")


CHECKS = {
    "end": end,
    "early": early,
    "float": of_floats,
    "unknown": unknown,
    "no-name": no_name,
    "intervals": intervals,
    "null": null,
    "ties": ties,
    "overlap": overlap,
}
ELSEWHERE = {
    "salt": "questions.py",
    "overwritten": "lost_points",
    "deletion": "test_what_a_deletion_inside_of_hours_leaves_is_answered_equally",
}
"""The checks that are not in this file."""


@pytest.mark.parametrize("name", CHECKS)
def test_what_the_page_lists_as_different_is_different(connection, opentsdb, name):
    CHECKS[name](Both(TsdbRepository(connection), opentsdb))


def test_every_difference_on_the_page_is_checked():
    assert {*DIFFERENT, *CHECKS, *ELSEWHERE} == {one.name for one in DIFFERENCES}


def test_the_page_names_every_aggregator_and_filter_that_it_has_and_we_do_not(opentsdb):
    missing = {name for names in MISSING_AGGREGATORS.values() for name in names}
    assert opentsdb.aggregators() - {*AGGREGATORS, NONE} == missing
    for kind in opentsdb.filters():
        TagFilter("host", kind, "a*")


@pytest.mark.parametrize("form", ["f0000000", "000f"])
def test_a_point_that_was_put_over_http_and_is_corrected_can_be_read_by_a_strict_one(hbase, connection, form):
    metric = f"corrected.{form}"
    repository = TsdbRepository(connection)
    with running(hbase.ports.zookeeper, {"tsd.storage.fix_duplicates": "false"}) as strict:
        both = Both(repository, strict)
        strict.put([Point(metric, T, 42 if form == "f0000000" else 0.5, A), Point(metric, T + 500, 1, A)])
        repository.store(Point(metric, T, 7, A))
        with pytest.raises(Refused, match="Duplicate timestamp"):
            both.theirs(f"none:{metric}")
        assert repository.correct([Point(metric, T, 8, A)]).left == 0
        assert both.theirs(f"none:{metric}") == both.ours(f"none:{metric}") == [[(T, 8), (T + 500, 1)]]
