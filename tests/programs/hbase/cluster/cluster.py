"""HBase's own mini-cluster in a process, and what a gateway cannot ask for: splits, moves, servers that die."""

import re
import socket
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from attrs import define, field, frozen

from tests.programs.hbase.configuration import HOST, ON_LOOPBACK, write_configuration
from tests.programs.hbase.java import jars
from tests.programs.hbase.processes import Answer, Servers, new_folder
from tests.programs.hbase.server import Ports, free_ports

HERE = Path(__file__).parent

WAIT_S = 300
"""For a start or a command; on an idle machine a start takes 12 s."""
HEAP_MB = 1024
OUTSIDE_HEAP_MB = 256

SESSION_S = 6
"""How long a region server that was killed counts as alive; HBase's default is 90."""

PROPERTIES = ON_LOOPBACK | {"zookeeper.session.timeout": str(SESSION_S * 1000), "hbase.master.info.port": "-1"}


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
    servers: Servers = field(init=False)
    processes: "list[subprocess.Popen[bytes]]" = field(factory=list)
    """All that were started."""
    _commands: int = 0

    def __attrs_post_init__(self) -> None:
        self.servers = Servers("mini-cluster", self.folder)

    @property
    def url(self) -> str:
        """What `connect` takes."""
        return f"hbase://{HOST}:{self.ports.thrift1}?thrift2_port={self.ports.thrift2}"

    def start(self, region_servers: int) -> None:
        """Returns when the gateways answer."""
        write_configuration(self.folder / "conf", PROPERTIES)
        command = (HERE / "Cluster.java", self.folder, region_servers, self.ports.thrift1, self.ports.thrift2)
        match = self._run("cluster", HEAP_MB, lambda log: re.search(r"commands on port (\d+)", log), *map(str, command))
        self._commands = int(match[1])

    def start_region_server(self) -> "tuple[str, subprocess.Popen[bytes]]":
        """One more region server, which can be killed; its name and its process."""
        before = set(self.region_servers())
        main = "org.apache.hadoop.hbase.regionserver.HRegionServer"
        name = f"outside-{len(self.processes)}"
        (server,) = self._run(name, OUTSIDE_HEAP_MB, lambda _log: set(self.region_servers()) - before, main, "start")
        return server, self.processes[-1]

    def region_servers(self) -> list[str]:
        """The names of the region servers that live."""
        return self.say("servers")

    def regions(self, table: str) -> list[Region]:
        """The regions of a table in order, those that split or move with the server that had them last."""
        lines = (line.split() for line in self.say("regions", table))
        return [Region(_row(first), server) for first, server in lines]

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

    def _run(self, name: str, heap_mb: int, ready: Callable[[str], Answer], *arguments: str) -> Answer:
        """Starts a process with a configuration of its name, if there is one, and waits for it."""
        conf = self.folder / name.partition("-")[0]
        class_path: list[Path | str] = [conf, self.folder / "conf", jars(HERE / "pom.xml") / "*"]
        base = f"-Dtest.build.data.basedirectory={self.folder / 'tmp'}"
        self.servers.start(name, heap_mb, class_path, base, *arguments)
        self.processes.append(self.servers.running[name])
        return self.servers.wait(name, ready, WAIT_S)


@contextmanager
def running_cluster(region_servers: int = 3) -> Generator[Cluster]:
    """A mini-cluster while the block runs; nothing of it stays."""
    jars(HERE / "pom.xml")  # a download counts for nothing in the time to start
    with new_folder("rowbook-cluster-") as folder:
        cluster = Cluster(folder, free_ports())
        try:
            cluster.start(region_servers)
            yield cluster
        finally:
            cluster.servers.kill()


def _hex(row: bytes) -> str:
    return f"{row.hex()}."


def _row(text: str) -> bytes:
    return bytes.fromhex(text.removesuffix("."))
