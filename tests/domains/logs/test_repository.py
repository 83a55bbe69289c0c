"""What the repository promises besides answers: few calls for many events, their timestamps, and its own refusal."""

from itertools import chain

import pytest
from Hbase_thrift import IOError as HBaseError  # a module that happybase makes

from domains.logs import NotAllStored
from shared.designs import metered
from shared.keys import InvalidKey
from shared.records import LAST_MS
from shared.testing import WatchedConnection, stored_cells
from shared.writes import batches

from .asking import event, only

EVENTS = [event(5), event(5, kind="POST"), event(6), event(5, "host2"), event(0), event(LAST_MS, message="é\0")]


def test_events_stored_together_need_one_call_and_the_time_of_each_is_the_timestamp_of_its_cells(
    connection, variant, logs
):
    with metered(connection) as cost:
        assert logs.store_all(iter(EVENTS)) == len(EVENTS)
        assert logs.store_all([]) == 0
        logs.store(EVENTS[0])
    assert (cost.rpcs, cost.ranges) == (1 + 1, [])
    rows = [cells for _row, cells in connection.table(variant.tables[0].name).scan(include_timestamp=True)]
    assert {stamp for cells in rows for _value, stamp in cells.values()} == {0, 5, 6, LAST_MS}
    assert len(rows) == len(EVENTS) or variant.name == "random"


# ---- some of many events cannot be stored -----------------------------------------------------------


@pytest.fixture
def two_at_once(monkeypatch):
    monkeypatch.setattr(batches, "RECORDS_AT_ONCE", 2)


def stored_times(connection, variant):
    ((_table, rows),) = stored_cells(connection, variant.tables).items()
    return sorted(variant.tables[0].key.decode(row).time_ms for row, _cells in rows)


@only("logs", "salted")
@pytest.mark.usefixtures("two_at_once")
def test_a_store_that_fails_leaves_the_events_to_go_on_with(connection, variant, logs):
    five = [event(time_ms) for time_ms in range(5)]
    source = iter(five)

    def fail_after_the_first_put(_call):
        if len(failing.calls) == 1:
            raise HBaseError(message=b"no region")

    failing = WatchedConnection(connection, before_call=fail_after_the_first_put)
    with pytest.raises(NotAllStored, match=r"^2 records stored; some of the next 2 may be stored too: ") as refused:
        variant.open(failing).store_all(source)
    assert (refused.value.stored, refused.value.unconfirmed) == (2, five[2:4])
    assert isinstance(refused.value.__cause__, HBaseError)
    assert logs.store_all(chain(refused.value.unconfirmed, source)) == 3
    assert stored_times(connection, variant) == [0, 1, 2, 3, 4]


@only("padded")
@pytest.mark.usefixtures("two_at_once")
def test_an_event_that_cannot_be_stored_stores_none_of_those_that_go_with_it(connection, variant, logs):
    good, bad = event(1), event(2, "host with an x")
    with pytest.raises(NotAllStored, match=r"^2 records stored; .*LogPadded\.host") as refused:
        logs.store_all([event(3), event(4), good, bad])
    assert (refused.value.stored, refused.value.unconfirmed) == (2, [good, bad])
    assert isinstance(refused.value.__cause__, InvalidKey)
    assert stored_times(connection, variant) == [3, 4]


# ---- a random number first --------------------------------------------------------------------------


@only("random")
def test_an_event_stored_again_and_again_is_a_row_under_every_number_of_which_a_delete_leaves_seven(
    connection, variant, logs
):
    (table,) = variant.tables
    for _ in range(250):  # 250 random numbers miss one of eight once in 10**14 runs
        logs.store(event())
    rows = [row for row, _cells in connection.table(table.name).scan()]
    assert [table.key.decode(row).random_bucket for row in rows] == list(range(8))
    connection.table(table.name).delete(rows[0])
    assert len(list(connection.table(table.name).scan())) == 7
