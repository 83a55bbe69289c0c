"""Access patterns are data; asked, they count what they made the store do."""

from typing import Any

import happybase
import pytest

from shared.keys import InvalidQuestion, KeyLayout, RowRange, UInt16, between, part, row_key
from shared.patterns import AccessPattern, Cost, Measured, measure, metered, pattern_rows
from shared.scanning import Page, page, scan

from .stocked import CELLS, hexes, put, stocked


@row_key
class Item:
    number: int = part(UInt16, "counts up")


ITEMS = KeyLayout(Item)


class Repository:
    def __init__(self, connection: happybase.Connection) -> None:
        self._table = connection.table("t")

    def item(self, number: int) -> Item | None:
        row = ITEMS.encode(Item(number))
        return Item(number) if self._table.row(row) else None

    def items(self, since: int, seen_ms: int | None = None, limit: int = 100, cursor: str | None = None) -> Page[Item]:
        plan = ITEMS.plan(number=between(since, None))
        return page(self._table, plan, lambda row, _cells: ITEMS.decode(row), limit=limit, cursor=cursor)


ONE = AccessPattern("item", "an item by its number", Repository.item, {"number": 7})
NONE = AccessPattern("item", "an item that is not there", Repository.item, {"number": 70})
SOME = AccessPattern("items", "items from a number on", Repository.items, {"since": 4, "seen_ms": 0, "limit": 3})


@pytest.fixture
def table() -> happybase.Table:
    """Items 0..9."""
    return stocked(ITEMS.encode(Item(number)) for number in range(10))


def test_a_get_is_one_rpc_of_one_range_and_one_row(table: happybase.Table) -> None:
    with metered(table.connection) as cost:
        table.row(b"\0\x07")
    assert (
        Cost(
            rpcs=1,
            ranges=[(b"t", RowRange(b"\0\x07", b"\0\x07\0"))],
            rows_fetched=1,
            key_bytes=2,
            bytes_fetched=2 + len(b"f:v") + len(b"1"),
            rows_read=1,
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
    assert cost.ranges[1] == (b"t", RowRange(b"\0\x77", b"\0\x77\0"))


def test_a_scan_is_opened_fetched_in_batches_and_closed(table: happybase.Table) -> None:
    with metered(table.connection) as cost:
        assert len(list(table.scan(b"\0\x02", b"\0\x07", batch_size=2))) == 5
    # Batches of 2, 2, 1 and none.
    assert cost.rpcs == 1 + 4 + 1
    assert cost.ranges == [(b"t", RowRange(b"\0\x02", b"\0\x07"))]
    assert (cost.rows_fetched, cost.key_bytes) == (5, 10)


def test_open_ends_are_shown_as_such(table: happybase.Table) -> None:
    with metered(table.connection) as cost:
        list(table.scan())
        list(table.scan(reverse=True))
        list(table.scan(b"\0\x07", b"\0\x02", reverse=True))
    everything = (b"t", RowRange(b"", None))
    # In reverse, Thrift1 reads (stop, start].
    assert cost.ranges == [everything, everything, (b"t", RowRange(b"\0\x02\0", b"\0\x07\0"))]


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


def test_rows_that_the_store_steps_over_are_read_but_not_fetched(table: happybase.Table) -> None:
    table.put(b"\0\x05", {b"f:rare": b"1"})
    with metered(table.connection) as cost:
        assert [row for row, _cells in table.scan(columns=[b"f:rare"])] == [b"\0\x05"]
    assert (cost.rows_read, cost.rows_fetched) == (10, 1)


def test_nothing_is_counted_outside_the_block(table: happybase.Table) -> None:
    client = table.connection.client
    with metered(table.connection) as cost:
        table.row(b"\0\x01")
    table.row(b"\0\x01")
    assert cost.rpcs == 1
    assert client is table.connection.client


def test_blocks_nest(table: happybase.Table) -> None:
    with metered(table.connection) as outer:
        table.row(b"\0\x01")
        with metered(table.connection) as inner:
            table.row(b"\0\x02")
    assert (outer.rpcs, inner.rpcs) == (2, 1)
    assert (outer.rows_read, inner.rows_read) == (2, 1)


def test_the_client_comes_back_behind_an_error(table: happybase.Table) -> None:
    client = table.connection.client
    with pytest.raises(InvalidQuestion), metered(table.connection):
        list(scan(table, ITEMS.whole_table(), limit=0))
    assert client is table.connection.client


def test_measured_patterns_are_rows_of_a_table(table: happybase.Table) -> None:
    repository = Repository(table.connection)
    measured = measure(table.connection, repository, [ONE, NONE, SOME])
    assert [each.records for each in measured] == [[Item(7)], [], [Item(4), Item(5), Item(6)]]
    rows = pattern_rows(measured)
    assert [row[0] for row in rows] == ["an item by its number", "an item that is not there", "items from a number on"]
    assert rows[0][1] == "`item number=7`"
    # Ranges, RPCs, rows read, rows returned, bytes fetched, bytes per key. A page reads one row more than it gives.
    assert rows[0][2:] == ("1", "1", "1", "1", "6", "2.0")
    assert rows[1][2:] == ("1", "1", "0", "0", "0", "-")
    assert rows[2][2:] == ("1", "3", "4", "3", "24", "2.0")


def test_an_answer_that_is_a_list_counts_as_its_records() -> None:
    assert Measured(ONE, [Item(1), Item(2)], Cost()).records == [Item(1), Item(2)]
    assert Measured(ONE, [], Cost()).records == []


def test_the_words_of_a_pattern_are_what_a_person_types() -> None:
    assert SOME.words == "items since=4 seen=1970-01-01T00:00:00.000Z --limit 3"
    spaced = AccessPattern("of", "?", Repository.items, {"since": "a b", "cursor": "x"})
    assert spaced.words == "of 'since=a b' --cursor x"


def test_limit_and_cursor_are_no_parameters_of_a_pattern() -> None:
    assert [each.name for each in SOME.parameters] == ["since", "seen_ms"]
    assert [each.name for each in ONE.parameters] == ["number"]


def test_a_pattern_with_a_limit_answers_in_pages() -> None:
    assert SOME.is_paged
    assert not ONE.is_paged


def test_cells_count_with_their_column(table: happybase.Table) -> None:
    wide: dict[bytes, Any] = {b"f:" + bytes([letter]): b"12345" for letter in b"abc"}
    table.put(b"\0\x01", wide)
    with metered(table.connection) as cost:
        table.row(b"\0\x01")
    assert 2 + 3 * (3 + 5) + len(b"".join([*CELLS, *CELLS.values()])) == cost.bytes_fetched
