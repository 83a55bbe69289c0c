"""A real OpenTSDB on an HBase of its own until Ctrl-C. Prints the URLs of both."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

from domains.tsdb.keys import TABLES
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.hbase.processes import until_ctrl_c
from tests.programs.hbase.server import running as running_hbase
from tests.programs.opentsdb.server import running


@contextmanager
def announced() -> Iterator[list[str]]:
    """An OpenTSDB while the block runs, and what is said of it."""
    with running_hbase() as hbase:
        with closing(connect(hbase.url)) as connection:
            create_tables(connection, TABLES)
        with running(hbase.ports.zookeeper, {"tsd.storage.enable_compaction": "true"}) as opentsdb:
            yield [
                "OpenTSDB is ready; Ctrl-C ends it and its HBase",
                f"--store '{hbase.url}'",
                f"{opentsdb.url}/api/query?start=1h-ago&m=sum:METRIC; log: {opentsdb.folder}",
            ]


if __name__ == "__main__":
    sys.exit(until_ctrl_c(announced()))
