"""Puts of cells with timestamps of their own: the calls that they need, with Thrift2 and without."""

from contextlib import closing

import pytest

from shared.stores import connect
from shared.testing import WatchedConnection
from shared.writes.dated_cells import BYTES_AT_ONCE, put_dated
from tests.shared.stores.hbase.thrift2_gateway import both_gateways

ROWS = {b"%04d" % number: {(b"f:x", number % 3): b"1", (b"f:y", 7): b"2"} for number in range(1_100)}


@pytest.fixture(params=["embedded", "Thrift2", "Thrift1"])
def watched(request):
    """A connection that counts its calls, and that of the store behind it, with a table."""
    with both_gateways("framed") as (connection, store):
        store.create_table("t", {"f": {"max_versions": 3}})
        urls = {"Thrift1": f"hbase://{connection.host}:{connection.port}?transport=framed"}
        if request.param in urls:
            with closing(connect(urls[request.param])) as without:
                yield WatchedConnection(without), store
        else:
            yield WatchedConnection(connection if request.param == "Thrift2" else store), store


def sizes(watched):
    return [(call.name, len(call.rows)) for call in watched.calls]


def test_a_thousand_rows_share_a_call_or_those_of_one_time(watched):
    connection, store = watched
    put_dated(connection.table("t"), ROWS)
    assert dict(store.table("t").scan(include_timestamp=True)) == {
        row: {column: (value, time_ms) for (column, time_ms), value in cells.items()} for row, cells in ROWS.items()
    }
    if connection.has_call("put_dated"):
        assert sizes(connection) == [("put_dated", 1000), ("put_dated", 100)]
    else:
        assert {name for name, _ in sizes(connection)} == {"mutateRowsTs"}
        assert sum(count for _, count in sizes(connection)) == 2 * len(ROWS)


def test_rows_of_one_time_need_no_thrift2(watched):
    connection, _store = watched
    put_dated(connection.table("t"), {row: {(b"f:x", 5): b"1"} for row in ROWS})
    assert sizes(connection) == [("mutateRowsTs", 1000), ("mutateRowsTs", 100)]
    put_dated(connection.table("t"), {})
    assert len(connection.calls) == 2


def test_calls_stay_below_the_two_megabytes_of_a_frame(watched):
    connection, store = watched
    values = [b"x" * size for size in (400_000, 400_000, 400_000, 1_500_000, 10)]
    rows = {b"%d" % number: {(b"f:x", number): value} for number, value in enumerate(values)}
    put_dated(connection.table("t"), rows)
    put_dated(connection.table("t"), {b"%d" % number: {(b"f:y", 5): value} for number, value in enumerate(values)})
    stored = dict(store.table("t").scan())
    assert {row: (cells[b"f:x"], cells[b"f:y"]) for row, cells in stored.items()} == {
        row: (value, value) for row, value in zip(rows, values, strict=True)
    }
    in_calls = [sum(len(m.value) for _, mutations in call.rows for m in mutations) for call in connection.calls]
    assert all(size <= BYTES_AT_ONCE or size == 1_500_000 for size in in_calls)
