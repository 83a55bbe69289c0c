"""What a far gateway costs reads: pages of one range, of many buckets and of a timeline, with 2 ms more for each reply.

Run it: `python -m tests.programs.benchmarks.bench_reads [--quick] [--store URL]`. Without a store the embedded one runs
in a process of its own. Between it and the client stands a proxy that delays each reply (`tests/programs/faults/
slow.py`), because a loopback hides what a network costs. Times are in replies: a reply's time is that of one get.
"""

import random
import secrets
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import attrs
import happybase
import typer

from domains.feeds import TABLES, FeedRepository, Follow, Post
from domains.logs import LogEvent
from domains.logs.variants import time_first
from shared.keys import KeyLayout, Salt, TimeBucket, between
from shared.queries import Query
from shared.stores import connect
from shared.tables import BoundTable, TableLayout
from tests.programs.benchmarks.measuring import Report, in_turns, stocked, store_or_server
from tests.programs.faults.slow import slow

DELAY_MS = 2.0
BUCKETS = 16
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
EVENTS_BEGIN_MS = 1_768_203_600_000  # 2026-01-12T07:40Z
DAYS = 60
ROWS = 5_000
NOON_MS = 1_768_219_200_000
AUTHORS_WITH_STREAM = 3
IN_FLIGHT = {8: 3.0, 16: 2.0}
"""Requests in flight, and the target: a page of all buckets over a page of one range."""

ONE_RANGE = time_first.TABLE
SALT = Salt(of="host", buckets=BUCKETS)
SALTED_KEY = KeyLayout(ONE_RANGE.key.key_class, SALT)
SALTED = attrs.evolve(ONE_RANGE, name="logs_by_time_salted", key=SALTED_KEY)
SLICED = attrs.evolve(
    ONE_RANGE,
    name="logs_in_days_salted",
    key=KeyLayout(ONE_RANGE.key.key_class, SALT, TimeBucket(of="time_ms", every_ms=DAY_MS)),
)


def main(quick: bool = False, store: str | None = None) -> None:
    """Prints the figures beside their targets; `quick` shows that it runs."""
    report = Report()
    with store_or_server(store) as url:
        compare_reads(report, url, rounds=3 if quick else 25)
    report.end(quick)


def compare_reads(report: Report, url: str, rounds: int) -> None:
    """Compares reads through a proxy that delays each reply of the gateway at `url`."""
    parts = urlsplit(url)
    prefix = f"b{secrets.token_hex(3)}"
    print(f"\nreads with {DELAY_MS:g} ms more a reply")
    with ExitStack() as opened:
        direct = opened.enter_context(closing(connect(url, table_prefix=prefix)))
        opened.enter_context(stocked(direct, (ONE_RANGE, SALTED), log_events(ROWS)))
        opened.enter_context(stocked(direct, (SLICED, *TABLES)))
        port = opened.enter_context(slow(parts.hostname or "", parts.port or 0, DELAY_MS))
        far = f"hbase://127.0.0.1:{port}"
        connection = opened.enter_context(closing(connect(far, table_prefix=prefix)))
        get = partial(connection.table(ONE_RANGE.name).row, b"no such row")
        in_replies(report, "a page of 10 of one range, in replies", page(connection, ONE_RANGE, 10), get, rounds, 2.2)
        in_replies(report, "a page of 10 that is the last", last_page(connection), get, rounds, 2.2)
        for count, target in IN_FLIGHT.items():
            several = opened.enter_context(closing(connect(f"{far}?in_flight={count}", table_prefix=prefix)))
            what = f"a page of 100 of {BUCKETS} buckets / of one range, {count} sockets"
            in_replies(report, what, page(several, SALTED, 100), page(several, ONE_RANGE, 100), rounds, target)
        calls = 3 * BUCKETS * (DAYS + 1)
        sliced = page(connection, SLICED, 100, since_ms=NOON_MS, until_ms=NOON_MS + DAYS * DAY_MS)
        turns = in_turns(sliced, get, rounds=max(2, rounds // 8), at_least_s=0)
        what = f"{BUCKETS} x {DAYS + 1} empty slices / {calls:,} calls one after another"
        report.line(what, turns.ratio() / calls, f"{turns.median_ms(0):.0f} ms", at_most=0.15)
        in_replies(report, "a timeline of 10, in replies", timeline(direct, connection), get, rounds, None)


def log_events(count: int) -> list[LogEvent]:
    """Events of fifty hosts in two hours, no two alike."""
    chance = random.Random(0)
    return [
        LogEvent(
            f"web-{chance.randrange(50)}",
            "GET",
            EVENTS_BEGIN_MS + chance.randrange(2 * HOUR_MS),
            "INFO",
            f"request {number} took {chance.randrange(3000)} ms",
        )
        for number in range(count)
    ]


def in_replies(
    report: Report,
    what: str,
    side: Callable[[], Any],
    unit: Callable[[], Any],
    rounds: int,
    at_most: float | None,
) -> None:
    """Prints the time of one side over that of another."""
    turns = in_turns(side, unit, rounds=rounds, at_least_s=0)
    more = f"{turns.spread():20}  fastest {turns.of_fastest():.2f}  {turns.median_ms(0):.2f} ms"
    report.line(what, turns.ratio(), more, at_most)


def page(
    connection: happybase.Connection,
    layout: TableLayout[Any, Any],
    limit: int,
    since_ms: int | None = None,
    until_ms: int | None = None,
) -> Callable[[], Any]:
    table = BoundTable(connection, layout)
    query: Query[Any] = Query(table, table.plan(time_ms=between(since_ms, until_ms)))
    return partial(query.page, limit)


def last_page(connection: happybase.Connection) -> Callable[[], Any]:
    """A page that its range does not fill."""
    return page(connection, ONE_RANGE, 10, EVENTS_BEGIN_MS, EVENTS_BEGIN_MS + 8_000)


def timeline(direct: happybase.Connection, connection: happybase.Connection) -> Callable[[], Any]:
    """The newest posts of authors whose posts are pushed, and of some that have streams."""
    push, pull = FeedRepository(direct, pull_above=None), FeedRepository(direct, pull_above=0)
    for number in range(10):
        author = f"author-{number}"
        push.follow(Follow("reader", author))
        for at in range(5):
            feeds = pull if number < AUTHORS_WITH_STREAM else push
            feeds.post(Post(author, NOON_MS + 10 * at + number, at, "hello"))
    return partial(FeedRepository(connection).timeline("reader").page, 10)


if __name__ == "__main__":
    typer.run(main)
