"""Writers that are paused together while regions move and tables are compacted: one compaction serves all of them."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Barrier, BrokenBarrierError, Lock
from typing import Any

import happybase

from shared.tables import TableLayout
from tests.programs.hbase.cluster.cluster import Cluster
from tests.programs.hbase.stores import Stores

WAIT_S = 120
"""For the slowest of the writers that are paused together."""
MOVED = 2
"""The first tables move: that of the sources, and a list."""


class PausedTogether:
    """The engine of crash tests on a mini-cluster. Each test has a thread, and must pause once.

    All tests wait for each other, then regions move. Then others work, and all wait again until all tables have been
    compacted.
    """

    compacts = True
    is_slow = True

    def __init__(self, cluster: Cluster, stores: Stores) -> None:
        self._cluster = cluster
        self._stores = stores
        self._one_at_a_time = Lock()
        self._tables: list[str] = []
        self._moved = self._compacted = Barrier(1)

    def run(self, tests: Iterable[Callable[[], bool]]) -> list[bool]:
        """The results of these tests, which run at once."""
        tests = [*tests]
        self._moved = Barrier(len(tests), self._move, WAIT_S)
        self._compacted = Barrier(len(tests), self._compact, WAIT_S)
        with ThreadPoolExecutor(len(tests)) as threads:
            running = [threads.submit(self._run, test) for test in tests]
        errors = [error for test in running if (error := test.exception())]
        for error in sorted(errors, key=lambda error: isinstance(error, BrokenBarrierError)):
            raise error  # the first that failed, not one that waited for it
        return [test.result() for test in running]

    def _run(self, test: Callable[[], bool]) -> bool:
        try:
            return test()
        except BaseException:
            self._moved.abort()
            self._compacted.abort()
            raise

    @contextmanager
    def stocked_store(
        self, stock: Callable[[happybase.Connection], object], *tables: TableLayout[Any, Any]
    ) -> Iterator[happybase.Connection]:
        with ExitStack() as stack:
            with self._one_at_a_time:
                connection = stack.enter_context(self._stores.shared(*tables))
            stock(connection)
            yield connection

    @contextmanager
    def paused(self, connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]) -> Iterator[None]:
        self._tables = [connection.table(table.name).name.decode() for table in tables]
        self._moved.wait()
        yield
        self._compacted.wait()

    def _move(self) -> None:
        for table in self._tables[:MOVED]:
            (region,) = self._cluster.regions(table)
            others = [server for server in self._cluster.region_servers() if server != region.server]
            self._cluster.move(table, region.first, others[0])

    def _compact(self) -> None:
        self._cluster.compact(*self._tables)
