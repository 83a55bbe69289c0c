"""Pages: every row exactly once whatever the page size, a cursor that only its own question takes."""

import os
import string
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import happybase
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.designs import metered
from shared.keys import (
    Descending,
    EscapedText,
    HashPrefix,
    InvalidQuestion,
    KeyLayout,
    Plan,
    Salt,
    TimeBucket,
    TrailingText,
    UInt8,
    UInt16,
    between,
    part,
    row_key,
    starting_with,
)
from shared.queries import Page, page
from shared.tables import InvalidRecord, InvalidRow
from tests.engines import EMBEDDED, Embedded, Engine, examples, located, plain_table
from tests.shared.keys.oracle import Subject, in_order, matches, plan_of, questions, subjects
from tests.shared.stocked import Stocked, hexes, put, stocked_table

ROOT = Path(__file__).parents[3]


@row_key
class Rising:
    at_s: int = part(UInt8, "when")
    host: str = part(EscapedText, "where")


@row_key
class Falling:
    at_s: int = part(Descending(UInt8), "when, newest first")
    host: str = part(EscapedText, "where")


@row_key
class ByHost:
    host: str = part(EscapedText, "where")
    at_s: int = part(UInt8, "when")


@row_key
class ByHostNewestFirst:
    host: str = part(EscapedText, "where")
    at_s: int = part(Descending(UInt8), "when, newest first")


@row_key
class ByTimeOnly:
    at_s: int = part(UInt8, "when, which several rows share")


@row_key
class ByHostOnly:
    host: str = part(EscapedText, "where, which several rows share")


@row_key
class Item:
    number: int = part(UInt16, "counts up")


@row_key
class Named:
    name: str = part(TrailingText, "all of the key")


LAYOUTS: dict[str, KeyLayout[Any]] = {
    "ascending": KeyLayout(Rising),
    "descending": KeyLayout(Falling),
    "ascending over 3 buckets": KeyLayout(Rising, Salt(of="host", buckets=3)),
    "descending over 16 buckets": KeyLayout(Falling, Salt(of="host", buckets=16)),
    "listed hashes": KeyLayout(Rising, HashPrefix(of="host", bytes=1, hex=True, separator="-")),
    "slices": KeyLayout(Falling, TimeBucket(of="at_s", every_ms=10, codec=UInt8)),
    "slices over 3 buckets": KeyLayout(
        Falling, Salt(of="host", buckets=3), TimeBucket(of="at_s", every_ms=10, codec=UInt8)
    ),
}
HOSTS = ["", "a", "a\0", "ab", "b", "c", "d", "z"]
TIMES = [0, 9, 10, 11, 12, 255]
ITEMS = KeyLayout(Item)
BY_HOST = KeyLayout(ByHost)
BY_HOST_NEWEST_FIRST = KeyLayout(ByHostNewestFirst)


def keys_of(layout: KeyLayout[Any]) -> list[Any]:
    return [layout.key(at_s, host) for at_s in TIMES for host in HOSTS[: 2 + at_s % 7]]


def pages_of(
    table: happybase.Table,
    layout: KeyLayout[Any],
    plan: Plan,
    between_pages: Callable[[happybase.Table], None] | None = None,
    **asked: Any,
) -> list[Page[Any]]:
    """All pages, one after another; a cursor that does not move ends in an error and not in an endless loop."""
    pages: list[Page[Any]] = []
    cursor = None
    while cursor is not None or not pages:
        assert len(pages) < 1000, "the cursor does not move"
        pages.append(page(table, plan, lambda row, _cells: layout.decode(row), cursor=cursor, **asked))
        cursor = pages[-1].cursor
        if between_pages:
            between_pages(table)
    return pages


def records_of(pages: list[Page[Any]]) -> list[Any]:
    return [record for each in pages for record in each.records]


Items: TypeAlias = Callable[[int], happybase.Table]


@pytest.fixture
def items(stocked: Stocked) -> Items:
    """Makes tables of the items from 0 on."""
    return lambda count: stocked(ITEMS.encode(Item(number)) for number in range(count))


def item_page(table: happybase.Table, **asked: Any) -> Page[Item]:
    plan = asked.pop("plan", ITEMS.whole_table())
    return page(table, plan, lambda row, _cells: ITEMS.decode(row), **asked)


def sizes(engine: Engine, rows: int) -> Sequence[int]:
    """Page sizes: each up to one more than there are rows, and where a page takes long some of them."""
    all_ = range(1, rows + 2)
    return all_ if engine.name == EMBEDDED else [*all_[1::8], *all_[-2:]]


# ---- every row once ------------------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_page_size_gives_every_row_once_and_in_order(
    engine: Engine, stocked: Stocked, name: str, reverse: bool
) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    since, until = (0, 250) if layout.time_bucket else (9, None)
    plan = layout.plan(at_s=between(since, until))
    direction = -1 if layout.key is Falling else 1
    wanted = [key for key in keys if since <= key.at_s < (until or 256)]
    wanted.sort(key=lambda key: (direction * key.at_s, key.host), reverse=reverse)
    for limit in sizes(engine, len(wanted)):
        pages = pages_of(table, layout, plan, limit=limit, reverse=reverse)
        assert wanted == records_of(pages), limit
        assert [limit] * (len(pages) - 1) == [len(each.records) for each in pages[:-1]], limit


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_page_size_gives_every_row_once_with_a_where(
    engine: Engine, stocked: Stocked, name: str, reverse: bool
) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    plan = layout.plan(at_s=between(0, 250))
    wanted = [key for key in keys if key.host == "a" and key.at_s < 250]
    wanted.sort(key=lambda key: key.at_s, reverse=(layout.key is Falling) != reverse)
    for limit in sizes(engine, len(wanted)):
        pages = pages_of(table, layout, plan, limit=limit, reverse=reverse, where={"host": "a"})
        assert wanted == records_of(pages), limit


@settings(max_examples=examples(120), derandomize=True, database=None)
@given(
    subjects(ordered=True).flatmap(lambda subject: st.tuples(st.just(subject), questions(subject))),
    st.booleans(),
    st.integers(1, 9),
    st.booleans(),
    st.sampled_from([1, 2, 5, 10_000]),
)
def test_the_pages_of_any_question_are_its_answer(
    engine: Engine,
    asked: tuple[Subject, dict[str, Any]],
    reverse: bool,
    limit: int,
    with_where: bool,
    read_at_most: int,
) -> None:
    subject, question = asked
    layout = subject.layout
    plan, question = plan_of(subject, question)
    if len(plan.streams) > 20 or (layout.spread and plan.spread_bytes == 0):
        return  # too slow, or a table whose spreading prefix cannot be listed: in the order of its bytes
    where = {"a": subject.values["a"][0]} if with_where else {}
    wanted = in_order(subject, [key for key in subject.keys if matches(question, key) and matches(where, key)])
    with stocked_table(engine, map(layout.encode, subject.keys)) as table:
        pages = pages_of(table, layout, plan, limit=limit, where=where, reverse=reverse, read_at_most=read_at_most)
    assert (wanted[::-1] if reverse else wanted) == records_of(pages)


@settings(max_examples=examples(60), derandomize=True, database=None)
@given(
    st.sampled_from(list(LAYOUTS)),
    st.booleans(),
    st.integers(1, 7),
    st.lists(
        st.tuples(st.sampled_from(["put", "delete"]), st.sampled_from(TIMES), st.sampled_from(HOSTS)), max_size=40
    ),
    st.sampled_from([None, "a"]),
)
def test_rows_there_throughout_come_once_whatever_is_put_and_deleted_between_pages(
    engine: Engine, name: str, reverse: bool, limit: int, changes: list[tuple[str, int, str]], host: str | None
) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    plan = layout.plan(at_s=between(0, 250))
    left = list(changes)
    deleted = set()

    def change(table: happybase.Table) -> None:
        for verb, at_s, where_from in [left.pop() for _ in left[:3]]:
            key = layout.key(at_s, where_from)
            if verb == "put":
                put(table, [layout.encode(key)])
            else:
                deleted.add(key)
                table.delete(layout.encode(key))

    where = {} if host is None else {"host": host}
    with stocked_table(engine, map(layout.encode, keys)) as table:
        pages = pages_of(table, layout, plan, change, limit=limit, reverse=reverse, where=where)
    found = records_of(pages)
    throughout = {key for key in keys if key not in deleted and host in (None, key.host) and key.at_s < 250}
    assert throughout <= set(found)
    behind_salt = [layout.encode(key)[plan.spread_bytes :] for key in found]
    assert sorted(set(behind_salt), reverse=reverse) == behind_salt


def test_a_row_put_behind_the_cursor_comes_and_one_put_in_front_of_it_does_not(stocked: Stocked) -> None:
    table = stocked(ITEMS.encode(Item(number)) for number in range(0, 40, 10))
    first = item_page(table, limit=2)
    assert [Item(0), Item(10)] == first.records
    put(table, [ITEMS.encode(Item(number)) for number in (5, 11, 15)])
    table.delete(ITEMS.encode(Item(10)))
    assert [Item(11), Item(15), Item(20), Item(30)] == item_page(table, limit=10, cursor=first.cursor).records


# ---- where: intervals and beginnings -------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (3, [3]),
        (between(3, 6), [3, 4, 5]),
        (between(8, None), [8, 9]),
        (between(None, 2), [0, 1]),
        (between(4, 4), []),
        (between(), list(range(10))),
    ],
)
def test_a_where_compares_with_a_value_or_an_interval(items: Items, asked: Any, wanted: list[int]) -> None:
    found = item_page(items(10), limit=10, where={"number": asked})
    assert wanted == [item.number for item in found.records]
    assert found.rows_read == 10


@pytest.mark.parametrize(
    ("start", "wanted"),
    [("", HOSTS), ("a", ["a", "a\0", "ab"]), ("a\0", ["a\0"]), ("ab", ["ab"]), ("b", ["b"]), ("x", [])],
)
def test_a_where_compares_with_a_beginning(stocked: Stocked, start: str, wanted: list[str]) -> None:
    layout = LAYOUTS["ascending"]
    table = stocked(layout.encode(Rising(7, host)) for host in HOSTS)
    pages = pages_of(table, layout, layout.plan(at_s=7), limit=2, where={"host": starting_with(start)})
    assert wanted == [key.host for key in records_of(pages)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_page_size_gives_every_row_once_with_several_conditions(
    engine: Engine, stocked: Stocked, name: str, reverse: bool
) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    plan = layout.plan(at_s=between(0, 250))
    where = {"host": starting_with("a"), "at_s": between(9, 12)}
    wanted = [key for key in keys if key.host.startswith("a") and 9 <= key.at_s < 12]
    direction = -1 if layout.key is Falling else 1
    wanted.sort(key=lambda key: (direction * key.at_s, key.host), reverse=reverse)
    for limit in sizes(engine, len(wanted)):
        pages = pages_of(table, layout, plan, limit=limit, reverse=reverse, where=where)
        assert wanted == records_of(pages), limit
        assert {("at_s", "host")} == {each.client_work for each in pages}


def test_what_the_key_cannot_bind_is_left_to_where(stocked: Stocked) -> None:
    layout = LAYOUTS["ascending over 3 buckets"]
    table = stocked(map(layout.encode, keys_of(layout)))
    asked = layout.narrow(at_s=between(9, 12), host=starting_with("a"))
    found = page(table, asked.plan, lambda row, _cells: layout.decode(row), limit=100, where=asked.left)
    assert found.records == [Rising(at_s, host) for at_s in (9, 10, 11) for host in ("a", "a\0", "ab")]
    assert found.client_work == ("host",)
    bound = layout.narrow(at_s=10, host=starting_with("a"))
    found = page(table, bound.plan, lambda row, _cells: layout.decode(row), limit=100, where=bound.left)
    assert found.records == [Rising(10, host) for host in ("a", "a\0", "ab")]
    assert (found.client_work, found.rows_read) == ((), 3)


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        (between(0, 9), between(0, 8)),
        (between(0, 9), between(None, 9)),
        (between(0, 9), 0),
        (starting_with("a"), starting_with("b")),
        (starting_with("a"), "a"),
    ],
)
def test_a_cursor_belongs_to_the_condition_of_its_where(stocked: Stocked, asked: Any, other: Any) -> None:
    layout = LAYOUTS["ascending"]
    table = stocked(map(layout.encode, keys_of(layout)))
    name = "host" if isinstance(asked, type(starting_with(""))) else "at_s"

    def ask(condition: Any, cursor: str | None = None) -> Page[Any]:
        whole = layout.whole_table()
        where = {name: condition}
        return page(table, whole, lambda row, _cells: layout.decode(row), limit=1, where=where, cursor=cursor)

    cursor = ask(asked).cursor
    assert cursor is not None
    ask(asked, cursor)
    with pytest.raises(InvalidQuestion, match=FOREIGN):
        ask(other, cursor)


def test_a_where_of_what_a_record_does_not_have_is_refused(items: Items) -> None:
    with pytest.raises(InvalidQuestion, match=r"^where: Item has no attribute colour$"):
        item_page(items(1), limit=1, where={"colour": between("a", "b")})


@pytest.mark.parametrize("asked", [starting_with("a"), between("a", None), between(None, "b")])
def test_a_where_of_another_type_than_the_attribute_is_refused(items: Items, asked: Any) -> None:
    with pytest.raises(InvalidQuestion, match=r"^where: number is 0, which cannot be compared with (Betw|Starting)"):
        item_page(items(1), limit=1, where={"number": asked})


# ---- in the order of another key -----------------------------------------------------------------


def host_and_time(key: Any) -> tuple[str, int]:
    return key.host, key.at_s


def host_and_newest(key: Any) -> tuple[str, int]:
    return key.host, -key.at_s


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_page_size_gives_every_row_once_in_the_order_of_another_key(
    engine: Engine, stocked: Stocked, name: str, reverse: bool
) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    plan = layout.plan(at_s=between(0, 250))
    for order, place in ((BY_HOST, host_and_time), (BY_HOST_NEWEST_FIRST, host_and_newest)):
        wanted = sorted((key for key in keys if key.at_s < 250), key=place, reverse=reverse)
        for limit in sizes(engine, len(wanted)):
            pages = pages_of(table, layout, plan, limit=limit, reverse=reverse, order=order)
            assert wanted == records_of(pages), limit
            assert [limit] * (len(pages) - 1) == [len(each.records) for each in pages[:-1]], limit
            assert {("order",)} == {each.client_work for each in pages}


@settings(max_examples=examples(60), derandomize=True, database=None)
@given(
    st.sampled_from(list(LAYOUTS)),
    st.sets(st.tuples(st.sampled_from(TIMES[:-1]), st.sampled_from(HOSTS)), max_size=25),
    st.booleans(),
    st.integers(1, 30),
    st.sampled_from([{}, {"host": "a"}, {"host": starting_with("a")}, {"at_s": between(9, 12)}]),
)
def test_the_pages_in_another_order_are_the_sorted_answer(
    engine: Engine, name: str, there: set[tuple[int, str]], reverse: bool, limit: int, where: dict[str, Any]
) -> None:
    layout = LAYOUTS[name]
    keys = [layout.key(*values) for values in there]
    plan = layout.plan(at_s=between(0, 250))
    with stocked_table(engine, map(layout.encode, keys)) as table:
        pages = pages_of(table, layout, plan, limit=limit, reverse=reverse, where=where, order=BY_HOST_NEWEST_FIRST)
    kept = [key for key in keys if matches(where, key)]
    assert sorted(kept, key=host_and_newest, reverse=reverse) == records_of(pages)
    assert [len(keys)] * len(pages) == [each.rows_read for each in pages]
    assert {(*where, "order")} == {each.client_work for each in pages}


@settings(max_examples=examples(60), derandomize=True, database=None)
@given(
    st.sampled_from(list(LAYOUTS)),
    st.booleans(),
    st.integers(1, 7),
    st.lists(
        st.tuples(st.sampled_from(["put", "delete"]), st.sampled_from(TIMES), st.sampled_from(HOSTS)), max_size=40
    ),
)
def test_sorted_rows_there_throughout_come_once_whatever_is_put_and_deleted_between_pages(
    engine: Engine, name: str, reverse: bool, limit: int, changes: list[tuple[str, int, str]]
) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    plan = layout.plan(at_s=between(0, 250))
    left = list(changes)
    deleted = set()

    def change(table: happybase.Table) -> None:
        for verb, at_s, host in [left.pop() for _ in left[:3]]:
            key = layout.key(at_s, host)
            if verb == "put":
                put(table, [layout.encode(key)])
            else:
                deleted.add(key)
                table.delete(layout.encode(key))

    with stocked_table(engine, map(layout.encode, keys)) as table:
        pages = pages_of(table, layout, plan, change, limit=limit, reverse=reverse, order=BY_HOST)
    found = records_of(pages)
    assert {key for key in keys if key not in deleted and key.at_s < 250} <= set(found)
    assert sorted(set(found), key=host_and_time, reverse=reverse) == found


def test_a_row_put_behind_the_cursor_of_another_order_comes_and_one_put_in_front_of_it_does_not(
    stocked: Stocked,
) -> None:
    layout = LAYOUTS["ascending"]
    table = stocked(map(layout.encode, [Rising(5, "b"), Rising(1, "d"), Rising(9, "f")]))

    def ask(**asked: Any) -> Page[Any]:
        whole = layout.whole_table()
        return page(table, whole, lambda row, _cells: layout.decode(row), order=BY_HOST, **asked)

    first = ask(limit=1)
    assert first.records == [Rising(5, "b")]
    put(table, map(layout.encode, [Rising(6, "a"), Rising(4, "b"), Rising(6, "b"), Rising(0, "c")]))
    wanted = [Rising(6, "b"), Rising(0, "c"), Rising(1, "d"), Rising(9, "f")]
    assert wanted == ask(limit=9, cursor=first.cursor).records
    # The row that the cursor stands on may be gone.
    table.delete(layout.encode(Rising(5, "b")))
    assert wanted == ask(limit=9, cursor=first.cursor).records


@pytest.mark.parametrize("reverse", [False, True])
def test_rows_that_are_equal_in_the_other_order_come_once_each(stocked: Stocked, reverse: bool) -> None:
    layout = LAYOUTS["ascending"]
    keys = [Rising(at_s, host) for at_s in (1, 2) for host in "abc"]
    table = stocked(map(layout.encode, keys))
    for limit in range(1, 8):
        order = KeyLayout(ByTimeOnly)
        pages = pages_of(table, layout, layout.whole_table(), limit=limit, reverse=reverse, order=order)
        found = records_of(pages)
        assert sorted(keys, key=host_and_time) == sorted(found, key=host_and_time), limit
        assert sorted((key.at_s for key in keys), reverse=reverse) == [key.at_s for key in found], limit


def test_the_order_of_a_key_is_that_behind_its_spreading_prefix(stocked: Stocked) -> None:
    layout = LAYOUTS["ascending"]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    order = KeyLayout(ByHost, Salt(of="at_s", buckets=4))
    pages = pages_of(table, layout, layout.whole_table(), limit=5, order=order)
    assert sorted(keys, key=host_and_time) == records_of(pages)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", LAYOUTS)
def test_rows_that_are_equal_in_the_other_order_are_in_that_of_the_table(
    stocked: Stocked, name: str, reverse: bool
) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    direction = -1 if layout.key is Falling else 1
    by_host = sorted(keys, key=lambda key: (key.host, direction * key.at_s), reverse=reverse)
    by_time = sorted(keys, key=lambda key: (key.at_s, key.host), reverse=reverse)
    for order, wanted in ((KeyLayout(ByHostOnly), by_host), (KeyLayout(ByTimeOnly), by_time)):
        for limit in (1, 2, 3, 5, 8):
            pages = pages_of(table, layout, layout.whole_table(), limit=limit, reverse=reverse, order=order)
            assert wanted == records_of(pages), limit


def test_a_sorted_page_that_ends_with_the_last_row_has_no_cursor(items: Items) -> None:
    table = items(5)
    for reverse in (False, True):
        for limit in (5, 6):
            assert None is item_page(table, limit=limit, order=ITEMS, reverse=reverse).cursor
        first = item_page(table, limit=4, order=ITEMS, reverse=reverse)
        last = item_page(table, limit=4, order=ITEMS, reverse=reverse, cursor=first.cursor)
        assert ([Item(0 if reverse else 4)], None) == (last.records, last.cursor)


def test_a_sorted_page_of_nothing_has_no_cursor(items: Items) -> None:
    table = items(5)
    nothing: Page[Item] = Page(records=[], cursor=None, rows_read=0, client_work=("order",))
    assert nothing == item_page(table, plan=ITEMS.plan(number=between(7, 9)), limit=3, order=ITEMS)
    assert nothing == item_page(table, plan=ITEMS.plan(number=between(7, 7)), limit=3, order=ITEMS)
    assert nothing == item_page(table, plan=ITEMS.plan(number=7), limit=3, order=ITEMS)
    cursor = item_page(table, limit=4, order=ITEMS).cursor
    for number in range(5):
        table.delete(ITEMS.encode(Item(number)))
    assert nothing == item_page(table, limit=4, order=ITEMS, cursor=cursor)


def test_a_sorted_point_is_one_page(items: Items) -> None:
    found = item_page(items(5), plan=ITEMS.plan(number=3), limit=1, order=ITEMS)
    assert Page([Item(3)], None, 1, ("order",)) == found


def test_what_a_page_left_to_the_client_is_where_by_name_and_then_the_order(stocked: Stocked, items: Items) -> None:
    table = items(3)
    assert item_page(table, limit=1).client_work == ()
    assert item_page(table, limit=1, where={}).client_work == ()
    assert item_page(table, limit=1, where={"number": 1}).client_work == ("number",)
    assert item_page(table, limit=1, order=ITEMS).client_work == ("order",)
    layout = LAYOUTS["ascending"]
    table = stocked([layout.encode(Rising(1, "a"))])
    found = page(
        table,
        layout.whole_table(),
        lambda row, _cells: layout.decode(row),
        limit=1,
        where={"host": "a", "at_s": 1},
        order=BY_HOST,
    )
    assert found.client_work == ("at_s", "host", "order")


def test_a_cursor_belongs_to_its_order(stocked: Stocked) -> None:
    layout = LAYOUTS["ascending"]
    table = stocked(map(layout.encode, keys_of(layout)))

    def ask(cursor: str | None = None, **asked: Any) -> Page[Any]:
        plan = layout.whole_table()
        return page(table, plan, lambda row, _cells: layout.decode(row), limit=3, cursor=cursor, **asked)

    questions: list[dict[str, Any]] = [
        {},
        {"reverse": True},
        {"where": {"host": "a"}},
        {"order": BY_HOST},
        {"order": BY_HOST, "reverse": True},
        {"order": BY_HOST, "where": {"host": starting_with("a")}},
        {"order": BY_HOST, "where": {"host": starting_with("b")}},
        {"order": BY_HOST_NEWEST_FIRST},
        {"order": KeyLayout(ByTimeOnly)},
    ]
    for asked in questions:
        cursor = ask(**asked).cursor
        assert cursor is not None
        assert ask(cursor, **asked).records
        for other in questions:
            if other != asked:
                with pytest.raises(InvalidQuestion, match=FOREIGN):
                    ask(cursor, **other)


def test_a_cursor_belongs_to_the_attribute_that_its_order_begins_with(stocked: Stocked) -> None:
    @row_key
    class Pair:
        left: int = part(UInt8, "first")
        right: int = part(UInt8, "second")

    @row_key
    class Turned:
        right: int = part(UInt8, "second")
        left: int = part(UInt8, "first")

    pairs, turned = KeyLayout(Pair), KeyLayout(Turned)
    table = stocked(pairs.encode(Pair(left, 9 - left)) for left in range(9))
    asked: dict[str, Any] = {"decode": lambda row, _cells: pairs.decode(row), "limit": 3}
    first = page(table, pairs.whole_table(), order=turned, **asked)
    assert [key.right for key in first.records] == [1, 2, 3]
    with pytest.raises(InvalidQuestion, match=FOREIGN):
        page(table, pairs.whole_table(), order=pairs, cursor=first.cursor, **asked)


def test_a_cursor_belongs_to_the_slices_of_its_order(stocked: Stocked) -> None:
    layout = LAYOUTS["ascending"]
    table = stocked(map(layout.encode, keys_of(layout)))
    slices = [KeyLayout(ByHost, TimeBucket(of="at_s", every_ms=every, codec=UInt8)) for every in (10, 100)]
    orders = [BY_HOST, *slices]
    for order, other in permutations(orders, 2):
        plan = layout.whole_table()
        asked: dict[str, Any] = {"limit": 3, "decode": lambda row, _cells: layout.decode(row)}
        cursor = page(table, plan, order=order, **asked).cursor
        with pytest.raises(InvalidQuestion, match=FOREIGN):
            page(table, plan, order=other, cursor=cursor, **asked)


def test_slices_stand_in_front_of_the_order_of_a_key(stocked: Stocked) -> None:
    layout = LAYOUTS["ascending"]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    order = KeyLayout(ByHost, Salt(of="at_s", buckets=4), TimeBucket(of="at_s", every_ms=10, codec=UInt8))
    wanted = sorted(keys, key=lambda key: (key.at_s // 10, key.host, key.at_s))
    for limit in (1, 2, 7):
        assert wanted == records_of(pages_of(table, layout, layout.whole_table(), limit=limit, order=order))


def test_a_cursor_belongs_to_the_parts_of_its_order_and_not_to_its_name(items: Items) -> None:
    @row_key
    class Order:
        number: int = part(UInt16, "counts up")

    one = KeyLayout(Order)

    @row_key
    class Order:  # type: ignore[no-redef]
        number: int = part(Descending(UInt16), "counts up, the last first")

    other = KeyLayout(Order)
    table = items(9)
    with pytest.raises(InvalidQuestion, match=FOREIGN):
        item_page(table, limit=3, order=other, cursor=item_page(table, limit=3, order=one).cursor)


def test_a_sorted_cursor_goes_on_under_another_limit(items: Items) -> None:
    table = items(9)
    cursor = item_page(table, limit=2, order=ITEMS, reverse=True).cursor
    rest = item_page(table, limit=100, order=ITEMS, reverse=True, cursor=cursor, read_at_most=9)
    assert [Item(number) for number in range(6, -1, -1)] == rest.records


@pytest.mark.parametrize("reverse", [False, True])
def test_more_rows_than_can_be_sorted_are_refused(items: Items, reverse: bool) -> None:
    table = items(7)
    asked = {"limit": 2, "order": ITEMS, "reverse": reverse}
    assert item_page(table, read_at_most=7, **asked).rows_read == 7
    with pytest.raises(InvalidQuestion) as refused:
        item_page(table, read_at_most=6, **asked)
    assert str(refused.value) == (
        "a sorted page reads all rows of its ranges, which hold more than 6: "
        "bind more parts of the key, or a shorter interval"
    )
    # However few of them are kept, and on every page.
    with pytest.raises(InvalidQuestion, match="which hold more than 6:"):
        item_page(table, read_at_most=6, where={"number": 3}, **asked)
    cursor = item_page(table, **asked).cursor
    with pytest.raises(InvalidQuestion, match="which hold more than 6:"):
        item_page(table, read_at_most=6, cursor=cursor, **asked)


def test_what_is_refused_as_too_much_to_sort_is_not_read_to_its_end(items: Items) -> None:
    table = items(5000)
    with metered(table.connection) as cost, pytest.raises(InvalidQuestion, match="which hold more than 1500:"):
        item_page(table, limit=1, order=ITEMS, read_at_most=1500)
    assert cost.rows_fetched <= 2000


def test_every_sorted_page_reads_all_rows_of_its_plan_and_no_others(items: Items) -> None:
    table = items(50)
    with metered(table.connection) as cost:
        first = item_page(table, plan=ITEMS.plan(number=between(10, 40)), limit=5, order=ITEMS)
    assert (cost.rows_fetched, first.rows_read) == (30, 30)
    with metered(table.connection) as cost:
        item_page(table, plan=ITEMS.plan(number=between(10, 40)), limit=5, order=ITEMS, cursor=first.cursor)
    assert cost.rows_fetched == 30


@pytest.mark.parametrize("asked", [{"limit": 0}, {"limit": 1, "read_at_most": 0}])
def test_a_sorted_page_of_no_rows_is_refused(items: Items, asked: dict[str, int]) -> None:
    with pytest.raises(InvalidQuestion, match=r"must be 1\.\.1000000 \(got 0\)$"):
        item_page(items(1), order=ITEMS, **asked)


def test_a_damaged_cursor_of_another_order_is_refused(items: Items) -> None:
    table = items(5)
    cursor = item_page(table, limit=3, order=ITEMS).cursor
    assert cursor is not None
    for damaged in (cursor[:-1], cursor + "A", "B" + cursor[1:], ""):
        with pytest.raises(InvalidQuestion, match=DAMAGED):
            item_page(table, limit=3, order=ITEMS, cursor=damaged)


def test_a_row_that_does_not_decode_is_an_error_wherever_it_would_be_sorted(stocked: Stocked) -> None:
    table = stocked(hexes("00 01", "00 02", "00 03 ff"), name="items")
    for asked in ({}, {"reverse": True}, {"where": {"number": 1}}):
        with pytest.raises(InvalidRow) as refused:
            item_page(table, limit=1, order=ITEMS, **asked)
        reason = "Item: 1 bytes too many, at offset 2 of row 00 03 ff"
        assert str(refused.value) == f"{table.name.decode()}: row 00 03 ff: {reason}"


# ---- borders -------------------------------------------------------------------------------------


def test_a_page_that_ends_with_the_last_row_has_no_cursor(items: Items) -> None:
    table = items(5)
    assert None is item_page(table, limit=5).cursor
    assert None is item_page(table, limit=6).cursor
    assert None is not item_page(table, limit=4).cursor
    assert ([Item(4)], None) == (
        (last := item_page(table, limit=4, cursor=item_page(table, limit=4).cursor)).records,
        last.cursor,
    )


def test_an_empty_answer_is_one_page_without_cursor(items: Items) -> None:
    table = items(5)
    nothing: Page[Item] = Page(records=[], cursor=None, rows_read=0)
    assert nothing == item_page(table, plan=ITEMS.plan(number=between(7, 9)), limit=3)
    assert nothing == item_page(table, plan=ITEMS.plan(number=between(7, 7)), limit=3, reverse=True)
    assert Page(records=[], cursor=None, rows_read=5, client_work=("number",)) == item_page(
        table, limit=3, where={"number": 9}
    )


def test_a_page_whose_rest_is_deleted_is_followed_by_an_empty_one(items: Items) -> None:
    table = items(5)
    cursor = item_page(table, limit=3).cursor
    for number in (3, 4):
        table.delete(ITEMS.encode(Item(number)))
    assert Page(records=[], cursor=None, rows_read=0) == item_page(table, limit=3, cursor=cursor)


def test_a_point_is_one_page(items: Items) -> None:
    table = items(5)
    assert Page([Item(3)], None, 1) == item_page(table, plan=ITEMS.plan(number=3), limit=1)
    assert Page([], None, 0) == item_page(table, plan=ITEMS.plan(number=7), limit=1)
    assert Page([], None, 1, ("number",)) == item_page(table, plan=ITEMS.plan(number=3), limit=1, where={"number": 4})


def test_a_page_can_end_at_the_longest_row(stocked: Stocked) -> None:
    layout = KeyLayout(Named)
    names = ["a" * 32_766, "a" * 32_767, "b"]
    table = stocked([])
    located(table.connection, [plain_table("t")])
    put(table, map(str.encode, names))
    for reverse in (False, True):
        found = records_of(pages_of(table, layout, layout.whole_table(), limit=1, reverse=reverse))
        assert (names[::-1] if reverse else names) == [key.name for key in found]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(items: Items, limit: int) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        item_page(items(1), limit=limit)
    assert f"limit: must be 1..1000000 (got {limit})" == str(refused.value)


# ---- short pages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
def test_a_page_ends_short_at_the_cap_and_the_next_one_goes_on(items: Items, reverse: bool) -> None:
    table = items(20)
    pages = pages_of(table, ITEMS, ITEMS.whole_table(), limit=5, where={"number": 13}, read_at_most=4, reverse=reverse)
    assert [each.rows_read for each in pages] == [4] * 5
    assert [Item(13)] == records_of(pages)
    assert ([0, 1, 0, 0, 0] if reverse else [0, 0, 0, 1, 0]) == [len(each.records) for each in pages]


@pytest.mark.parametrize("read_at_most", [1, 2, 3])
def test_a_cap_below_the_limit_still_makes_progress(items: Items, read_at_most: int) -> None:
    pages = pages_of(items(7), ITEMS, ITEMS.whole_table(), limit=5, where={"number": 6}, read_at_most=read_at_most)
    assert [Item(6)] == records_of(pages)
    assert sum(each.rows_read for each in pages) == 7


@pytest.mark.parametrize("read_at_most", [0, -1])
def test_a_cap_below_one_is_refused_since_no_page_could_go_on(items: Items, read_at_most: int) -> None:
    with pytest.raises(InvalidQuestion, match=r"^read_at_most: must be 1\.\."):
        item_page(items(7), limit=5, where={"number": 6}, read_at_most=read_at_most)


def test_a_page_reads_one_row_more_than_it_gives(items: Items) -> None:
    table = items(50)
    with metered(table.connection) as cost:
        assert item_page(table, limit=10).rows_read == 10
    assert cost.rows_fetched == 11
    with metered(table.connection) as cost:
        item_page(table, limit=10, where={"number": 5}, read_at_most=20)
    assert cost.rows_fetched <= 22


# ---- cursors -------------------------------------------------------------------------------------

ALPHABET = string.ascii_letters + string.digits + "-_"
DAMAGED = r"^cursor: is damaged \(got .*\); ask again without it$"
FOREIGN = r"^cursor: belongs to another question; ask with the same values, or without it$"


def test_a_cursor_is_safe_in_a_url(stocked: Stocked) -> None:
    table = stocked(bytes([0xFB, number]) * 3 for number in range(256))
    everything = KeyLayout(Named).whole_table()
    cursors = [page(table, everything, lambda row, _cells: row, limit=limit).cursor for limit in range(1, 256)]
    assert set("".join(cursor or "?" for cursor in cursors)) <= set(ALPHABET)


def test_every_changed_character_of_a_cursor_is_refused(items: Items) -> None:
    table = items(5)
    cursor = item_page(table, limit=3).cursor
    assert cursor is not None
    for at, there in enumerate(cursor):
        for other in ALPHABET + "=+/ é":
            if other != there:
                with pytest.raises(InvalidQuestion, match=DAMAGED):
                    item_page(table, limit=3, cursor=cursor[:at] + other + cursor[at + 1 :])


def test_a_cursor_cut_or_drawn_out_is_refused(items: Items) -> None:
    table = items(5)
    cursor = item_page(table, limit=3).cursor
    assert cursor is not None
    longer = [cursor + each for each in (*ALPHABET, "=", "==", "AA", "AAAA", " ", "\n")]
    shorter = [cursor[:at] for at in range(len(cursor))] + [cursor[at:] for at in range(1, len(cursor))]
    for damaged in [*longer, *shorter, " " + cursor, cursor * 2]:
        with pytest.raises(InvalidQuestion, match=DAMAGED):
            item_page(table, limit=3, cursor=damaged)


@pytest.mark.parametrize("cursor", ["", "=", "?", "not base64", "é", "\0", "A" * 10_000, "AAAAAAAAAAAAAAAA"])
def test_what_is_no_cursor_is_refused(items: Items, cursor: str) -> None:
    with pytest.raises(InvalidQuestion, match=DAMAGED):
        item_page(items(5), limit=3, cursor=cursor)


def test_a_cursor_belongs_to_its_question(stocked: Stocked, items: Items) -> None:
    table = items(20)
    plan = ITEMS.plan(number=between(0, 15))
    cursor = item_page(table, plan=plan, limit=3, where={"number": 9}, read_at_most=4).cursor
    other_table = stocked([ITEMS.encode(Item(number)) for number in range(20)], name="u")
    others: list[tuple[happybase.Table, dict[str, Any]]] = [
        (table, {"plan": ITEMS.plan(number=between(0, 16))}),
        (table, {"plan": ITEMS.plan(number=between(1, 15))}),
        (table, {"plan": ITEMS.whole_table()}),
        (table, {"reverse": True}),
        (table, {"where": {"number": 8}}),
        (table, {"where": {"number": 9.0}}),
        (table, {"where": {}}),
        (other_table, {}),
    ]
    asked = {"plan": plan, "where": {"number": 9}, "read_at_most": 4}
    for other, changed in others:
        with pytest.raises(InvalidQuestion, match=FOREIGN):
            item_page(other, limit=3, cursor=cursor, **(asked | changed))
    assert [Item(9)] == item_page(table, limit=1, cursor=cursor, **(asked | {"read_at_most": 40})).records


def test_a_cursor_goes_on_under_another_limit(items: Items) -> None:
    table = items(9)
    cursor = item_page(table, limit=2).cursor
    assert [Item(number) for number in range(2, 9)] == item_page(table, limit=100, cursor=cursor).records


def cursor_behind_the_first_of_three() -> str | None:
    with stocked_table(Embedded(), [ITEMS.encode(Item(number)) for number in range(3)]) as table:
        return item_page(table, limit=1, where={"number": 0}, read_at_most=1).cursor


def test_a_cursor_is_the_same_text_in_every_process() -> None:
    code = "from tests.shared.queries import test_pages; print(test_pages.cursor_behind_the_first_of_three())"
    there = {
        subprocess.check_output(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            cwd=ROOT,
            text=True,
        ).strip()
        for seed in ("1", "2")
    }
    assert {cursor_behind_the_first_of_three()} == there


# ---- rows that are no records --------------------------------------------------------------------


def test_a_row_that_does_not_decode_is_an_error_with_table_row_and_reason(stocked: Stocked) -> None:
    table = stocked(hexes("00 01", "00 02 ff", "00 03"), name="items")
    assert [Item(1)] == item_page(table, limit=1).records
    with pytest.raises(InvalidRecord) as refused:
        item_page(table, limit=2)
    reason = "Item: 1 bytes too many, at offset 2 of row 00 02 ff"
    assert f"{table.name.decode()}: row 00 02 ff: {reason}" == str(refused.value)


def test_a_record_that_refuses_its_values_is_an_error_with_table_and_row(items: Items) -> None:
    @attrs.frozen
    class Even:
        number: int = attrs.field()

        @number.validator
        def _is_even(self, _field: object, value: int) -> None:
            if value % 2:
                raise ValueError(f"Even.number: must be even (got {value})")

    table = items(3)
    with pytest.raises(InvalidRecord) as refused:
        page(table, ITEMS.whole_table(), lambda row, _cells: Even(ITEMS.decode(row).number), limit=3)
    assert str(refused.value) == f"{table.name.decode()}: row 00 01: Even.number: must be even (got 1)"
