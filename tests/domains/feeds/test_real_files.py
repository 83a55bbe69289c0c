"""Real files: who sits in which committee of Congress, and tweets of one evening; and the small files of their form."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from domains.feeds import TABLES, FeedRepository, Follow, Post
from domains.feeds.design import SAMPLES
from domains.feeds.formats import EDGES, TWEETS
from shared.loading import read_lines
from shared.records import parse_time
from shared.testing import stored_cells

REAL = Path(__file__).parents[4] / "shared" / "data" / "feed"
EDGES_FILE = REAL / "committee_membership_edges.csv"
TWEETS_FILE = REAL / "mayweather_tweets_first4000.csv"
PULL_ABOVE = 50
"""Some committees have more members: their posts are pulled."""

needs_real_files = pytest.mark.skipif(not REAL.exists(), reason="the real feeds are not on this machine")


def read(path, record, format):
    """The records of a file, told apart as `load` does; every line must be good."""
    lines = list(read_lines(path, record, formats=(format,)))
    assert [line.reason for line in lines if line.reason] == []
    return [line.record for line in lines]


def by_hand(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_edges_say_who_follows_whom():
    assert read(SAMPLES / "edges.csv", Follow, EDGES)[:2] == [Follow("C001087", "HLIG"), Follow("H001047", "HLIG")]


def test_a_tweet_has_the_time_of_its_id_and_keeps_id_and_line_breaks():
    first, _, third = read(SAMPLES / "tweets.csv", Post, TWEETS)
    assert (first.author, first.post_id) == ("aaLiysr", 901656910939770881)
    assert first.posted_ms // 1000 * 1000 == parse_time("2017-08-27T04:05:34")
    assert third.text == "one\r\ntwo"


def test_a_tweet_whose_id_is_no_number_is_named(tmp_path):
    path = tmp_path / "tweets.csv"
    path.write_text((SAMPLES / "tweets.csv").read_text(encoding="utf-8").replace("901656917281574912", "x"))
    reasons = [line.reason for line in read_lines(path, Post, formats=(TWEETS,)) if line.reason]
    assert [reason.endswith("Post.post_id: must be a number (got 'x')") for reason in reasons] == [True]


@needs_real_files
def test_the_files_hold_as_many_records_as_plain_python_finds():
    follows, posts = read(EDGES_FILE, Follow, EDGES), read(TWEETS_FILE, Post, TWEETS)
    assert [(follow.reader, follow.author) for follow in follows] == [
        (row["follower"], row["followee"]) for row in by_hand(EDGES_FILE)
    ]
    assert [(post.author, str(post.post_id), post.text) for post in posts] == [
        (row["screen_name"], row["id"], row["text"]) for row in by_hand(TWEETS_FILE)
    ]
    seconds = [parse_time(row["created_at"].replace(" ", "T")) + 4 * 3_600_000 for row in by_hand(TWEETS_FILE)]
    assert [post.posted_ms // 1000 * 1000 for post in posts] == seconds
    assert sum("\n" in post.text for post in posts) == 606


def check_committees_that_post(connection, follows, posts):
    """Loads both twice, lets every committee post, and compares every timeline with plain Python."""
    feeds = FeedRepository(connection, pull_above=PULL_ABOVE)
    for store, records in ((feeds.follow, follows), (feeds.post, posts)):
        for record in records:
            store(record)
    before = stored_cells(connection, TABLES)
    for store, records in ((feeds.follow, follows), (feeds.post, posts)):
        for record in records:
            store(record)
    assert stored_cells(connection, TABLES) == before
    committees = Counter(follow.author for follow in follows)
    for number, committee in enumerate(committees):
        feeds.post(Post(committee, 1_768_219_200_000 + number // 2, number, f"{committee} meets"))
    for reader in {follow.reader for follow in follows}:
        followed = [follow.author for follow in follows if follow.reader == reader]
        shown = [post.author for post in feeds.timeline(reader)]
        assert sorted(shown) == sorted(followed)
    assert list(feeds.upkeep.verify()) == []
    return committees


@needs_real_files
def test_some_committees_and_tweets_load_twice_without_change_and_committees_post(engine):
    follows, posts = read(EDGES_FILE, Follow, EDGES)[:200], read(TWEETS_FILE, Post, TWEETS)[:60]
    with engine.store(*TABLES) as connection:
        check_committees_that_post(connection, follows, posts)


@needs_real_files
@pytest.mark.long
def test_all_committees_and_tweets_load_twice_without_change_and_every_committee_posts(engine):
    with engine.store(*TABLES) as connection:
        committees = check_committees_that_post(
            connection, read(EDGES_FILE, Follow, EDGES), read(TWEETS_FILE, Post, TWEETS)
        )
        above = {committee for committee, members in committees.items() if members > PULL_ABOVE}
        assert 0 < len(above) < len(committees) == 228
