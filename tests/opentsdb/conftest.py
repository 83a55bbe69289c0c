"""A real OpenTSDB on a real HBase, with the tables of `tsdb`; only `make verify PARTS=opentsdb` starts them."""

from collections.abc import Iterator
from contextlib import closing

import happybase
import pytest

from domains.tsdb.changing.rewriting import QUIET_MS
from domains.tsdb.keys import TABLES
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import server_clock
from tests.programs.hbase.java import FOR_MINUTES
from tests.programs.hbase.server import HBase
from tests.programs.hbase.server import running as running_hbase
from tests.programs.opentsdb.server import OpenTSDB, running


@pytest.fixture(autouse=True, scope="session")
def _clocks_ahead() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """A clock of a test, or of the series that all share, may be ahead, so that cells are old enough to compact."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server_clock, "MAX_SKEW_MS", 3 * QUIET_MS)
        yield


@pytest.fixture(scope="session")
def hbase() -> Iterator[HBase]:
    with running_hbase(region_servers=1, java_options=FOR_MINUTES) as hbase:
        yield hbase


@pytest.fixture(scope="session")
def connection(hbase: HBase) -> Iterator[happybase.Connection]:
    with closing(connect(hbase.url)) as connection:
        create_tables(connection, TABLES)
        yield connection


@pytest.fixture(scope="session")
def opentsdb(hbase: HBase, connection: happybase.Connection) -> Iterator[OpenTSDB]:
    """One that leaves rows as they are."""
    with running(hbase.ports.zookeeper) as server:
        yield server
