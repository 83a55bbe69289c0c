"""The HBase that tests run on: the one that ROWBOOK_HBASE names, or one started for them."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

from attrs import frozen

from tests.programs.hbase.java import FOR_MINUTES
from tests.programs.hbase.server import running

VARIABLE = "ROWBOOK_HBASE"
"""hbase://HOST:PORT?thrift2_port=PORT, as `make hbase` prints it; HOST:PORT alone does without Thrift2."""

INFO_VARIABLE = "ROWBOOK_HBASE_INFO"
"""http://HOST:PORT of the master's page, for what takes its counters or its configuration."""

SHARED_VARIABLE = "ROWBOOK_HBASE_SHARED"
"""The folder of what the processes of one test run share; its name is the prefix of their tables."""

TIMEOUT_MS = 120_000


@frozen
class NamedHBase:
    """Where the gateways of an HBase listen, and its master's page if that was named too."""

    url: str
    host: str
    port: int
    thrift2_port: int | None
    info_url: str | None

    def store_url(self, table_prefix: str | None = None) -> str:
        """Of the store with this prefix, or of the whole server; its calls may take long.

        Ranges are read one after the other, so that calls come in the same order each time.
        """
        options = f"timeout_ms={TIMEOUT_MS}&in_flight=1"
        url = f"{self.url}{'&' if '?' in self.url else '?'}{options}"
        return f"{url}&table_prefix={table_prefix}" if table_prefix else url


def named_hbase() -> NamedHBase | None:
    """The HBase that was named, if one was."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    url = text if text.startswith("hbase://") else f"hbase://{text}"
    parts = urlsplit(url)
    (thrift2_port,) = parse_qs(parts.query).get("thrift2_port", [None])
    info_url = os.environ.get(INFO_VARIABLE)
    return NamedHBase(url, parts.hostname or "", parts.port or 9090, thrift2_port and int(thrift2_port), info_url)


@contextmanager
def named_or_started(java_options: tuple[str, ...] = FOR_MINUTES) -> Generator[NamedHBase]:
    """An HBase; where none was named, one that ends with the block and is the named one until then."""
    if named_hbase():
        yield _named()
        return
    with running(java_options=java_options) as hbase:
        variables = {VARIABLE: hbase.url, INFO_VARIABLE: hbase.info_url}
        with patch.dict(os.environ, variables):
            yield _named()


def _named() -> NamedHBase:
    named = named_hbase()
    assert named
    return named


@contextmanager
def shared_folder() -> Generator[str]:
    """A folder that the processes started in the block share; its name may be the prefix of tables that they share."""
    with TemporaryDirectory(prefix="test") as folder, patch.dict(os.environ, {SHARED_VARIABLE: folder}):
        yield Path(folder).name


def shared_store_url() -> str:
    """The URL of the store on the named HBase that all processes of this test run share."""
    return _named().store_url(Path(os.environ[SHARED_VARIABLE]).name)


@contextmanager
def locked(what: str) -> Generator[Path]:
    """A file to mark that this is done; until the block ends, other processes of this test run wait for it."""
    file = Path(os.environ[SHARED_VARIABLE], what)
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield file
