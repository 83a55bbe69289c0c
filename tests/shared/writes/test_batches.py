"""Many records in few calls: when `store_all` hands over what it has read, and the same cells in many rows."""

import happybase
import pytest

from shared.stores import connect
from shared.tables import BoundTable
from shared.testing import WatchedConnection
from shared.writes import NotAllStored, put_in_rows, store_all
from tests.engines import plain_table

LINES = plain_table("lines")


def lines(connection: happybase.Connection) -> happybase.Table:
    connection.create_table("lines", {"f": {}})
    return connection.table("lines")


@pytest.mark.parametrize(("count", "calls"), [(0, []), (1, [1]), (1_000, [1_000]), (2_001, [1_000, 1_000, 1])])
def test_each_row_gets_the_cells_with_the_timestamp_a_thousand_rows_in_a_call(count: int, calls: list[int]) -> None:
    connection = connect("embedded:")
    lines(connection)
    watched = WatchedConnection(connection)
    keys = [b"%04d" % number for number in range(count)]
    put_in_rows(BoundTable(watched, LINES), iter(keys), {b"f:x": b"1", b"f:y": b""}, 17)
    cells = {b"f:x": (b"1", 17), b"f:y": (b"", 17)}
    assert list(connection.table("lines").scan(include_timestamp=True)) == [(key, cells) for key in keys]
    assert [len(call.rows) for call in watched.calls] == calls


def test_a_later_delete_of_one_row_leaves_the_other_rows() -> None:
    table = lines(connect("embedded:"))
    put_in_rows(BoundTable(table.connection, LINES), [b"a", b"b"], {b"f:x": b"1"}, 17)
    table.delete(b"a", timestamp=18)
    assert list(table.scan()) == [(b"b", {b"f:x": b"1"})]


def stored(records, **when):
    batches = []
    assert store_all(records, batches.append, **when) == sum(map(len, batches))
    return [len(batch) for batch in batches]


def test_records_are_stored_so_many_at_once():
    assert stored(range(2500)) == [1000, 1000, 500]
    assert stored(range(25), at_once=10) == [10, 10, 5]


def test_records_that_waited_so_long_are_stored_with_the_next_one(monkeypatch):
    times_s = iter((0.0, 0.4, 1.0, 1.1, 1.5, 2.2))
    monkeypatch.setattr("shared.writes.batches.time.monotonic", lambda: next(times_s))
    assert stored(range(6), within_s=1.0) == [3, 3]


def test_a_store_that_fails_tells_how_many_records_are_stored_and_which_may_be():
    batches = []

    def fail_at_the_third(batch):
        if len(batches) == 2:
            raise OSError("no server")
        batches.append(batch)

    with pytest.raises(NotAllStored) as refused:
        store_all(range(25), fail_at_the_third, at_once=10)
    assert (refused.value.stored, refused.value.unconfirmed) == (20, [*range(20, 25)])
    assert str(refused.value) == "20 records stored; some of the next 5 may be stored too: no server"
    assert isinstance(refused.value.__cause__, OSError)


def test_a_source_that_fails_tells_which_records_were_read_of_it_and_stores_none_of_them():
    def source():
        yield from range(5)
        raise OSError("no file")

    with pytest.raises(
        NotAllStored, match="0 records stored; some of the next 5 may be stored too: no file"
    ) as refused:
        store_all(source(), pytest.fail)
    assert (refused.value.stored, refused.value.unconfirmed) == (0, [*range(5)])
