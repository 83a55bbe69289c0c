"""Newest first both ways: a scan of reversed time against a reverse scan of time as it is (S0.4), as ratios of one run.

Run `python -m tests.programs.benchmarks.bench_reverse [--quick] [--store URL]`. On a real HBase, give its URL: the
tables get a prefix of their own and are dropped in the end.
"""

import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]

HOSTS, EVENTS = 20, 2_000
BATCH = 1_000
LIMITS = (10, 100, 1_000)
PREFIX = "rowbook_bench"


def seconds(action: Callable[[], Any], times: int) -> float:
    """The best of so many times."""
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - begin)
    return best


def main(quick: bool, url: str) -> None:
    """Prints, for each number of rows, the time of the reverse scan over that of the plain one."""
    from domains.logs import LOGS, LogEvent, LogRepository
    from domains.logs.keys import LogTables
    from domains.logs.variants.host_first import TABLE as HOST_FIRST
    from shared.stores import connect
    from shared.tables import create_tables, drop_tables

    tables = (LOGS, HOST_FIRST)
    hosts, events = (2, 1_200) if quick else (HOSTS, EVENTS)
    made = [
        LogEvent(f"host{host}", "GET", at_ms, message="a line of a log")
        for host in range(hosts)
        for at_ms in range(events)
    ]
    with closing(connect(url, table_prefix=PREFIX)) as connection:
        try:
            create_tables(connection, tables)
            for table in tables:
                with connection.table(table.name).batch(batch_size=BATCH) as batch:
                    for event in made:
                        batch.put(table.row(event), table.cells.pack(event))
            newest_first, oldest_first = (LogRepository(connection, LogTables(table)) for table in tables)
            print(f"{'latest, reverse scan / reversed time':40} {'time':>6}")
            for limit in LIMITS:
                answers = [
                    repository.latest("host1", "GET").page(limit).records for repository in (newest_first, oldest_first)
                ]
                assert answers[0] == answers[1]
                times = 3 if quick else 50
                plain_s, reverse_s = (
                    seconds(partial(repository.latest("host1", "GET").page, limit), times)
                    for repository in (newest_first, oldest_first)
                )
                print(f"{f'{limit:,} of {events:,} rows of one host':40} {reverse_s / plain_s:6.2f}")
        finally:
            drop_tables(connection, tables)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    options = sys.argv[1:]
    main("--quick" in options, options[options.index("--store") + 1] if "--store" in options else "embedded:")
