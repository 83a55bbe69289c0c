"""What a server keeps in memory for its clients: bounded for all together, and free again when they leave."""

import gc
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import happybase
import pytest
from Hbase_thrift import Hbase, IOError, TAppend, TRowResult
from thriftpy2.thrift import TApplicationException
from thriftpy2.transport import TTransportException

from shared.stores.embedded import sizes
from shared.stores.server import memory
from shared.stores.server import thrift_server as server
from shared.stores.server.memory import BufferFull, Buffers, ClientBuffers
from shared.stores.server.messages import Stream
from shared.stores.server.thrift_server import ThriftServer
from tests.shared.stores.scripted_gateway import until
from tests.shared.stores.wire import arguments_of, message

PART = 256 * 1024
MOST = 8 * PART
"""Of all clients together."""
HALF_A_GET = bytes.fromhex("80010001 00000006") + b"getRow" + bytes.fromhex("00000000 0b0001 0ff00000")


@pytest.fixture
def store(connection):
    connection.create_table("t", {"d": {}})
    return connection


@pytest.fixture
def running(store: happybase.Connection) -> Iterator[ThriftServer]:
    with ThriftServer(store.service, max_buffered_bytes=MOST) as running:
        yield running


def client_of(running: ThriftServer) -> happybase.Connection:
    return happybase.Connection(running.host, running.port)


def half_a_message(running: ThriftServer, size: int) -> socket.socket:
    client = socket.create_connection((running.host, running.port), 5)
    client.sendall(HALF_A_GET + b"x" * size)
    return client


def is_closed(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True


def threads() -> list[str]:
    return sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("rowbook"))


def held(running: ThriftServer) -> int:
    return running._buffers._counted_bytes


# Counting


def test_all_clients_together_hold_no_more_than_the_limit():
    buffers = Buffers(1_000_000)
    first, second = ClientBuffers(buffers), ClientBuffers(buffers)
    first.hold_message(600_000)
    too_much = r"must be at most 1000000 bytes together \(this one: 500000, others: 600000\)"
    with pytest.raises(BufferFull, match=too_much):
        second.hold_reply(500_000)
    second.hold_reply(400_000)  # what was refused does not count
    first.hold_message(0)
    second.hold_reply(900_000)
    with pytest.raises(BufferFull):
        second.hold_message(200_000)
    second.hold_message(100_000)
    assert buffers._counted_bytes == 1_000_000
    ClientBuffers(buffers).hold_message(memory.SMALL_BYTES)  # small ones go on
    with pytest.raises(BufferFull):
        ClientBuffers(buffers).hold_message(memory.SMALL_BYTES + 1)
    second.release()
    assert buffers._counted_bytes == 0


# Over TCP


def test_the_client_that_sends_beyond_the_limit_is_closed_and_no_other(running, caplog):
    table = client_of(running).table("t")
    clients = [half_a_message(running, 3 * PART) for _ in range(2)]
    assert until(lambda: held(running) > 6 * PART)
    newest = socket.create_connection((running.host, running.port), 5)
    with suppress(ConnectionError):
        newest.sendall(HALF_A_GET + b"x" * 16 * PART)
    assert is_closed(newest)
    assert f"closed: unanswered messages and unread replies must be at most {MOST} bytes together" in caplog.text
    table.put(b"1", {b"d:a": b"small"})
    for client in clients:
        client.settimeout(0.05)
        with pytest.raises(TimeoutError):
            client.recv(1)
        client.close()
    newest.close()
    assert until(lambda: held(running) == 0)


LARGE_READS = {
    "scan": lambda table: list(table.scan(batch_size=100)),
    "small rows": lambda table: table.rows([b"small"] * (MOST // sizes.ROW_OBJECT_BYTES)),
    "versions before": lambda table: table.cells(b"1", b"d:a", versions=3, timestamp=9),
    "append": lambda table: table.connection.client.append(TAppend(b"t", b"1", [b"d:a", b"d:b", b"d:c"], [b"+"] * 3)),
}


@pytest.mark.parametrize("read", LARGE_READS.values(), ids=LARGE_READS)
def test_a_reply_beyond_the_limit_is_an_error_that_says_so_and_the_client_goes_on(running, read):
    table = client_of(running).table("t")
    for timestamp in range(3):
        table.put(b"1", {b"d:a": b"x" * 3 * PART}, timestamp=timestamp)
    for row, column in ((b"1", b"d:b"), (b"1", b"d:c"), (b"2", b"d:a")):
        table.put(row, {column: b"x" * 3 * PART}, timestamp=2)
    table.put(b"small", {b"d:a": b"x"})
    with pytest.raises(IOError, match=rf"must be at most {MOST} bytes together.*ask for less at a time"):
        read(table)
    assert table.row(b"1", [b"d:b"]) == {b"d:b": b"x" * 3 * PART}
    assert until(lambda: held(running) == 0)


def test_a_reply_that_its_client_does_not_read_counts_until_it_leaves(store):
    size = 24 * PART  # more than the buffers of its socket take
    store.table("t").put(b"1", {b"d:a": b"x" * size})
    with ThriftServer(store.service, max_buffered_bytes=32 * PART) as running:
        client = client_of(running)
        silent = socket.create_connection((running.host, running.port), 5)
        silent.sendall(message("getRow", arguments_of("getRow", b"t", b"1", {})))
        assert until(lambda: size < held(running) < size + PART)
        with pytest.raises(IOError, match="ask for less at a time"):
            client.table("t").row(b"1")
        silent.close()
        assert until(lambda: held(running) == 0)
        assert len(client.table("t").row(b"1")[b"d:a"]) == size


def test_messages_half_sent_and_failed_are_free_when_their_clients_leave_without_a_collection(running):
    gc.collect()
    gc.disable()
    try:
        half = half_a_message(running, PART)
        with closing(client_of(running)) as client, pytest.raises(IOError, match="Column family nope"):
            client.table("t").put(b"1", {b"nope:a": b"x" * PART})
        assert until(lambda: held(running) > PART)
        half.close()
        assert until(lambda: threads() == ["rowbook accept"])
        kinds = (Stream, Hbase.mutateRows_args, Hbase.mutateRow_args)
        assert [thing for thing in gc.get_objects() if isinstance(thing, kinds)] == []
    finally:
        gc.enable()


def test_what_was_read_for_a_refused_reply_is_free_without_a_collection(running):
    table = client_of(running).table("t")
    for row in (b"1", b"2", b"3"):
        table.put(row, {b"d:a": b"x" * 3 * PART})
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(IOError, match="ask for less at a time"):
            list(table.scan(batch_size=100))
        assert [thing for thing in gc.get_objects() if isinstance(thing, TRowResult)] == []
    finally:
        gc.enable()


# The end


def test_stop_breaks_off_a_statement_without_end(store, monkeypatch):
    monkeypatch.setattr(server, "STOP_S", 0.1)
    service = store.service
    endless = "with recursive n(i) as (values (1) union all select i + 1 from n) select max(i) from n"

    begun = threading.Event()

    def run() -> list[bytes]:
        with service.engine.lock:
            begun.set()
            return list(service.engine._database.execute(endless))

    monkeypatch.setattr(service, "getTableNames", run, raising=False)
    running = ThriftServer(service)
    running.start()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(client_of(running).tables)
        assert begun.wait(5)
        running.stop()
        with pytest.raises((TApplicationException, TTransportException, ConnectionError)):
            answer.result(10)
    assert store.table("t").row(b"1") == {}
