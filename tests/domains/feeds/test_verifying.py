"""What `verify` finds in feeds, what `repair` mends; and that one damaged row stops nothing else."""

import time

import pytest

from domains.feeds import FeedRepository, Follow, Post
from domains.feeds.keys import (
    FOLLOWERS,
    FOLLOWS,
    POSTS,
    STREAMS,
    TABLES,
    TIMELINES,
    AuthorWithStream,
    ReaderOfAuthor,
)
from domains.feeds.shown.design import DESIGN
from shared.intents.times import WINDOW_MS
from shared.keys import InvalidKey
from shared.tables import Family, InvalidRow
from shared.testing import WatchedConnection, WriterDied, dying_at
from shared.upkeep import Instructions
from shared.writes import WriterClock
from tests.engines import Embedded

from .stopped_writes import LINE, NOON_MS, SOUP, line_of, without_fan_out

TEA = Post("dan", NOON_MS + 1, 2, "tea")
CAKE = Post("dan", NOON_MS, 3, "cake")
PIE = Post("dan", NOON_MS, 4, "pie")
ADA_FOLLOWS = Follow("ada", "dan")
DISCARDS_ORPHANED = Instructions(discards_orphaned=True)
VARIANTS = [DESIGN.main]


@pytest.fixture
def feeds(connection):
    """Ada follows dan, who has posted twice."""
    feeds = FeedRepository(connection)
    feeds.follow(ADA_FOLLOWS)
    for post in (SOUP, TEA):
        feeds.post(post)
    return feeds


def verified(feeds):
    """The kinds of all findings."""
    return sorted(finding.kind for finding in feeds.upkeep.verify())


def repaired(feeds, **options):
    """The kinds of all findings of a repair, each with whether it was mended."""
    return sorted((finding.kind, is_mended) for finding, is_mended in feeds.upkeep.repair(**options))


def pull(connection, *posts):
    """Stores posts of an author who then has a stream."""
    for post in posts:
        FeedRepository(connection, pull_above=0).post(post)


# ---- lines that nobody sees


def test_ordinary_deletes_and_unfollows_leave_only_what_is_harmless(connection, feeds):
    feeds.follow(Follow("eve", "dan"))
    pull(connection, CAKE, PIE)
    feeds.delete_post("dan", NOON_MS, 1)
    feeds.delete_post("dan", NOON_MS, 3)
    feeds.unfollow("ada", "dan")
    assert all(finding.is_harmless for finding in feeds.upkeep.verify())
    assert repaired(feeds) == [("left-over", True)] * 3  # two of ada, one of the stream
    assert verified(feeds) == []


@pytest.mark.parametrize(("table", "record", "lines"), [(POSTS.layout, SOUP, 1), (FOLLOWS.layout, ADA_FOLLOWS, 2)])
def test_a_line_whose_post_or_follow_is_lost_is_kept_for_the_day_on_which_it_comes_back(
    connection, feeds, table, record, lines
):
    rows, row = connection.table(table.name), table.row(record)
    cells = rows.row(row)
    rows.delete(row)
    orphaned = [finding for finding in feeds.upkeep.verify() if finding.table == TIMELINES.layout.name]
    assert [(finding.kind, finding.is_harmless) for finding in orphaned] == [("orphaned", False)] * lines
    mended = {finding.row: is_mended for finding, is_mended in feeds.upkeep.repair()}
    assert [mended[finding.row] for finding in orphaned] == [False] * lines
    rows.put(row, cells)
    assert list(feeds.timeline("ada")) == [TEA, SOUP]
    rows.delete(row)
    discarded = dict(feeds.upkeep.repair(instructions=DISCARDS_ORPHANED))
    assert [discarded[finding] for finding in orphaned] == [True] * lines


def test_lines_of_a_follow_that_has_lost_a_revision_are_kept_for_the_day_on_which_it_comes_back(connection, feeds):
    """A backup of the follows is restored in which ada has just unfollowed dan."""
    feeds.unfollow("ada", "dan")
    rows, row = connection.table(FOLLOWS.layout.name), FOLLOWS.layout.row(ADA_FOLLOWS)
    backup = rows.row(row)
    feeds.follow(ADA_FOLLOWS)
    feeds.unfollow("ada", "dan")
    feeds.follow(ADA_FOLLOWS)
    newer = rows.row(row)
    rows.put(row, backup)
    assert verified(feeds) == ["orphaned"] * 3  # the line in the list of followers, and two of the timeline
    assert repaired(feeds) == [("orphaned", False)] * 3
    rows.put(row, newer)
    assert list(feeds.timeline("ada")) == [TEA, SOUP]
    rows.put(row, backup)
    assert all(is_mended for _, is_mended in feeds.upkeep.repair(instructions=DISCARDS_ORPHANED))
    assert (verified(feeds), list(connection.table(TIMELINES.layout.name).scan())) == ([], [])


def test_verify_names_a_line_that_contradicts_its_post_and_one_that_is_not_a_key(connection, feeds):
    rows = connection.table(TIMELINES.layout.name)
    rows.put(line_of("@dan", SOUP), LINE)  # it was pushed
    rows.put(b"no key", LINE)
    assert verified(feeds) == ["dangling", "undecodable"]
    assert feeds.upkeep.counts == {"source": 3, "line": 5, "pulled post": 0}
    assert repaired(feeds) == [("dangling", True), ("undecodable", False)]
    assert repaired(feeds, instructions=Instructions(discards_undecodable=True)) == [("undecodable", True)]
    assert verified(feeds) == []
    assert list(feeds.timeline("ada")) == [TEA, SOUP]


def test_the_line_of_a_follow_that_is_being_stored_is_not_a_finding(connection, feeds):
    dying = WatchedConnection(connection, dying_at(lambda call: call.name == "checkAndPut"))
    with pytest.raises(WriterDied):
        FeedRepository(dying).follow(Follow("eve", "dan"))
    feeds.post(CAKE)
    assert verified(feeds) == []
    feeds.upkeep.recover(older_than_ms=0)
    assert verified(feeds) == ["left-over"]


# ---- streams

IN_STREAM = {
    "line": (TIMELINES.layout, line_of("@dan", CAKE)),
    "mark": (STREAMS.layout, STREAMS.layout.row(AuthorWithStream("dan"))),
}


@pytest.mark.parametrize(("table", "row"), IN_STREAM.values(), ids=IN_STREAM)
def test_a_row_that_a_pulled_post_lacks_in_its_stream_is_found_and_put_again(connection, feeds, table, row):
    pull(connection, CAKE, PIE)
    shown = [TEA, SOUP, CAKE, PIE]
    assert (verified(feeds), list(feeds.timeline("ada"))) == ([], shown)
    connection.table(table.name).delete(row)
    assert list(feeds.timeline("ada")) != shown
    (missing,) = feeds.upkeep.verify()
    assert (missing.kind, missing.table, missing.row) == ("missing", table.name, row)
    assert list(feeds.upkeep.repair()) == [(missing, True)]
    assert (verified(feeds), list(feeds.timeline("ada"))) == ([], shown)
    connection.table(table.name).delete(row, timestamp=time.time_ns() // 1_000_000 + 86_400_000)
    for _ in range(2):
        assert list(feeds.upkeep.repair()) == [(missing, False)], "a delete of the future hides it"


def test_a_pulled_post_that_is_deleted_or_under_way_lacks_nothing(connection, feeds):
    pull(connection, CAKE)
    feeds.delete_post("dan", NOON_MS, 3)
    without_fan_out(connection, pull_above=0).post(PIE)
    for table, row in IN_STREAM.values():
        connection.table(table.name).delete(row)
    assert verified(feeds) == []


def test_lines_that_expire_are_not_missed():
    expiring = TIMELINES.like("feeds_timelines", families={"f": Family(ttl_seconds=3600)})
    tables = [table for table in TABLES if table is not TIMELINES.layout]
    with Embedded().store(*tables, *expiring.tables) as connection:
        feeds = FeedRepository(connection, timelines=expiring, pull_above=0)
        feeds.follow(ADA_FOLLOWS)
        feeds.post(SOUP)
        connection.table(TIMELINES.layout.name).delete(line_of("@dan", SOUP))
        assert verified(feeds) == []


# ---- damaged rows


def test_a_damaged_follow_stops_a_timeline_and_a_list_of_followers_unless_they_may_report_it(connection, feeds):
    table, follow, reported = FOLLOWS.layout, Follow("ada", "eve"), []
    feeds.follow(follow)
    connection.table(table.name).put(table.row(follow), {table.cells.columns[0]: b"?"})
    with pytest.raises(InvalidRow, match=f"^{table.name}: row "):
        list(feeds.timeline("ada"))
    assert feeds.timeline("ada").on_invalid(reported.append).page(10).records == [TEA, SOUP]
    assert list(feeds.followers("eve").on_invalid(reported.append)) == []
    assert [(invalid.table, invalid.row) for invalid in reported] == [(table.name, table.row(follow))] * 2


def test_a_fan_out_passes_over_a_follower_whose_row_is_not_a_key(connection, feeds):
    feeds.follow(Follow("zoe", "dan"))
    bad_key = b"dan\x00\x01\xff"
    connection.table(FOLLOWERS.layout.name).put(bad_key, LINE)
    assert FOLLOWERS.layout.row(ReaderOfAuthor("dan", "zoe")) < bad_key
    newest = Post("dan", NOON_MS + 2, 3, "cake")
    FeedRepository(connection, step_rows=2).post(newest)
    assert feeds.timeline("ada").first() == feeds.timeline("zoe").first() == newest


# ---- fan-outs that have not ended


def test_a_fan_out_that_nobody_ends_is_found_once_it_is_ten_minutes_old(connection, feeds, passes):
    without_fan_out(connection, clock=WriterClock()).post(CAKE)
    feeds = FeedRepository(connection, clock=WriterClock())
    assert verified(feeds) == []
    passes(WINDOW_MS)
    (finding,) = feeds.upkeep.verify()
    assert (finding.kind, finding.table, finding.row) == ("unsettled", POSTS.layout.name, POSTS.layout.row(CAKE))
    assert repaired(feeds) == verified(feeds) == []
    assert feeds.timeline("ada").count() == 3


def test_a_fan_out_that_nobody_can_end_is_unsettled(connection, feeds):
    connection.table(FOLLOWERS.layout.name).put(FOLLOWERS.layout.row(ReaderOfAuthor("dan", "")) + b"\xff", LINE)
    feeds = FeedRepository(connection, step_rows=1)
    with pytest.raises(InvalidKey, match="feeds_followers: must have a key among 1 rows of one author"):
        feeds.post(CAKE)
    ((finding, is_mended),) = [repair for repair in feeds.upkeep.repair() if repair[0].kind == "unsettled"]
    assert (finding.row, is_mended) == (POSTS.layout.row(CAKE), False)
    assert "must have a key among 1 rows of one author" in finding.reason
