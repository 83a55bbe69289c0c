"""Pages that leave out rows which are not records: each is reported once, and every record comes."""

from typing import Any, Literal

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.designs import metered
from shared.keys import Code, EscapedText, InvalidQuestion, KeyLayout, Salt, UInt8, between
from shared.queries import Page, Query
from shared.queries.pages import read_page
from shared.queries.record_reader import SKIPPING_BUFFER_ROWS
from shared.tables import TEXT, BoundTable, Column, Family, InvalidRow, ItemCells, RecordCells, TableLayout
from tests.engines import NewStore, examples
from tests.shared.hard_to_show import nested
from tests.shared.queries import paging
from tests.shared.queries.paging import ITEMS, key_table, page, records_of
from tests.shared.specimens import Falling, Item, key_class
from tests.shared.stocked import query_of, stocked_table

VISITS = KeyLayout(Falling, Salt(of="host", buckets=4))
ITEM_TABLE = key_table(ITEMS)
IN_BUCKETS = KeyLayout(Item, Salt(of="number", buckets=3))
BAD = b"\xff\xff\xff"
"""What is appended to the row of an item to make the row right after it, which is not an item."""


def item(number: int) -> bytes:
    return ITEMS.encode(Item(number))


def pages_of(table: Any, layout: KeyLayout[Any], **options: Any) -> tuple[list[Page[Any]], list[InvalidRow]]:
    """All pages of a whole table, and all rows that they reported."""
    reported: list[InvalidRow] = []
    return paging.pages_of(table, layout, layout.whole_table(), on_invalid=reported.append, **options), reported


def test_a_row_that_is_left_out_is_reported_with_table_row_and_reason(stocked):
    table = stocked([item(1), item(2) + b"\xff", item(3)])
    (only,), (invalid,) = pages_of(table, ITEMS, limit=3)
    assert [Item(1), Item(3)] == only.records
    assert (only.rows_read, only.cursor) == (3, None)
    assert (invalid.table, invalid.row) == ("t", b"\0\2\xff")
    assert invalid.reason == "Item: 1 bytes too many, at offset 2 of row 00 02 ff"
    assert str(invalid) == f"{invalid.table}: row 00 02 ff: {invalid.reason}"


def test_an_invalid_row_is_frozen_but_accepts_the_attributes_that_tools_add():
    invalid = InvalidRow("t", b"\0", "too short")
    invalid.add_note("seen by a tool")
    invalid.__dict__["mark"] = 1
    setattr(invalid, "other_mark", 2)  # noqa: B010  # as typer sets it
    with pytest.raises(attrs.exceptions.FrozenAttributeError):
        invalid.reason = "none"
    assert {invalid: 1}[invalid] == 1


@attrs.frozen
class Note:
    number: int
    text: str


@attrs.frozen
class TitledNote:
    number: int
    text: str
    title: str


NOTES = TableLayout("notes", "one note", ITEMS, RecordCells(Note, {"text": Column("f:t")}))
TITLED_CELLS = RecordCells(TitledNote, {"text": Column("f:t"), "title": Column("f:title")})
TITLED_NOTES = TableLayout("notes", "one note", ITEMS, TITLED_CELLS)


def test_a_page_reads_on_after_a_thousand_invalid_rows_in_batches_that_stay_small(engine, stocked):
    table = stocked([*(item(number) + BAD for number in range(1000)), item(2000), item(2001), item(2002)])
    with metered(table.connection) as cost:
        answer = page(table, ITEM_TABLE, ITEMS.whole_table(), limit=2, on_invalid=lambda invalid: None)
    assert answer.records == [Item(2000), Item(2001)]
    assert answer.cursor is not None
    assert 1003 - SKIPPING_BUFFER_ROWS <= cost.rows_fetched <= 1003 + SKIPPING_BUFFER_ROWS
    assert cost.rpcs >= 1000 // SKIPPING_BUFFER_ROWS


@settings(max_examples=examples(50), derandomize=True, database=None)
@given(
    kept=st.sets(st.integers(0, 40), max_size=25),
    wrong=st.sets(st.integers(0, 40), max_size=25),
    limit=st.integers(1, 12),
    reverse=st.booleans(),
    where=st.sampled_from([{}, {"number": between(5, 30)}]),
    read_at_most=st.sampled_from([1, 2, 7, 10_000]),
    layout=st.sampled_from([ITEMS, IN_BUCKETS]),
)
def test_pages_with_a_report_are_the_answer_without_the_invalid_rows(
    engine, kept, wrong, limit, reverse, where, read_at_most, layout
):
    wrong_rows = [layout.encode(Item(number)) + BAD for number in sorted(wrong, reverse=reverse)]
    with stocked_table(engine, [*(layout.encode(Item(number)) for number in kept), *wrong_rows]) as table:
        options = {"limit": limit, "reverse": reverse, "where": where, "read_at_most": read_at_most}
        pages, reported = pages_of(table, layout, **options)
    wanted = [Item(number) for number in sorted(kept, reverse=reverse) if not where or 5 <= number < 30]
    assert wanted == records_of(pages)
    assert sum(answer.rows_read for answer in pages) == len(kept) + len(wrong)
    assert max(answer.rows_read for answer in pages) <= read_at_most
    if not where and read_at_most == 10_000:
        assert [limit] * (len(pages) - 1) == [len(answer.records) for answer in pages[:-1]]
    assert wrong_rows == [invalid.row for invalid in reported]


def test_a_page_that_may_not_leave_out_rows_reads_as_many_as_its_limit(stocked):
    only = page(stocked(map(item, range(5))), ITEM_TABLE, ITEMS.whole_table(), limit=5, read_at_most=2)
    assert (len(only.records), only.cursor) == (5, None)


@pytest.mark.parametrize("where", [{}, {"host": "b"}])
def test_the_record_beside_an_invalid_row_of_another_bucket_is_never_lost(stocked, where):
    """The wrong bucket's row comes first in the merge, and the page may end at the cap after it."""
    right = VISITS.encode(Falling(9, "b"))
    wrong = [bytes([bucket]) + right[1:] for bucket in range(4) if bucket != right[0]]
    for read_at_most in (1, 2, 3, 4):
        table = stocked([right, *wrong])
        pages, reported = pages_of(table, VISITS, limit=1, where=where, read_at_most=read_at_most)
        assert [record for answer in pages for record in answer.records] == [Falling(9, "b")]
        assert sorted(invalid.row for invalid in reported) == sorted(wrong)


def test_a_sorted_page_leaves_out_invalid_rows_and_reads_them_for_each_page(stocked):
    table = stocked([item(1), item(1) + BAD, item(2), item(3)])
    pages, reported = pages_of(table, ITEMS, limit=2, order=ITEMS, reverse=True)
    assert records_of(pages) == [Item(3), Item(2), Item(1)]
    assert [invalid.row for invalid in reported] == [item(1) + BAD] * len(pages)
    with pytest.raises(InvalidQuestion, match="more than 3"):
        pages_of(table, ITEMS, limit=2, order=ITEMS, read_at_most=3)


def test_a_point_that_is_not_a_record_is_an_empty_page(engine):
    with engine.shared_store(NOTES) as connection:
        table = connection.table("notes")
        table.put(item(1), TITLED_CELLS.pack(TitledNote(1, "a", "one"), only=["title"]))
        reported: list[InvalidRow] = []
        answer = page(table, TITLED_NOTES, ITEMS.plan(number=1), limit=1, on_invalid=reported.append)
    assert (answer.records, answer.cursor, answer.rows_read) == ([], None, 1)
    assert [invalid.reason for invalid in reported] == ["TitledNote.text: no cell f:t"]


def test_a_row_without_any_cell_of_a_record_is_neither_a_record_nor_reported(engine):
    with engine.shared_store(NOTES) as connection:
        table = connection.table("notes")
        table.put(item(1), {b"f:other": b""})
        table.put(item(2), NOTES.cells.pack(Note(2, "two")))
        reported: list[InvalidRow] = []
        options: dict[str, Any] = {"limit": 1, "on_invalid": reported.append}
        assert page(table, NOTES, ITEMS.plan(number=1), **options) == Page([], None, 0)
        assert page(table, NOTES, ITEMS.whole_table(), **options) == Page([Note(2, "two")], None, 1)
    assert reported == []


# ---- questions that Python can hardly write ---------------------------------------------------------


@pytest.mark.parametrize(
    "condition", [10**5000, between(0, 10**5000), between(nested()), nested(), {1: nested()}], ids=range(5)
)
def test_a_where_that_no_cursor_can_hold_is_refused_before_anything_is_read(items, condition):
    rows, wanted = items(3), r"^where: number: must be an? (value|int) "
    with metered(rows.connection) as cost, pytest.raises(InvalidQuestion, match=wanted):
        page(rows, ITEM_TABLE, ITEMS.whole_table(), limit=1, where={"number": condition})
    assert cost.rpcs == 0


@pytest.mark.parametrize("value", [10**5000, [10**5000], nested()], ids=range(3))
def test_a_limit_or_cursor_that_python_can_hardly_write_is_refused(items, value):
    for options in ({"limit": value}, {"limit": 1, "cursor": value}, {"limit": 1, "read_at_most": value}):
        with pytest.raises(InvalidQuestion, match=r"must be .+ \(got an? "):
            page(items(3), ITEM_TABLE, ITEMS.whole_table(), **options)


@attrs.frozen
class Kind:
    number: int
    kind: str = attrs.field(validator=attrs.validators.in_(["a"]))


def test_a_row_that_a_validator_of_attrs_refuses_has_one_line_as_its_reason():
    kinds = TableLayout("kinds", "one kind", ITEMS, RecordCells(Kind, {"kind": Column("f:k")}))
    with pytest.raises(InvalidRow) as caught:
        kinds.record(item(1), {b"f:k": b"\xa1b"})
    assert str(caught.value) == "kinds: row 00 01: 'kind' must be in ['a'] (got 'b')"


# ---- rows that only a later release can read


@attrs.frozen
class Task:
    team: str
    number: int
    state: str
    size: Literal["small", "large"] | None = None


@attrs.frozen
class LaterTask:
    team: str
    number: int
    state: str
    size: Literal["small", "large", "huge"] | None = None


def tasks(record: type[Any], codes: dict[str, int], is_wide: bool, buckets: int) -> TableLayout[Any, Any]:
    parts = {"number": UInt8, "state": Code(codes)}
    salt = [Salt(of="team", buckets=buckets)] if buckets else []
    if is_wide:
        key, cells = (
            key_class("ByTeam", team=EscapedText),
            ItemCells(record, "t", KeyLayout(key_class("ByNumber", **parts)), value="size"),
        )
    else:
        key, cells = key_class("ByTeam", team=EscapedText, **parts), RecordCells(record, {"size": Column("t:s")})
    return TableLayout("tasks", "a task", KeyLayout(key, *salt), cells)


@pytest.fixture(params=[(False, 0), (False, 4), (True, 0), (True, 4)], ids=["rows", "salted", "cells", "salted-cells"])
def later_tasks(request: pytest.FixtureRequest, new_store: NewStore) -> tuple[Any, TableLayout[Any, Any]]:
    """A table with tasks of a later release, every second one with a code or a size that this one does not know."""
    later = tasks(LaterTask, {"open": 1, "done": 2}, *request.param)
    rows = new_store(later).table("tasks")
    for number in range(12):
        state, size = ("done" if number % 4 == 1 else "open"), ("huge" if number % 4 == 3 else "large")
        rows.put(later.row(task := LaterTask(f"t{number % 3}", number, state, size)), later.cells.pack(task))
    return rows, tasks(Task, {"open": 1}, *request.param)


@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("question", [{}, {"where": {"size": "large"}}, {"newest_first": False}], ids=str)
def test_pages_leave_out_the_rows_of_a_later_release_and_say_which(later_tasks, limit, question):
    rows, tasks_ = later_tasks
    query = query_of(rows, tasks_, tasks_.whole_table(), **question)
    pages, cursor = [], None
    while not pages or cursor is not None:
        pages.append(query.page(limit, cursor))
        cursor = pages[-1].cursor
    assert sorted(task.number for task in records_of(pages)) == [0, 2, 4, 6, 8, 10]
    unknown = [invalid for one_page in pages for invalid in one_page.unknown]
    assert len({(invalid.row, invalid.column) for invalid in unknown}) == len(unknown) == 6
    assert {invalid.is_unknown for invalid in unknown} == {True}


def test_all_else_that_reads_rows_of_a_later_release_raises_because_nothing_would_say_what_is_missing(later_tasks):
    rows, tasks_ = later_tasks
    query = Query(BoundTable(rows.connection, tasks_), tasks_.whole_table())
    for read in (list, Query.count):
        with pytest.raises(InvalidRow, match=r"(state|size): must be ") as raised:
            read(query)
        assert raised.value.is_unknown
    reported: list[InvalidRow] = []
    assert query.on_invalid(reported.append).page(100).unknown == ()
    assert len(reported) == 6


def test_a_damaged_row_fails_the_page(later_tasks):
    rows, tasks_ = later_tasks
    (column,) = tasks_.cells.pack(task := Task("t0", 0, "open", "large"))
    rows.put(tasks_.row(task), {column: b"\xc1"})
    with pytest.raises(InvalidRow, match=r"Task\.size") as raised:
        Query(BoundTable(rows.connection, tasks_), tasks_.whole_table()).page(100)
    assert not raised.value.is_unknown


def test_a_page_that_leaves_out_many_cells_of_a_later_release_ends_early_with_a_cursor(new_store):
    later = tasks(LaterTask, {"open": 1}, is_wide=True, buckets=0)
    connection = new_store(later)
    for number in range(20):
        task = LaterTask("t", number, "open", "small" if number == 19 else "huge")
        connection.table("tasks").put(later.row(task), later.cells.pack(task))
    layout, unknown = tasks(Task, {"open": 1}, is_wide=True, buckets=0), list[InvalidRow]()
    request = Query(BoundTable(connection, layout), layout.whole_table())._request
    first = read_page(request, 1, on_unknown=unknown.append, read_at_most=8)
    assert (first.records, first.rows_read, len(unknown)) == ([], 8, 8)
    assert read_page(request, 1, first.cursor, on_unknown=unknown.append).records == [Task("t", 19, "open", "small")]


def test_a_row_that_is_also_damaged_is_not_taken_for_one_of_a_later_release():
    cells = RecordCells(Task, {"state": Column("t:c", TEXT), "size": Column("t:s")})
    layout = TableLayout("t", "a task", KeyLayout(key_class("ByTeam", team=EscapedText, number=UInt8)), cells)
    for size, state, is_unknown in ((b"\xa4huge", b"open", True), (b"\xa4huge", b"\xff", False), (b"\x05", b"", False)):
        with pytest.raises(InvalidRow) as raised:
            layout.record(layout.row(Task("t", 1, "open")), {b"t:s": size, b"t:c": state})
        assert raised.value.is_unknown is is_unknown


def test_a_second_lookup_that_finds_rows_of_a_later_release_leaves_them_out_too(later_tasks):
    rows, tasks_ = later_tasks
    invalid = InvalidRow("others", b"1", "of a later release", is_unknown=True)
    query = Query(BoundTable(rows.connection, tasks_), tasks_.whole_table())
    first = query.then(lambda records: [invalid, *records[1:]]).page(100)
    assert (len(first.records), len(first.unknown), first.unknown[-1]) == (5, 7, invalid)
    damaged = attrs.evolve(invalid, is_unknown=False)
    with pytest.raises(InvalidRow, match="others"):
        query.then(lambda records: [damaged, *records[1:]]).page(3)


@attrs.frozen
class ReadNote:
    number: int
    text: str
    is_read: bool = False


@attrs.frozen
class AnsweredNote:
    number: int
    text: str
    is_read: bool


@pytest.mark.parametrize("record", [ReadNote, AnsweredNote], ids=["optional", "required"])
@pytest.mark.parametrize("ttl_seconds", [3600, None])
def test_a_row_of_which_only_what_was_put_again_later_has_not_expired_is_skipped(engine, ttl_seconds, record):
    """Without a TTL the other cells are lost, so the row is damaged."""
    cells = RecordCells(record, {"text": Column("n:t", TEXT), "is_read": Column("n:r")})
    layout = TableLayout(
        "notes", "a note", KeyLayout(key_class("ByNumber", number=UInt8)), cells, {"n": Family(ttl_seconds=ttl_seconds)}
    )
    with engine.store(layout) as connection:
        table = BoundTable(connection, layout)
        for number, is_whole in enumerate([False, True, False, False, True, False]):
            packed = cells.pack(record(number, "x", True), None if is_whole else ["is_read"])
            table.rows.put(layout.row(record(number, "x", False)), packed)
        reported: list[InvalidRow] = []
        query = Query(table, table.whole_table()).on_invalid(reported.append)
        whole = [record(1, "x", True), record(4, "x", True)]
        assert [*query] == whole
        if ttl_seconds is None:
            assert len(reported) == 4
            with pytest.raises(InvalidRow, match="no cell n:t"):
                Query(table, table.whole_table()).first()
            return
        assert reported == []
        query = Query(table, table.whole_table())
        assert ([*query], query.first(), query.count()) == (whole, whole[0], 2)
        first = query.page(2)
        assert [*first.records, *query.page(9, first.cursor).records] == whole
        assert [*Query(table, table.whole_table()).newest_first()] == whole[::-1]
        assert Query(table, table.plan(number=0)).first() is None
