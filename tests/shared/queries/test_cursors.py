"""Cursors: only the question that a cursor belongs to accepts it, and only undamaged."""

import os
import string
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import attrs
import happybase
import pytest

from shared.keys import (
    Descending,
    InvalidQuestion,
    KeyLayout,
    TimeBucket,
    TrailingBytes,
    UInt8,
    UInt16,
    between,
    part,
    row_key,
    starting_with,
)
from shared.queries import Page, ServerFilter
from shared.tables import RecordCells
from tests.engines import Embedded
from tests.shared.queries.paging import (
    BY_HOST,
    BY_HOST_NEWEST_FIRST,
    DAMAGED,
    FOREIGN,
    ITEM_TABLE,
    ITEMS,
    LAYOUTS,
    ByHost,
    ByTimeOnly,
    Item,
    Items,
    item_page,
    key_table,
    keys_of,
    page,
)
from tests.shared.stocked import Stocked, stocked_table

ROOT = Path(__file__).parents[3]


@row_key
class LastFirst:
    number: int = part(Descending(UInt16), "counts up, the last first")


@row_key
class AnyBytes:
    data: bytes = part(TrailingBytes, "all of the key")


ALPHABET = string.ascii_letters + string.digits + "-_"


# ---- their bytes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "cursor"),
    [
        ({"limit": 2}, "pGq_fgFW93NI_mbRAAIAAQAAAAA"),
        ({"limit": 2, "reverse": True}, "TW_3vna35U0Kgoc0AAIACAAAAAA"),
        ({"limit": 2, "where": {"number": between(1, 9)}}, "LBr9GVPfhyn-PN3oAAIAAgAAAAA"),
        ({"limit": 2, "order": KeyLayout(LastFirst)}, "zeZ0LO-RS9Hx8p3DAAL_9wACAAgAAAAA"),
        ({"limit": 2, "filter": ServerFilter(("v",), b"PrefixFilter('\0')")}, "LM5VKQNrKPVAU8S1AAIAAQAAAAA"),
    ],
)
def test_a_cursor_keeps_its_bytes_so_that_one_in_use_outlives_a_release(question: dict[str, Any], cursor: str) -> None:
    with stocked_table(Embedded(), [ITEMS.encode(Item(number)) for number in range(10)]) as table:
        assert item_page(table, **question).cursor == cursor


@pytest.mark.parametrize(
    ("question", "cursor"),
    [
        ({"limit": 2}, "9iPHOzC9vP-G8LqyAAE"),
        ({"limit": 2, "order": KeyLayout(LastFirst)}, "HWCybG9rcOsZ6z4RAAL_9wAI"),
    ],
)
def test_a_cursor_of_the_first_releases_is_refused_by_name_and_not_misread(
    items: Items, question: dict[str, Any], cursor: str
) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        item_page(items(10), cursor=cursor, **question)
    assert str(refused.value) == ("cursor: is of an earlier release, whose cursors this one cannot continue; ask again")


# ---- which question they belong to ---------------------------------------------------------------


def test_a_cursor_does_not_depend_on_what_a_layout_says_that_it_holds(items: Items) -> None:
    rows, options = items(5), {"plan": ITEMS.whole_table(), "limit": 2}
    renamed = attrs.evolve(ITEM_TABLE, holds="an item, in other words")
    cursor = page(rows, ITEM_TABLE, **options).cursor
    assert page(rows, renamed, **options).cursor == cursor
    assert page(rows, renamed, cursor=cursor, **options).records == [Item(2), Item(3)]


def test_a_cursor_belongs_to_the_cells_of_its_layout(items: Items) -> None:
    rows, options = items(5), {"plan": ITEMS.whole_table(), "limit": 2}
    cursor = page(rows, ITEM_TABLE, **options).cursor
    other = attrs.evolve(ITEM_TABLE, cells=RecordCells(Item, {}, marker="f:other"))
    with pytest.raises(InvalidQuestion, match=FOREIGN):
        page(rows, other, cursor=cursor, **options)


@pytest.mark.parametrize(
    ("condition", "other"),
    [
        (between(0, 9), between(0, 8)),
        (between(0, 9), between(None, 9)),
        (between(0, 9), 0),
        (starting_with("a"), starting_with("b")),
        (starting_with("a"), "a"),
    ],
)
def test_a_cursor_belongs_to_the_condition_of_its_where(stocked: Stocked, condition: Any, other: Any) -> None:
    layout = LAYOUTS["ascending"]
    table = stocked(map(layout.encode, keys_of(layout)))
    name = "host" if isinstance(condition, type(starting_with(""))) else "at_s"

    def ask(wanted: Any, cursor: str | None = None) -> Page[Any]:
        whole = layout.whole_table()
        where = {name: wanted}
        return page(table, key_table(layout), whole, limit=1, where=where, cursor=cursor)

    cursor = ask(condition).cursor
    assert cursor is not None
    ask(condition, cursor)
    with pytest.raises(InvalidQuestion, match=FOREIGN):
        ask(other, cursor)


def test_a_cursor_belongs_to_its_order(stocked: Stocked) -> None:
    layout = LAYOUTS["ascending"]
    table = stocked(map(layout.encode, keys_of(layout)))

    def ask(cursor: str | None = None, **question: Any) -> Page[Any]:
        plan = layout.whole_table()
        return page(table, key_table(layout), plan, limit=3, cursor=cursor, **question)

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
    for question in questions:
        cursor = ask(**question).cursor
        assert cursor is not None
        assert ask(cursor, **question).records
        for other in questions:
            if other != question:
                with pytest.raises(InvalidQuestion, match=FOREIGN):
                    ask(cursor, **other)


def test_a_cursor_belongs_to_the_attribute_that_its_order_begins_with(stocked: Stocked) -> None:
    @row_key
    class Pair:
        first: int = part(UInt8, "first")
        second: int = part(UInt8, "second")

    @row_key
    class Turned:
        second: int = part(UInt8, "second")
        first: int = part(UInt8, "first")

    pairs, turned = KeyLayout(Pair), KeyLayout(Turned)
    table = stocked(pairs.encode(Pair(first, 9 - first)) for first in range(9))
    options: dict[str, Any] = {"table": key_table(pairs), "plan": pairs.whole_table(), "limit": 3}
    answer = page(table, order=turned, **options)
    assert [key.second for key in answer.records] == [1, 2, 3]
    with pytest.raises(InvalidQuestion, match=FOREIGN):
        page(table, order=pairs, cursor=answer.cursor, **options)


def test_a_cursor_belongs_to_the_slices_of_its_order(stocked: Stocked) -> None:
    layout = LAYOUTS["ascending"]
    table = stocked(map(layout.encode, keys_of(layout)))
    slices = [KeyLayout(ByHost, TimeBucket(of="at_s", every_ms=every, codec=UInt8)) for every in (10, 100)]
    orders = [BY_HOST, *slices]
    for order, other in permutations(orders, 2):
        options: dict[str, Any] = {"limit": 3, "table": key_table(layout), "plan": layout.whole_table()}
        cursor = page(table, order=order, **options).cursor
        with pytest.raises(InvalidQuestion, match=FOREIGN):
            page(table, order=other, cursor=cursor, **options)


def test_a_cursor_belongs_to_the_parts_of_its_order_and_not_to_its_name(items: Items) -> None:
    @row_key
    class Order:
        number: int = part(UInt16, "counts up")

    ascending = KeyLayout(Order)

    @row_key
    class Order:  # type: ignore[no-redef]
        number: int = part(Descending(UInt16), "counts up, the last first")

    descending = KeyLayout(Order)
    table = items(9)
    with pytest.raises(InvalidQuestion, match=FOREIGN):
        item_page(table, limit=3, order=descending, cursor=item_page(table, limit=3, order=ascending).cursor)


def test_a_sorted_cursor_goes_on_under_another_limit(items: Items) -> None:
    table = items(9)
    cursor = item_page(table, limit=2, order=ITEMS, reverse=True).cursor
    rest = item_page(table, limit=100, order=ITEMS, reverse=True, cursor=cursor, read_at_most=9)
    assert [Item(number) for number in range(6, -1, -1)] == rest.records


def test_a_damaged_cursor_of_another_order_is_refused(items: Items) -> None:
    table = items(5)
    cursor = item_page(table, limit=3, order=ITEMS).cursor
    assert cursor is not None
    other = "A" if cursor[0] != "A" else "B"
    for damaged in (cursor[:-1], cursor + "A", other + cursor[1:], ""):
        with pytest.raises(InvalidQuestion, match=DAMAGED):
            item_page(table, limit=3, order=ITEMS, cursor=damaged)


def test_a_cursor_is_safe_in_a_url(stocked: Stocked) -> None:
    table = stocked(bytes([0xFB, number]) * 3 for number in range(256))
    layout = KeyLayout(AnyBytes)
    cursors = [page(table, key_table(layout), layout.whole_table(), limit=limit).cursor for limit in range(1, 256)]
    assert set("".join(cursor or "?" for cursor in cursors)) <= set(ALPHABET)


def test_every_changed_character_of_a_cursor_is_refused(items: Items) -> None:
    table = items(5)
    cursor = item_page(table, limit=3).cursor
    assert cursor is not None
    for index, character in enumerate(cursor):
        for other in ALPHABET + "=+/ é":
            if other != character:
                with pytest.raises(InvalidQuestion, match=DAMAGED):
                    item_page(table, limit=3, cursor=cursor[:index] + other + cursor[index + 1 :])


def test_a_cursor_that_is_too_short_or_too_long_is_refused(items: Items) -> None:
    table = items(5)
    cursor = item_page(table, limit=3).cursor
    assert cursor is not None
    longer = [cursor + suffix for suffix in (*ALPHABET, "=", "==", "AA", "AAAA", " ", "\n")]
    shorter = [cursor[:index] for index in range(len(cursor))] + [cursor[index:] for index in range(1, len(cursor))]
    for damaged in [*longer, *shorter, " " + cursor, cursor * 2]:
        with pytest.raises(InvalidQuestion, match=DAMAGED):
            item_page(table, limit=3, cursor=damaged)


@pytest.mark.parametrize("cursor", ["", "=", "?", "not base64", "é", "\0", "A" * 10_000, "AAAAAAAAAAAAAAAA"])
def test_text_that_is_not_a_cursor_is_refused(items: Items, cursor: str) -> None:
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
        (table, {"where": {}}),
        (other_table, {}),
    ]
    options = {"plan": plan, "where": {"number": 9}, "read_at_most": 4}
    for other, changed in others:
        with pytest.raises(InvalidQuestion, match=FOREIGN):
            item_page(other, limit=3, cursor=cursor, **(options | changed))
    assert [Item(9)] == item_page(table, limit=1, cursor=cursor, **(options | {"read_at_most": 40})).records


def test_a_cursor_goes_on_under_another_limit(items: Items) -> None:
    table = items(9)
    cursor = item_page(table, limit=2).cursor
    assert [Item(number) for number in range(2, 9)] == item_page(table, limit=100, cursor=cursor).records


def cursor_after_the_first_of_three() -> str | None:
    with stocked_table(Embedded(), [ITEMS.encode(Item(number)) for number in range(3)]) as table:
        return item_page(table, limit=1, where={"number": 0}, read_at_most=1).cursor


def test_a_cursor_is_the_same_text_in_every_process() -> None:
    code = "from tests.shared.queries import test_cursors; print(test_cursors.cursor_after_the_first_of_three())"
    elsewhere = {
        subprocess.check_output(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            cwd=ROOT,
            text=True,
        ).strip()
        for seed in ("1", "2")
    }
    assert {cursor_after_the_first_of_three()} == elsewhere
