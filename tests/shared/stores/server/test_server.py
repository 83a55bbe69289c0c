"""The served store, as happybase and raw sockets see it."""

import os
import random
import socket
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from itertools import product

import happybase
import pytest
from Hbase_thrift import BatchMutation, IllegalArgument, Mutation, TCell, TScan
from thriftpy2.thrift import TApplicationException
from thriftpy2.transport import TTransportException

from shared.stores.server import thrift_server as server
from shared.stores.server.thrift_server import ThriftServer
from tests.shared.stores import wire
from tests.shared.stores.scripted_gateway import until
from tests.shared.stores.wire import answers

COMBINATIONS = [*product(("buffered", "framed"), ("binary", "compact"))]
TEN_MIB = 10 * 1024 * 1024
GONE = (TTransportException, ConnectionError)


@pytest.fixture
def store(connection):
    return connection


@pytest.fixture(params=COMBINATIONS, ids="-".join)
def any_server(store, request):
    transport, protocol = request.param
    with ThriftServer(store.service, transport=transport, protocol=protocol) as running:
        yield running


@pytest.fixture
def running(store):
    with ThriftServer(store.service) as running:
        yield running


@pytest.fixture
def client_of():
    """Opens happybase connections, which are closed in the end."""
    with ExitStack() as opened:

        def client(running, transport="buffered", protocol="binary", **options):
            link = happybase.Connection(running.host, running.port, transport=transport, protocol=protocol, **options)
            return opened.enter_context(closing(link))

        yield client


@pytest.fixture
def client(running, client_of):
    return client_of(running)


@pytest.fixture
def table(client):
    client.create_table("t", {"d": {}})
    return client.table("t")


def message(name, arguments="00", sequence_id=7):
    """A call in the binary protocol; `arguments` in hex, without them none are sent."""
    head = bytes.fromhex("80 01 00 01") + len(name).to_bytes(4, "big") + name.encode()
    return head + sequence_id.to_bytes(4, "big") + bytes.fromhex(arguments)


def is_gone(client):
    try:
        client.client.getTableRegions(b"t")
    except GONE:
        return True
    return False


def threads():
    return sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("rowbook"))


def sockets():
    links = (f"/proc/self/fd/{link}" for link in os.listdir("/proc/self/fd"))
    return sorted(os.readlink(link) for link in links if os.path.lexists(link) and "socket" in os.readlink(link))


# Answers


def test_happybase_finds_the_same_through_every_transport_and_protocol(any_server, store, client_of, request):
    client = client_of(any_server, *request.node.callspec.params["any_server"])
    client.create_table("t", {"d": {"max_versions": 2}, "m": {}})
    there, here = client.table("t"), store.table("t")
    with there.batch(batch_size=100) as batch:
        for number in range(250):
            batch.put(b"r-%03d" % number, {b"d:a": b"%d" % number, b"m:\xff\0": bytes(number)})
    assert there.counter_inc(b"c", b"d:n", 2**40) == 2**40
    assert there.families() == here.families()
    assert there.regions() == here.regions()
    for options in ({"columns": [b"d"], "include_timestamp": True}, {"reverse": True, "sorted_columns": True}):
        assert list(there.scan(batch_size=99, **options)) == list(here.scan(**options))
    client.delete_table("t", disable=True)
    assert store.tables() == []


def test_a_scan_goes_on_at_any_connection(running, client_of, table):
    for number in range(10):
        table.put(b"%d" % number, {b"d:a": b""})
    first, second = client_of(running), client_of(running)
    scanner = first.client.scannerOpenWithPrefix(b"t", b"", [], {})
    assert [row.row for row in first.client.scannerGetList(scanner, 3)] == [b"0", b"1", b"2"]
    first.close()
    assert [row.row for row in second.client.scannerGetList(scanner, 3)] == [b"3", b"4", b"5"]
    second.client.scannerClose(scanner)
    with pytest.raises(IllegalArgument):
        client_of(running).client.scannerGet(scanner)


def test_numbers_that_were_not_sent_are_0_as_in_java(running, table):
    # scannerGetList of scanner 0 without a number of rows: none, and no error
    assert table.connection.client.scannerOpen(b"t", b"", [], {}) == 0
    reply = bytes.fromhex("80010002 0000000e") + b"scannerGetList" + bytes.fromhex("00000007 0f0000 0c 00000000 00")
    assert answers(running, message("scannerGetList", "08 0001 00000000  00")) == reply


def test_the_older_form_of_a_message_is_taken_as_by_hbase(running):
    sent = (13).to_bytes(4, "big") + b"getTableNames" + bytes.fromhex("01 00000007 00")
    assert answers(running, sent) == answers(running, message("getTableNames"))


# Errors


@pytest.mark.parametrize(
    ("call", "broken", "arguments", "reason", "logged"),
    [
        ("isTableEnabled", lambda *_: 1 // 0, [b"t"], "ZeroDivisionError", " failed: ZeroDivisionError('"),
        ("get", lambda *_: [TCell(b"a", 1), TCell(3.5)], [b"t", b"r", b"d:a", {}], "", ": its reply cannot be sent: "),
    ],
)
def test_the_connection_continues_after_an_unexpected_error_and_a_reply_that_cannot_be_written(
    client, store, monkeypatch, caplog, call, broken, arguments, reason, logged
):
    sock = client.transport.sock
    monkeypatch.setattr(store.service, call, broken, raising=False)
    with pytest.raises(TApplicationException) as error:
        getattr(client.client, call)(*arguments)
    assert error.value.message.startswith(f"Internal error processing {call}: {reason}".encode())
    (record,) = caplog.records
    assert record.getMessage().startswith(call + logged)
    assert client.tables() == []
    assert client.transport.sock is sock


def test_a_method_that_no_idl_has_is_refused_by_name_and_its_arguments_are_passed_over(running):
    reply = bytes.fromhex("80010003 00000004") + b"nope" + bytes.fromhex("00000007 0b0001 0000001b")
    reply += b"Invalid method name: 'nope'" + bytes.fromhex("080002 00000001 00")
    nested = "0c 0001  0f 0001 0b 00000001 00000002 6162  00  00"
    assert answers(running, message("nope", nested) + message("nope")) == 2 * reply
    for name in ("engine", "__init__", "rows_read", "compact_table"):  # which Python has
        assert b"Invalid method name: '" in answers(running, message(name))


# Limits


GET_ROW = message("getRow", "0b 0001 00000001 74  0b 0002 00000001 72  00")


@pytest.mark.parametrize("sent", [b"", GET_ROW[:6], GET_ROW * 3], ids=["no message", "half of one", "no reply read"])
def test_a_client_that_sends_or_reads_no_byte_for_too_long_is_closed(store, sent):
    store.create_table("t", {"d": {}})
    store.table("t").put(b"r", {b"d:a": bytes(TEN_MIB - 200)})
    with (
        ThriftServer(store.service, idle_s=0.2) as running,
        socket.create_connection((running.host, running.port), 5) as raw,
    ):
        raw.sendall(sent)
        assert until(lambda: len(threads()) == 2)
        assert until(lambda: threads() == ["rowbook accept"])


def test_clients_beyond_the_maximum_wait_until_another_one_leaves(store, client_of, monkeypatch):
    monkeypatch.setattr(server, "MAX_CLIENTS", 2)
    with ThriftServer(store.service) as running:
        first, second = client_of(running), client_of(running)
        assert (first.tables(), second.tables()) == ([], [])
        third = client_of(running, timeout=200)
        with pytest.raises(TimeoutError):
            third.tables()
        third.close()
        first.close()
        assert client_of(running).tables() == []
        client_of(running)  # takes the last place


def test_a_client_that_cannot_be_accepted_takes_no_place(store, client_of, monkeypatch):
    monkeypatch.setattr(server, "MAX_CLIENTS", 1)
    monkeypatch.setattr(server, "_NO_FILES_LEFT_S", 0)
    failures, accept = [OSError("no files left"), BlockingIOError()], socket.socket.accept

    def fail_first(listener):
        if failures:
            raise failures.pop()
        return accept(listener)

    monkeypatch.setattr(socket.socket, "accept", fail_first)
    with ThriftServer(store.service) as running:
        assert client_of(running, timeout=5_000).tables() == []
    assert failures == []


# Broken clients


def broken_streams(count):
    """Streams that are cut, noisy or damaged somewhere, each with the way in which its client leaves."""
    dice = random.Random(1)
    batch = [BatchMutation(b"r%d" % row, [Mutation(False, b"d:a", b"v" * 30)]) for row in range(4)]
    calls = [("mutateRows", b"t", batch, {}), ("scannerOpenWithScan", b"t", TScan(startRow=b"r")), ("getTableNames",)]
    for _ in range(count):
        name, *values = dice.choice(calls)
        whole = wire.message(name, wire.arguments_of(name, *values), protocol=dice.choice([*wire.PROTOCOLS]))
        framed = len(whole).to_bytes(4, "big") + whole
        broken = bytearray(dice.choice([whole, framed, dice.randbytes(100)]))
        at = dice.randrange(len(broken))
        broken[at : at + 4] = dice.choice([b"", dice.randbytes(4), b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff\x07"])
        sent = dice.choice([whole, framed, b""]) + broken[: dice.randrange(1, 1000)]
        yield sent, dice.choice(["reads", "leaves", "resets"])


@pytest.mark.parametrize("count", [60, pytest.param(3_000, marks=pytest.mark.long)])
def test_broken_clients_cost_no_other_client_anything_and_leave_nothing_behind(
    any_server, client_of, request, caplog, count
):
    healthy = client_of(any_server, *request.node.callspec.params["any_server"])
    healthy.create_table("healthy", {"d": {}})
    before = sockets()
    for number, (sent, leaves) in enumerate(broken_streams(count), 1):
        with socket.create_connection((any_server.host, any_server.port), 20) as raw, suppress(ConnectionError):
            raw.sendall(sent)
            if leaves == "reads":
                with suppress(OSError):  # closed already
                    raw.shutdown(socket.SHUT_WR)
                while raw.recv(65_536):
                    pass
            if leaves == "resets":
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert healthy.table("healthy").counter_inc(b"r", b"d:n") == number
    assert not any(record.exc_info for record in caplog.records)
    assert until(lambda: sockets() == before)
    assert any_server._buffers._counted_bytes == 0


# Starting and stopping


def test_the_port_is_taken_from_the_constructor_on_and_who_comes_before_the_start_is_answered_after_it(
    store, client_of
):
    waiting = ThriftServer(store.service)
    assert waiting.address == f"127.0.0.1:{waiting.port}"
    with pytest.raises(OSError, match="in use"):
        ThriftServer(store.service, port=waiting.port)
    early = client_of(waiting)
    with waiting:
        assert early.tables() == []
    ThriftServer(store.service, port=waiting.port).stop()


def test_serve_ends_with_stop(store, client_of):
    running = ThriftServer(store.service)
    with ThreadPoolExecutor(1) as pool:
        serving = pool.submit(running.serve)
        assert client_of(running).tables() == []
        assert not serving.done()
        running.stop()
        running.stop()
        serving.result(5)


@pytest.fixture
def slow_call(store, monkeypatch):
    """The events of a call for the tables' names that has begun, and that may end and answer `late`."""
    begun, may_end = threading.Event(), threading.Event()

    def slow():
        begun.set()
        may_end.wait(10)
        return [b"late"]

    monkeypatch.setattr(store.service, "getTableNames", slow, raising=False)
    return begun, may_end


def test_stop_finishes_the_call_that_runs_and_sends_its_reply_and_leaves_no_thread_nor_socket(
    store, client_of, slow_call
):
    begun, may_end = slow_call
    before = sockets()
    running = ThriftServer(store.service)
    running.start()
    client, idle = client_of(running), client_of(running)
    half = socket.create_connection((running.host, running.port))
    half.sendall(message("getTableNames")[:7])
    assert idle.client.getTableRegions(b"t") == []
    assert until(lambda: len(threads()) == 4)
    with ThreadPoolExecutor(2) as pool:
        answer = pool.submit(client.tables)
        assert begun.wait(5)
        stopped = pool.submit(running.stop)
        assert until(lambda: is_gone(idle))
        assert not stopped.done()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((running.host, running.port))
        may_end.set()
        assert answer.result(5) == [b"late"]
        stopped.result(5)
    with pytest.raises(GONE):
        client.tables()
    for connected in (client, idle, half):
        connected.close()
    assert (threads(), sockets()) == ([], before)
