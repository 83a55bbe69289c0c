"""Cursors: only the question that a cursor belongs to accepts it, and only undamaged."""

import string
from itertools import permutations

import attrs
import pytest

from shared.keys import (
    Code,
    Descending,
    EscapedText,
    InvalidQuestion,
    KeyLayout,
    Salt,
    TimeBucket,
    UInt8,
    UInt16,
    between,
    starting_with,
)
from shared.queries import ServerFilter
from shared.tables import Column, RecordCells, TableLayout
from tests.engines import Embedded
from tests.shared.queries.paging import (
    BY_HOST,
    BY_HOST_NEWEST_FIRST,
    DAMAGED,
    FOREIGN,
    ITEM_TABLE,
    ITEMS,
    RISING,
    RISING_KEYS,
    item_page,
    key_table,
    page,
)
from tests.shared.specimens import ByHost, ByTimeOnly, Item, LastItem, key_class
from tests.shared.stocked import stocked_table

ALPHABET = string.ascii_letters + string.digits + "-_"


@pytest.fixture
def rising(stocked):
    """A table of keys with a time and a host."""
    return stocked(map(RISING.encode, RISING_KEYS))


def rising_page(table, **question):
    return page(table, key_table(RISING), RISING.whole_table(), **{"limit": 1, **question})


# ---- their bytes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "cursor", "earlier"),
    [
        ({}, "GjGAQG9haHTrtwBCAAIAAQAAAAA", "pGq_fgFW93NI_mbRAAIAAQAAAAA"),
        ({"reverse": True}, "Drj-NVU6QIIE0mKzAAIACAAAAAA", "TW_3vna35U0Kgoc0AAIACAAAAAA"),
        ({"where": {"number": between(1, 9)}}, "Uk-JEvtbrVwkpzbdAAIAAgAAAAA", "LBr9GVPfhyn-PN3oAAIAAgAAAAA"),
        (
            {"order": KeyLayout(key_class("LastFirst", number=Descending(UInt16)))},
            "6R22Bt33MhesN4DnAAL_9wACAAgAAAAA",
            "zeZ0LO-RS9Hx8p3DAAL_9wACAAgAAAAA",
        ),
        (
            {"filter": ServerFilter(("v",), b"PrefixFilter('\0')")},
            "8H8G3TDx57GWhUGcAAIAAQAAAAA",
            "LM5VKQNrKPVAU8S1AAIAAQAAAAA",
        ),
    ],
)
def test_a_cursor_keeps_its_bytes_so_that_one_in_use_outlives_a_release(question, cursor, earlier):
    with stocked_table(Embedded(), [ITEMS.encode(Item(number)) for number in range(10)]) as table:
        assert item_page(table, limit=2, **question).cursor == cursor
        pages = [item_page(table, limit=2, cursor=used, **question) for used in (cursor, earlier)]
        assert pages[0] == pages[1] != item_page(table, limit=2, **question)


@pytest.mark.parametrize(
    ("question", "cursor"),
    [({}, "9iPHOzC9vP-G8LqyAAE"), ({"order": KeyLayout(LastItem)}, "HWCybG9rcOsZ6z4RAAL_9wAI")],
)
def test_a_cursor_of_the_first_releases_is_refused_by_name_and_not_misread(items, question, cursor):
    with pytest.raises(InvalidQuestion) as refused:
        item_page(items(10), limit=2, cursor=cursor, **question)
    assert str(refused.value) == "cursor: comes from an earlier release and cannot be continued; ask again without it"


# ---- which question they belong to ---------------------------------------------------------------


def test_a_cursor_belongs_to_the_cells_of_its_layout(items):
    rows, options = items(5), {"plan": ITEMS.whole_table(), "limit": 2}
    cursor = page(rows, ITEM_TABLE, **options).cursor
    other = attrs.evolve(ITEM_TABLE, cells=RecordCells(Item, {}, marker="f:other"))
    with pytest.raises(InvalidQuestion, match=FOREIGN):
        page(rows, other, cursor=cursor, **options)


@attrs.frozen
class Visit:
    host: str
    state: str
    page: str


@attrs.frozen
class LaterVisit:
    """A visit of a later release: another name of a part and of an attribute, and another column."""

    server: str
    state: str
    url: str
    country: str = ""


def visits(record, codes, **columns):
    host = next(iter(attrs.fields_dict(record)))
    key = key_class("AnyKey", **{host: EscapedText, "state": Code(codes)})
    cells = RecordCells(record, {name: Column(column) for name, column in columns.items()})
    return TableLayout("visits", "a visit", KeyLayout(key, Salt(of=host, buckets=4)), cells)


EARLIER = visits(Visit, {"open": 1}, page="v:p")
LATER = visits(LaterVisit, {"open": 1, "done": 2}, country="v:c", url="v:p")


@pytest.mark.parametrize(("first", "second"), [(EARLIER, LATER), (LATER, EARLIER)], ids=["later", "earlier"])
def test_a_cursor_goes_on_with_a_release_that_has_another_column_code_or_name(new_store, first, second):
    rows = new_store(first).table("visits")
    for host in "abc":
        rows.put(EARLIER.row(visit := Visit(host, "open", "/")), EARLIER.cells.pack(visit))
    cursor = page(rows, first, first.whole_table(), limit=1).cursor
    rest = page(rows, second, second.whole_table(), limit=9, cursor=cursor)
    assert [attrs.astuple(visit)[0] for visit in rest.records] == ["b", "c"]


def in_slices(every):
    return {"order": KeyLayout(ByHost, TimeBucket(of="at_s", every_ms=every, codec=UInt8))}


DIFFERENT = [
    {},
    {"reverse": True},
    *({"where": {"at_s": condition}} for condition in (between(0, 9), between(0, 8), between(None, 9), 0)),
    *({"where": {"host": condition}} for condition in (starting_with("a"), starting_with("b"), "a")),
    {"order": BY_HOST},
    {"order": BY_HOST, "reverse": True},
    *({"order": BY_HOST, "where": {"host": starting_with(start)}} for start in "ab"),
    {"order": BY_HOST_NEWEST_FIRST},
    {"order": KeyLayout(ByTimeOnly)},
    # The name of a key class does not count, its parts do.
    {"order": KeyLayout(key_class("ByTimeOnly", at_s=Descending(UInt8)))},
    {"order": KeyLayout(key_class("ByHost", at_s=UInt8, host=EscapedText))},
    in_slices(10),
    in_slices(100),
    *({"filter": ServerFilter(("v",), b"PrefixFilter('%b')" % start)} for start in (b"", b"\0")),
]


def test_a_cursor_belongs_to_its_direction_conditions_and_order(rising):
    cursors = [rising_page(rising, **question).cursor for question in DIFFERENT]
    assert None not in cursors
    for question, cursor in zip(DIFFERENT, cursors, strict=True):
        rising_page(rising, cursor=cursor, **question)
    for (_, cursor), (other, _) in permutations(zip(DIFFERENT, cursors, strict=True), 2):
        with pytest.raises(InvalidQuestion, match=FOREIGN):
            rising_page(rising, cursor=cursor, **other)


def test_a_cursor_belongs_to_its_plan_and_table(stocked, items):
    table = items(20)
    options = {"plan": ITEMS.plan(number=between(0, 15)), "where": {"number": 9}, "read_at_most": 4}
    cursor = item_page(table, limit=3, **options).cursor
    for other_table, changed in [
        *((table, {"plan": plan}) for plan in (ITEMS.plan(number=between(0, 16)), ITEMS.plan(number=between(1, 15)))),
        (table, {"plan": ITEMS.whole_table()}),
        (table, {"where": {"number": 8}}),
        (table, {"where": {}}),
        (stocked([ITEMS.encode(Item(number)) for number in range(20)], name="u"), {}),
    ]:
        with pytest.raises(InvalidQuestion, match=FOREIGN):
            item_page(other_table, limit=3, cursor=cursor, **(options | changed))
    assert item_page(table, limit=1, cursor=cursor, **(options | {"read_at_most": 40})).records == [Item(9)]


# ---- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [None, ITEMS], ids=["scanned", "sorted"])
def test_every_cursor_changed_cut_or_continued_is_refused(items, order):
    table = items(5)
    cursor = item_page(table, limit=3, order=order).cursor
    places = range(len(cursor))
    changed = {cursor[:at] + other + cursor[at + 1 :] for at in places for other in ALPHABET + "=+/ é"} - {cursor}
    longer = [cursor + suffix for suffix in (*ALPHABET, "=", "==", "AA", "AAAA", " ", "\n")]
    shorter = [part for at in places for part in (cursor[:at], cursor[at + 1 :])]
    for damaged in [*changed, *longer, *shorter, " " + cursor, cursor * 2]:
        with pytest.raises(InvalidQuestion, match=DAMAGED):
            item_page(table, limit=3, order=order, cursor=damaged)


@pytest.mark.parametrize("cursor", ["", "=", "?", "not base64", "é", "\0", "A" * 10_000, "AAAAAAAAAAAAAAAA"])
def test_text_that_is_not_a_cursor_is_refused(items, cursor):
    with pytest.raises(InvalidQuestion, match=DAMAGED):
        item_page(items(5), limit=3, cursor=cursor)
