"""A real HBase of its own: master, region servers and ZooKeeper in one process, and the two Thrift gateways."""

import fcntl
import socket
from collections.abc import Generator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO

import happybase
from attrs import define, field, frozen
from thriftpy2.thrift import TException

from tests.programs.hbase.configuration import HOST, standalone, write_configuration
from tests.programs.hbase.java import NotStarted, jars
from tests.programs.hbase.processes import Servers, new_folder

POM = Path(__file__).parent / "pom.xml"

START_S = 300
HEAP_MB = 4096
"""Of a region server with a gigabyte it is known that it dies of three million points."""
GATEWAY_HEAP_MB = 512

_SERVER, _THRIFT1, _THRIFT2 = "server", "thrift1", "thrift2"
_GATEWAYS = {
    _THRIFT1: "org.apache.hadoop.hbase.thrift.ThriftServer",
    _THRIFT2: "org.apache.hadoop.hbase.thrift2.ThriftServer",
}
_MASTER = "org.apache.hadoop.hbase.master.HMaster"
_READY = "Master has completed initialization"


@frozen
class Ports:
    """Where an HBase listens, always on 127.0.0.1; those of the region servers are any."""

    thrift1: int
    thrift2: int
    info: int
    """The master's page, with counters as JSON below /jmx."""
    zookeeper: int


def free_ports(thrift1: int | None = None) -> Ports:
    """Free ports; NotStarted if the given one is in use."""
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.socket()) for _ in range(4)]
        for bound, wanted in zip(sockets, (thrift1, None, None, None), strict=True):
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                bound.bind((HOST, wanted or 0))
            except OSError as error:
                raise NotStarted(f"port {wanted}: must be free (got: {error.strerror}); name another") from None
        return Ports(*(bound.getsockname()[1] for bound in sockets))


@define
class HBase:
    """A running HBase; a context manager that leaves no process behind.

    `kill_gateways`, `kill` and `start` stop and start parts of it on the same ports and data.
    """

    folder: Path
    ports: Ports
    region_servers: int = 3
    java_options: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(factory=dict)
    """Further properties of its configuration."""
    gateway_options: tuple[str, ...] = ()
    """Further options of Java, for the gateways that are started next."""
    servers: Servers = field(init=False)
    _lock: IO[bytes] | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.servers = Servers("HBase", self.folder)

    @property
    def url(self) -> str:
        """What `--store` and `connect` take."""
        return f"hbase://{HOST}:{self.ports.thrift1}?thrift2_port={self.ports.thrift2}"

    @property
    def info_url(self) -> str:
        """The master's page; its counters are below /jmx."""
        return f"http://{HOST}:{self.ports.info}"

    def start(self) -> None:
        """Starts what does not run, and returns when all of it answers."""
        class_path = [self.folder / "conf", jars(POM) / "*"]
        self._lock = self._lock or locked(self.folder)
        ports = {"zookeeper_port": self.ports.zookeeper, "info_port": self.ports.info}
        properties = standalone(self.folder, **ports, region_servers=self.region_servers) | {**self.properties}
        write_configuration(class_path[0], properties)
        if _SERVER not in self.servers.running:
            main = (*self.java_options, _MASTER, f"--localRegionServers={self.region_servers}", "start")
            self.servers.start(_SERVER, HEAP_MB, class_path, *main)
            self.servers.wait(_SERVER, lambda log: _READY in log, START_S)
        for name, main_class in _GATEWAYS.items():
            if name not in self.servers.running:
                arguments = ("-p", str(getattr(self.ports, name)), "-b", HOST, "--infoport", "-1", "start")
                options = (*self.java_options, *self.gateway_options)
                self.servers.start(name, GATEWAY_HEAP_MB, class_path, *options, main_class, *arguments)
        self.servers.wait(_THRIFT1, lambda _log: _answers(self.ports.thrift1), START_S)
        self.servers.wait(_THRIFT2, lambda _log: _listens(self.ports.thrift2), START_S)

    def kill_gateways(self) -> None:
        """Ends the Thrift gateways as `kill -9` does."""
        self.servers.kill(*_GATEWAYS)

    def kill(self) -> None:
        """Ends everything as `kill -9` does; what was written is there after the next start."""
        self.servers.kill(*_GATEWAYS, _SERVER)

    def __enter__(self) -> "HBase":
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        if self._lock is not None:
            self._lock.close()
            self._lock = None


@contextmanager
def running(
    *,
    data: Path | None = None,
    thrift1: int | None = None,
    region_servers: int = 3,
    java_options: tuple[str, ...] = (),
    properties: Mapping[str, str] | None = None,
) -> Generator[HBase]:
    """An HBase while the block runs; its data stay in `data` if that is given."""
    ports = free_ports(thrift1)
    jars(POM)  # a download counts for nothing in the time to start
    if data is not None:
        data.mkdir(parents=True, exist_ok=True)
    place = nullcontext(data.absolute()) if data else new_folder("rowbook-hbase-")
    with place as folder, HBase(folder, ports, region_servers, java_options, properties or {}) as hbase:
        yield hbase


def locked(folder: Path) -> IO[bytes]:
    """Holds a folder until it is closed; NotStarted where another process does."""
    lock = (folder / "lock").open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise NotStarted(f"{folder}: must be used by one HBase at a time (got another); name another folder") from None
    return lock


def _answers(port: int) -> bool:
    with suppress(TException, OSError), closing(happybase.Connection(HOST, port, timeout=5000)) as connection:
        connection.tables()
        return True
    return False


def _listens(port: int) -> bool:
    with suppress(OSError), closing(socket.create_connection((HOST, port), timeout=5)):
        return True
    return False
