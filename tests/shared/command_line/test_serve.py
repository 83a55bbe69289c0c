"""The command `serve` as processes: its first line, what it refuses, and how it ends."""

import os
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import happybase
import pytest
from thriftpy2.thrift import TException

from shared.stores import connect
from tests.shared.command_line.running import ended
from tests.shared.stores.wire import arguments_of, message

long = pytest.mark.long


def listening(process):
    """Host and port of the first line."""
    line = process.stdout.readline()
    assert line.startswith("listening on ")
    host, _, port = line.removeprefix("listening on ").strip().rpartition(":")
    return host, int(port)


@pytest.fixture
def serve(real_process):
    """Starts a server at a free port; returns its process and a happybase connection to it."""
    connections = []

    def start(*options, **client):
        process = real_process("serve", "--port", "0", *options)
        connections.append(happybase.Connection(*listening(process), **client))
        return process, connections[-1]

    yield start
    for connection in connections:
        connection.close()


# Serving


@long
def test_thrift2_is_served_on_a_port_of_its_own_and_rows_of_different_times_share_a_call_there(real_process):
    process = real_process("serve", "--port", "0", "--thrift2-port", "0")
    _, port = listening(process)
    line = process.stdout.readline()
    assert line.startswith("Thrift2 on 127.0.0.1:")
    with closing(connect(f"hbase://127.0.0.1:{port}?thrift2_port={line.rpartition(':')[2].strip()}")) as connection:
        with connection.beyond_thrift1() as beyond:
            beyond.create_split_table("t", {"d": {}}, [b"m"])
        connection.client.put_dated(b"t", [(b"r", {(b"d:a", 5): b"1", (b"d:b", 6): b"2"})])
        assert connection.table("t").row(b"r", include_timestamp=True) == {b"d:a": (b"1", 5), b"d:b": (b"2", 6)}
    assert ended(process, signal.SIGINT) == (130, "", "interrupted; the store was in memory, its data is gone\n")


def test_what_load_stored_is_served_in_the_transport_and_protocol_that_are_named(serve, ok, folder):
    header = "order_number,seller_id,buyer_id,placed_ms,item,amount\n"
    (folder / "a.csv").write_text(f"{header}n-1,s-1,b-1,0,lamp,7\n")
    ok("load orders a.csv --store embedded:a.db")
    words = ("--store", "embedded:a.db", "--transport", "framed", "--protocol", "compact")
    _process, connection = serve(*words, transport="framed", protocol="compact")
    assert [row for row, _ in connection.table("orders").scan()] == [b"n-1"]
    connection.table("orders").delete(b"n-1")
    assert "lamp" not in ok("ask orders order order_number=n-1 --store embedded:a.db")


# Ends


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), pytest.param(signal.SIGTERM, 0, "terminated", marks=long)],
)
def test_a_signal_lets_the_calls_that_run_finish_and_closes_every_client(serve, folder, number, code, word):
    process, connection = serve("--store", "embedded:a.db")
    connection.create_table("t", {"d": {}})
    table = connection.table("t")
    stored = []

    def put():
        for row in range(1_000_000):
            table.put(b"%d" % row, {b"d:a": b"1"})
            stored.append(row)

    def put_until_closed():
        with pytest.raises((TException, OSError)):
            put()

    putting = threading.Thread(target=put_until_closed)
    putting.start()
    while len(stored) < 100 and putting.is_alive():
        time.sleep(0.01)
    assert ended(process, number) == (code, "", f"{word}; everything is stored in a.db\n")
    putting.join(10)
    assert not putting.is_alive()
    store = connect("embedded:a.db")
    there = len(list(store.table("t").scan()))
    assert there == len(stored)  # every call that was begun was answered
    store.close()
    assert [path.name for path in folder.iterdir()] == ["a.db"]


@long
def test_a_second_signal_does_not_wait_for_the_calls_that_run(serve):
    process, connection = serve("--store", "embedded:a.db")
    connection.create_table("t", {"d": {}})
    other = sqlite3.connect("a.db", isolation_level=None)
    with closing(other), ThreadPoolExecutor(1) as pool:
        other.execute("begin immediate")
        put = pool.submit(connection.table("t").put, b"r", {b"d:a": b"1"})  # waits 10 s for the other writer
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == -signal.SIGINT
        with pytest.raises((TException, OSError)):
            put.result(5)


# Memory


def resident_bytes(process) -> int:
    """What a process has in memory now."""
    pages = Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_replies_that_clients_do_not_read_need_what_buffer_mib_allows_and_no_more_in_every_round(serve):
    limit_bytes = 16 * 1024 * 1024
    process, connection = serve("--buffer-mib", "16")
    connection.create_table("t", {"d": {"max_versions": 1}})
    rows = [b"%05d" % number for number in range(6_000)]
    with connection.table("t").batch(batch_size=1_000) as batch:
        for row in rows:
            batch.put(row, {b"d:a": row * 20})
    request = message("getRows", arguments_of("getRows", b"t", rows, {}))
    begin_bytes = resident_bytes(process)
    for _ in range(4):
        with ExitStack() as clients:
            silent = [
                clients.enter_context(socket.create_connection((connection.host, connection.port))) for _ in range(12)
            ]
            for client in silent:
                client.sendall(request)
            for client in silent:
                assert client.recv(1), "the reply begins, or an error that says that all is full"
            assert resident_bytes(process) - begin_bytes < 1.5 * limit_bytes
