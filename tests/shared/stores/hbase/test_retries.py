"""What a call over the network ends with when something goes wrong on the way, fault by fault."""

import time

import pytest
from Hbase_thrift import AlreadyExists, BatchMutation, IllegalArgument, Mutation
from Hbase_thrift import IOError as HBaseIOError
from thriftpy2.thrift import TApplicationException, TDecodeException

from shared.stores import OutcomeUnknown, Unreachable, connect
from tests.shared.stores.scripted_gateway import FAULTS, LATE_S, SHORT_MS, Fault, ScriptedGateway, reserved_port

NOW = 2**63 - 1


@pytest.fixture
def gateway(gateway):
    gateway.table.put(b"r", {b"d:a": b"1"}, timestamp=5)
    gateway.table.put(b"other", {b"d:a": b"2"}, timestamp=5)
    return gateway


def message_of(caught):
    text = str(caught.value)
    assert "\n" not in text
    return text


# Idle sockets


def test_an_idle_socket_that_the_gateway_closed_is_replaced_before_use(gateway, table):
    for call in (
        lambda: table.row(b"r"),
        lambda: table.put(b"r", {b"d:a": b"2"}, timestamp=6),
        lambda: table.put(b"r", {b"d:a": b"3"}),
        lambda: table.counter_inc(b"c", b"d:n"),
        lambda: list(table.scan()),
    ):
        gateway.cut()
        call()
    assert table.counter_get(b"c", b"d:n") == 1


# Replies that are late, cut or missing


DATED = [(b"r", {(b"d:a", 7): b"newest"})]
AGAIN = {
    "mutateRowsTs": lambda table: table.put(b"r", {b"d:a": b"new"}, timestamp=6),
    "getRowWithColumns": lambda table: table.row(b"r"),
    "putMultiple": lambda table: table.connection.client.put_dated(b"t", DATED),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_get_and_writes_with_timestamps_are_sent_again_on_a_new_socket(gateway, fault):
    table = gateway.opened(fault)
    for sent, (name, call) in enumerate(AGAIN.items(), 2):
        gateway.goes_wrong(name, fault)
        assert call(table) in (None, {b"d:a": b"new"})
        assert (gateway.is_done, gateway.count(name)) == (True, 2)
        if name != "putMultiple":  # which has sockets of its own
            assert gateway.sockets == sent
    written = [(b"newest", 7), (b"new", 6), (b"1", 5)]
    assert gateway.table.cells(b"r", b"d:a", include_timestamp=True) == written


PUT = Mutation(column=b"d:a", value=b"x")
ONCE = {
    "mutateRows": lambda client, _: client.mutateRows(b"t", [BatchMutation(b"r", [PUT])], {}),
    "mutateRowsTs": lambda client, _: client.mutateRowsTs(b"t", [BatchMutation(b"r", [PUT])], NOW, {}),
    "deleteAllRowTs": lambda client, _: client.deleteAllRowTs(b"t", b"r", NOW, {}),
    "atomicIncrement": lambda client, _: client.atomicIncrement(b"t", b"c", b"d:n", 1),
    "checkAndPut": lambda client, _: client.checkAndPut(b"t", b"r", b"d:a", b"1", PUT, {}),
    "putMultiple": lambda client, _: client.put_dated(b"t", [(b"r", {(b"d:a", None): b"1"})]),
    "putMultiple, the last": lambda client, _: client.put_dated(b"t", [(b"r", {(b"d:a", NOW): b"1"})]),
    "createTable": lambda _, beyond: beyond.create_split_table("t2", {"d": {}}),
}


@pytest.mark.parametrize("case", ONCE)
def test_what_must_not_run_twice_is_sent_once_and_its_outcome_is_unknown(gateway, table, case):
    call = case.partition(",")[0]
    gateway.goes_wrong(call, Fault.LOST_CALL)
    with table.connection.beyond_thrift1() as beyond, pytest.raises(OutcomeUnknown) as caught:
        ONCE[case](table.connection.client, beyond)
    assert gateway.count(call) == 1
    text = message_of(caught)
    url = gateway.thrift2_url if call in ("putMultiple", "createTable") else gateway.url
    assert text.startswith(f"{url}: {call} on t")
    assert "outcome unknown: the reply did not come (the gateway closed the socket); not sent again, because " in text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_counter_is_never_incremented_twice(gateway, fault):
    table = gateway.opened(fault)
    gateway.goes_wrong("atomicIncrement", fault)
    with pytest.raises(OutcomeUnknown):
        table.counter_inc(b"c", b"d:n")
    assert table.counter_get(b"c", b"d:n") == (0 if fault is Fault.LOST_CALL else 1)


def test_an_unknown_outcome_names_the_rows_and_its_reason(gateway):
    table = gateway.opened(Fault.NO_REPLY)
    gateway.goes_wrong("mutateRows", Fault.NO_REPLY)
    batch = table.batch()
    batch.put(b"a", {b"d:a": b"1"})
    batch.put(b"b", {b"d:a": b"1", b"d:b": b"2"})
    with pytest.raises(OutcomeUnknown) as caught:
        batch.send()
    assert message_of(caught) == (
        f"{gateway.url}: mutateRows on t, 2 rows from b'a' on: outcome unknown: no reply within {SHORT_MS / 1000} s; "
        "not sent again, because without a timestamp each attempt gets a time of its own"
    )
    assert isinstance(caught.value.__cause__, TimeoutError)


def test_no_late_reply_is_read_by_another_call(gateway):
    table = gateway.opened(Fault.LATE_REPLY, retry_ms=0)
    gateway.goes_wrong("getRowWithColumns", Fault.LATE_REPLY)
    with pytest.raises(Unreachable):
        table.row(b"r")
    assert table.row(b"other") == {b"d:a": b"2"}
    gateway.goes_wrong("mutateRows", Fault.LATE_REPLY)
    with pytest.raises(OutcomeUnknown):
        table.put(b"r", {b"d:a": b"2"})
    with pytest.raises(HBaseIOError, match="nosuch"):
        table.put(b"r", {b"nosuch:a": b"2"})
    assert table.connection.tables() == [b"t"]


# Until when


def test_attempts_end_after_the_time_for_them():
    with ScriptedGateway() as gateway:  # with the usual pauses
        table = gateway.opened(retry_ms=400)
        gateway.goes_wrong("getRowWithColumns", *[Fault.LOST_CALL] * 50)
        with pytest.raises(Unreachable, match=r"no answer after \d+ attempts in [0-4]\.[4-9] s"):
            table.row(b"r")
        assert 2 <= gateway.count("getRowWithColumns") <= 10


def test_a_dated_write_that_was_sent_and_never_answered_has_an_unknown_outcome(gateway):
    table = gateway.opened(retry_ms=50)
    gateway.goes_wrong("mutateRowsTs", *[Fault.LOST_REPLY] * 50)
    with pytest.raises(OutcomeUnknown, match=r"; (\d+) attempts in \d+\.\d s, \1 of them sent$"):
        table.put(b"r", {b"d:a": b"2"}, timestamp=6)
    assert gateway.table.row(b"r") == {b"d:a": b"2"}


def test_a_write_that_could_not_be_sent_was_not_stored(gateway):
    table = gateway.opened(retry_ms=100)
    gateway.stop()
    with pytest.raises(
        Unreachable, match=r"no answer after \d+ attempts in \d+\.\d s: cannot connect \(Connection ref"
    ):
        table.counter_inc(b"c", b"d:n")
    gateway.start()
    assert table.counter_inc(b"c", b"d:n") == 1


# Replies that are errors


DECLARED = [
    (HBaseIOError, lambda table: table.put(b"r", {b"nosuch:a": b"1"})),
    (AlreadyExists, lambda table: table.connection.create_table("t", {"d": {}})),
    (IllegalArgument, lambda table: table.connection.client.scannerGetList(77, 1)),
]


@pytest.mark.parametrize(("error", "call"), DECLARED)
def test_a_declared_exception_keeps_its_socket(gateway, table, error, call):
    with pytest.raises(error):
        call(table)
    (link,) = gateway.links
    assert table.row(b"r") == {b"d:a": b"1"}
    assert link in gateway.links


def test_an_undeclared_exception_is_raised_at_once_and_costs_the_socket(gateway, table):
    with pytest.raises(TApplicationException, match="Internal error processing getRowWithColumns"):
        table.row(b"")
    assert table.row(b"r") == {b"d:a": b"1"}
    assert (gateway.count("getRowWithColumns"), gateway.sockets) == (2, 2)


def test_what_cannot_be_encoded_is_raised_as_it_is(gateway, table):
    with pytest.raises(TDecodeException, match="but the value is `7`"):
        table.put(b"r", {b"d:a": 7})
    with pytest.raises(TypeError, match=r"getRow: takes tableName, row, attributes \(got 4 arguments, \[\]\)"):
        table.connection.client.getRow(b"t", b"r", {}, None)
    with pytest.raises(AttributeError, match="has no call 'getRows2'"):
        _ = table.connection.client.getRows2
    assert table.row(b"r") == {b"d:a": b"1"}


def test_an_interrupted_call_leaves_no_reply_behind(gateway, monkeypatch):
    table = gateway.opened(Fault.LATE_REPLY)
    gateway.goes_wrong("getRowWithColumns", Fault.LATE_REPLY)

    def interrupt(self, size):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr("shared.stores.hbase.sockets._LimitedSocket.read", interrupt)
    with pytest.raises(KeyboardInterrupt):
        table.row(b"r")
    time.sleep(LATE_S)
    assert table.row(b"other") == {b"d:a": b"2"}


# First steps


def test_a_gateway_that_is_not_there_or_whose_host_is_not_known_is_one_line_at_once():
    with reserved_port() as reserved:
        closed = f"127.0.0.1:{reserved.getsockname()[1]}"
        for host, reason in ((closed, "Connection refused)"), ("nosuch.invalid:9090", ""), ("a..b:9090", "")):
            with pytest.raises(Unreachable) as caught:
                connect(f"hbase://{host}")
            assert message_of(caught).startswith(f"hbase://{host}: cannot connect ({reason}")
            assert isinstance(caught.value, OSError)


@pytest.mark.parametrize("fault", [Fault.LOST_CALL, Fault.GARBAGE])
def test_a_port_where_no_gateway_listens_is_told_after_some_attempts(gateway, fault):
    gateway.goes_wrong("getTableNames", *[fault] * 5)
    with pytest.raises(Unreachable) as caught:
        gateway.connect().tables()
    text = message_of(caught)
    assert "getTableNames: no answer after 5 attempts in " in text
    assert text.endswith("it has never answered: is it a Thrift1 gateway with transport=framed and protocol=binary?")
