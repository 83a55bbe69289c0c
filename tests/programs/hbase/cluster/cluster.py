"""HBase's own mini-cluster in a process, and what a gateway cannot ask for: splits, moves, servers that die."""

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

from attrs import define, field, frozen

from tests.programs.hbase.configuration import HOST, write_configuration
from tests.programs.hbase.java import NotStarted, jars, java_command
from tests.programs.hbase.processes import in_background, kill_all
from tests.programs.hbase.server import Ports, free_ports

HERE = Path(__file__).parent

Found = TypeVar("Found")

WAIT_S = 300
"""For a start or a command; on an idle machine a start takes 12 s."""
HEAP_MB = 1024
OUTSIDE_HEAP_MB = 256

SESSION_S = 6
"""How long a region server that was killed counts as alive; HBase's default is 90."""

PROPERTIES = {
    "zookeeper.session.timeout": str(SESSION_S * 1000),
    "hbase.regionserver.port": "0",
    "hbase.regionserver.info.port": "-1",
    "hbase.master.info.port": "-1",
    "hbase.thrift.info.port": "-1",
    "hbase.unsafe.regionserver.hostname": "localhost",
    "hbase.master.ipc.address": HOST,
    "hbase.regionserver.ipc.address": HOST,
    "hbase.regionserver.thrift.ipaddress": HOST,
    "hbase.regionserver.msginterval": "200",
}


class Refused(Exception):
    """A command that the cluster could not do, such as to move a region that is just closed; its reason is HBase's."""


@frozen
class Region:
    """A region, by its first row, and the server that has it."""

    first: bytes
    server: str


@define
class Cluster:
    """A running mini-cluster, and the region servers beside it that have a process of their own."""

    folder: Path
    ports: Ports
    """Where the gateways listen."""
    processes: "list[subprocess.Popen[bytes]]" = field(factory=list)
    _commands: int = 0

    @property
    def url(self) -> str:
        """What `connect` takes."""
        return f"hbase://{HOST}:{self.ports.thrift1}?thrift2_port={self.ports.thrift2}"

    def start(self, region_servers: int) -> None:
        """Returns when the gateways answer."""
        write_configuration(self.folder / "conf", PROPERTIES)
        command = (HERE / "Cluster.java", self.folder, region_servers, self.ports.thrift1, self.ports.thrift2)
        log = self._run("cluster", HEAP_MB, self.folder / "conf", *map(str, command))
        match = _waited(lambda: re.search(r"commands on port (\d+)", log.read_text()), self.processes[0], log)
        self._commands = int(match[1])

    def start_region_server(self) -> "tuple[str, subprocess.Popen[bytes]]":
        """One more region server, which can be killed; its name and its process."""
        before = set(self.servers())
        main = "org.apache.hadoop.hbase.regionserver.HRegionServer"
        log = self._run(f"outside-{len(self.processes)}", OUTSIDE_HEAP_MB, self.folder / "outside", main, "start")
        process = self.processes[-1]
        (name,) = _waited(lambda: set(self.servers()) - before, process, log)
        return name, process

    def servers(self) -> list[str]:
        """The names of the region servers that live."""
        return self.say("servers")

    def regions(self, table: str) -> list[Region]:
        """The regions of a table in order, those that split or move with the server that had them last."""
        lines = (line.split() for line in self.say("regions", table))
        return [Region(_row(first), server) for first, server in lines]

    def counters(self, table: str) -> dict[bytes, tuple[int, int]]:
        """How many rows were read and written in each region since it was opened."""
        lines = (line.split() for line in self.say("counters", table))
        return {_row(first): (int(reads), int(writes)) for first, reads, writes in lines}

    def split(self, table: str, row: bytes) -> None:
        """Makes two regions of the one that holds a row; the second begins with the row."""
        self.say("split", table, _hex(row))

    def move(self, table: str, row: bytes, server: str) -> None:
        """Moves the region that holds a row."""
        self.say("move", table, _hex(row), server)

    def flush(self, table: str) -> None:
        """Writes what is in memory to files."""
        self.say("flush", table)

    def compact(self, *tables: str) -> None:
        """Makes one file of all in each region, and drops what is deleted."""
        self.say("compact", *tables)

    def balance(self, on: bool) -> None:
        """Whether the master moves regions of itself; at first it does not."""
        self.say("balancer", "on" if on else "off")

    def kill(self, server: str) -> None:
        """Ends a region server of the mini-cluster, with nothing closed or written."""
        self.say("kill", server)

    def say(self, *words: str) -> list[str]:
        """A command of Cluster.java, and the lines of its answer."""
        with socket.create_connection((HOST, self._commands), WAIT_S) as connected, connected.makefile("rw") as stream:
            stream.write(" ".join(words) + "\n")
            stream.flush()
            *lines, last = stream.read().splitlines()
        if last != "ok":
            raise Refused(f"{' '.join(words)}: {last}")
        return lines

    def stop(self) -> None:
        """Ends every process at once."""
        kill_all(self.processes)

    def _run(self, name: str, heap_mb: int, conf: Path, *arguments: str) -> Path:
        class_path: list[Path | str] = [conf, self.folder / "conf", jars(HERE / "pom.xml") / "*"]
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        folders = (f"-Djava.io.tmpdir={temporary}", f"-Dtest.build.data.basedirectory={temporary}")
        log = self.folder / f"{name}.log"
        command = [*java_command(heap_mb, class_path), *folders, *arguments]
        self.processes.append(in_background(command, log, self.folder))
        return log


@contextmanager
def running_cluster(region_servers: int = 3) -> Generator[Cluster]:
    """A mini-cluster while the block runs; nothing of it stays."""
    jars(HERE / "pom.xml")  # a download counts for nothing in the time to start
    folder = Path(mkdtemp(prefix="rowbook-cluster-"))
    cluster = Cluster(folder, free_ports())
    try:
        cluster.start(region_servers)
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder)


def _waited(ready: Callable[[], Found | None], process: "subprocess.Popen[bytes]", log: Path) -> Found:
    latest_s = time.monotonic() + WAIT_S
    while not (result := ready()):
        if process.poll() is not None or time.monotonic() > latest_s:
            raise NotStarted(f"{log.stem}: must be ready in {WAIT_S} s: {log.read_text()[-2000:]}")
        time.sleep(0.1)
    return result


def _hex(row: bytes) -> str:
    return f"{row.hex()}."


def _row(text: str) -> bytes:
    return bytes.fromhex(text.removesuffix("."))
