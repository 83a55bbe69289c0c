"""A plan run on a table: rows in key order, merged over buckets, in both directions; few rows are buffered."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Any

import happybase
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.designs import metered
from shared.keys import InvalidQuestion, KeyLayout, Plan, Salt, between
from shared.keys.ranges import RowRange, Stream
from shared.queries import scan
from shared.queries.scanning import reverse_stop, scan_in_batches, start_of_reverse
from tests.engines import Engine, examples, located, plain_table
from tests.shared.keys.oracle import merged_part, place, questions
from tests.shared.keys.strategies import subjects
from tests.shared.specimens import Item, Named
from tests.shared.stocked import Stocked, Watched, hexes, put, stocked_table, watched


def rows_of(table: happybase.Table, *ranges: tuple[str, str | None], **options: Any) -> list[str]:
    """What a scan of one stream of ranges, written in hex, gives in hex."""
    stream = tuple(RowRange(bytes.fromhex(low), None if high is None else bytes.fromhex(high)) for low, high in ranges)
    return [row.hex(" ") for row, _cells in scan(table, Plan((Stream(stream),)), **options)]


# ---- order ---------------------------------------------------------------------------------------


def test_ranges_of_one_stream_come_one_after_another(stocked):
    table = stocked(hexes("01", "02", "03", "04", "05", "06"))
    assert rows_of(table, ("01", "03"), ("04", "05"), ("06", None)) == ["01", "02", "04", "06"]
    assert rows_of(table, ("01", "03"), ("04", "05"), ("06", None), reverse=True) == ["06", "04", "02", "01"]


@pytest.mark.parametrize(("batch_rows", "sizes"), [(1, [1, 1, 1, 1]), (2, [2, 2]), (3, [3, 1]), (5, [4])])
def test_every_row_of_a_range_is_in_one_batch(stocked, batch_rows, sizes):
    table = stocked(hexes("01", "02", "02 00", "03", "04"))
    read = scan_in_batches(table, RowRange(bytes.fromhex("01"), bytes.fromhex("04")), batch_rows)
    batches = list(islice(read, 9))
    assert [row.hex(" ") for batch in batches for row, _cells in batch] == ["01", "02", "02 00", "03"]
    assert [len(batch) for batch in batches] == sizes


# ---- both ends, in reverse -----------------------------------------------------------------------

EDGES = hexes(
    "00", "01 ff", "01 ff ff ff ff ff", "02", "02 00", "02 00 00", "02 ff", "03", "03 00", "03 ff ff ff ff ff"
)
EDGES += hexes("04", "04 00", "ff ff")


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        # A row equal to the stop is there and stays out; the row just below the start is there and stays out.
        ("02", "04", "02 | 02 00 | 02 00 00 | 02 ff | 03 | 03 00 | 03 ff ff ff ff ff"),
        # The start ends in 00: the row just below it is its own prefix.
        ("02 00", "03", "02 00 | 02 00 00 | 02 ff"),
        ("02 00 00", "02 ff", "02 00 00"),
        ("04 00", None, "04 00 | ff ff"),
        # A row lies between the start and the key below it at which the reverse scan stops; it stays out.
        ("04", None, "04 | 04 00 | ff ff"),
        ("04", "04 00", "04"),
        # The table's ends.
        ("", None, " | ".join(row.hex(" ") for row in EDGES)),
        ("", "02", "00 | 01 ff | 01 ff ff ff ff ff"),
        ("00", "01", "00"),
        ("ff ff", None, "ff ff"),
        # Nothing in the range, and nothing at its ends.
        ("05", "06", ""),
        ("02 01", "02 02", ""),
        ("02 fe ff", "02 ff", ""),
    ],
)
def test_a_range_has_the_same_rows_in_both_directions(stocked, low, high, wanted):
    table = stocked(EDGES)
    rows = wanted.split(" | ") if wanted else []
    for buffer_rows in (1, 2, 1000):
        assert rows == rows_of(table, (low, high), buffer_rows=buffer_rows)
        assert rows[::-1] == rows_of(table, (low, high), buffer_rows=buffer_rows, reverse=True)


@pytest.mark.parametrize(
    "start", ["", "00 00", "01", "61", "61 00", "61 ff", "61 ff 00", "62", "62 00 01", "ff", "ff" * 9]
)
def test_where_a_reverse_scan_stops_tells_the_start_of_its_range(start):
    assert start_of_reverse(reverse_stop(bytes.fromhex(start))) == bytes.fromhex(start)


def test_a_reverse_scan_does_not_wander_below_its_start(stocked):
    table = stocked(b"\x01" + bytes([number]) for number in range(200))
    put(table, hexes("02"))
    with metered(table.connection) as cost:
        assert rows_of(table, ("02", "03"), reverse=True, limit=100) == ["02"]
    assert cost.rows_fetched <= 1


@pytest.mark.parametrize("width", [32_760, 32_764, 32_766, 32_767])
def test_a_range_can_start_and_stop_at_the_longest_rows(stocked, width):
    names = ["a" * 32_766, "a" * 32_767, "b" * width, "b" * (width - 1) + "c"]
    table = stocked([])
    located(table.connection, [plain_table("t")])
    put(table, map(str.encode, names))
    plan = KeyLayout(Named).plan(name=between("b" * width, "b" * (width - 1) + "c"))
    for reverse in (False, True):
        assert ["b" * width] == [row.decode() for row, _cells in scan(table, plan, reverse=reverse)]


# ---- points --------------------------------------------------------------------------------------


def test_a_point_is_a_get_and_not_a_scan(stocked):
    table = stocked([b"ann", b"anna"])
    with metered(table.connection) as cost:
        assert list(scan(table, KeyLayout(Named).plan(name="ann"))) == [(b"ann", {b"f:v": b"1"})]
    assert (cost.rpcs, cost.rows_fetched) == (1, 1)
    with metered(table.connection) as cost:
        assert list(scan(table, KeyLayout(Named).plan(name="an"), limit=5, reverse=True)) == []
    assert (cost.rpcs, cost.rows_fetched) == (1, 0)


# ---- cost ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sixteen(engine: Engine) -> Iterator[tuple[KeyLayout[Any], happybase.Table, int]]:
    """Rows in sixteen buckets: 1,200."""
    count = 1_200
    layout = KeyLayout(Item, Salt(of="number", buckets=16))
    with stocked_table(engine, (layout.encode(Item(number)) for number in range(count))) as table:
        yield layout, table, count


@pytest.mark.parametrize("reverse", [False, True])
def test_ten_rows_of_sixteen_buckets_cost_ten_rows_and_about_one_for_each_bucket(sixteen, reverse):
    layout, table, count = sixteen
    with metered(table.connection) as cost:
        numbers = [
            layout.decode(row).number for row, _cells in scan(table, layout.whole_table(), limit=10, reverse=reverse)
        ]
    assert (list(range(count - 1, count - 11, -1)) if reverse else list(range(10))) == numbers
    assert len(cost.ranges) == 16
    # A bucket gives one row at a time, in reverse two, since the first may be the row at its stop.
    assert cost.rows_fetched <= 10 + 16 * (2 if reverse else 1)


def test_a_limit_on_one_stream_fetches_no_row_more(stocked):
    table = stocked(KeyLayout(Item).encode(Item(number)) for number in range(50))
    with metered(table.connection) as cost:
        assert len(list(scan(table, KeyLayout(Item).whole_table(), limit=10))) == 10
    assert (cost.rows_fetched, cost.rpcs) == (10, 3)  # opened, fetched once, closed


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("buffer_rows", [1, 100, 1000])
def test_buffered_rows_do_not_grow_with_the_answer(sixteen, buffer_rows, reverse):
    layout, table, count = sixteen
    batch_rows = -(-buffer_rows // 16) + reverse
    with metered(table.connection) as cost:
        for count_returned, _row in enumerate(
            scan(table, layout.whole_table(), buffer_rows=buffer_rows, reverse=reverse), 1
        ):
            assert cost.rows_fetched - count_returned <= 16 * batch_rows
        assert count_returned == count


def test_one_stream_is_read_in_batches_of_a_thousand(stocked):
    table = stocked(KeyLayout(Item).encode(Item(number)) for number in range(1_200))
    with metered(table.connection) as cost, closing(scan(table, KeyLayout(Item).whole_table())) as rows:
        next(rows)
        assert cost.rows_fetched == 1_000


def test_many_ranges_of_one_stream_are_opened_one_at_a_time(stocked):
    table = stocked(KeyLayout(Item).encode(Item(number)) for number in range(100))
    ranges = tuple(RowRange(bytes([0, number]), bytes([0, number + 1])) for number in range(100))
    with metered(table.connection) as cost:
        assert hexes("00 00", "00 01") == [row for row, _cells in scan(table, Plan((Stream(ranges),)), limit=2)]
    assert len(cost.ranges) == 2


# ---- scanners are closed -------------------------------------------------------------------------


@pytest.fixture
def in_buckets(stocked: Stocked) -> tuple[happybase.Table, KeyLayout[Any], Watched]:
    layout = KeyLayout(Item, Salt(of="number", buckets=4))
    table = stocked(layout.encode(Item(number)) for number in range(100))
    return table, layout, watched(table)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("limit", [None, 1, 99, 1000])
def test_scanners_are_closed_at_the_end(in_buckets, limit, reverse):
    table, layout, client = in_buckets
    assert min(limit or 100, 100) == len(list(scan(table, layout.whole_table(), limit=limit, reverse=reverse)))
    assert client.calls["scannerOpenWithScan"] == 4
    assert set() == client.open


@pytest.mark.parametrize("reverse", [False, True])
def test_scanners_are_closed_when_the_reader_stops_early(in_buckets, reverse):
    table, layout, client = in_buckets
    rows = scan(table, layout.whole_table(), reverse=reverse)
    next(rows)
    assert len(client.open) == 4
    rows.close()
    assert set() == client.open


@pytest.mark.parametrize("fails_at", [1, 3, 5, 9])
def test_scanners_are_closed_when_one_fails(in_buckets, fails_at):
    table, layout, client = in_buckets
    client.fails_at = fails_at
    with pytest.raises(OSError, match="region server is gone"):
        list(scan(table, layout.whole_table(), buffer_rows=40))
    assert set() == client.open


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(stocked, limit):
    with pytest.raises(InvalidQuestion) as refused:
        next(scan(stocked([]), KeyLayout(Item).whole_table(), limit=limit))
    assert f"limit: must be 1..1000000 (got {limit})" == str(refused.value)


# ---- the law -------------------------------------------------------------------------------------


@settings(max_examples=examples(70), derandomize=True, database=None)
@given(
    subjects(ordered=True, slices=True).flatmap(
        lambda subject: st.tuples(st.just(subject), questions(subject, merged=True))
    ),
    st.booleans(),
    st.integers(1, 70),
    st.sampled_from([1, 2, 3, 1000]),
)
def test_a_scan_gives_the_keys_of_a_plan_in_the_order_of_their_values(
    engine, subject_and_question, reverse, limit, buffer_rows
):
    """In the order of the parts after a merged one; time slices come before all parts."""
    subject, question = subject_and_question
    layout = subject.layout
    try:
        plan = layout.narrow(**question)
    except InvalidQuestion:
        plan = layout.whole_table()
    if len(plan.streams) > 40 or (layout.spread and plan.streams and plan.streams[0].prefix_bytes == 0):
        return  # too slow, or a table whose spreading prefix cannot be listed: in the order of its bytes
    wanted = {row for _record, row in subject.rows if any(row in range_ for range_ in plan.ranges)}
    bound = {name: question[name] for range_ in plan.ranges[:1] for name, _ in range_.parts if name in question}
    with stocked_table(engine, {row for _record, row in subject.rows}) as table:
        read = [row for row, _ in scan(table, plan, limit=limit, reverse=reverse, buffer_rows=buffer_rows)]
    assert len({*read}) == len(read) == min(len(wanted), limit)
    assert {*read} <= wanted
    places = [place(subject, layout.decode(row), merged_part(subject, bound)) for row in read]
    assert sorted(places, reverse=reverse) == places
    if limit < len(wanted):
        rest = [place(subject, layout.decode(row), merged_part(subject, bound)) for row in wanted - {*read}]
        assert not any(other < places[-1] if not reverse else places[-1] < other for other in rest)
