"""A put without a timestamp in the millisecond of a delete or a put of its cell waits for the next one."""

import logging
import warnings
from contextlib import closing

import happybase
import pytest
from Hbase_thrift import BatchMutation, Mutation, TAppend, TIncrement

from shared.stores.embedded import dating
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.server.thrift_server import ThriftServer

NOW_MS = 1_700_000_000_000


@pytest.fixture
def table(connection):
    connection.create_table("t", {"d": {}, "e": {}})
    return connection.table("t")


@pytest.fixture
def client(table):
    return table.connection.client


@pytest.fixture(autouse=True)
def told(monkeypatch):
    """The warning was shown already, so that only its own tests see it."""
    monkeypatch.setattr(dating, "_has_warned", True)


class Clock:
    """A clock that stands at NOW_MS, and goes on by a millisecond whenever a put waits for it."""

    waits = 0

    def now_ms(self) -> int:
        return NOW_MS + self.waits

    def sleep(self, seconds: float) -> None:
        assert 0 < seconds <= 0.001
        self.waits += 1


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in ("rules", "mutations", "dating"):
        monkeypatch.setattr(f"shared.stores.embedded.{module}.now_ms", clock.now_ms)
    monkeypatch.setattr("time.sleep", clock.sleep)
    return clock


def put(column: bytes, value: bytes = b"1") -> Mutation:
    return Mutation(column=column, value=value)


def delete(column: bytes) -> Mutation:
    return Mutation(isDelete=True, column=column)


ONE = (1).to_bytes(8, "big")
PUT_A = BatchMutation(b"r", [put(b"d:a")])


def cells(table, row=b"r"):
    return {column: (value, at - NOW_MS) for column, (value, at) in table.row(row, include_timestamp=True).items()}


# Each write, and the value that it leaves in a cell that was deleted or never there.
WRITES = {
    "mutateRows": (lambda client: client.mutateRows(b"t", [PUT_A], {}), b"1"),
    "mutateRowsTs, the last": (lambda client: client.mutateRowsTs(b"t", [PUT_A], 2**63 - 1, {}), b"1"),
    "mutateRow": (lambda client: client.mutateRow(b"t", b"r", [put(b"d:a")], {}), b"1"),
    "checkAndPut": (lambda client: client.checkAndPut(b"t", b"r", b"d:a", None, put(b"d:a"), {}), b"1"),
    "append": (lambda client: client.append(TAppend(b"t", b"r", [b"d:a"], [b"1"])), b"1"),
    "increment": (lambda client: client.increment(TIncrement(b"t", b"r", b"d:a", 1)), ONE),
    "atomicIncrement": (lambda client: client.atomicIncrement(b"t", b"r", b"d:a", 1), ONE),
}
DELETES = {
    "a column": lambda client: client.deleteAll(b"t", b"r", b"d:a", {}),
    "a family": lambda client: client.deleteAll(b"t", b"r", b"d", {}),
    "a row": lambda client: client.deleteAllRow(b"t", b"r", {}),
    "in a batch": lambda client: client.mutateRows(b"t", [BatchMutation(b"r", [delete(b"d:a")])], {}),
    "with the clock's own timestamp": lambda client: client.deleteAllTs(b"t", b"r", b"d:a", NOW_MS, {}),
}


@pytest.mark.parametrize(
    ("name", "how"), [*((name, "a column") for name in WRITES), *(("mutateRows", how) for how in DELETES)]
)
def test_a_write_waits_for_the_millisecond_after_a_delete_of_its_cell(client, table, clock, name, how):
    write, value = WRITES[name]
    table.put(b"r", {b"d:a": b"before"}, timestamp=5)
    DELETES[how](client)
    answer = write(client)
    assert cells(table) == {b"d:a": (value, 1)}
    assert clock.waits == 1
    if name == "append":
        assert answer[0].timestamp == NOW_MS + 1


@pytest.mark.parametrize("name", WRITES)
def test_a_store_that_does_not_wait_hides_the_write_as_hbase_does(client, connection, table, clock, name):
    write, value = WRITES[name]
    connection.service.engine.waits_for_clock = False
    DELETES["a column"](client)
    write(client)
    assert table.row(b"r") == {}
    clock.waits += 1
    write(client)
    assert cells(table) == {b"d:a": (value, 1)}


def test_a_call_waits_once_and_all_its_cells_have_one_time(client, table, clock):
    for column in (b"d:a", b"d:b", b"e"):
        client.deleteAll(b"t", b"r", column, {})
    columns = (b"d:a", b"d:b", b"d:c", b"e:a")
    client.mutateRows(b"t", [BatchMutation(row, [put(column) for column in columns]) for row in (b"r", b"s")], {})
    assert cells(table) == cells(table, b"s") == dict.fromkeys(columns, (b"1", 1))
    assert clock.waits == 1


def test_a_batch_that_deletes_and_puts_a_cell_still_hides_its_put(client, table, clock):
    """HBase: the puts of a batch come first, then its deletes, with the same time."""
    batch = [BatchMutation(b"r", [delete(b"d:a"), put(b"d:a"), put(b"d:b")])]
    client.mutateRows(b"t", batch, {})
    assert cells(table) == {b"d:b": (b"1", 0)}
    client.mutateRows(b"t", batch, {})  # waits for the delete of the first one
    assert cells(table) == {b"d:b": (b"1", 1)}


def test_a_row_mutation_deletes_first_and_dates_its_puts_later(client, table, clock):
    client.mutateRow(b"t", b"r", [put(b"d:a"), put(b"d:b"), delete(b"d:a")], {})
    assert cells(table) == {b"d:a": (b"1", 1), b"d:b": (b"1", 1)}
    client.mutateRowTs(b"t", b"s", [put(b"d:a"), delete(b"d:a")], NOW_MS, {})
    assert table.row(b"s") == {}


@pytest.mark.parametrize("name", WRITES)
def test_other_cells_and_other_times_are_not_waited_for(client, table, clock, name):
    for column, timestamp in ((b"d:b", NOW_MS), (b"e", NOW_MS), (b"d:a", NOW_MS - 1)):
        table.delete(b"r", [column], timestamp=timestamp)
    table.delete(b"s", [b"d:a"], timestamp=NOW_MS)
    table.delete(b"s", [b"d:b"], timestamp=NOW_MS + 5)
    table.put(b"q", {b"d:a": b"1"}, timestamp=NOW_MS)
    table.put(b"r", {b"e:a": b"1"}, timestamp=NOW_MS + 1)
    WRITES[name][0](client)
    assert cells(table) == {b"d:a": (WRITES[name][1], 0), b"e:a": (b"1", 1)}
    assert clock.waits == 0


def test_deletes_of_many_milliseconds_ahead_make_a_call_wait_for_one_at_most(client, table, clock):
    columns = [b"d:%d" % number for number in range(100)]
    for number, column in enumerate(columns):
        table.delete(b"r", [column], timestamp=NOW_MS + number)
    client.mutateRow(b"t", b"r", [put(column) for column in columns], {})
    assert clock.waits == 1
    assert cells(table) == {b"d:0": (b"1", 1)}


@pytest.mark.parametrize(("ahead_ms", "timestamp"), [(1, None), (10**12, None), (0, NOW_MS)])
def test_neither_a_delete_ahead_of_the_clock_nor_a_timestamp_of_the_client_makes_a_put_wait(
    table, clock, ahead_ms, timestamp
):
    table.delete(b"r", [b"d:a"], timestamp=NOW_MS + ahead_ms)
    table.put(b"r", {b"d:a": b"1"}, timestamp=timestamp)
    assert table.row(b"r") == {}
    assert clock.waits == 0


@pytest.mark.parametrize("name", [name for name in WRITES if name.startswith("mutate")])
def test_a_put_waits_for_the_millisecond_after_the_version_before_it(client, table, clock, name):
    write, value = WRITES[name]
    for _ in range(3):
        write(client)
    assert table.cells(b"r", b"d:a", include_timestamp=True) == [(value, NOW_MS + later_ms) for later_ms in (2, 1, 0)]
    assert clock.waits == 2


@pytest.mark.parametrize(("waits_for_clock", "max_versions"), [(False, 3), (True, 1)])
def test_two_puts_of_a_millisecond_are_one_version_if_the_store_does_not_wait_or_the_family_keeps_one(
    connection, clock, waits_for_clock, max_versions
):
    connection.service.engine.waits_for_clock = waits_for_clock
    connection.create_table("u", {"d": {"max_versions": max_versions}})
    for value in (b"1", b"2"):
        connection.table("u").put(b"r", {b"d:a": value})
    assert connection.table("u").cells(b"r", b"d:a", include_timestamp=True) == [(b"2", NOW_MS)]
    assert clock.waits == 0


def test_a_delete_of_another_connection_to_the_file_is_waited_for_too(path):
    with closing(EmbeddedConnection(str(path))) as first, closing(EmbeddedConnection(str(path))) as second:
        for number in range(20):
            first.table("t").delete(b"r")
            second.table("t").put(b"r", {b"d:a": b"%d" % number})
            assert first.table("t").row(b"r") == {b"d:a": b"%d" % number}


# What is said


def test_the_first_time_in_a_process_is_a_warning_at_the_callers_line_and_an_entry_in_the_log(
    client, table, clock, caplog, monkeypatch
):
    monkeypatch.setattr(dating, "_has_warned", False)
    caplog.set_level(logging.INFO)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            table.delete(b"r", [b"d:a"])
            table.put(b"r", {b"d:a": b"1"})
    (warning,) = caught
    assert warning.category is RuntimeWarning
    assert warning.filename == __file__
    text = str(warning.message)
    assert "HBase may lose such a put (table b't', row b'r', column b'd:a')" in text
    assert caplog.record_tuples == [("shared.stores.embedded.dating", logging.INFO, text)]
    assert clock.waits == 3


def test_a_server_keeps_a_put_after_a_delete_and_writes_the_warning_to_its_log_alone(table, clock, caplog, monkeypatch):
    monkeypatch.setattr(dating, "_has_warned", False)
    with (
        warnings.catch_warnings(),
        ThriftServer(table.connection.service) as server,
        closing(happybase.Connection(server.host, server.port)) as served,
    ):
        warnings.simplefilter("error")
        served.table("t").delete(b"r")
        served.table("t").put(b"r", {b"d:a": b"1"})
        assert served.table("t").row(b"r") == {b"d:a": b"1"}
    (entry,) = caplog.record_tuples
    assert entry[1] == logging.WARNING
    assert "HBase may lose such a put (table b't', row b'r'" in entry[2]


def test_nothing_is_stored_if_the_warning_is_an_error(client, table, clock, monkeypatch):
    monkeypatch.setattr(dating, "_has_warned", False)
    DELETES["a column"](client)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            table.put(b"r", {b"d:a": b"1"})
    assert table.row(b"r") == {}
