"""Pages: every row exactly once whatever the page size, a cursor that only its own question takes."""

import os
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import happybase
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.cells import InvalidRecord
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
)
from shared.patterns import metered
from shared.scanning import Page, page

from .keys.oracle import Subject, in_order, matches, plan_of, questions, subjects
from .stocked import hexes, put, stocked

ROOT = Path(__file__).parents[2]


@row_key
class Rising:
    at_s: int = part(UInt8, "when")
    host: str = part(EscapedText, "where")


@row_key
class Falling:
    at_s: int = part(Descending(UInt8), "when, newest first")
    host: str = part(EscapedText, "where")


@row_key
class Item:
    number: int = part(UInt16, "counts up")


@row_key
class Named:
    name: str = part(TrailingText, "all of the key")


LAYOUTS = {
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


def keys_of(layout: KeyLayout[Any]) -> list[Any]:
    return [layout.key(at_s, host) for at_s in TIMES for host in HOSTS[: 2 + at_s % 7]]


def pages_of(
    table: happybase.Table,
    layout: KeyLayout[Any],
    plan: Plan,
    between_pages: Callable[[], None] | None = None,
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
            between_pages()
    return pages


def records_of(pages: list[Page[Any]]) -> list[Any]:
    return [record for each in pages for record in each.records]


def items(count: int) -> happybase.Table:
    return stocked(ITEMS.encode(Item(number)) for number in range(count))


def item_page(table: happybase.Table, **asked: Any) -> Page[Item]:
    plan = asked.pop("plan", ITEMS.whole_table())
    return page(table, plan, lambda row, _cells: ITEMS.decode(row), **asked)


# ---- every row once ------------------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_page_size_gives_every_row_once_and_in_order(name: str, reverse: bool) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    since, until = (0, 250) if layout.time_bucket else (9, None)
    plan = layout.plan(at_s=between(since, until))
    direction = -1 if layout.key is Falling else 1
    wanted = [key for key in keys if since <= key.at_s < (until or 256)]
    wanted.sort(key=lambda key: (direction * key.at_s, key.host), reverse=reverse)
    for limit in range(1, len(wanted) + 2):
        pages = pages_of(table, layout, plan, limit=limit, reverse=reverse)
        assert wanted == records_of(pages), limit
        assert [limit] * (len(pages) - 1) == [len(each.records) for each in pages[:-1]], limit


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_page_size_gives_every_row_once_with_a_where(name: str, reverse: bool) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    plan = layout.plan(at_s=between(0, 250))
    wanted = [key for key in keys if key.host == "a" and key.at_s < 250]
    wanted.sort(key=lambda key: key.at_s, reverse=(layout.key is Falling) != reverse)
    for limit in range(1, len(wanted) + 2):
        pages = pages_of(table, layout, plan, limit=limit, reverse=reverse, where={"host": "a"})
        assert wanted == records_of(pages), limit


@settings(max_examples=120, derandomize=True, database=None)
@given(
    subjects(ordered=True).flatmap(lambda subject: st.tuples(st.just(subject), questions(subject))),
    st.booleans(),
    st.integers(1, 9),
    st.booleans(),
    st.sampled_from([1, 2, 5, 10_000]),
)
def test_the_pages_of_any_question_are_its_answer(
    asked: tuple[Subject, dict[str, Any]], reverse: bool, limit: int, with_where: bool, read_at_most: int
) -> None:
    subject, question = asked
    layout = subject.layout
    plan, question = plan_of(subject, question)
    if len(plan.streams) > 20 or (layout.spread and plan.spread_bytes == 0):
        return  # too slow, or a table whose spreading prefix cannot be listed: in the order of its bytes
    where = {"a": subject.values["a"][0]} if with_where else {}
    table = stocked(map(layout.encode, subject.keys))
    wanted = in_order(subject, [key for key in subject.keys if matches(question, key) and matches(where, key)])
    pages = pages_of(table, layout, plan, limit=limit, where=where, reverse=reverse, read_at_most=read_at_most)
    assert (wanted[::-1] if reverse else wanted) == records_of(pages)


@settings(max_examples=60, derandomize=True, database=None)
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
    name: str, reverse: bool, limit: int, changes: list[tuple[str, int, str]], host: str | None
) -> None:
    layout = LAYOUTS[name]
    keys = keys_of(layout)
    table = stocked(map(layout.encode, keys))
    plan = layout.plan(at_s=between(0, 250))
    left = list(changes)
    deleted = set()

    def change() -> None:
        for verb, at_s, where_from in [left.pop() for _ in left[:3]]:
            key = layout.key(at_s, where_from)
            if verb == "put":
                put(table, [layout.encode(key)])
            else:
                deleted.add(key)
                table.delete(layout.encode(key))

    where = {} if host is None else {"host": host}
    found = records_of(pages_of(table, layout, plan, change, limit=limit, reverse=reverse, where=where))
    throughout = {key for key in keys if key not in deleted and host in (None, key.host) and key.at_s < 250}
    assert throughout <= set(found)
    behind_salt = [layout.encode(key)[plan.spread_bytes :] for key in found]
    assert sorted(set(behind_salt), reverse=reverse) == behind_salt


def test_a_row_put_behind_the_cursor_comes_and_one_put_in_front_of_it_does_not() -> None:
    table = stocked(ITEMS.encode(Item(number)) for number in range(0, 40, 10))
    first = item_page(table, limit=2)
    assert [Item(0), Item(10)] == first.records
    put(table, [ITEMS.encode(Item(number)) for number in (5, 11, 15)])
    table.delete(ITEMS.encode(Item(10)))
    assert [Item(11), Item(15), Item(20), Item(30)] == item_page(table, limit=10, cursor=first.cursor).records


# ---- borders -------------------------------------------------------------------------------------


def test_a_page_that_ends_with_the_last_row_has_no_cursor() -> None:
    table = items(5)
    assert None is item_page(table, limit=5).cursor
    assert None is item_page(table, limit=6).cursor
    assert None is not item_page(table, limit=4).cursor
    assert ([Item(4)], None) == (
        (last := item_page(table, limit=4, cursor=item_page(table, limit=4).cursor)).records,
        last.cursor,
    )


def test_an_empty_answer_is_one_page_without_cursor() -> None:
    table = items(5)
    nothing = Page(records=[], cursor=None, rows_read=0)
    assert nothing == item_page(table, plan=ITEMS.plan(number=between(7, 9)), limit=3)
    assert nothing == item_page(table, plan=ITEMS.plan(number=between(7, 7)), limit=3, reverse=True)
    assert Page(records=[], cursor=None, rows_read=5) == item_page(table, limit=3, where={"number": 9})


def test_a_page_whose_rest_is_deleted_is_followed_by_an_empty_one() -> None:
    table = items(5)
    cursor = item_page(table, limit=3).cursor
    for number in (3, 4):
        table.delete(ITEMS.encode(Item(number)))
    assert Page(records=[], cursor=None, rows_read=0) == item_page(table, limit=3, cursor=cursor)


def test_a_point_is_one_page() -> None:
    table = items(5)
    assert Page([Item(3)], None, 1) == item_page(table, plan=ITEMS.plan(number=3), limit=1)
    assert Page([], None, 0) == item_page(table, plan=ITEMS.plan(number=7), limit=1)
    assert Page([], None, 1) == item_page(table, plan=ITEMS.plan(number=3), limit=1, where={"number": 4})


def test_a_page_can_end_at_the_longest_row() -> None:
    layout = KeyLayout(Named)
    names = ["a" * 32_766, "a" * 32_767, "b"]
    table = stocked(map(str.encode, names))
    for reverse in (False, True):
        found = records_of(pages_of(table, layout, layout.whole_table(), limit=1, reverse=reverse))
        assert (names[::-1] if reverse else names) == [key.name for key in found]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit: int) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        item_page(items(1), limit=limit)
    assert f"limit: must be 1..1000000 (got {limit})" == str(refused.value)


# ---- short pages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
def test_a_page_ends_short_at_the_cap_and_the_next_one_goes_on(reverse: bool) -> None:
    table = items(20)
    pages = pages_of(table, ITEMS, ITEMS.whole_table(), limit=5, where={"number": 13}, read_at_most=4, reverse=reverse)
    assert [each.rows_read for each in pages] == [4] * 5
    assert [Item(13)] == records_of(pages)
    assert ([0, 1, 0, 0, 0] if reverse else [0, 0, 0, 1, 0]) == [len(each.records) for each in pages]


@pytest.mark.parametrize("read_at_most", [1, 2, 3])
def test_a_cap_below_the_limit_still_makes_progress(read_at_most: int) -> None:
    pages = pages_of(items(7), ITEMS, ITEMS.whole_table(), limit=5, where={"number": 6}, read_at_most=read_at_most)
    assert [Item(6)] == records_of(pages)
    assert sum(each.rows_read for each in pages) == 7


@pytest.mark.parametrize("read_at_most", [0, -1])
def test_a_cap_below_one_is_refused_since_no_page_could_go_on(read_at_most: int) -> None:
    with pytest.raises(InvalidQuestion, match=r"^read_at_most: must be 1\.\."):
        item_page(items(7), limit=5, where={"number": 6}, read_at_most=read_at_most)


def test_a_page_reads_one_row_more_than_it_gives() -> None:
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


def test_a_cursor_is_safe_in_a_url() -> None:
    table = stocked(bytes([0xFB, number]) * 3 for number in range(256))
    everything = KeyLayout(Named).whole_table()
    cursors = [page(table, everything, lambda row, _cells: row, limit=limit).cursor for limit in range(1, 256)]
    assert set("".join(cursor or "?" for cursor in cursors)) <= set(ALPHABET)


def test_every_changed_character_of_a_cursor_is_refused() -> None:
    table = items(5)
    cursor = item_page(table, limit=3).cursor
    assert cursor is not None
    for at, there in enumerate(cursor):
        for other in ALPHABET + "=+/ é":
            if other != there:
                with pytest.raises(InvalidQuestion, match=DAMAGED):
                    item_page(table, limit=3, cursor=cursor[:at] + other + cursor[at + 1 :])


def test_a_cursor_cut_or_drawn_out_is_refused() -> None:
    table = items(5)
    cursor = item_page(table, limit=3).cursor
    assert cursor is not None
    longer = [cursor + each for each in (*ALPHABET, "=", "==", "AA", "AAAA", " ", "\n")]
    shorter = [cursor[:at] for at in range(len(cursor))] + [cursor[at:] for at in range(1, len(cursor))]
    for damaged in [*longer, *shorter, " " + cursor, cursor * 2]:
        with pytest.raises(InvalidQuestion, match=DAMAGED):
            item_page(table, limit=3, cursor=damaged)


@pytest.mark.parametrize("cursor", ["", "=", "?", "not base64", "é", "\0", "A" * 10_000, "AAAAAAAAAAAAAAAA"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidQuestion, match=DAMAGED):
        item_page(items(5), limit=3, cursor=cursor)


def test_a_cursor_belongs_to_its_question() -> None:
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


def test_a_cursor_goes_on_under_another_limit() -> None:
    table = items(9)
    cursor = item_page(table, limit=2).cursor
    assert [Item(number) for number in range(2, 9)] == item_page(table, limit=100, cursor=cursor).records


def test_a_cursor_is_the_same_text_in_every_process() -> None:
    code = (
        "from tests.shared.test_pages import item_page, items; "
        "print(item_page(items(3), limit=1, where={'number': 0}, read_at_most=1).cursor)"
    )
    there = {
        subprocess.check_output(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            cwd=ROOT,
            text=True,
        ).strip()
        for seed in ("1", "2")
    }
    assert {item_page(items(3), limit=1, where={"number": 0}, read_at_most=1).cursor} == there


# ---- rows that are no records --------------------------------------------------------------------


def test_a_row_that_does_not_decode_is_an_error_with_table_row_and_reason() -> None:
    table = stocked(hexes("00 01", "00 02 ff", "00 03"), name="items")
    assert [Item(1)] == item_page(table, limit=1).records
    with pytest.raises(InvalidRecord) as refused:
        item_page(table, limit=2)
    reason = "Item: 1 bytes too many, at offset 2 of row 00 02 ff"
    assert f"items: row 00 02 ff: {reason}" == str(refused.value)


def test_a_record_that_refuses_its_values_is_an_error_with_table_and_row() -> None:
    @attrs.frozen
    class Even:
        number: int = attrs.field()

        @number.validator
        def _is_even(self, _field: object, value: int) -> None:
            if value % 2:
                raise ValueError(f"Even.number: must be even (got {value})")

    with pytest.raises(InvalidRecord) as refused:
        page(items(3), ITEMS.whole_table(), lambda row, _cells: Even(ITEMS.decode(row).number), limit=3)
    assert str(refused.value) == "t: row 00 01: Even.number: must be even (got 1)"
