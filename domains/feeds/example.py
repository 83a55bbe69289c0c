"""The story of the design: follow, store posts, read a timeline, delete, unfollow, recover from a crash.

Run it: python -m domains.feeds.example
"""

from contextlib import suppress
from typing import Any

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .records import Follow, Post
from .repository import FeedRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    feeds = FeedRepository(connection, pull_above=2)

    for reader in ("ada", "bob"):
        feeds.follow(Follow(reader, "dan"))
    for reader in ("ada", "bob", "cyd"):
        feeds.follow(Follow(reader, "eve"))
    noon = parse_time("2026-01-12T12:00")
    lunch = Post("dan", noon, 1, "soup")
    reply = Post("dan", noon, 2, "and bread")  # in the same millisecond
    song = Post("eve", noon + 1, 1, "la la")  # eve has three followers, more than two: the post is pulled
    for post in (lunch, reply, song):
        feeds.post(post)
    feeds.post(lunch)  # a retry: storing the same post again changes nothing
    print("the timeline of ada, newest first: her own lines merged with the stream of eve:")
    shown = feeds.timeline("ada").page(limit=10).records
    print(*shown, sep="\n")
    assert shown == [song, lunch, reply]

    feeds.delete_post("dan", noon, 2)
    feeds.unfollow("ada", "eve")
    print("after a delete and an unfollow:", *feeds.timeline("ada"))
    assert list(feeds.timeline("ada")) == [lunch]
    assert list(feeds.timeline("bob")) == [song, lunch]

    tea = Post("dan", noon + 2, 3, "tea")
    with suppress(PowerCut):
        dying: Any = FeedRepository(connection, pull_above=2)
        dying._fan_out._put_lines = _cut_the_power  # the first step of the fan-out
        dying.post(tea)
    print("a writer died after it had stored a post:", feeds.posts("dan").first())
    assert feeds.posts("dan").first() == tea
    assert list(feeds.timeline("ada")) == [lunch]
    recovery = feeds.upkeep.recover(older_than_ms=0)
    print("recovery continues its fan-out:", recovery)
    assert list(feeds.timeline("ada")) == [tea, lunch]

    print("lines that nobody sees:", *feeds.upkeep.verify(), sep="\n")
    mended = [is_mended for _, is_mended in feeds.upkeep.repair()]
    assert mended == [True, True]
    assert list(feeds.upkeep.verify()) == []


class PowerCut(Exception):
    """The writer dies here."""


def _cut_the_power(*_arguments: object) -> None:
    raise PowerCut


if __name__ == "__main__":
    main()
