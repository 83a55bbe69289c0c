"""Thousands of broken clients, and one healthy client that notices none of them."""

import os
import random
import socket
import struct
import subprocess
import sys
import threading
from collections import deque
from contextlib import closing
from itertools import product
from pathlib import Path

import happybase
import pytest
from Hbase_thrift import BatchMutation, ColumnDescriptor, Mutation, TIncrement, TScan

from tests.shared.stores.scripted_gateway import until
from tests.shared.stores.wire import PROTOCOLS, arguments_of, message

ROOT = Path(__file__).parents[4]
WARM_UP, SEED = 150, 20_260_112
HALF_OPEN = 40  # at a time
GROWTH_KIB = 12 * 1024  # what the valid ones of 10,000 messages store, 8 MB, and scanners that are kept for 120 s

COMBINATIONS = [*product(("buffered", "framed"), ("binary", "compact"))]

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc to measure a process in")

# One process with a port for each transport and protocol, all on one store; it ends when its input does.
SERVER = """
import logging
import sys
from contextlib import ExitStack
from itertools import product
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.server import ThriftServer

logging.disable(logging.WARNING)
store = EmbeddedConnection(None)
with ExitStack() as running:
    for transport, protocol in product(("buffered", "framed"), ("binary", "compact")):
        server = ThriftServer(store.service, transport=transport, protocol=protocol)
        print(running.enter_context(server).port, flush=True)
    sys.stdin.read()
"""


class Served:
    """A server process: its ports by transport and protocol, and what it takes."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.ports = {combination: int(self.process.stdout.readline()) for combination in COMBINATIONS}
        assert until(lambda: self.waiting() == len(COMBINATIONS)), self.waiting()  # their threads may start later

    def waiting(self):
        """How many servers wait for clients: each opens a file for that."""
        files = Path(f"/proc/{self.process.pid}/fd")
        return sum("eventpoll" in os.readlink(file) for file in files.iterdir())

    def status(self, field):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(next(line.split()[1] for line in status if line.startswith(f"{field}:")))

    def takes(self):
        """How many threads and open files."""
        return self.status("Threads"), len(os.listdir(f"/proc/{self.process.pid}/fd"))


@pytest.fixture
def served():
    served = Served()
    yield served
    served.process.stdin.close()
    assert served.process.wait(timeout=30) == 0


# Streams


def recorded(protocol):
    """Messages as clients send them; none of them touches the healthy client's table."""
    batch = [
        BatchMutation(b"r%d" % row, [Mutation(False, b"d:%d" % column, b"v" * 30, True) for column in range(3)])
        for row in range(4)
    ]
    calls = [
        ("getTableNames",),
        ("createTable", b"f", [ColumnDescriptor(name=b"d:"), ColumnDescriptor(name=b"m:", maxVersions=1)]),
        ("mutateRows", b"f", batch, {b"a": b"b"}),
        ("mutateRowsTs", b"f", batch[:1], 2**40, {}),
        ("getRowWithColumns", b"f", b"r1", [b"d:1", b"m"], {}),
        ("getRowsTs", b"f", [b"r1", b"r2", b"r3"], 2**50, {}),
        ("getVer", b"f", b"r1", b"d:1", 3, {}),
        ("scannerOpenWithScan", b"f", TScan(startRow=b"r", stopRow=b"s", columns=[b"d"], reversed=True), {}),
        ("scannerGetList", 0, 10),
        ("scannerClose", 1),
        ("atomicIncrement", b"f", b"c", b"d:n", 1),
        ("incrementRows", [TIncrement(b"f", b"c", b"d:n", 1)] * 3),
        ("checkAndPut", b"f", b"r1", b"d:1", b"v", Mutation(False, b"d:1", b"v", True), {}),
        ("disableTable", b"f"),
        ("enableTable", b"f"),
    ]
    return [
        message(name, arguments_of(name, *values), protocol=protocol, sequence_id=number)
        for number, (name, *values) in enumerate(calls)
    ]


def in_transport(transport, message):
    return len(message).to_bytes(4, "big") + message if transport == "framed" else message


def flipped(chance, message):
    damaged = bytearray(message)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        damaged[chance.randrange(len(damaged))] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
    return bytes(damaged)


def enlarged(chance, message):
    """A length somewhere, or what becomes one, is giant."""
    at = chance.randrange(max(len(message) - 4, 1))
    giant = chance.choice(["7fffffff", "ffffffff", "80000000", "0fffffff", "ffffffff07", "00ffffff"])
    return message[:at] + bytes.fromhex(giant) + message[at + 4 :]


def cut(chance, message):
    return message[: chance.randrange(len(message))]


def without_a_middle(chance, message):
    first, second = sorted(chance.randrange(len(message)) for _ in range(2))
    return message[:first] + message[second:]


def noise(chance, _):
    return chance.randbytes(chance.randrange(1, 400))


BREAKS = [*[flipped] * 3, *[enlarged] * 4, cut, without_a_middle, noise]


def streams(count, seed):
    """Broken streams, each with the port it goes to and how its client leaves."""
    chance = random.Random(seed)
    messages = {protocol: recorded(protocol) for protocol in PROTOCOLS}
    for _ in range(count):
        transport, protocol = meant = chance.choice(COMBINATIONS)
        sent = b""
        for _ in range(chance.choice([0, 0, 0, 1, 3])):  # whole messages first
            sent += in_transport(transport, chance.choice(messages[protocol]))
        whole = chance.choice(messages[protocol])
        if chance.random() < 0.1:  # one of another transport or protocol
            transport, protocol = chance.choice([other for other in COMBINATIONS if other != meant])
            sent += in_transport(transport, chance.choice(messages[protocol]))
        elif chance.random() < 0.1:  # broken outside the frame, if there is one
            sent += chance.choice(BREAKS)(chance, in_transport(transport, whole))
        else:
            sent += in_transport(transport, chance.choice(BREAKS)(chance, whole))
        yield meant, sent, chance.choice(["reads to the end", "reads to the end", "vanishes", "resets", "stays"])


class Clients:
    """What broken clients do; those that stay are closed when too many have stayed."""

    def __init__(self, ports):
        self.ports = ports
        self.staying = deque()

    def run(self, meant, sent, leaves):
        raw = socket.create_connection(("127.0.0.1", self.ports[meant]))
        raw.settimeout(20)
        try:
            raw.sendall(sent)
            if leaves == "reads to the end":
                raw.shutdown(socket.SHUT_WR)
                while raw.recv(65536):
                    pass
        except TimeoutError:
            raise
        except OSError:  # closed by the server meanwhile
            pass
        if leaves == "resets":
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if leaves == "stays":
            self.staying.append(raw)
            raw = self.staying.popleft() if len(self.staying) > HALF_OPEN else None
        if raw:
            raw.close()

    def close(self):
        while self.staying:
            self.staying.pop().close()


# A healthy client


class Healthy(threading.Thread):
    """Puts, gets, scans and counts through every port in turn; `wrong` has the first answer that is not right."""

    def __init__(self, ports):
        super().__init__()
        self.connections = [
            happybase.Connection("127.0.0.1", port, transport=transport, protocol=protocol, timeout=20_000)
            for (transport, protocol), port in ports.items()
        ]
        self.connections[0].create_table("healthy", {"h": {"max_versions": 1}})
        self.calls = 0
        self.wrong = None
        self.ends = threading.Event()

    def run(self):
        try:
            while not self.ends.is_set():
                for connection in self.connections:
                    self._round(connection.table("healthy"))
                self.ends.wait(0.01)  # so that most of the time is left for the others
        except Exception as error:
            self.wrong = error
        for connection in self.connections:
            connection.close()

    def _round(self, table):
        row, value = b"r-%02d" % (self.calls % 50), b"%d" % self.calls
        table.put(row, {b"h:a": value, b"h:b": value * 2})
        stored = table.row(row)
        scanned = list(table.scan(row_start=row, limit=1))
        counted = table.counter_inc(b"z", b"h:n")
        right = {b"h:a": value, b"h:b": value * 2}
        if (stored, scanned, counted) != (right, [(row, right)], self.calls // 4 + 1):
            raise AssertionError(f"{row}: {stored}, {scanned}, {counted} instead of {right}, {self.calls // 4 + 1}")
        self.calls += 4


# Tests


@pytest.mark.parametrize("count", [400, pytest.param(10_000, marks=pytest.mark.long)])
def test_broken_clients_cost_no_other_client_anything(served, count):
    at_start = served.takes()
    healthy = Healthy(served.ports)
    with closing(Clients(served.ports)) as clients:
        for stream in streams(WARM_UP, SEED - 1):
            clients.run(*stream)
        healthy.start()
        warm_kib, peak_kib = served.status("VmRSS"), served.status("VmHWM")
        for stream in streams(count, SEED):
            clients.run(*stream)
        end_kib, top_kib = served.status("VmRSS"), served.status("VmHWM")
    healthy.ends.set()
    healthy.join()
    assert healthy.wrong is None
    assert healthy.calls > count // 20
    assert end_kib - warm_kib < GROWTH_KIB
    assert top_kib - peak_kib < 2 * GROWTH_KIB  # what is only announced takes no memory, not for a moment
    assert until(lambda: served.takes() == at_start), (served.takes(), at_start)


@pytest.mark.long
def test_the_heaviest_message_that_is_accepted_leaves_nothing_behind(served):
    values = 0x3D0900  # 4 million
    sent = bytes.fromhex("80010001 00000007") + b"getRows" + bytes.fromhex("00000000 0f 0002 0b 003d0900")
    with socket.create_connection(("127.0.0.1", served.ports["buffered", "binary"]), 30) as raw:
        raw.sendall(sent + bytes(4 * values) + b"\0")
        assert b"Internal error processing getRows: Row length is 0" in raw.recv(200)
    assert until(lambda: served.status("VmRSS") < 120 * 1024), served.status("VmRSS")
