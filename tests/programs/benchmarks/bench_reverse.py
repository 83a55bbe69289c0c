"""Newest first both ways: a scan of reversed time against a reverse scan of time as it is (S0.4), as ratios of one run.

Run `python -m tests.programs.benchmarks.bench_reverse [--quick] [--store URL]`. On a real HBase, give its URL: the
tables get a prefix of their own and are dropped in the end.
"""

from functools import partial

import typer

from domains.logs import LOGS, LogEvent, LogRepository
from domains.logs.keys import LogTables
from domains.logs.variants.host_first import TABLE as HOST_FIRST
from tests.programs.benchmarks.measuring import Report, best_s, new_tables, put_records

LIMITS = (10, 100, 1_000)


def main(quick: bool = False, store: str = "embedded:") -> None:
    """Prints, for each number of rows, the time of the reverse scan over that of the plain one."""
    hosts, events = (2, 1_200) if quick else (20, 2_000)
    made = [
        LogEvent(f"host{host}", "GET", at_ms, message="a line of a log")
        for host in range(hosts)
        for at_ms in range(events)
    ]
    tables = LOGS, HOST_FIRST
    with new_tables(store, tables) as connection:
        for table in tables:
            put_records(connection, table, made)
        queries = [LogRepository(connection, LogTables(table)).latest("host1", "GET") for table in tables]
        for limit in LIMITS:
            plain, reverse = (partial(query.page, limit) for query in queries)
            assert plain().records == reverse().records
            ratio = best_s(reverse, 3 if quick else 50) / best_s(plain, 3 if quick else 50)
            Report().line(f"reverse / reversed time, {limit:,} of {events:,} rows", ratio)


if __name__ == "__main__":
    typer.run(main)
