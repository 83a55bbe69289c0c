"""Sixteen processes that post at once: one timeline loses nothing, and shows nothing twice."""

from contextlib import ExitStack, closing

from domains.feeds import TABLES, FeedRepository, Follow
from shared.stores import connect
from shared.tables import create_tables
from tests.engines import EMBEDDED
from tests.shared.writes.processes import running

from .posting import CROWD, post_at_once, posts_of

PROCESSES = 16


def test_sixteen_writers_at_once_on_one_feed_lose_nothing(engine, tmp_path):
    with ExitStack() as stack:
        url = stack.enter_context(engine.url(str(tmp_path / "feeds.db"), *TABLES))
        connection = stack.enter_context(closing(connect(url)))
        if engine.name == EMBEDDED:
            create_tables(connection, TABLES)
        feeds = FeedRepository(connection)
        for reader in ("reader", "r-1", "r-2", "r-3"):
            feeds.follow(Follow(reader, CROWD))
        ready = tmp_path / "ready"
        processes = [stack.enter_context(running(post_at_once, url, number, str(ready))) for number in range(PROCESSES)]
        ready.touch()
        for process in processes:
            process.join(120)
            assert process.exitcode == 0
        posted = [post for number in range(PROCESSES) for post in posts_of(number)]
        assert sorted(feeds.timeline("reader"), key=lambda post: post.post_id) == posted
        assert sorted(post.post_id for post in feeds.timeline("r-2")) == [
            post.post_id for post in posted if post.author == CROWD
        ]
        assert feeds.upkeep.pending() == []
        assert list(feeds.upkeep.verify()) == []
