"""HBase's own Java client of Thrift1, DemoClient, prints the same on `serve` as on HBase."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.server.thrift_server import ThriftServer
from tests.programs.hbase.java import ROOT, jars, run_java
from tests.programs.hbase.named import named_hbase
from tests.programs.hbase.stores import drop_table
from tests.thrift1 import whole_connection

POMS = ROOT / "tests" / "programs" / "hbase"
CLIENT = "org.apache.hadoop.hbase.thrift.DemoClient"
TABLES = (b"demo_table", b"disabled_table")
ROWS = 101
DROPPED, ATTEMPTS = "TableNotFoundException", 5
"""What the client ends with if another test drops a table while it begins with a list of all."""

_OTHER_TABLES = re.compile(r"^  found: .*\n| Table: (?!demo_table|disabled_table).*\n", re.MULTILINE)
_VERSIONS = re.compile(r"^row: (\d+), values: (.*); $", re.MULTILINE)


def demo(host: str, port: int) -> str:
    """The output of the client if its tables do not exist; it does not drop them, unless it has to begin again."""
    class_path: list[Path | str] = [jars(folder / "pom.xml") / "*" for folder in (POMS, POMS / "examples")]
    for _ in range(ATTEMPTS):
        process = run_java(256, class_path, CLIENT, host, str(port), "false")
        if DROPPED not in process.stderr:
            break
        drop_tables_of_client(host, port)
    assert process.returncode == 0, process.stderr[-3000:]
    return _OTHER_TABLES.sub("", process.stdout)


def drop_tables_of_client(host: str, port: int) -> None:
    with whole_connection(host, port) as connection:
        for table in set(TABLES) & set(connection.tables()):
            drop_table(connection.client, table)


@pytest.mark.hbase
def test_hbases_demo_client_prints_the_same_as_on_hbase() -> None:
    named = named_hbase()
    assert named
    with closing(EmbeddedConnection(None)) as store, ThriftServer(store.service) as server:
        here = demo(server.host, server.port)
    with whole_connection(named.host, named.port) as connection:
        if not set(TABLES).isdisjoint(connection.tables()):
            pytest.skip(f"the client would drop tables that are there: {TABLES}")
    try:
        there = demo(named.host, named.port)
    finally:
        drop_tables_of_client(named.host, named.port)
    # Of three puts in a row HBase may lose a version to the next one, each time of other rows.
    assert _VERSIONS.sub("", here) == _VERSIONS.sub("", there)
    assert [values.split("; ") for _, values in _VERSIONS.findall(here)] == [
        [str(number), "-1", "0"] for number in reversed(range(ROWS))
    ]
