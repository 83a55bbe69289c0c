"""Puts of cells with timestamps of their own: the calls that they need, with Thrift2 and without."""

from contextlib import closing

import pytest

from shared.stores import connect
from shared.testing import WatchedConnection
from shared.writes.dated_cells import BYTES_AT_ONCE, put_dated
from tests.shared.stores.hbase.thrift2_gateway import both_gateways

KEYS = [b"%04d" % number for number in range(1_100)]
X, Y = {b"f:x": b"1"}, {b"f:y": b"2"}


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
    dated = [(row, cells, ms) for number, row in enumerate(KEYS) for cells, ms in ((X, number % 3), (Y, 7))]
    put_dated(connection.table("t"), dated)
    assert dict(store.table("t").scan(include_timestamp=True)) == {
        row: {b"f:x": (b"1", number % 3), b"f:y": (b"2", 7)} for number, row in enumerate(KEYS)
    }
    if connection.has_call("put_dated"):
        assert sizes(connection) == [("put_dated", 1000), ("put_dated", 100)]
    else:
        assert {name for name, _ in sizes(connection)} == {"mutateRowsTs"}
        assert sum(count for _, count in sizes(connection)) == 2 * len(KEYS)


def test_rows_of_one_time_need_no_thrift2(watched):
    connection, _store = watched
    put_dated(connection.table("t"), [(row, X, 5) for row in KEYS])
    assert sizes(connection) == [("mutateRowsTs", 1000), ("mutateRowsTs", 100)]
    put_dated(connection.table("t"), [])
    assert len(connection.calls) == 2


def test_calls_stay_below_the_two_megabytes_of_a_frame(watched):
    connection, store = watched
    values = [b"x" * size for size in (400_000, 400_000, 400_000, 1_500_000, 10)]
    put_dated(connection.table("t"), [(b"%d" % number, {b"f:x": value}, number) for number, value in enumerate(values)])
    put_dated(connection.table("t"), [(b"%d" % number, {b"f:y": value}, 5) for number, value in enumerate(values)])
    stored = dict(store.table("t").scan())
    assert {row: (cells[b"f:x"], cells[b"f:y"]) for row, cells in stored.items()} == {
        b"%d" % number: (value, value) for number, value in enumerate(values)
    }
    in_calls = [sum(len(m.value) for _, mutations in call.rows for m in mutations) for call in connection.calls]
    assert all(size <= BYTES_AT_ONCE or size == 1_500_000 for size in in_calls)
