"""What a fan-out costs beside raw batches of the same rows, and when pulling is cheaper.

Run it: `python -m tests.programs.benchmarks.bench_feeds [--quick] [--store URL]`. Without a store the embedded one
runs in a process of its own, so that every call crosses a socket, as it does to a Thrift gateway.

A post goes to many followers, in turns with raw batches. **Raw** means: happybase's own scan reads the followers, and
its batches put the same rows with the same timestamp, 1,000 in a call, with keys made by hand, without steps and a
position. Targets: rows per second at least 0.8 of those of raw batches, and the same peak memory of the process that
posts, however many the followers are. Then pages of a timeline merge more and more streams: what a page costs for each
of them, and what a line costs that is pushed, say at how many pages for each follower and post pushing is worth it.
"""

import resource
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import count
from typing import Any

import typer

from domains.feeds import TABLES, FeedRepository, Follow, Post
from domains.feeds.keys import FOLLOWERS, FOLLOWING, ReaderOfAuthor
from shared.stores import connect
from tests.programs.benchmarks.measuring import in_turns, put_records, put_rows, stocked, store_or_server

SIZES = 10_000, 1_000_000
SIZES_OF_STORE = 10_000, 100_000
ROUNDS = 5
ROWS_OF_ALL_ROUNDS = 2_000_000
"""Fewer rounds of larger fan-outs."""
AT_LEAST = 0.8
"""The target: rows per second of a fan-out over those of raw batches."""
MEMORY_AT_MOST_KIB = 4 * 1024
"""The target: how much more memory the largest fan-out may need than the smallest."""
STREAMS = 0, 4, 16
PAGES = 100
BATCH = 1_000
NOON_MS = 1_768_219_200_000


def main(quick: bool = False, store: str | None = None) -> None:
    """Prints the figures; `quick` shows that it runs, with few followers."""
    sizes = (100, 3_000) if quick else SIZES_OF_STORE if store else SIZES
    with store_or_server(store) as url:
        prefix = f"b{secrets.token_hex(3)}"
        with closing(connect(url, table_prefix=prefix)) as connection, stocked(connection, TABLES):
            line_us = _fan_outs(connection, url, prefix, sizes, 2 if quick else ROUNDS)
            _threshold(connection, line_us, 5 if quick else PAGES)


def _repository(connection: Any) -> Any:
    return FeedRepository(connection, pull_above=None)


def _put_followers(connection: Any, author: str, count: int) -> None:
    """So many follows, put raw: a million writes with intents would take an hour."""
    readers = [f"reader-{number:07}" for number in range(count)]
    put_records(connection, FOLLOWING, (Follow(reader, author) for reader in readers))
    put_records(connection, FOLLOWERS, (ReaderOfAuthor(author, reader) for reader in readers))


def _fan_outs(connection: Any, url: str, prefix: str, sizes: tuple[int, ...], rounds: int) -> float:
    """Prints the costs of fan-outs; returns the microseconds for a line of the largest."""
    feeds = _repository(connection)
    peaks: list[int] = []
    line_us = 0.0
    for size in sizes:
        author = f"author-{size}"
        _put_followers(connection, author, size)
        child = [sys.executable, "-m", "tests.programs.benchmarks.bench_feeds", "--post", url, prefix, author]
        peaks.append(int(subprocess.run(child, check=True, capture_output=True, text=True).stdout))
        turns = _turns(connection, feeds, author, size, max(1, min(rounds, ROWS_OF_ALL_ROUNDS // size)))
        line_us = turns.median_ms(0) / size * 1e3
        rates = [f"{size / turns.median_ms(side) * 1e3:8,.0f} rows/s" for side in range(2)]
        print(
            f"{size:9,} followers: {rates[0]}; peak memory {peaks[-1]:,} KiB\n"
            f"    raw batches {rates[1]}, ratio {turns.ratio(1, 0):.2f} (target {AT_LEAST})"
        )
    grown = peaks[-1] - peaks[0]
    print(f"peak memory: {grown:+,} KiB from the smallest to the largest, target at most {MEMORY_AT_MOST_KIB:,}")
    return line_us


def _turns(connection: Any, feeds: Any, author: str, size: int, rounds: int) -> Any:
    """A post and raw batches, in turns."""
    times_ms = count(NOON_MS)
    sides = (
        lambda: feeds.post(Post(author, next(times_ms), 1, "hello")),
        lambda: _raw(connection, author, next(times_ms)),
    )
    if size < max(SIZES_OF_STORE):
        in_turns(*sides, rounds=1, at_least_s=0)  # warms up the store
    return in_turns(*sides, rounds=rounds, at_least_s=0)


def _followers(connection: Any, author: str) -> Iterator[str]:
    """The names of an author's followers, read by plain happybase."""
    prefix = author.encode() + b"\0\1"
    for row, _ in connection.table("feeds_followers").scan(row_prefix=prefix, batch_size=BATCH):
        yield row[len(prefix) : -2].decode()


def _raw(connection: Any, author: str, posted_ms: int) -> None:
    """The same rows by hand, without a position."""
    suffix = (2**63 - 1 - posted_ms).to_bytes(8, "big") + author.encode() + b"\0\1" + (1).to_bytes(8, "big")
    rows = ((reader.encode() + b"\0\1" + suffix, {b"f:x": b"\xc3"}) for reader in _followers(connection, author))
    put_rows(connection.table("feeds_timelines"), rows, NOON_MS)


def _threshold(connection: Any, line_us: float, pages: int) -> None:
    """Times pages that merge streams, and says where pushing and pulling cost the same."""
    push, pull = _repository(connection), FeedRepository(connection, pull_above=0)
    for streams in STREAMS:
        reader = f"pager-{streams}"
        for number in range(max(STREAMS)):
            author = f"streamer-{streams}-{number}"
            push.follow(Follow(reader, author))
            feeds = pull if number < streams else push
            for at in range(5):
                feeds.post(Post(author, NOON_MS + at, number, "hello"))
    queries = [push.timeline(f"pager-{streams}") for streams in STREAMS]
    turns = in_turns(*(partial(query.page, 10) for query in queries), rounds=pages, at_least_s=0)
    page_ms = {streams: turns.median_ms(side) for side, streams in enumerate(STREAMS)}
    for streams, page in page_ms.items():
        print(f"a page of 10 posts, {streams:2} of 16 followed authors with a stream: {page:6.2f} ms")
    stream_us = (page_ms[STREAMS[-1]] - page_ms[0]) / STREAMS[-1] * 1e3
    print(
        f"a stream costs each page {stream_us:.0f} us, a pushed line {line_us:.0f} us: pulling is cheaper if a "
        f"follower reads less than {line_us / stream_us:.2f} pages for each post of the author"
    )


def _post_once(url: str, prefix: str, author: str) -> None:
    """Posts once, and prints the peak memory of this process, in KiB."""
    with closing(connect(url, table_prefix=prefix)) as connection:
        _repository(connection).post(Post(author, NOON_MS + 1000, 1, "hello"))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    if "--post" in sys.argv:
        _post_once(*sys.argv[2:])
    else:
        typer.run(main)
