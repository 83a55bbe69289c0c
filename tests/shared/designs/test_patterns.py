"""Access patterns are data; asked, they count what they made the store do."""

from typing import Any

import attrs
import happybase
import pytest

from shared.designs import AccessPattern, Measurement, measure, metered
from shared.designs.cost_tables import QUESTION_COLUMNS, READ_COLUMNS, question_row, read_row
from shared.designs.metering import Cost, Read
from shared.designs.patterns import key_line
from shared.keys import (
    EscapedText,
    HashPrefix,
    Int64,
    InvalidKey,
    InvalidQuestion,
    KeyLayout,
    Modulo,
    Plan,
    Prefix,
    RowRange,
    Salt,
    TimeBucket,
    UInt16,
    between,
    part,
    row_key,
)
from shared.queries import Page, ServerFilter, page, scan
from tests.engines import Engine
from tests.shared.stocked import CELLS, Stocked, hexes, put


@row_key
class Item:
    number: int = part(UInt16, "counts up")


ITEMS = KeyLayout(Item)


@attrs.frozen
class Even:
    number: int

    @property
    def is_even(self) -> bool:
        return self.number % 2 == 0


class Repository:
    def __init__(self, connection: happybase.Connection) -> None:
        self._table = connection.table("t")

    def item(self, number: int) -> Item | None:
        row = ITEMS.encode(Item(number))
        return Item(number) if self._table.row(row) else None

    def last_even(self, limit: int = 2, read_at_most: int = 100) -> Page[Even]:
        """The even numbers, the largest first, which no key gives."""
        return page(
            self._table,
            ITEMS.whole_table(),
            lambda row, _cells: Even(number=ITEMS.decode(row).number),
            limit=limit,
            where={"is_even": True},
            reverse=True,
            order=ITEMS,
            read_at_most=read_at_most,
        )

    def items(self, since: int, seen_ms: int | None = None, limit: int = 100, cursor: str | None = None) -> Page[Item]:
        plan = ITEMS.plan(number=between(since, None))
        return page(self._table, plan, lambda row, _cells: ITEMS.decode(row), limit=limit, cursor=cursor)


ONE = AccessPattern("an item by its number", Repository.item, {"number": 7})
NONE = AccessPattern("an item that is not there", Repository.item, {"number": 70})
SOME = AccessPattern("items from a number on", Repository.items, {"since": 4, "seen_ms": 0, "limit": 3})
LAST_EVEN = AccessPattern("the largest even numbers", Repository.last_even, {})
REFUSED = AccessPattern("items before all others", Repository.items, {"since": -1})


@pytest.fixture
def table(stocked: Stocked) -> happybase.Table:
    """Items 0..9."""
    return stocked(ITEMS.encode(Item(number)) for number in range(10))


def test_a_get_is_one_rpc_of_one_range_and_one_row(engine: Engine, table: happybase.Table) -> None:
    with metered(table.connection) as cost:
        table.row(b"\0\x07")
    assert (
        Cost(
            rpcs=1,
            ranges=[(table.name, RowRange(b"\0\x07", b"\0\x07\0"))],
            reads=[Read(table.name, RowRange(b"\0\x07", b"\0\x07\0"))],
            rows_fetched=1,
            key_bytes=2,
            bytes_fetched=2 + len(b"f:v") + len(b"1"),
            rows_read=engine.rows_read(1),
        )
        == cost
    )


def test_a_get_of_a_missing_row_fetches_nothing(table: happybase.Table) -> None:
    with metered(table.connection) as cost:
        table.row(b"\0\x77")
    assert (cost.rpcs, cost.rows_fetched, cost.bytes_fetched) == (1, 0, 0)


def test_several_gets_in_one_rpc_are_a_range_each(table: happybase.Table) -> None:
    with metered(table.connection) as cost:
        table.rows(hexes("00 01", "00 77", "00 02"))
    assert (cost.rpcs, len(cost.ranges), cost.rows_fetched) == (1, 3, 2)
    assert cost.ranges[1] == (table.name, RowRange(b"\0\x77", b"\0\x77\0"))


def test_a_scan_is_opened_fetched_in_batches_and_closed(table: happybase.Table) -> None:
    with metered(table.connection) as cost:
        assert len(list(table.scan(b"\0\x02", b"\0\x07", batch_size=2))) == 5
    # Batches of 2, 2, 1 and none.
    assert cost.rpcs == 1 + 4 + 1
    assert cost.ranges == [(table.name, RowRange(b"\0\x02", b"\0\x07"))]
    assert (cost.rows_fetched, cost.key_bytes) == (5, 10)


def test_open_ends_are_shown_as_such(table: happybase.Table) -> None:
    with metered(table.connection) as cost:
        list(table.scan())
        list(table.scan(reverse=True))
        list(table.scan(b"\0\x07", b"\0\x02", reverse=True))
    everything = (table.name, RowRange(b"", None))
    # In reverse, Thrift1 reads (stop, start].
    assert cost.ranges == [everything, everything, (table.name, RowRange(b"\0\x02\0", b"\0\x07\0"))]


@pytest.mark.parametrize(
    ("start", "stop"), [(None, None), (b"\0\x07", None), (None, b"\0\x02"), (b"\0\x07", b"\0\x02")]
)
def test_the_range_of_a_reversed_scan_holds_the_rows_it_reads(
    table: happybase.Table, start: bytes | None, stop: bytes | None
) -> None:
    with metered(table.connection) as cost:
        read = [row for row, _cells in table.scan(start, stop, reverse=True)]
    ((_table, asked),) = cost.ranges
    assert [row for row, _cells in table.scan() if row in asked] == read[::-1]


@pytest.mark.parametrize(
    "rows",
    [
        RowRange(b"", None),
        RowRange(b"\0\x02", b"\0\x07"),
        RowRange(b"a\0", b"b"),
        RowRange(b"\xff\xff", None),
        RowRange(b"\x01", b"\xff\xff\xff\xff"),
        RowRange(b"\xff\xff\xff\xff\xff\0", None),
    ],
)
def test_a_read_has_the_range_of_the_plan_and_what_the_scan_does_with_it(
    table: happybase.Table, rows: RowRange
) -> None:
    plan, filter = Plan(((rows,),)), ServerFilter(("v",), b"PrefixFilter('\xff')")
    with metered(table.connection) as cost:
        list(scan(table, plan))
        list(scan(table, plan, reverse=True, filter=filter))
    assert cost.reads == [Read(table.name, rows), Read(table.name, rows, True, filter.text)]


def test_sorted_columns_are_counted_like_any_other(table: happybase.Table) -> None:
    with metered(table.connection) as plain:
        list(table.scan())
    with metered(table.connection) as ordered:
        list(table.scan(sorted_columns=True))
    assert plain.bytes_fetched == ordered.bytes_fetched == 10 * (2 + 3 + 1)


def test_a_batch_of_puts_is_one_rpc(table: happybase.Table) -> None:
    with metered(table.connection) as cost:
        put(table, hexes("01 00", "01 01"))
    assert (cost.rpcs, cost.ranges, cost.rows_fetched) == (1, [], 0)


def test_rows_that_the_store_steps_over_are_read_but_not_fetched(engine: Engine, table: happybase.Table) -> None:
    table.put(b"\0\x05", {b"f:rare": b"1"})
    with metered(table.connection) as cost:
        assert [row for row, _cells in table.scan(columns=[b"f:rare"])] == [b"\0\x05"]
    assert (cost.rows_read, cost.rows_fetched) == (engine.rows_read(10), 1)


def test_nothing_is_counted_outside_the_block(table: happybase.Table) -> None:
    client = table.connection.client
    with metered(table.connection) as cost:
        table.row(b"\0\x01")
    table.row(b"\0\x01")
    assert cost.rpcs == 1
    assert client is table.connection.client


def test_blocks_nest(engine: Engine, table: happybase.Table) -> None:
    with metered(table.connection) as outer:
        table.row(b"\0\x01")
        with metered(table.connection) as inner:
            table.row(b"\0\x02")
    assert (outer.rpcs, inner.rpcs) == (2, 1)
    assert (outer.rows_read, inner.rows_read) == (engine.rows_read(2), engine.rows_read(1))


def test_the_client_comes_back_behind_an_error(table: happybase.Table) -> None:
    client = table.connection.client
    with pytest.raises(InvalidQuestion), metered(table.connection):
        list(scan(table, ITEMS.whole_table(), limit=0))
    assert client is table.connection.client


def rows_read(engine: Engine, count: int) -> str:
    """So many rows in a table of costs."""
    return "-" if engine.rows_read(count) is None else str(count)


def test_measured_patterns_are_rows_of_a_table(engine: Engine, table: happybase.Table) -> None:
    repository = Repository(table.connection)
    measured = measure(table.connection, repository, [ONE, NONE, SOME])
    assert [each.records for each in measured] == [[Item(7)], [], [Item(4), Item(5), Item(6)]]
    # Question, verdict, ranges, RPCs, rows read, rows returned, bytes. A page reads one row more than it gives.
    assert list(map(question_row, measured)) == [
        ("an item by its number", "1 range", "1", "1", rows_read(engine, 1), "1", "6"),
        ("an item that is not there", "1 range", "1", "1", rows_read(engine, 0), "0", "0"),
        ("items from a number on", "1 range", "1", "3", rows_read(engine, 4), "3", "24"),
    ]
    # Question, what happens to the rows then, rows read, rows returned, bytes, bytes per key.
    assert list(map(read_row, measured)) == [
        ("an item by its number", "-", rows_read(engine, 1), "1", "6", "2.0"),
        ("an item that is not there", "-", rows_read(engine, 0), "0", "0", "-"),
        ("items from a number on", "-", rows_read(engine, 4), "3", "24", "2.0"),
    ]
    assert {len(row) for row in map(question_row, measured)} == {len(QUESTION_COLUMNS)}
    assert {len(row) for row in map(read_row, measured)} == {len(READ_COLUMNS)}


def test_what_is_left_to_the_client_stands_in_the_tables(engine: Engine, table: happybase.Table) -> None:
    (measured,) = measure(table.connection, Repository(table.connection), [LAST_EVEN])
    # All ten rows are read and compared for each answer.
    assert question_row(measured)[1:] == ("5.0x, sorted", "1", "4", rows_read(engine, 10), "2", "60")
    assert read_row(measured)[1:] == ("filtered by is_even; sorted", rows_read(engine, 10), "2", "60", "2.0")


@pytest.mark.parametrize(
    ("by_client", "by_server", "wanted"),
    [
        ((), (), ""),
        (("host", "kind"), (), "filtered by host, kind"),
        (("order",), (), "sorted"),
        (("host", "order"), ("kind",), "server filter on kind; filtered by host; sorted"),
    ],
)
def test_what_happens_to_rows_after_they_are_read_is_told_in_its_order(
    by_client: tuple[str, ...], by_server: tuple[str, ...], wanted: str
) -> None:
    assert wanted == Measurement(SOME, Page([], None, 0, by_client, by_server), Cost()).beyond_ranges


def test_a_question_that_the_tables_cannot_answer_is_measured_as_refused(
    engine: Engine, table: happybase.Table
) -> None:
    refused, answered = measure(table.connection, Repository(table.connection), [REFUSED, ONE])
    nothing = Cost(rows_read=engine.rows_read(0))
    assert refused == Measurement(REFUSED, None, nothing, "Item.number: must be 0..65535 (got -1)")
    assert (refused.records, refused.client_work, refused.rows_read) == ([], (), 0)
    # The next question is asked all the same, of a client that is metered anew.
    assert (answered.refused, answered.records, answered.cost.rpcs) == ("", [Item(7)], 1)
    assert question_row(refused) == ("items before all others", "refused", "-", "-", "-", "-", "-")
    assert read_row(refused) == ("items before all others", "refused", "-", "-", "-", "-")
    assert len(question_row(refused)) == len(QUESTION_COLUMNS)
    assert len(read_row(refused)) == len(READ_COLUMNS)


def test_what_was_read_before_a_question_was_refused_is_counted_and_not_shown(table: happybase.Table) -> None:
    repository = Repository(table.connection)
    (refused,) = measure(table.connection, repository, [attrs.evolve(LAST_EVEN, sample={"read_at_most": 4})])
    assert "which hold more than 4:" in refused.refused
    assert refused.rows_read >= 5
    assert {*question_row(refused)[2:], *read_row(refused)[2:]} == {"-"}


def test_no_other_error_of_a_question_is_taken_for_a_refusal(table: happybase.Table) -> None:
    client = table.connection.client
    with pytest.raises(InvalidKey):  # of a key that is to be stored, not of a question
        measure(table.connection, Repository(table.connection), [attrs.evolve(ONE, sample={"number": -1})])
    assert client is table.connection.client


def test_a_question_is_asked_of_the_method_that_a_repository_has_for_it(table: happybase.Table) -> None:
    class Doubled(Repository):
        """Answers with twice the number."""

        def item(self, number: int) -> Item | None:
            return super().item(2 * number)

    class Cached:
        """Is no `Repository`, but answers the same question."""

        def item(self, number: int) -> Item:
            return Item(number)

    assert ONE.ask(Repository(table.connection), number=3) == Item(3)
    assert ONE.ask(Doubled(table.connection), number=3) == Item(6)
    assert ONE.ask(Cached(), number=300) == Item(300)
    (each,) = measure(table.connection, Doubled(table.connection), [attrs.evolve(ONE, sample={"number": 4})])
    assert each.records == [Item(8)]


def test_rows_read_are_those_that_the_store_counts_or_those_that_came_over() -> None:
    assert Measurement(ONE, None, Cost(rows_fetched=3, rows_read=7)).rows_read == 7
    assert Measurement(ONE, None, Cost(rows_fetched=3, rows_read=0)).rows_read == 0
    assert Measurement(ONE, None, Cost(rows_fetched=3)).rows_read == 3


def test_only_a_page_leaves_something_to_the_client() -> None:
    assert Measurement(SOME, Page([], None, 0, ("number", "order")), Cost()).client_work == ("number", "order")
    assert Measurement(SOME, Page([], None, 0), Cost()).client_work == ()
    for answer in ([Item(1)], Item(1), None):
        assert Measurement(ONE, answer, Cost()).client_work == ()


def test_an_answer_that_is_a_list_counts_as_its_records() -> None:
    assert Measurement(ONE, [Item(1), Item(2)], Cost()).records == [Item(1), Item(2)]
    assert Measurement(ONE, [], Cost()).records == []


def test_the_words_of_a_pattern_are_what_a_person_types() -> None:
    assert SOME.words == "items since=4 seen=1970-01-01T00:00:00.000Z --limit 3"
    spaced = AccessPattern("?", Repository.items, {"since": "a b", "cursor": "x"})
    assert spaced.words == "items 'since=a b' --cursor x"


def test_limit_and_cursor_are_no_parameters_of_a_pattern() -> None:
    assert [each.name for each in SOME.parameters] == ["since", "seen_ms"]
    assert [each.name for each in ONE.parameters] == ["number"]


def test_a_pattern_with_a_limit_answers_in_pages() -> None:
    assert (SOME.answer, ONE.answer) == ("page", "first")


def test_cells_count_with_their_column(table: happybase.Table) -> None:
    wide: dict[bytes, Any] = {b"f:" + bytes([letter]): b"12345" for letter in b"abc"}
    table.put(b"\0\x01", wide)
    with metered(table.connection) as cost:
        table.row(b"\0\x01")
    assert 2 + 3 * (3 + 5) + len(b"".join([*CELLS, *CELLS.values()])) == cost.bytes_fetched


# ---- keys in one line ----------------------------------------------------------------------------


@row_key
class Visit:
    user: str = part(EscapedText, "who")
    at_ms: int = part(Int64, "when")


@pytest.mark.parametrize(
    ("prefix", "wanted"),
    [
        (Salt(of="user", buckets=8), "1 of 8 buckets of user"),
        (Salt(of=("user", "at_ms"), buckets=3), "1 of 3 buckets of user and at_ms"),
        (Modulo(of="at_ms", by=4), "at_ms modulo 4"),
        (HashPrefix(of="user", bytes=2), "2-byte hash of user"),
        (HashPrefix(of="user", bytes=8, hex=True, separator="_"), "8-digit hash of user and _"),
        (TimeBucket(of="at_ms", every_ms=900_000), "15-minute slice of at_ms"),
        (TimeBucket(of="at_ms", every_ms=86_400_000), "1-day slice of at_ms"),
        (TimeBucket(of="at_ms", every_ms=1_500), "1500-millisecond slice of at_ms"),
    ],
)
def test_a_key_in_one_line_has_its_prefixes_in_words(prefix: Prefix, wanted: str) -> None:
    assert key_line(KeyLayout(Visit, prefix)) == f"[{wanted}][user][at_ms]"
