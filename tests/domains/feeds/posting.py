"""Processes that post at once."""

import time
from contextlib import closing
from pathlib import Path

from domains.feeds import FeedRepository, Follow, Post
from shared.stores import connect

NOON_MS = 1_768_219_200_000
POSTS_EACH = 3
CROWD = "crowd"
"""An author for whom all processes post."""


def posts_of(number: int) -> list[Post]:
    """What a process posts: for an author of its own, and for the one of all, all in one millisecond."""
    authors = [CROWD, f"a-{number}", CROWD]
    return [Post(author, NOON_MS, number * POSTS_EACH + at, "text") for at, author in enumerate(authors)]


def post_at_once(url: str, number: int, ready: str) -> None:
    """A process that follows, waits until a file is there, and posts."""
    with closing(connect(url)) as connection:
        feeds = FeedRepository(connection, pull_above=None if number % 2 else 0, step_rows=2)
        feeds.follow(Follow("reader", f"a-{number}"))
        while not Path(ready).exists():
            time.sleep(0.01)
        for post in posts_of(number):
            feeds.post(post)
