"""The HBase that tests run on: the one that ROWBOOK_HBASE names, or one started for them."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from attrs import frozen

from tests.programs.hbase.java import FOR_MINUTES
from tests.programs.hbase.server import running

VARIABLE = "ROWBOOK_HBASE"
"""hbase://HOST:PORT?thrift2_port=PORT, as `make hbase` prints it; HOST:PORT alone does without Thrift2."""

INFO_VARIABLE = "ROWBOOK_HBASE_INFO"
"""http://HOST:PORT of the master's page, for what takes its counters or its configuration."""


@frozen
class NamedHBase:
    """Where the gateways of an HBase listen, and its master's page if that was named too."""

    url: str
    host: str
    port: int
    thrift2_port: int | None
    info_url: str | None


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
        os.environ.update(variables)
        try:
            yield _named()
        finally:
            for name in variables:
                del os.environ[name]


def _named() -> NamedHBase:
    named = named_hbase()
    assert named
    return named
