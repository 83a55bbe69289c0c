"""The published form, without intents: what it can lose, what deletes what, and lines that expire."""

import pytest

from domains.feeds import Follow, Post
from domains.feeds.shown.design import DESIGN
from domains.feeds.shown.variants import texts
from shared.tables import Family
from shared.testing import WatchedConnection, WriterDied, dying_at
from shared.writes import CLOCK

from .stopped_writes import NOON_MS, SOUP

TEA = Post("dan", NOON_MS + 1, 2, "tea")
VARIANTS = [variant for variant in DESIGN.variants if variant.name == "texts"]


@pytest.fixture
def feeds(feeds):
    feeds.follow(Follow("ada", "dan"))
    feeds.follow(Follow("bob", "dan"))
    return feeds


def test_a_follower_whom_a_dead_writer_did_not_reach_gets_the_post_only_if_its_client_tries_again(connection, feeds):
    with pytest.raises(WriterDied):
        texts.Repository(WatchedConnection(connection, dying_at(1))).post(SOUP)
    assert list(feeds.posts("dan")) == [SOUP]
    assert list(feeds.timeline("ada")) == []
    feeds.post(SOUP)
    assert list(feeds.timeline("ada")) == [SOUP]


def test_a_delete_reaches_present_followers_an_unfollow_the_lines_of_its_author_and_trim_older_lines(feeds):
    for post in (SOUP, TEA):
        feeds.post(post)
    feeds.unfollow("bob", "dan")
    assert list(feeds.timeline("bob")) == []
    feeds.delete_post("dan", NOON_MS, 1)
    assert list(feeds.timeline("ada")) == list(feeds.posts("dan")) == [TEA]
    feeds.post(later := Post("dan", NOON_MS + 2, 3, "later"))
    assert feeds.trim("ada", keep=1) == 1
    assert list(feeds.timeline("ada")) == [later]


def test_lines_expire_after_their_push_and_an_old_post_not_on_arrival(engine):
    timelines = texts.TIMELINES.like("feeds_timelines_texts", families={"f": Family(ttl_seconds=3600)}).layout
    with engine.store(*texts.TABLES[:-1], timelines) as connection:
        feeds = texts.Repository(connection)
        feeds.follow(Follow("ada", "dan"))
        old = Post("dan", 0, 1, "of 1970")
        feeds.post(old)
        assert list(feeds.timeline("ada")) == [old]
        line = texts.TextLine("ada", 0, "dan", 2, "pushed in 1970")
        rows = connection.table(timelines.name)
        for pushed_ms, shown in ((1, [old]), (CLOCK.now_ms(), [old, line.post])):
            rows.put(timelines.row(line), timelines.cells.pack(line), timestamp=pushed_ms)
            assert list(feeds.timeline("ada")) == shown
