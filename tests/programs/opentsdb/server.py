"""A real OpenTSDB of its own, on an HBase that runs already; and what it answers."""

import json
import re
import socket
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from attrs import frozen

from domains.tsdb import Point
from tests.programs.hbase.configuration import HOST
from tests.programs.hbase.java import jars, run_java
from tests.programs.hbase.processes import Servers, new_folder
from tests.programs.hbase.server import free_ports

POM = Path(__file__).parent / "pom.xml"
TABLES = {"data": "tsdb", "uid": "tsdb-uid"}
COMPACTING = {
    "tsd.storage.enable_compaction": "true",
    "tsd.storage.compaction.min_flush_threshold": 1,
    "tsd.storage.compaction.flush_interval": 1,
}
START_S = 300
HEAP_MB = 512
_LOGBACK = """<configuration>
  <appender name="STDERR" class="ch.qos.logback.core.ConsoleAppender"><target>System.err</target>
    <encoder><pattern>%d{ISO8601} %-5level %logger{0}: %msg%n</pattern></encoder></appender>
  <root level="WARN"><appender-ref ref="STDERR"/></root>
</configuration>
"""


def version() -> str:
    """Of OpenTSDB, as `pom.xml` has it; it does not know it itself."""
    match = re.search(
        r"<groupId>net.opentsdb</groupId>\s*<artifactId>opentsdb</artifactId>\s*<version>([^<]+)",
        POM.read_text(encoding="utf-8"),
    )
    assert match, f"{POM}: must have the version of opentsdb"
    return match[1]


class Refused(Exception):
    """It answered with an error; the message is its text."""


@frozen
class OpenTSDB:
    """A running OpenTSDB."""

    port: int
    folder: Path
    tables: Mapping[str, str]
    zookeeper_port: int

    @property
    def url(self) -> str:
        """Where its HTTP interface is."""
        return f"http://{HOST}:{self.port}"

    def put(self, points: Iterable[Point]) -> None:
        """Stores points through HTTP, and waits until HBase has them. It stores every float in 8 bytes."""
        self._call("/api/put?sync&details", body_of(points, unit_ms=1))

    def put_lines(self, lines: Iterable[str]) -> None:
        """Stores points through telnet, which answers nothing: `metric time value tag=value ...`."""
        answer = self.answer_by_telnet(sent_by_telnet(lines))
        assert b"net.opentsdb" in answer, answer
        assert b"put:" not in answer, answer

    def answer_by_telnet(self, sent: bytes) -> bytes:
        """All that it answers through telnet, until it closes the connection."""
        with (
            socket.create_connection((HOST, self.port), timeout=60) as connection,
            connection.makefile("rwb") as stream,
        ):
            stream.write(sent)
            stream.flush()
            return stream.read()

    def query(self, m: str, since_ms: int, until_ms: int) -> list[dict[str, Any]]:
        """What it answers to a query text, or to `tsuid=`, for times from `since_ms` up to but not at `until_ms`."""
        path = self.query_path(m, since_ms, until_ms)
        answer: list[dict[str, Any]] = json.loads(self._call(f"{path}&show_tsuids=true&global_annotations=true"))
        return answer

    def query_path(self, m: str, since_ms: int, until_ms: int) -> str:
        """The path of that question."""
        parameter = ("tsuid", m.removeprefix("tsuid=")) if m.startswith("tsuid=") else ("m", m)
        asked = urlencode([("start", since_ms), ("end", until_ms - 1), parameter])
        return f"/api/query?{asked}&ms=true&arrays=true"

    def aggregators(self) -> set[str]:
        """The names of its aggregators."""
        return {*json.loads(self._call("/api/aggregators"))}

    def filters(self) -> set[str]:
        """The names of its filters of tags."""
        return {*json.loads(self._call("/api/config/filters"))}

    def annotate(self, annotation: Mapping[str, Any]) -> None:
        """Stores an annotation; fields that it leaves out stay as they are."""
        self._call("/api/annotation", json.dumps(annotation).encode())

    def assign(self, kind: str, names: Iterable[str]) -> None:
        """Gives names UIDs; those that have one keep it."""
        with suppress(Refused):  # 400 if a name has one already; the others get theirs
            self._call("/api/uid/assign", json.dumps({kind: list(names)}).encode())

    def run_tool(self, main: str, *arguments: str) -> str:
        """What one of its command-line tools prints."""
        config = f"--config={self.folder / 'opentsdb.conf'}"
        done = run_java(HEAP_MB, [self.folder, jars(POM) / "*"], f"net.opentsdb.tools.{main}", config, *arguments)
        return done.stdout + done.stderr

    def _call(self, path: str, body: bytes | None = None) -> bytes:
        request = Request(self.url + path, body, {"Content-Type": "application/json; charset=UTF-8"})
        try:
            with urlopen(request, timeout=60) as reply:
                answer: bytes = reply.read()
                return answer
        except HTTPError as error:
            raise Refused(error.read().decode(errors="replace")[:2000]) from None


def body_of(points: Iterable[Point], unit_ms: int) -> bytes:
    """Points as `/api/put` takes them, with times in units of so many milliseconds."""
    return json.dumps(
        [
            {
                "metric": point.metric,
                "timestamp": point.time_ms // unit_ms,
                "value": point.value,
                "tags": dict(point.tags),
            }
            for point in points
        ]
    ).encode()


def sent_by_telnet(lines: Iterable[str]) -> bytes:
    """Lines that are put, and the ends of a conversation."""
    return "".join(f"put {line}\n" for line in lines).encode("latin-1") + b"version\nexit\n"


@contextmanager
def running(
    zookeeper_port: int, options: Mapping[str, object] | None = None, tables: Mapping[str, str] = TABLES
) -> Generator[OpenTSDB]:
    """An OpenTSDB while the block runs. `tables` names its tables `data` and `uid`, which exist."""
    class_path = [jars(POM) / "*"]
    with new_folder("rowbook-opentsdb-") as folder:
        server = OpenTSDB(free_ports().thrift1, folder, tables, zookeeper_port)
        _configure(server, options or {})
        servers = Servers("OpenTSDB", folder)
        try:
            main = ("net.opentsdb.tools.TSDMain", f"--config={folder / 'opentsdb.conf'}", "--disable-ui=true")
            servers.start("opentsdb", HEAP_MB, [folder, *class_path], *main)
            servers.wait("opentsdb", lambda _log: _answers(server), START_S)
            yield server
        finally:
            servers.kill()


def _configure(server: OpenTSDB, options: Mapping[str, object]) -> None:
    folder = server.folder
    for name in ("static", "cache"):
        (folder / name).mkdir()
    settings: dict[str, object] = {
        "tsd.network.port": server.port,
        "tsd.network.bind": HOST,
        "tsd.http.staticroot": folder / "static",
        "tsd.http.cachedir": folder / "cache",
        "tsd.storage.hbase.zk_quorum": f"{HOST}:{server.zookeeper_port}",
        "tsd.core.auto_create_metrics": "true",
        "tsd.storage.fix_duplicates": "true",
        "tsd.storage.enable_compaction": "false",
        "tsd.http.request.enable_chunked": "true",
        "tsd.http.request.max_chunk": 10_000_000,
        "hbase.rpcs.buffered_flush_interval": 20,
        **{f"tsd.storage.hbase.{kind}_table": table for kind, table in server.tables.items()},
        **options,
    }
    (folder / "opentsdb.conf").write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
    (folder / "logback.xml").write_text(_LOGBACK)


def _answers(server: OpenTSDB) -> bool:
    with suppress(OSError), closing(urlopen(f"{server.url}/api/version", timeout=5)):
        return True
    return False
