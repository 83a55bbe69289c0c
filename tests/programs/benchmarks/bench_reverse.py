"""Newest first both ways: a scan of reversed time against a reverse scan of time as it is (S0.4), as ratios of one run.

Run `python -m tests.programs.benchmarks.bench_reverse [--quick] [--store URL]`. On a real HBase, give its URL: the
tables get a prefix of their own and are dropped in the end.
"""

from functools import partial

from domains.logs import LOGS, LogEvent, LogRepository
from domains.logs.keys import LogTables
from domains.logs.variants.host_first import TABLE as HOST_FIRST
from tests.programs.benchmarks.measuring import best_s, new_tables, options, put_records

HOSTS, EVENTS = 20, 2_000
LIMITS = (10, 100, 1_000)


def main(quick: bool, url: str) -> None:
    """Prints, for each number of rows, the time of the reverse scan over that of the plain one."""
    tables = (LOGS, HOST_FIRST)
    hosts, events = (2, 1_200) if quick else (HOSTS, EVENTS)
    made = [
        LogEvent(f"host{host}", "GET", at_ms, message="a line of a log")
        for host in range(hosts)
        for at_ms in range(events)
    ]
    with new_tables(url, tables) as connection:
        for table in tables:
            put_records(connection, table, made)
        newest_first, oldest_first = (LogRepository(connection, LogTables(table)) for table in tables)
        print(f"{'latest, reverse scan / reversed time':40} {'time':>6}")
        for limit in LIMITS:
            answers = [
                repository.latest("host1", "GET").page(limit).records for repository in (newest_first, oldest_first)
            ]
            assert answers[0] == answers[1]
            times = 3 if quick else 50
            plain_s, reverse_s = (
                best_s(partial(repository.latest("host1", "GET").page, limit), times)
                for repository in (newest_first, oldest_first)
            )
            print(f"{f'{limit:,} of {events:,} rows of one host':40} {reverse_s / plain_s:6.2f}")


if __name__ == "__main__":
    given = options(__doc__, store="otherwise an embedded one in memory")
    main(given.quick, given.store or "embedded:")
