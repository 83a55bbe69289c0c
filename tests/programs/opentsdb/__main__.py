"""`make opentsdb`: a real OpenTSDB on an HBase of its own until Ctrl-C. Prints the URLs of both."""

import signal
import sys
from contextlib import closing

from domains.tsdb.keys import TABLES
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.server import running as running_hbase
from tests.programs.opentsdb.server import running


def main() -> int:
    # A command that a shell runs in the background ignores the first.
    for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signal_number, signal.default_int_handler)
    try:
        with running_hbase() as hbase:
            with closing(connect(hbase.url)) as connection:
                create_tables(connection, TABLES)
            tables = {"data": "tsdb", "uid": "tsdb-uid"}
            with running(hbase.ports.zookeeper, tables, {"tsd.storage.enable_compaction": "true"}) as opentsdb:
                print("OpenTSDB is ready; Ctrl-C ends it and its HBase")
                print(f"--store '{hbase.url}'")
                print(f"{opentsdb.url}/api/query?start=1h-ago&m=sum:METRIC; log: {opentsdb.folder}", flush=True)
                signal.pause()
    except KeyboardInterrupt:
        return 130
    except NotStarted as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
