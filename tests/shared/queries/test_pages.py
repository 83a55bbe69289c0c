"""Pages: every row exactly once and in order whatever the page size, with a `where` or without."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.designs import metered
from shared.keys import InvalidQuestion, KeyLayout, between, starting_with
from tests.engines import examples, located, plain_table
from tests.shared.keys.oracle import in_order, matches, plan_of, questions
from tests.shared.keys.strategies import subjects
from tests.shared.queries.paging import (
    ITEMS,
    holds_whole_values,
    item_page,
    key_table,
    pages_of,
    records_of,
)
from tests.shared.specimens import Item, Named
from tests.shared.stocked import put, query_of, stocked_table

# ---- every row once ------------------------------------------------------------------------------


@settings(max_examples=examples(60), derandomize=True, database=None)
@given(
    subjects(ordered=True)
    .filter(lambda subject: holds_whole_values(subject.layout))
    .flatmap(lambda subject: st.tuples(st.just(subject), questions(subject))),
    st.booleans(),
    st.integers(1, 9),
    st.booleans(),
    st.sampled_from([1, 2, 5, 10_000]),
)
def test_the_pages_of_any_question_are_its_answer_from_the_ranges_that_it_explains(
    engine, subject_and_question, reverse, limit, with_where, read_at_most
):
    subject, question = subject_and_question
    layout = subject.layout
    plan, question = plan_of(subject, question)
    if len(plan.streams) > 20 or (layout.spread and plan.streams and plan.streams[0].prefix_bytes == 0):
        return  # too slow, or a table whose spreading prefix cannot be listed: in the order of its bytes
    where = {"a": subject.values["a"][0]} if with_where else {}
    wanted = in_order(subject, [key for key in subject.keys if matches(question, key) and matches(where, key)])
    with stocked_table(engine, map(layout.encode, subject.keys)) as table:
        pages = pages_of(table, layout, plan, limit=limit, where=where, reverse=reverse, read_at_most=read_at_most)
        query = query_of(table, key_table(layout), plan, where=where)
        with metered(table.connection) as cost:
            query.page(10_000)
        ranges = {(range_.start, range_.stop) for range_ in query.explain(10_000).ranges}
        assert {(read.rows.start, read.rows.stop) for read in cost.reads} == ranges
        with metered(table.connection) as cost:
            query.page(limit)
        assert query.explain(limit).rpcs <= cost.rpcs
    assert (wanted[::-1] if reverse else wanted) == records_of(pages)
    assert where or plan.residual or [limit] * (len(pages) - 1) == [len(answer.records) for answer in pages[:-1]]
    assert {tuple(sorted({*plan.residual, *where}))} == {answer.client_work for answer in pages}


def test_a_row_put_after_the_cursor_comes_and_a_row_put_before_it_does_not(stocked):
    table = stocked(ITEMS.encode(Item(number)) for number in range(0, 40, 10))
    first = item_page(table, limit=2)
    assert [Item(0), Item(10)] == first.records
    put(table, [ITEMS.encode(Item(number)) for number in (5, 11, 15)])
    table.delete(ITEMS.encode(Item(10)))
    assert [Item(11), Item(15), Item(20), Item(30)] == item_page(table, limit=10, cursor=first.cursor).records


# ---- one page ------------------------------------------------------------------------------------


def number_is(condition: Any) -> dict[str, Any]:
    return {"where": {"number": condition}}


def of_plan(condition: Any) -> dict[str, Any]:
    return {"plan": ITEMS.plan(number=condition)}


@pytest.mark.parametrize("order", [{}, {"order": ITEMS}, {"order": ITEMS, "reverse": True}], ids=["", "sorted", "down"])
@pytest.mark.parametrize(
    ("options", "numbers", "rows_read", "has_more"),
    [
        ({}, [0, 1, 2, 3, 4], 5, False),
        ({"limit": 5}, [0, 1, 2, 3, 4], 5, False),
        ({"limit": 4}, [0, 1, 2, 3, 4], 5, True),
        (of_plan(between(7, 9)), [], 0, False),
        (of_plan(between(3, 3)), [], 0, False),
        (of_plan(3) | {"limit": 1}, [3], 1, False),
        (of_plan(7), [], 0, False),
        (of_plan(3) | number_is(4), [], 1, False),
        (number_is(3), [3], 5, False),
        (number_is(9), [], 5, False),
        (number_is(between(1, 3)), [1, 2], 5, False),
        (number_is(between(3, None)), [3, 4], 5, False),
        (number_is(between(None, 2)), [0, 1], 5, False),
        (number_is(between(4, 4)), [], 5, False),
        (number_is(between()), [0, 1, 2, 3, 4], 5, False),
    ],
)
def test_a_page_of_five_items(items, options, numbers, rows_read, has_more, order):
    table, options = items(5), {"limit": 9} | options | order
    first = item_page(table, **options)
    wanted = [Item(number) for number in (numbers[::-1] if "reverse" in order else numbers)]
    assert first.records == wanted[: options["limit"]]
    assert first.rows_read == (rows_read if order else min(rows_read, options["limit"]))
    assert first.client_work == (*options.get("where", {}), *(["order"] if order else []))
    assert (first.cursor is not None) == has_more
    if has_more:
        last = item_page(table, **options, cursor=first.cursor)
        assert (last.records, last.cursor) == (wanted[4:], None)
        for item in wanted[4:]:
            table.delete(ITEMS.encode(item))
        assert item_page(table, **options, cursor=first.cursor).records == []


@pytest.mark.parametrize("order", [{}, {"order": ITEMS}], ids=["", "sorted"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"limit": limit}, f"limit: must be 1..1000000 (got {limit})") for limit in (0, -1)),
        *(({"read_at_most": cap}, f"read_at_most: must be 1..1000000 (got {cap})") for cap in (0, -1)),
        ({"where": {"colour": between("a", "b")}}, "where: Item has no attribute colour"),
        *(
            (number_is(condition), f"where: number is 0, which cannot be compared with {condition!r}")
            for condition in (starting_with("a"), between("a", None), between(None, "b"))
        ),
    ],
)
def test_a_page_that_no_question_has_is_refused(items, options, message, order):
    with pytest.raises(InvalidQuestion) as refused:
        item_page(items(1), **{"limit": 1} | options | order)
    assert str(refused.value) == message


def test_a_page_can_end_at_the_longest_row(stocked):
    layout = KeyLayout(Named)
    names = ["a" * 32_766, "a" * 32_767, "b"]
    table = stocked([])
    located(table.connection, [plain_table("t")])
    put(table, map(str.encode, names))
    for reverse in (False, True):
        records = records_of(pages_of(table, layout, layout.whole_table(), limit=1, reverse=reverse))
        assert (names[::-1] if reverse else names) == [key.name for key in records]


# ---- short pages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
def test_a_page_ends_short_at_the_cap_and_the_next_one_goes_on(items, reverse):
    table = items(20)
    pages = pages_of(table, ITEMS, ITEMS.whole_table(), limit=5, where={"number": 13}, read_at_most=4, reverse=reverse)
    assert [answer.rows_read for answer in pages] == [4] * 5
    assert [Item(13)] == records_of(pages)
    assert ([0, 1, 0, 0, 0] if reverse else [0, 0, 0, 1, 0]) == [len(answer.records) for answer in pages]


@pytest.mark.parametrize(("reverse", "numbers"), [(False, [5, 6]), (True, [8, 7])])
def test_rows_that_are_left_out_do_not_shorten_a_page(items, reverse, numbers):
    answer = item_page(items(20), limit=2, where={"number": between(5, 9)}, reverse=reverse)
    assert [item.number for item in answer.records] == numbers


def test_a_page_reads_one_row_more_than_it_gives(items):
    table = items(50)
    with metered(table.connection) as cost:
        assert item_page(table, limit=10).rows_read == 10
    assert cost.rows_fetched == 11
    with metered(table.connection) as cost:
        item_page(table, limit=10, where={"number": 5}, read_at_most=20)
    assert cost.rows_fetched <= 22
