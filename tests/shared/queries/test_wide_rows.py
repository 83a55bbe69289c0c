"""Rows with many records answer as a plain list of them, whatever is asked and however it is read."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import Any

import attrs
import happybase
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.designs import metered
from shared.keys import InvalidQuestion, any_of, between
from shared.queries import Query, ServerFilter
from shared.queries.pages import read_page
from shared.queries.wide_rows import CHUNK_CELLS
from shared.tables import InvalidRow, TableLayout
from tests.engines import Engine, examples
from tests.shared.queries.paging import records_of
from tests.shared.queries.wide import (
    Point,
    Question,
    Shape,
    answer,
    chunks_of,
    delete,
    pages_of,
    plan_of,
    put,
)
from tests.shared.stocked import query_of


@contextmanager
def stocked(engine: Engine, table: TableLayout[Any, Any], points: Iterable[Point] = ()) -> Iterator[happybase.Table]:
    """A table in a store of its own, with these points."""
    with engine.store(table) as connection:
        rows = connection.table(table.name)
        put(rows, table, points)
        yield rows


def assert_answers(query: Query[Point], wanted: list[Point], limits: Any) -> None:
    """A query returns these points in pages of any size, in iteration, first and counted."""
    for limit in limits:
        pages = pages_of(query, limit)
        assert records_of(pages) == wanted, limit
        if not pages[0].client_work:
            assert [len(page.records) for page in pages[:-1]] == [limit] * (len(pages) - 1), limit
    assert list(query) == wanted
    assert query.first() == (wanted[0] if wanted else None)
    assert query.count() == len(wanted)


# ---- the law -------------------------------------------------------------------------------------

METRICS = ["", "a", "a\0", "b", "c", "d"]
TIMES = st.integers(-7, 12)
POINTS = st.dictionaries(st.tuples(st.sampled_from(METRICS), TIMES), st.integers(0, 3), max_size=40)
SHAPES = st.builds(Shape, st.sampled_from([1, 2, 3, 5, 60]), st.booleans(), st.sampled_from([0, 0, 3]))
PERIODS = st.builds(between, st.none(), TIMES) | st.builds(between, TIMES, st.none()) | st.just(between())
PERIODS |= st.lists(TIMES, min_size=2, max_size=2).map(lambda ends: between(*sorted(ends)))
SEVERAL = st.lists(st.sampled_from(METRICS), max_size=4)
QUESTIONS = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"metric": st.sampled_from(METRICS)}),
    st.fixed_dictionaries({"metric": st.sampled_from(METRICS), "at_s": PERIODS}),
    st.fixed_dictionaries({"metric": st.sampled_from(METRICS), "at_s": TIMES}),
    st.fixed_dictionaries({"metric": st.sampled_from(METRICS), "at_s": st.lists(TIMES, max_size=3).map(any_of)}),
    st.builds(lambda values, merged: {"metric": any_of(values, merged=merged)}, SEVERAL, st.booleans()),
    st.builds(
        lambda values, merged, period: {"metric": any_of(values, merged=merged), "at_s": period},
        SEVERAL,
        st.booleans(),
        PERIODS,
    ),
)
WHERE = st.sampled_from([{}, {}, {"value": 1}, {"value": between(1, 3)}, {"at_s": between(-3, 5)}])
CHUNKS = st.tuples(st.sampled_from([1, 2, 3, 7]), st.sampled_from([1, 2, 3]))
NEWEST_FIRST = st.sampled_from([None, True, False])


def points_of(stored: dict[tuple[str, int], int]) -> list[Point]:
    return [Point(metric, at_s, value) for (metric, at_s), value in stored.items()]


@settings(max_examples=examples(40), derandomize=True, database=None)
@given(SHAPES, POINTS, QUESTIONS, WHERE, NEWEST_FIRST, st.integers(1, 9), CHUNKS, st.sampled_from(["", "x:"]))
def test_wide_rows_answer_as_a_plain_list(engine, shape, stored, question, where, newest_first, limit, chunks, label):
    """Points with another label in the same rows are passed over."""
    points = points_of(stored)
    label = "" if shape.descending else label  # a label stays first, so such qualifiers cannot be descending
    wanted = [
        point for point in answer(shape, points, question, newest_first) if point in answer(shape, points, where, None)
    ]
    table = shape.wide(label)
    with chunks_of(*chunks), stocked(engine, table, points) as rows:
        for other in ("w", "x;") if label else ():
            put(rows, shape.wide(other), [Point("a", at_s) for at_s in range(-5, 9)])
        query = query_of(rows, table, plan_of(table, question), where=where, newest_first=newest_first)
        assert_answers(query, wanted, [limit])
        with metered(rows.connection) as cost:
            query.page(limit)
        assert query.explain(limit).rpcs <= cost.rpcs


def test_every_period_of_wide_rows_behind_time_slices_has_its_points(engine):
    shape = Shape(3, descending=True, buckets=3, time_slices=6)
    points = [Point(metric, at_s) for metric in "ab" for at_s in range(-8, 14)]
    table = shape.wide()
    with stocked(engine, table, points) as rows:
        for since in range(-7, 12, 2):
            for until in (since + 1, 6, 7):
                question: Question = {"metric": "a", "at_s": between(*sorted((since, until)))}
                query = query_of(rows, table, table.plan(**question))
                assert records_of(pages_of(query, 4)) == answer(shape, points, question, None)


@settings(max_examples=examples(30), derandomize=True, database=None)
@given(
    SHAPES,
    POINTS,
    st.sampled_from([{}, {"metric": "a"}, {"metric": any_of(METRICS[1:], merged=True)}]),
    NEWEST_FIRST,
    st.integers(1, 6),
    CHUNKS,
    st.lists(st.tuples(st.booleans(), st.sampled_from(METRICS), TIMES), max_size=40),
)
def test_points_there_throughout_come_once_whatever_is_put_and_deleted_between_pages(
    engine, shape, stored, question, newest_first, limit, chunks, changes
):
    table, points, pending = shape.wide(), points_of(stored), list(changes)
    ever, deleted = set(points), set()
    with chunks_of(*chunks), stocked(engine, table, points) as rows:

        def change() -> None:
            for is_put, metric, at_s in [pending.pop() for _ in pending[:3]]:
                point = Point(metric, at_s, stored.get((metric, at_s), 7))
                if is_put:
                    put(rows, table, [point])
                    ever.add(point)
                else:
                    delete(rows, table, point)
                    deleted.add(point)

        query = query_of(rows, table, plan_of(table, question), newest_first=newest_first)
        records = records_of(pages_of(query, limit, change))
    assert set(answer(shape, set(points) - deleted, question, None)) <= set(records)
    in_order = answer(shape, ever, question, newest_first)
    assert [point for point in in_order if point in set(records)] == records


# ---- widths --------------------------------------------------------------------------------------


def many_points(width: int) -> list[Point]:
    """Rows that are full, half full, of a few points and of one, on both sides of 0."""
    step = max(1, width // 1_200)  # more cells a row than are read at once
    full, half = range(-width, width, step), range(0, width, 2 * step)
    few = {*range(-5, 5), 3 * width, 3 * width + 1}
    times = {"a": full, "b": half, "c": few, "d": [7 * width]}
    return [Point(metric, at_s, at_s % 5) for metric in times for at_s in times[metric]]


@pytest.mark.parametrize(
    ("width", "descending", "buckets"),
    [
        (3_600, False, 0),
        *(pytest.param(*shape, marks=pytest.mark.long) for shape in product((1, 60, 3_600), (False, True), (0, 3))),
    ],
)
def test_every_width_gives_the_same_pages(engine, width, descending, buckets):
    shape, points = Shape(width, descending, buckets), many_points(width)
    limits = [7, 100] if width < 100 else [977]
    table = shape.wide()
    questions: list[Question] = [
        {"metric": "a"},
        {"metric": "a", "at_s": between(-3, width + 1)},
        {"metric": any_of(["a", "b", "c"], merged=True), "at_s": between(width // 2, None)},
        {},
    ]
    with stocked(engine, table, points) as rows:
        for question in questions:
            for newest_first in (True, False):
                wanted = answer(shape, points, question, newest_first)
                query = query_of(rows, table, plan_of(table, question), newest_first=newest_first)
                assert_answers(query, wanted, limits)


# ---- what a page costs ---------------------------------------------------------------------------


@pytest.mark.parametrize("newest_first", [True, False])
def test_a_page_of_a_wide_row_does_not_fetch_the_row(engine, newest_first):
    shape = Shape(36_000)
    points = [Point("a", at_s, 1) for at_s in range(6_000)]
    table = shape.wide()
    with stocked(engine, table, points) as rows:
        query = query_of(rows, table, table.plan(metric="a"), newest_first=newest_first)
        page = query.page(100)
        with metered(rows.connection) as cost:
            assert query.page(100, page.cursor).records[0] == Point("a", 100 if not newest_first else 5_899, 1)
        most = 2 * CHUNK_CELLS if not newest_first else 6_000 + CHUNK_CELLS  # in reverse a row is read from its start
        assert cost.bytes_fetched <= most * (len("p:") + 3 + 1) + 100 * len(table.row(points[0]))
        with metered(rows.connection) as cost:
            query.page(100)
        assert cost.bytes_fetched <= most * (len("p:") + 3 + 1) + 100 * len(table.row(points[0]))


@pytest.mark.parametrize(("width", "buckets", "most"), [(60, 0, 1.05), (3_600, 0, 1.1), (60, 16, 1.1)])
def test_iteration_fetches_each_cell_about_once(engine, width, buckets, most):
    table = Shape(width, buckets=buckets).wide()
    metrics = [f"m{number}" for number in range(20 if buckets else 1)]
    points = [Point(metric, at_s) for metric in metrics for at_s in range(6_000 // len(metrics))]
    with stocked(engine, table, points) as rows:
        with metered(rows.connection) as scan:
            assert sum(len(cells) for _row, cells in rows.scan()) == len(points)
        with metered(rows.connection) as cost:
            assert query_of(rows, table, table.whole_table()).count() == len(points)
    assert cost.bytes_fetched <= most * scan.bytes_fetched


def test_a_question_that_binds_every_part_gets_one_cell(engine):
    shape = Shape(60)
    table = shape.wide()
    with stocked(engine, table, [Point("a", at_s, at_s) for at_s in range(100)]) as rows:
        query = query_of(rows, table, table.plan(metric="a", at_s=61))
        with metered(rows.connection) as cost:
            assert query.page().records == [Point("a", 61, 61)]
        assert (cost.rpcs, cost.rows_fetched, query.explain().rpcs) == (1, 1, 1)
        assert cost.bytes_fetched == len(table.row(Point("a", 61))) + len("p:") + 3 + 1
        assert query_of(rows, table, table.plan(metric="a", at_s=100)).page().records == []


@pytest.mark.parametrize("limit", [2, 6, 30])
def test_a_page_that_continues_within_a_row_of_few_cells_costs_at_most_three_rpcs_more(engine, limit):
    table = Shape(4).wide()
    with stocked(engine, table, [Point("a", at_s) for at_s in range(400)]) as rows:
        query = query_of(rows, table, table.plan(metric="a"))
        with metered(rows.connection) as first:
            cursor = query.page(limit).cursor
        with metered(rows.connection) as second:
            assert query.page(limit, cursor).records[0] == Point("a", limit)
    assert first.rpcs < second.rpcs <= first.rpcs + 3


# ---- cursors -------------------------------------------------------------------------------------


def test_a_cursor_of_a_wide_row_belongs_to_its_qualifier(engine):
    plain, labelled = Shape(60).wide(), Shape(60).wide("x:")
    labelled = attrs.evolve(labelled, is_recorded=False)  # otherwise it is refused before its cursor is
    with stocked(engine, plain, [Point("a", at_s) for at_s in range(9)]) as rows:
        cursor = query_of(rows, plain, plain.plan(metric="a")).page(2).cursor
        with pytest.raises(InvalidQuestion, match=r"^cursor: belongs to another question"):
            query_of(rows, labelled, labelled.plan(metric="a")).page(2, cursor)


def test_a_server_filter_of_wide_rows_is_refused(engine):
    table = Shape(60).wide()
    with stocked(engine, table) as rows, pytest.raises(InvalidQuestion) as refused:
        query_of(rows, table, table.plan(metric="a"), server=ServerFilter(("value",), b"PrefixFilter('a')"))
    reason = "cannot filter table wide, whose rows are read in parts: give where instead"
    assert str(refused.value) == f"filtered: {reason}"


# ---- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("newest_first", "where"), [(None, {}), (True, {"value": 1})])
@pytest.mark.parametrize("damage", [b"\0\0\x07", b"", b"\0", b"\xff\xff\xff"])
def test_a_damaged_cell_is_lost_alone_whatever_the_limit(engine, damage, where, newest_first):
    table = Shape(60).wide()
    points = [Point("a", at_s, 1) for at_s in range(0, 140, 5)]
    row = table.row(Point("a", 60))
    with stocked(engine, table, points) as rows:
        rows.put(row, {b"p:" + damage: b"\xc1"})
        query = query_of(rows, table, table.plan(metric="a"), where=where, newest_first=newest_first)
        with pytest.raises(InvalidRow) as raised:
            list(query)
        assert (raised.value.table, raised.value.row, raised.value.column) == ("wide", row, b"p:" + damage)
        for cells, limit in ((1, 3), (2, 1), (1000, 7)):
            reported: list[InvalidRow] = []
            with chunks_of(cells, 2):
                records = records_of(pages_of(query.on_invalid(reported.append), limit))
            assert records == sorted(points, reverse=newest_first is True)
            assert [(invalid.row, invalid.column) for invalid in reported] == [(row, b"p:" + damage)]


def test_a_page_that_reads_few_cells_moves_past_the_empty_qualifier(engine, monkeypatch):
    """HBase reads an empty qualifier in a filter as no bound."""
    monkeypatch.setattr("shared.queries.query.read_page", partial(read_page, read_at_most=1))
    table = Shape(60).wide()
    reported: list[InvalidRow] = []
    with chunks_of(1, 1), stocked(engine, table, [Point("a", at_s, 1) for at_s in range(3)]) as rows:
        rows.put(table.row(Point("a", 0)), {b"p:": b"\xc1"})
        query = query_of(rows, table, table.plan(metric="a"), where={"value": 1}).on_invalid(reported.append)
        assert [point.at_s for point in records_of(pages_of(query, 5))] == [0, 1, 2]
    assert [invalid.column for invalid in reported] == [b"p:"]


@pytest.mark.parametrize("limit", [1, 100])
@pytest.mark.parametrize("newest_first", [None, True])
def test_a_damaged_row_key_is_reported_once_a_page(engine, limit, newest_first):
    table = Shape(60).wide()
    points = [Point("a", at_s, 1) for at_s in range(0, 140, 5)]
    bad = table.row(Point("a", 60)) + b"\0"
    with chunks_of(3, 2), stocked(engine, table, points) as rows:
        rows.put(bad, {b"p:" + bytes([0, 0, number]): b"\1" for number in range(10)})
        query = query_of(rows, table, table.plan(metric="a"), newest_first=newest_first)
        with pytest.raises(InvalidRow) as raised:
            list(query)
        assert (raised.value.row, raised.value.column) == (bad, None)
        reported: list[InvalidRow] = []
        pages = pages_of(query.on_invalid(reported.append), limit)
    assert records_of(pages) == sorted(points, reverse=newest_first is True)
    assert {(invalid.row, invalid.column) for invalid in reported} == {(bad, None)}
    assert len(reported) == 1


@pytest.mark.parametrize("newest_first", [None, True])
def test_a_row_in_a_wrong_bucket_is_reported_once_though_its_cells_alternate_with_the_right_ones(engine, newest_first):
    table = Shape(60, buckets=4).wide()
    points = [Point("a", at_s, 1) for at_s in range(20)]
    right = table.row(points[0])
    wrong = [bytes([bucket]) + right[1:] for bucket in range(4) if bucket != right[0]]
    with stocked(engine, table, points) as rows:
        for row in wrong:
            rows.put(row, rows.row(right))
        reported: list[InvalidRow] = []
        query = query_of(rows, table, table.whole_table(), newest_first=newest_first).on_invalid(reported.append)
        assert query.page(100).records == sorted(points, reverse=newest_first is True)
    assert sorted(invalid.row for invalid in reported) == wrong
