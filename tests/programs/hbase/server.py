"""A real HBase of its own: master, region servers and ZooKeeper in one process, and the two Thrift gateways."""

import fcntl
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

import happybase
from attrs import define, field, frozen
from thriftpy2.thrift import TException

from tests.programs.hbase.configuration import HOST, standalone, write_configuration
from tests.programs.hbase.java import NotStarted, jars, java_command
from tests.programs.hbase.processes import in_background, kill_all

POM = Path(__file__).parent / "pom.xml"

START_S = 60
HEAP_MB = 4096
"""Of a region server with a gigabyte it is known that it dies of three million points."""
GATEWAY_HEAP_MB = 512

_SERVER, _THRIFT1, _THRIFT2 = "server", "thrift1", "thrift2"
_GATEWAYS = {
    _THRIFT1: "org.apache.hadoop.hbase.thrift.ThriftServer",
    _THRIFT2: "org.apache.hadoop.hbase.thrift2.ThriftServer",
}
_READY = "Master has completed initialization"


@frozen
class Ports:
    """Where an HBase listens, always on 127.0.0.1; those of the region servers are any."""

    thrift1: int
    thrift2: int
    info: int
    """The master's page, with counters as JSON below /jmx."""
    zookeeper: int


def free_ports(*, thrift1: int | None = None, thrift2: int | None = None, info: int | None = None) -> Ports:
    """Free ports; NotStarted if a given one is in use."""
    sockets: list[socket.socket] = []
    try:
        for wanted in (thrift1, thrift2, info, None):
            sockets.append(socket.socket())
            try:
                sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                sockets[-1].bind((HOST, wanted or 0))
            except OSError as error:
                raise NotStarted(f"port {wanted}: must be free (got: {error.strerror}); name another") from None
        return Ports(*(socket_.getsockname()[1] for socket_ in sockets))
    finally:
        for socket_ in sockets:
            socket_.close()


@define
class HBase:
    """A running HBase; a context manager that leaves no process and, unless `keep`, no file behind.

    `kill_gateways`, `kill` and `start` stop and start parts of it on the same ports and data.
    """

    folder: Path
    ports: Ports
    keep: bool = False
    region_servers: int = 3
    heap_mb: int = HEAP_MB
    java_options: tuple[str, ...] = ()
    _running: dict[str, "subprocess.Popen[bytes]"] = field(factory=dict, init=False)
    _lock: IO[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """What `--store` and `connect` take."""
        return f"hbase://{HOST}:{self.ports.thrift1}?thrift2_port={self.ports.thrift2}"

    @property
    def info_url(self) -> str:
        """The master's page; its counters are below /jmx."""
        return f"http://{HOST}:{self.ports.info}"

    @property
    def processes(self) -> "list[subprocess.Popen[bytes]]":
        """The server and its gateways, as far as they run."""
        return list(self._running.values())

    def log(self, name: str = _SERVER) -> Path:
        """Where the server, `thrift1` or `thrift2` writes what goes wrong."""
        return self.folder / f"{name}.log"

    def start(self) -> None:
        """Starts what does not run, and returns when all of it answers."""
        latest_s = time.monotonic() + START_S
        lib = jars(POM)
        if self._lock is None:
            self._lock = locked(self.folder)
        conf = self.folder / "conf"
        write_configuration(
            conf,
            standalone(
                self.folder,
                zookeeper_port=self.ports.zookeeper,
                info_port=self.ports.info,
                region_servers=self.region_servers,
            ),
        )
        class_path = [conf, lib / "*"]
        if _SERVER not in self._running:
            main = "org.apache.hadoop.hbase.master.HMaster"
            self._run(_SERVER, self.heap_mb, class_path, main, f"--localRegionServers={self.region_servers}", "start")
            self._wait(_SERVER, lambda: _READY in self.log().read_text(errors="replace"), latest_s)
        for name, main in _GATEWAYS.items():
            if name not in self._running:
                port = getattr(self.ports, name)
                arguments = ("-p", str(port), "-b", HOST, "--infoport", "-1", "start")
                self._run(name, GATEWAY_HEAP_MB, class_path, main, *arguments)
        self._wait(_THRIFT1, lambda: _answers(self.ports.thrift1), latest_s)
        self._wait(_THRIFT2, lambda: _listens(self.ports.thrift2), latest_s)

    def kill_gateways(self) -> None:
        """Ends the Thrift gateways as `kill -9` does."""
        self._kill(*_GATEWAYS)

    def kill(self) -> None:
        """Ends everything as `kill -9` does."""
        self._kill(*_GATEWAYS, _SERVER)

    def stop(self) -> None:
        """Ends everything; what was written is in the server's log, and there again after the next start."""
        self.kill()
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "HBase":
        try:
            self.start()
        except BaseException as error:
            self.keep = self.keep or (isinstance(error, NotStarted) and self.log().exists())  # the message names it
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self, name: str, heap_mb: int, class_path: list[Path | str], *arguments: str) -> None:
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        command = [*java_command(heap_mb, class_path), f"-Djava.io.tmpdir={temporary}", *self.java_options, *arguments]
        self._running[name] = in_background(command, self.log(name))

    def _wait(self, name: str, ready: Callable[[], bool], latest_s: float) -> None:
        while not ready():
            ended = self._running[name].poll()
            if ended is not None:
                raise NotStarted(f"HBase: {name} ended with {ended}{self._reason(name)}; log: {self.log(name)}")
            if time.monotonic() > latest_s:
                raise NotStarted(
                    f"HBase: {name} must be ready in {START_S} s: is the machine busy? log: {self.log(name)}"
                )
            time.sleep(0.1)

    def _reason(self, name: str) -> str:
        text = self.log(name).read_text(errors="replace")
        return ", a port that was free is in use now: start it again" if "Address already in use" in text else ""

    def _kill(self, *names: str) -> None:
        kill_all([process for name in names if (process := self._running.pop(name, None))])


@contextmanager
def running(
    *,
    data: Path | None = None,
    thrift1: int | None = None,
    thrift2: int | None = None,
    info: int | None = None,
    region_servers: int = 3,
    heap_mb: int = HEAP_MB,
    java_options: tuple[str, ...] = (),
) -> Generator[HBase]:
    """An HBase while the block runs; its data stay in `data` if that is given."""
    ports = free_ports(thrift1=thrift1, thrift2=thrift2, info=info)
    jars(POM)  # a download counts for nothing in the time to start
    if data is None:
        folder = Path(mkdtemp(prefix="rowbook-hbase-"))
    else:
        folder = data.absolute()
        folder.mkdir(parents=True, exist_ok=True)
    with HBase(folder, ports, data is not None, region_servers, heap_mb, java_options) as hbase:
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
