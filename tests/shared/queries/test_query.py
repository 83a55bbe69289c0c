"""A question as a value: iterated, its first record, counted, explained, joined with a second lookup."""

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import attrs
import happybase
import pytest

from shared.designs import metered
from shared.keys import InvalidQuestion, KeyLayout, Plan, Salt, any_of, between
from shared.keys.ranges import RowRange, Stream
from shared.queries import DependentQuery, Query, ServerFilter
from shared.queries.pages import read_page
from shared.tables import BoundTable, InvalidRow, RecordCells, TableLayout
from tests.engines import EMBEDDED, Engine
from tests.shared.queries.paging import (
    BY_HOST,
    ITEM_TABLE,
    ITEMS,
    RISING,
    RISING_KEYS,
    Items,
    key_table,
    records_of,
)
from tests.shared.queries.wide import pages_of
from tests.shared.specimens import ByLastDigit, Item, Rising
from tests.shared.stocked import put, query_of, stocked_table


def everything(rows: happybase.Table, **options: Any) -> Query[Item]:
    return query_of(rows, ITEM_TABLE, ITEMS.whole_table(), **options)


def numbers(records: Any) -> list[int]:
    return [record.number for record in records]


# ---- pages, iteration, first and count -----------------------------------------------------------------------


def test_a_query_reads_nothing_before_its_records_are_read(items):
    rows = items(5)
    with metered(rows.connection) as cost:
        query = everything(rows, where={"number": between(1, 4)}, newest_first=True)
        query.on_invalid(print).then(list)
        iter(query)
        assert query.explain().ranges == ITEMS.whole_table().ranges
        with pytest.raises(InvalidQuestion, match=r"^limit: must be 1\.\.1000000 \(got 0\)$"):
            query.explain(0)
        assert cost.rpcs == 0
        assert query.first() == Item(3)
        assert cost.rpcs > 0


def test_the_repr_of_a_query_has_its_table_and_question(items):
    query = Query(BoundTable(items(0).connection, ITEM_TABLE), ITEM_TABLE.plan(number=between(1, 9)))
    assert repr(query) == "Query(t: {'number': Between(since=1, until=9)})"


def test_a_where_is_compared_beside_the_residual(stocked):
    rows = stocked(map(RISING.encode, RISING_KEYS))
    table = key_table(RISING)
    plan = table.narrow(at_s=between(9, 12), host="a")
    query = query_of(rows, table, plan, where={"at_s": between(10, None)})
    assert list(query) == [Rising(10, "a"), Rising(11, "a")]
    assert query.page().client_work == query.explain().client_work == ("at_s", "host")


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"colour": "red"}, "where: Item has no attribute colour"),
        ({"number": between(3, 1)}, "where: number: since must not be above until (got 3 and 1)"),
        ({"number": between(3, "a")}, "where: number: since cannot be compared with until (got 3 and 'a')"),
        ({"number": "3"}, "where: number: must be an int (got '3')"),
        ({"number": True}, "where: number: must be an int (got True)"),
        ({"number": any_of([3, 4.0])}, "where: number: must be an int (got 4.0)"),
    ],
)
def test_a_where_that_no_record_can_meet_is_refused_when_the_query_is_made(items, where, message):
    rows = items(0)
    with metered(rows.connection) as cost, pytest.raises(InvalidQuestion) as refused:
        everything(rows, where=where)
    assert (str(refused.value), cost.rpcs) == (message, 0)


def test_a_where_may_compare_a_property_or_what_init_does_not_take(engine):
    with engine.shared_store(COUNTED) as connection:
        rows = connection.table(COUNTED.name)
        for number in range(4):
            rows.put(COUNTED.row(Item(number)), COUNTED.cells.pack(Counted(number)))
        for name in ("half", "double"):
            query = query_of(rows, COUNTED, ITEMS.whole_table(), where={name: {"half": 1, "double": 6}[name]})
            assert numbers(query) == {"half": [2, 3], "double": [3]}[name]


@attrs.define(slots=False)
class Counted:
    number: int
    half: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.half = self.number // 2

    @property
    def double(self) -> int:
        return 2 * self.number


COUNTED = TableLayout("counted", "a number", ITEMS, RecordCells(Counted, {}, marker="f:v"))


# ---- then ----------------------------------------------------------------------------------------


def test_then_replaces_the_records_page_by_page_and_none_drops_one(items):
    lookups: list[list[int]] = []

    def named(records: list[Item]) -> list[str | None]:
        lookups.append(numbers(records))
        return [None if record.number % 3 else f"n-{record.number}" for record in records]

    plain = everything(items(10))
    query = plain.then(named)
    pages = pages_of(query, 4)
    assert pages[0].cursor == plain.page(4).cursor
    assert [page.records for page in pages] == [["n-0", "n-3"], ["n-6"], ["n-9"]]
    assert lookups == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert list(query) == ["n-0", "n-3", "n-6", "n-9"]
    assert query.count() == 4


def test_then_is_not_called_without_records(items):
    def fail(_records: list[Any]) -> list[Any]:
        raise AssertionError("called without records")

    rows = items(3)
    assert query_of(rows, ITEM_TABLE, ITEMS.plan(number=7)).then(fail).page().records == []
    dropped = everything(rows).then(lambda records: [None] * len(records)).then(fail)
    assert dropped.page().records == []


@pytest.mark.parametrize(("answers", "got"), [([], 0), ([1], 1), ([1, 2, 3, 4], 4)])
def test_then_must_return_one_answer_for_each_record(items, answers, got):
    query = everything(items(3)).then(lambda _records: answers)
    for ask in (query.page, query.count, lambda: list(query)):
        with pytest.raises(ValueError, match=rf"^then: must return one answer for each record \(3, got {got}\)$"):
            ask()


@pytest.mark.parametrize("order", [None, "sorted"])
def test_first_asks_for_twice_as_many_after_answers_that_are_dropped(items, order):
    rows = items(300)
    lookups: list[int] = []

    def dropped(records: list[Item]) -> list[None]:
        lookups.append(len(records))
        return [None] * len(records)

    query = everything(rows, order=None if order is None else KeyLayout(ByLastDigit)).then(dropped)
    with metered(rows.connection) as cost:
        assert query.first() is None
    assert lookups == [1, 2, 4, 8, 16, 32, 64, 128, 45]
    assert cost.rows_fetched == (9 * 300 if order else 300 + len(lookups) - 1)


def test_first_does_not_ask_for_more_after_pages_without_a_match(items, monkeypatch):
    monkeypatch.setattr("shared.queries.query.read_page", partial(read_page, read_at_most=4))
    rows = items(60)
    query = everything(rows, where={"number": between(50, None)}).then(numbers)
    with metered(rows.connection) as cost:
        assert query.first() == 50
    assert cost.rows_fetched <= 15 * 5  # pages of at most four rows, and one more to know that there is another


# ---- rows that are not records -------------------------------------------------------------------


def with_bad_rows(items: Items, count: int) -> happybase.Table:
    """Items, and after every third a row that is not one."""
    rows = items(count)
    put(rows, [ITEMS.encode(Item(number)) + b"\xff" for number in range(0, count, 3)])
    return rows


@pytest.mark.parametrize("newest_first", [None, True])
def test_a_reported_row_is_left_out_of_pages_iteration_first_and_count(items, newest_first):
    rows = with_bad_rows(items, 10)
    wanted = sorted(range(10), reverse=newest_first is True)
    bad = [b"\0" + bytes([number]) + b"\xff" for number in sorted(range(0, 10, 3), reverse=newest_first is True)]
    reported: list[InvalidRow] = []
    query = everything(rows, newest_first=newest_first).on_invalid(reported.append)
    asks: list[Callable[[], list[int]]] = [
        lambda: numbers(query),
        lambda: numbers(records_of(pages_of(query, 2))),
        lambda: [query.count()],
    ]
    for ask, answer in zip(asks, [wanted, wanted, [10]], strict=True):
        reported.clear()
        assert ask() == answer
        assert [invalid.row for invalid in reported] == bad
    assert query.first() == Item(wanted[0])


def test_a_query_without_a_report_raises_and_is_not_changed_by_its_copies(items):
    query = everything(with_bad_rows(items, 4))
    query.on_invalid(lambda _invalid: None)
    for ask in (query.page, query.count, lambda: list(query)):
        with pytest.raises(InvalidRow, match=r"^t: row 00 00 ff: Item: 1 bytes too many"):
            ask()


# ---- what iteration costs ------------------------------------------------------------------------


def test_iteration_fetches_each_row_about_once(items):
    count = 2_000
    rows = items(count)
    for newest_first in (None, True):
        with metered(rows.connection) as cost:
            assert sum(1 for _ in everything(rows, newest_first=newest_first)) == count
        assert count <= cost.rows_fetched <= count + 20


def test_iteration_over_buckets_fetches_a_quarter_more_at_most(engine, stocked):
    count = 4_000 if engine.name == EMBEDDED else 2_000
    layout = KeyLayout(Item, Salt(of="number", buckets=16))
    rows = stocked(layout.encode(Item(number)) for number in range(count))
    query = query_of(rows, key_table(layout), layout.whole_table())
    with metered(rows.connection) as cost:
        assert numbers(query) == list(range(count))
    assert cost.rows_fetched <= 1.25 * count


def test_a_question_that_the_client_sorts_is_read_once(items, monkeypatch):
    count = 300
    monkeypatch.setattr("shared.queries.query.ITERATION_RECORDS", count - 1)
    monkeypatch.setattr("shared.queries.query.READ_AT_MOST", count)
    rows = items(count)
    query = everything(rows, order=KeyLayout(ByLastDigit))
    assert query.explain().client_work == ("order",)
    with metered(rows.connection) as cost:
        assert len(list(query)) == count
    assert cost.rows_fetched == count
    assert (query.explain().rpcs, cost.rpcs) == (3, 4)  # opened, fetched once, closed; more rows take more fetches


# ---- explain -------------------------------------------------------------------------------------


def test_an_explanation_as_text_has_a_line_for_each_range_and_for_the_work_beyond_them(items):
    rows = items(5)
    name = rows.name.decode()
    narrow = everything(rows, where={"number": 3}, newest_first=True).explain()
    assert str(narrow) == (
        f"{name}: [, end)\nin reverse\nthe client: number\n"
        f"first page: {narrow.rpcs} RPCs or more; at least 2 round trips over hbase://"
    )
    table = key_table(ITEMS)
    bound = query_of(rows, table, table.plan(number=between(2, 4))).explain()
    assert str(bound) == f"{name}: number=Between(since=2, until=4)\nfirst page: 3 RPCs; 2 round trips over hbase://"


def test_an_explanation_of_a_query_that_leaves_out_invalid_rows_is_not_exact(items):
    rows = items(3)
    put(rows, [b"\0\0" + bytes([number]) for number in range(250)])
    query = everything(rows)
    reporting = query.on_invalid(lambda _invalid: None)
    assert (query.explain(1).is_exact, reporting.explain(1).is_exact) == (True, False)
    with metered(rows.connection) as cost:
        assert numbers(reporting.page(2).records) == [0, 1]
    assert cost.rpcs > reporting.explain(2).rpcs == 3


def test_an_explanation_of_ranges_that_are_read_one_after_the_other_is_not_exact(items):
    rows = items(5)
    query = query_of(rows, ITEM_TABLE, ITEMS.plan(number=any_of([0, 2, 4])))
    with metered(rows.connection) as cost:
        assert numbers(query.page(1).records) == [0]
    assert (query.explain(1).is_exact, cost.rpcs > query.explain(1).rpcs) == (False, True)


def test_explain_names_the_work_of_client_and_server(stocked):
    rows = stocked([])
    table = key_table(KeyLayout(Rising, Salt(of="host", buckets=3)))
    sorted_ = query_of(rows, table, table.whole_table(), where={"host": "a"}, order=BY_HOST, newest_first=True)
    explanation = sorted_.explain()
    assert (explanation.client_work, explanation.streams, explanation.reverse) == (("host", "order"), 3, False)
    filtered = query_of(rows, table, table.whole_table(), server=ServerFilter(("v",), b"PrefixFilter('a')"))
    assert (filtered.explain().server_filtered, filtered.explain().is_exact) == (("v",), False)


@pytest.mark.parametrize("newest_first", [None, True])
@pytest.mark.parametrize("limit", [1, 999, 1000, 2001])
def test_the_rpcs_of_an_exact_explanation_are_those_of_a_full_page(engine, big, limit, newest_first):
    for plan in (ITEMS.whole_table(), ITEMS.plan(number=between(0, 2_100))):
        query = query_of(big, ITEM_TABLE, plan, newest_first=newest_first)
        explanation = query.explain(limit)
        with metered(big.connection) as cost:
            assert len(query.page(limit).records) == limit
        assert explanation.rpcs == cost.rpcs if explanation.is_exact else explanation.rpcs <= cost.rpcs
        assert explanation.is_exact or (newest_first and (limit + 2) % 1001 == 1)


@pytest.fixture(scope="module")
def big(engine: Engine) -> Iterator[happybase.Table]:
    with stocked_table(engine, (ITEMS.encode(Item(number)) for number in range(2_200))) as rows:
        yield rows


# ---- a question whose ranges depend on another one -----------------------------------------------


def those_after_the_first(rows: happybase.Table) -> DependentQuery[Item]:
    """The items from the second to the third: the first one tells where they begin."""

    def make(lookup: Query[Item]) -> Query[Item]:
        first = lookup.first()
        start = 0 if first is None else first.number + 1
        return everything(rows, where={"number": between(start, start + 2)})

    return DependentQuery(everything(rows), make, "the two items", "ask for all")


def test_a_dependent_query_reads_its_lookup_with_its_own_records(items):
    rows = items(5)
    with metered(rows.connection) as cost:
        query = those_after_the_first(rows)
        explanation = query.explain()
        iter(query)
        assert cost.rpcs == 0
    assert explanation.ranges == everything(rows).explain().ranges
    assert not explanation.is_exact
    assert (explanation.then_ranges, everything(rows).explain().then_ranges) == ("the two items", "")
    assert "\nthen the two items, which these rows determine\n" in str(explanation)
    assert numbers(query) == [1, 2]
    assert query.first() == Item(1)
    assert query.count() == 2
    doubled = query.then(lambda page: [item.number * 2 for item in page])
    assert doubled.page(1).records == [2]
    assert list(doubled) == [2, 4]
    page = query.page(1)
    assert numbers(page.records) == [1]
    assert numbers(query.page(1, page.cursor).records) == [2]


def test_the_cursor_of_a_dependent_query_belongs_to_the_ranges_of_its_page(items):
    rows = items(5)
    query = those_after_the_first(rows)
    cursor = query.page(1).cursor
    rows.delete(ITEM_TABLE.row(Item(0)))
    changed = "^cursor: belongs to another question, or the two items have changed since its page; ask for all$"
    with pytest.raises(InvalidQuestion, match=changed):
        query.page(1, cursor)


def test_a_dependent_query_reports_invalid_rows_of_its_lookup(items):
    rows = items(4)
    put(rows, [ITEMS.encode(Item(0)) + b"\xff"])
    rows.delete(ITEM_TABLE.row(Item(0)))
    query, reported = those_after_the_first(rows), list[InvalidRow]()
    with pytest.raises(InvalidRow):
        query.first()
    assert numbers(query.on_invalid(reported.append)) == [2, 3]
    assert {invalid.row for invalid in reported} == {ITEMS.encode(Item(0)) + b"\xff"}


def test_what_a_second_lookup_finds_invalid_is_raised_or_reported(items):
    damaged = InvalidRow("others", b"r", "is damaged")
    query = everything(items(3)).then(lambda page: [damaged if item.number == 1 else item for item in page])
    reported: list[InvalidRow] = []
    reporting = query.on_invalid(reported.append).then(list)
    assert (numbers(reporting), reported) == ([0, 2], [damaged])
    assert (numbers(reporting.page(3).records), reporting.count(), reporting.first()) == ([0, 2], 2, Item(0))
    with pytest.raises(InvalidRow, match="others: row 72: is damaged"):
        query.page()


# ---- table and plan of one table ----------------------------------------------------------------


def test_a_plan_of_another_table_is_refused_even_if_its_rows_would_be_the_same_bytes(engine):
    table, other = key_table(ITEMS, "mine"), key_table(ITEMS, "other")
    with engine.store(table) as connection:
        rows = connection.table("mine")
        with pytest.raises(InvalidQuestion, match=r"^plan: must be one of table mine \(got one of table other\)$"):
            query_of(rows, table, other.plan(number=1))
        assert query_of(rows, table, other.key.plan(number=1)).first() is None  # the same layout
        salted = KeyLayout(ITEMS.key_class, Salt(of="number", buckets=2))
        message = r"^plan: must be one of KeyLayout\(Item\) \(got one of KeyLayout\(Item, Salt\(.*\)\)\)$"
        for plan in (salted.whole_table(), salted.plan(number=1), salted.narrow(number=between(1, 2))):
            with pytest.raises(InvalidQuestion, match=message):
                query_of(rows, table, plan)


def test_a_plan_that_was_copied_or_made_by_hand_is_one_of_its_table(engine):
    table = key_table(ITEMS, "mine")
    with engine.store(table) as connection:
        by_hand = Plan((Stream((RowRange(b"", None),)),))
        for plan in (pickle.loads(pickle.dumps(ITEMS.whole_table())), by_hand):
            assert Query(BoundTable(connection, table), plan).count() == 0
