"""The sockets of a connection: how many there are, who uses them, and when they end."""

import gc
import socket
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest
from thriftpy2.thrift import TDecodeException

from shared.stores import Unreachable, connect
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.hbase import pool, retries
from shared.stores.server.thrift_server import ThriftServer
from tests.shared.stores.processes import run
from tests.shared.stores.scripted_gateway import Fault, until


@pytest.fixture
def gateway(gateway):
    for number in range(20):
        gateway.table.put(b"r-%02d" % number, {b"d:a": b"%d" % number})
    return gateway


def row(number):
    return {b"d:a": b"%d" % number}


@pytest.mark.parametrize(("pool_size", "kept"), [("", pool.IDLE_SOCKETS), ("&pool_size=2", 2)])
def test_few_idle_sockets_are_kept_or_as_many_as_the_url_says(gateway, pool_size, kept):
    connection = connect(f"{gateway.url}?transport=framed{pool_size}")
    pool = connection.transport
    gateway_sockets = [pool.take() for _ in range(kept + 3)]
    for gateway_socket in gateway_sockets:
        pool.give(gateway_socket)
    assert [gateway_socket.is_open for gateway_socket in gateway_sockets] == [False] * 3 + [True] * kept
    assert pool.take() is gateway_sockets[-1]
    connection.close()


def test_a_socket_that_was_idle_for_long_or_says_something_unasked_is_replaced(gateway, monkeypatch):
    table = gateway.connect().table("t")
    table.row(b"r-00")
    (link,) = gateway.links
    link.sendall(b"\0\0\0\1\0")
    assert table.row(b"r-01") == row(1)
    assert gateway.sockets == 2
    monkeypatch.setattr(pool, "SOCKET_IDLE_S", 0)
    table.row(b"r-00")
    assert gateway.sockets == 3


def test_sockets_idle_too_long_are_closed_even_if_they_are_not_needed(gateway, monkeypatch):
    transport = gateway.connect().transport
    gateway_sockets = [transport.take() for _ in range(3)]
    transport.give(gateway_sockets[0])
    transport.give(gateway_sockets[1])
    gateway_sockets[0].used_s -= pool.SOCKET_IDLE_S + 1
    transport.give(gateway_sockets[2])
    assert [gateway_socket.is_open for gateway_socket in gateway_sockets] == [False, True, True]


def test_close_ends_every_socket_and_open_begins_anew(gateway):
    connection = gateway.connect()
    table = connection.table("t")
    scan, interrupted = table.scan(batch_size=2), table.scan(batch_size=2)
    assert len([*islice(scan, 2), *islice(interrupted, 2)]) == 4
    connection.close()
    connection.close()
    assert until(lambda: not gateway.links)
    closed = "getRowWithColumns on t, row b'r-00': no answer after 1 attempt in .*: the connection is closed, open"
    with pytest.raises(Unreachable, match=closed):
        table.row(b"r-00")
    with pytest.raises(Unreachable, match=r"scannerGetList: .* the connection is closed"):
        next(scan)
    connection.open()
    connection.open()
    assert len(list(interrupted)) == 18
    assert table.row(b"r-00") == row(0)
    assert len(list(table.scan())) == 20


def test_close_ends_a_call_that_waits(gateway):
    connection = gateway.connect()
    gateway.goes_wrong("getRowWithColumns", Fault.NO_REPLY)
    with ThreadPoolExecutor() as threads:
        call = threads.submit(connection.table("t").row, b"r-00")
        assert until(lambda: gateway.is_done)
        connection.close()
        with pytest.raises(Unreachable):
            call.result()


def test_a_connection_that_is_forgotten_leaves_no_socket(gateway):
    connection = connect(f"{gateway.url}?transport=framed")
    list(islice(connection.table("t").scan(batch_size=1), 3))
    assert gateway.links
    del connection
    gc.collect()
    assert until(lambda: not gateway.links)


def test_a_forked_process_opens_sockets_of_its_own(gateway):
    connection = gateway.connect()
    table = connection.table("t")
    table.row(b"r-00")
    before = gateway.sockets

    def work(report):
        report([table.row(b"r-%02d" % number)[b"d:a"].decode() for number in range(20)])
        connection.close()

    assert run(work) == [[*map(str, range(20))]]
    assert table.row(b"r-00") == row(0)
    assert gateway.sockets == before + 1


def test_a_value_that_cannot_be_encoded_after_a_first_piece_is_never_run():
    store = EmbeddedConnection(None)
    store.create_table("t", {"d": {}})
    with ThriftServer(store.service) as server:
        connection = connect(f"hbase://{server.address}")
        table = connection.table("t")
        batch = table.batch()
        for number in range(200):  # more than fits into the first piece that is sent
            batch.put(b"%d" % number, {b"d:a": bytes(100)})
        batch.put(b"x", {b"d:a": 7})
        with pytest.raises(TDecodeException):
            batch.send()
        assert list(table.scan()) == []
        connection.close()


def test_a_call_that_was_cut_while_it_was_sent_is_sent_again_whatever_it_is(monkeypatch):
    monkeypatch.setattr(retries, "LONGEST_PAUSE_S", retries.SHORTEST_PAUSE_S)
    store = EmbeddedConnection(None)
    store.create_table("t", {"d": {}})
    value = bytes(8 * 1024 * 1024)  # more than the buffers of a socket take
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor() as threads:
        port = listener.getsockname()[1]
        connection = connect(f"hbase://127.0.0.1:{port}")
        client, _ = listener.accept()
        with client:
            put = threads.submit(connection.table("t").put, b"r", {b"d:a": value})
            assert client.recv(100)
        listener.close()
        with ThriftServer(store.service, port=port):
            put.result()
            connection.close()
    assert store.table("t").cells(b"r", b"d:a") == [value]
