"""The HBase that tests run on: the one that ROWBOOK_HBASE names, or one started for them."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from attrs import frozen

from tests.hbase.server import running

VARIABLE = "ROWBOOK_HBASE"
"""hbase://HOST:PORT?thrift2_port=PORT, as `make hbase` prints it; HOST:PORT alone does without Thrift2."""


@frozen
class NamedHBase:
    """Where the gateways of an HBase listen."""

    url: str
    host: str
    port: int
    thrift2_port: int | None


def named_hbase() -> NamedHBase | None:
    """The HBase that was named, if one was."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    url = text if text.startswith("hbase://") else f"hbase://{text}"
    parts = urlsplit(url)
    (thrift2_port,) = parse_qs(parts.query).get("thrift2_port", [None])
    return NamedHBase(url, parts.hostname or "", parts.port or 9090, thrift2_port and int(thrift2_port))


@contextmanager
def named_or_started() -> Generator[NamedHBase]:
    """An HBase; where none was named, one that ends with the block and is the named one until then."""
    if named_hbase():
        yield _named()
        return
    with running() as hbase:
        os.environ[VARIABLE] = hbase.url
        try:
            yield _named()
        finally:
            del os.environ[VARIABLE]


def _named() -> NamedHBase:
    named = named_hbase()
    assert named
    return named
