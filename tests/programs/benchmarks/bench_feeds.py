"""What a fan-out costs, and when pulling is cheaper.

Run it: `python -m tests.programs.benchmarks.bench_feeds [--quick] [--store URL]`. Without a store the embedded one
runs in a process of its own, so that every call crosses a socket, as it does to a Thrift gateway.

A post goes to many followers, which gives the time of a line that is pushed. Pages of a timeline merge more and more
streams, which gives what each of them costs a page. So it says at how many pages for each follower and post pushing is
worth it.
"""

import secrets
from contextlib import closing
from functools import partial
from itertools import count
from typing import Any

import happybase
import typer

from domains.feeds import TABLES, FeedRepository, Follow, Post
from domains.feeds.keys import FOLLOWERS, FOLLOWS, ReaderOfAuthor
from shared.stores import connect
from tests.programs.benchmarks.measuring import put_records, stocked, store_or_server
from tests.programs.benchmarks.turns import in_turns

FOLLOWERS_OF_AUTHOR = 100_000
ROUNDS = 5
STREAMS = 0, 4, 16
PAGES = 100
NOON_MS = 1_768_219_200_000


def main(quick: bool = False, store: str | None = None) -> None:
    """Prints the figures; `quick` shows that it runs, with few followers."""
    with (
        store_or_server(store) as url,
        closing(connect(url, table_prefix=f"b{secrets.token_hex(3)}")) as connection,
        stocked(connection, TABLES),
    ):
        line_us = _fan_out(connection, 3_000 if quick else FOLLOWERS_OF_AUTHOR, 2 if quick else ROUNDS)
        _threshold(connection, line_us, 5 if quick else PAGES)


def _repository(connection: happybase.Connection) -> FeedRepository:
    return FeedRepository(connection, pull_above=None)


def _fan_out(connection: happybase.Connection, size: int, rounds: int) -> float:
    """Prints the rows per second of a post to so many followers; returns the microseconds for a line."""
    readers = [f"reader-{number:07}" for number in range(size)]  # put raw: so many writes with intents would take long
    put_records(connection, FOLLOWS.layout, (Follow(reader, "author") for reader in readers))
    put_records(connection, FOLLOWERS.layout, (ReaderOfAuthor("author", reader) for reader in readers))
    feeds, times_ms = _repository(connection), count(NOON_MS)
    turns = in_turns(lambda: feeds.post(Post("author", next(times_ms), 1, "hello")), rounds=rounds, at_least_s=0)
    print(f"{size:,} followers: {size / turns.median_ms(0) * 1e3:,.0f} rows/s")
    return turns.median_ms(0) / size * 1e3


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


if __name__ == "__main__":
    typer.run(main)
