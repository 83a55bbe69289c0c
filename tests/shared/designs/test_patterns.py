"""Access patterns are data; asked, they count what they made the store do."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import attrs
import happybase
import pytest

from shared.designs import AccessPattern, Measurement, measure, measure_pattern, metered
from shared.designs.counting import Cost, Read
from shared.designs.patterns import DEFAULT_LIMIT
from shared.exhibit.cost_tables import QUESTION_COLUMNS, READ_COLUMNS, question_row, read_row
from shared.exhibit.verdicts import verdict
from shared.keys import InvalidKey, KeyLayout, Plan, UInt16, between
from shared.keys.ranges import RowRange, Stream
from shared.queries import Page, Query, ServerFilter, scan
from shared.queries.explanations import Explanation
from shared.queries.pages import read_page
from shared.queries.wide_rows import CHUNK_CELLS
from shared.tables import BoundTable, Family, ItemCells, RecordCells, TableLayout
from tests.engines import Engine
from tests.shared.specimens import Item, key_class
from tests.shared.stocked import Stocked, hexes, put


@attrs.frozen
class Even:
    number: int

    @property
    def is_even(self) -> bool:
        return self.number % 2 == 0

    @property
    def half(self) -> int:
        return self.number // 2


ByHalf = key_class("ByHalf", half=UInt16)
ITEMS = KeyLayout(Item)
ITEM_TABLE = TableLayout("t", "an item", ITEMS, RecordCells(Item, {}, marker="f:v"), is_recorded=False)
EVEN_TABLE = TableLayout("t", "a number", ITEMS, RecordCells(Even, {}, marker="f:v"), is_recorded=False)


class Repository:
    def __init__(self, connection: happybase.Connection) -> None:
        self._table = connection.table("t")

    def item(self, number: int) -> Item | None:
        row = ITEMS.encode(Item(number))
        return Item(number) if self._table.row(row) else None

    def last_even(self) -> Query[Even]:
        """The even numbers, the largest half first, by which no key is sorted."""
        return (
            Query(BoundTable(self._table.connection, EVEN_TABLE), ITEMS.whole_table())
            .where(is_even=True)
            .in_order_of(KeyLayout(ByHalf))
            .newest_first()
        )

    def items(self, since: int, seen_ms: int | None = None) -> Query[Item]:
        return Query(BoundTable(self._table.connection, ITEM_TABLE), ITEM_TABLE.plan(number=between(since, None)))


ONE = AccessPattern("an item by its number", Repository.item, {"number": 7})
NONE = AccessPattern("an item that is not there", Repository.item, {"number": 70})
SOME = AccessPattern("items from a number on", Repository.items, {"since": 4, "seen_ms": 0}, limit=3)
LAST_EVEN = AccessPattern("the largest even numbers", Repository.last_even, {}, limit=2)
REFUSED = AccessPattern("items before all others", Repository.items, {"since": -1})


@pytest.fixture
def table(stocked: Stocked) -> happybase.Table:
    """Items 0..9."""
    return stocked(ITEMS.encode(Item(number)) for number in range(10))


def test_a_get_is_one_rpc_of_one_range_and_one_row(engine, table):
    one_row = RowRange(b"\0\x07", b"\0\x07\0")
    with metered(table.connection) as cost:
        table.row(b"\0\x07")
    assert (
        Cost(
            rpcs=1,
            round_trips=1,
            reads=[Read(table.name, one_row, one_row)],
            rows_fetched=1,
            key_bytes=2,
            bytes_fetched=2 + len(b"f:v") + len(b"1"),
            cells_fetched=1,
            rows_read=engine.rows_read(1),
        )
        == cost
    )
    assert cost.ranges == [(table.name, one_row)]


def test_a_read_of_earlier_cells_knows_before_which_time(table):
    with metered(table.connection) as cost:
        table.row(b"\0\x07", timestamp=6)
        table.rows([b"\0\x07"], columns=[b"f:v"], timestamp=7)
        list(table.scan(timestamp=8))
        table.row(b"\0\x07")
    assert [read.before_ms for read in cost.reads] == [6, 7, 8, None]


EVERYTHING = RowRange(b"", None)


@pytest.mark.parametrize(
    ("call", "rpcs", "ranges", "rows_fetched"),
    [
        (lambda table: table.row(b"\0\x77"), 1, [RowRange(b"\0\x77", b"\0\x77\0")], 0),
        (
            lambda table: table.rows(hexes("00 01", "00 77", "00 02")),
            1,
            [RowRange(row, row + b"\0") for row in hexes("00 01", "00 77", "00 02")],
            2,
        ),
        # Opened, batches of 2, 2, 1 and none, closed.
        (lambda table: list(table.scan(b"\0\2", b"\0\7", batch_size=2)), 6, [RowRange(b"\0\2", b"\0\7")], 5),
        (lambda table: list(table.scan()), 4, [EVERYTHING], 10),
        (lambda table: list(table.scan(reverse=True)), 4, [EVERYTHING], 10),
        (lambda table: list(table.scan(sorted_columns=True)), 4, [EVERYTHING], 10),
        # In reverse, Thrift1 reads (stop, start].
        (lambda table: list(table.scan(b"\0\7", b"\0\2", reverse=True)), 4, [RowRange(b"\0\2\0", b"\0\7\0")], 5),
        (lambda table: put(table, hexes("01 00", "01 01")), 1, [], 0),
    ],
    ids=["missing row", "rows", "scan", "whole table", "reverse", "sorted columns", "reverse range", "puts"],
)
def test_a_call_costs_its_rpcs_ranges_and_rows(table, call, rpcs, ranges, rows_fetched):
    with metered(table.connection) as cost:
        call(table)
    assert (cost.rpcs, cost.ranges) == (rpcs, [(table.name, range_) for range_ in ranges])
    assert (cost.rows_fetched, cost.key_bytes) == (rows_fetched, 2 * rows_fetched)


def test_a_delete_leaves_a_tombstone_for_each_column_or_family_of_a_row(table):
    with metered(table.connection) as cost:
        put(table, hexes("01 00"))
        table.delete(b"\0\x01", [b"f:v", b"f:rare"])
        table.delete(b"\0\x02")
    assert cost.tombstones == 3


@pytest.mark.parametrize(
    "rows",
    [
        RowRange(b"", None),
        RowRange(b"\0\x02", b"\0\x07"),
        RowRange(b"a\0", b"b"),
        RowRange(b"\xff\xff\xff\xff\xff\0", None),
    ],
)
def test_a_read_has_the_range_of_the_plan_and_what_the_scan_does_with_it(table, rows):
    plan, filter = Plan((Stream((rows,)),)), ServerFilter(("v",), b"PrefixFilter('\xff')")
    with metered(table.connection) as cost:
        list(scan(table, plan))
        list(scan(table, plan, reverse=True, filter=filter))
    forward, reverse = cost.reads
    assert forward == Read(table.name, rows, rows)
    assert attrs.evolve(reverse, scanned=rows) == Read(table.name, rows, rows, True, filter.text)
    assert cost.ranges == [(table.name, rows), (table.name, reverse.scanned)]


def test_the_versions_of_a_column_are_one_get_that_fetches_their_values(new_store):
    family = {"f": Family(max_versions=5)}
    layout = TableLayout("t", "an item", ITEMS, RecordCells(Item, {}, marker="f:v"), family, is_recorded=False)
    connection = new_store(layout)
    table = connection.table("t")
    for time_ms, value in ((1, b"a"), (2, b"bc"), (3, b"d")):
        table.put(b"\0\x01", {b"f:v": value}, timestamp=time_ms)
    with metered(connection) as cost:
        assert table.cells(b"\0\x01", b"f:v", versions=2) == [b"d", b"bc"]
        assert table.cells(b"\0\x01", b"f:v", versions=2, timestamp=2) == [b"a"]
        assert table.cells(b"\0\x02", b"f:v") == []
    one_row = RowRange(b"\0\x01", b"\0\x01\0")
    newest = Read(table.name, one_row, one_row, column=b"f:v", versions=2)
    assert cost.reads[:2] == [newest, attrs.evolve(newest, before_ms=2)]
    assert [read.is_get for read in cost.reads] == [True] * cost.rpcs == [True] * 3
    assert (cost.rows_fetched, cost.cells_fetched, cost.bytes_fetched) == (2, 3, 4)


def test_rows_that_the_store_steps_over_are_read_but_not_fetched(engine, table):
    table.put(b"\0\x05", {b"f:rare": b"1"})
    with metered(table.connection) as cost:
        assert [row for row, _cells in table.scan(columns=[b"f:rare"])] == [b"\0\x05"]
    assert (cost.rows_read, cost.rows_fetched) == (engine.rows_read(10), 1)


def test_blocks_nest(engine, table):
    with metered(table.connection) as outer:
        table.row(b"\0\x01")
        with metered(table.connection) as inner:
            table.row(b"\0\x02")
    assert (outer.rpcs, inner.rpcs) == (2, 1)
    assert (outer.rows_read, inner.rows_read) == (engine.rows_read(2), engine.rows_read(1))


def explained(client_work: tuple[str, ...] = (), server_filtered: tuple[str, ...] = (), **options: Any) -> Explanation:
    """What a query says of itself if it leaves this work to the client and to a filter."""
    declared: dict[str, Any] = {"ranges": (RowRange(b"", None),), "streams": 1, "reverse": False, "is_wide": False}
    said = {**declared, "rpcs": 3, "round_trips": 2, "is_exact": True, **options}
    return Explanation(b"t", client_work=client_work, server_filtered=server_filtered, **said)


def rows_read(engine: Engine, count: int) -> str:
    """So many rows in a table of costs."""
    return "-" if engine.rows_read(count) is None else str(count)


def test_measured_patterns_are_rows_of_a_table(engine, table):
    repository = Repository(table.connection)
    measured = measure(table.connection, repository, [ONE, NONE, SOME])
    assert [measurement.records for measurement in measured] == [[Item(7)], [], [Item(4), Item(5), Item(6)]]
    # Question, verdict, ranges, RPCs, rows read, rows returned, bytes. A page reads one row more than it gives.
    assert list(map(question_row, measured)) == [
        ("an item by its number", "1 range", "1", "1", rows_read(engine, 1), "1", "6"),
        ("an item that is not there", "1 range", "1", "1", rows_read(engine, 0), "0", "0"),
        ("items from a number on", "1 range", "1", "3", rows_read(engine, 4), "3", "24"),
    ]
    # Question, size of a page, RPCs and round trips, rows read, rows returned, bytes, what happens to the rows then.
    assert list(map(read_row, measured)) == [
        ("an item by its number", "", "1", rows_read(engine, 1), "1", "6", ""),
        ("an item that is not there", "", "1", rows_read(engine, 0), "0", "0", ""),
        ("items from a number on", "3", "3 (2)", rows_read(engine, 4), "3", "24", ""),
    ]
    assert {len(row) for row in map(question_row, measured)} == {len(QUESTION_COLUMNS)}
    assert {len(row) for row in map(read_row, measured)} == {len(READ_COLUMNS)}


def test_what_happens_to_rows_after_they_are_read_is_told_in_its_order():
    asked = explained(("host", "kind", "order"), ("status", "day"))
    measurement = Measurement(SOME, Page([], None, 0), Cost(), explanation=asked)
    assert measurement.beyond_ranges == "server filter on status, day; filtered by host, kind; sorted"


def test_a_question_that_the_tables_cannot_answer_is_measured_as_refused(engine, table):
    refused, answered = measure(table.connection, Repository(table.connection), [REFUSED, ONE])
    nothing = Cost(rows_read=engine.rows_read(0))
    assert refused == Measurement(REFUSED, None, nothing, "Item.number: must be 0..65535 (got -1)")
    assert (refused.records, refused.client_work, refused.rows_read) == ([], (), 0)
    # The next question is asked all the same, of a client that is metered anew.
    assert (answered.refused, answered.records, answered.cost.rpcs) == ("", [Item(7)], 1)
    assert question_row(refused) == ("items before all others", "refused", "-", "-", "-", "-", "-")
    assert read_row(refused) == ("items before all others", "-", "-", "-", "-", "-", "refused")


def test_what_was_read_before_a_question_was_refused_is_counted_and_not_shown(table, monkeypatch):
    monkeypatch.setattr("shared.queries.query.read_page", partial(read_page, read_at_most=4))
    (refused,) = measure(table.connection, Repository(table.connection), [LAST_EVEN])
    assert "which hold more than 4:" in refused.refused
    assert refused.rows_read >= 5
    assert {*question_row(refused)[2:], *read_row(refused)[1:-1]} == {"-"}


def test_no_other_error_of_a_question_is_taken_for_a_refusal(table):
    client = table.connection.client
    with pytest.raises(InvalidKey):  # of a key that is to be stored, not of a question
        measure(table.connection, Repository(table.connection), [attrs.evolve(ONE, sample={"number": -1})])
    assert client is table.connection.client


def test_what_a_dependent_query_leaves_to_the_client_is_that_of_its_page():
    page: Page[Item] = Page([], None, 0, ("number",))
    assert Measurement(SOME, page, Cost(), explanation=explained()).client_work == ("number",)


# ---- one question with a user's values -----------------------------------------------------------


def test_a_question_is_measured_with_a_users_values_limit_and_cursor(table):
    repository = Repository(table.connection)
    first = measure_pattern(table.connection, repository, SOME, {"since": 2}, limit=5)
    assert (first.pattern, first.records, first.refused) == (SOME, [Item(number) for number in range(2, 7)], "")
    assert (first.cost.rpcs, first.cost.rows_fetched) == (3, 6)
    second = measure_pattern(table.connection, repository, SOME, {"since": 2}, 5, first.answer.cursor)
    assert (second.records, second.answer.cursor) == ([Item(number) for number in range(7, 10)], None)


def test_the_ranges_of_a_query_tell_the_values_that_they_bind(table):
    repository = Repository(table.connection)
    some, one = measure(table.connection, repository, [SOME, ONE])
    ((name, rows),) = some.ranges
    assert (name, rows, rows.parts) == (table.name, RowRange(b"\0\x04", None), (("number", between(4, None)),))
    assert [rows.parts for _name, rows in one.ranges] == [()]
    assert some.reads == some.cost.reads


def test_the_row_of_another_table_is_not_taken_for_a_range_of_the_query():
    row = RowRange(b"a", b"a\0")
    bound = RowRange(b"a", b"a\0", (("number", 7),))
    cost = Cost(reads=[Read(b"t", row, row), Read(b"other", row, row)])
    measurement = Measurement(SOME, Page([], None, 0), cost, explanation=explained(ranges=(bound,)))
    assert [(table, rows.parts) for table, rows in measurement.ranges] == [(b"t", (("number", 7),)), (b"other", ())]


def test_a_reverse_scan_down_to_the_first_key_is_the_range_of_the_query(table):
    first = RowRange(b"\0", b"\0\x03")
    with metered(table.connection) as cost:
        assert len(list(scan(table, Plan((Stream((first,)),)), reverse=True))) == 3
    bound = attrs.evolve(first, parts=(("Salt", b"\0"),))
    ((name, rows),) = Measurement(
        SOME, Page([], None, 0), cost, explanation=attrs.evolve(explained(ranges=(bound,)), stored_in=table.name)
    ).ranges
    assert (name, rows, rows.parts) == (table.name, first, bound.parts)


# ---- rows that are read in parts -----------------------------------------------------------------


@attrs.frozen
class Point:
    number: int
    at_s: int
    value: int


Second = key_class("Second", at_s=UInt16)
POINTS = TableLayout("points", "points of an item", ITEMS, ItemCells(Point, "p", KeyLayout(Second), value="value"))


class Points:
    def __init__(self, connection: happybase.Connection) -> None:
        self._rows = connection.table("points")

    def store_row(self, points: Iterable[Point]) -> None:
        cells = {column: value for point in points for column, value in POINTS.cells.pack(point).items()}
        self._rows.put(POINTS.row(next(iter(points))), cells, timestamp=1)

    def since(self, number: int, *, newest_first: bool = False) -> Query[Point]:
        plan = POINTS.plan(number=between(number, None))
        return Query(BoundTable(self._rows.connection, POINTS), plan).newest_first(newest_first)

    def count_since(self, number: int) -> int:
        return self.since(number).count()


SINCE = AccessPattern("points of all items from a number on", Points.since, {"number": 1}, limit=1900)
BACKWARD = attrs.evolve(SINCE, sample={"number": 1, "newest_first": True})
COUNT = AccessPattern("how many points", Points.count_since, {"number": 1})


def test_rows_that_are_read_in_parts_are_one_read_for_each_range(new_store):
    connection = new_store(POINTS)
    points = Points(connection)
    for number in range(3):
        points.store_row([Point(number, at_s, 0) for at_s in range(CHUNK_CELLS + 1)])
    whole = RowRange(b"\0\x01", None)
    forward, backward, counted = measure(connection, points, [SINCE, BACKWARD, COUNT])
    in_order = [(number, at_s) for number in (1, 2) for at_s in range(CHUNK_CELLS + 1)]
    assert [(point.number, point.at_s) for point in forward.records] == in_order[:1900]
    assert [(point.number, point.at_s) for point in backward.records] == in_order[:-1901:-1]
    name = connection.table("points").name
    for measurement, reverse in ((forward, False), (backward, True)):
        assert len(measurement.cost.reads) > 1
        assert measurement.reads == [Read(name, whole, whole, reverse)]
        assert [rows.parts for _name, rows in measurement.ranges] == [(("number", between(1, None)),)]
        assert measurement.read_for_records == measurement.answer.rows_read == 1900
        assert verdict(measurement) == "1 range"
    # A number made of such rows is computed from all their cells.
    assert counted.answer == counted.read_for_records == 2 * (CHUNK_CELLS + 1)
    assert counted.reads == [Read(name, whole, whole)]
    assert (verdict(counted), counted.beyond_ranges) == ("2002.0x, computed", "computed")


def test_a_scan_of_a_family_beside_columns_reads_rows_that_hold_one_record(table):
    """A record with `OtherColumns` asks for a family and for the columns of its other attributes."""
    for columns, is_wide in ([b"f"], True), ([b"f:v"], False), ([b"f:v", b"f"], False), (None, False):
        with metered(table.connection) as cost:
            assert len(list(table.scan(columns=columns))) == 10
        assert cost.is_wide == is_wide


def test_the_words_of_a_pattern_are_what_a_person_types():
    assert SOME.words == "items since=4 seen_ms=1970-01-01T00:00:00.000Z --limit 3"
    assert AccessPattern("?", Repository.items, {"since": "a b"}).words == "items 'since=a b'"
    assert AccessPattern("?", Repository.items, {"since": b"\0\1"}).words == "items since=0001"
    assert AccessPattern("?", Repository.items, {"since": "x"}, limit=DEFAULT_LIMIT).words == "items since=x"
