"""What `verify` finds in feeds, what `repair` mends; and that one damaged row stops nothing else."""

import time
from contextlib import closing

import attrs
import pytest

from domains.feeds import FeedRepository, Follow, Post
from domains.feeds.design import DESIGN
from domains.feeds.keys import (
    FOLLOWERS,
    FOLLOWING,
    POSTS,
    STREAMS,
    TABLES,
    TIMELINES,
    UNFINISHED,
    AuthorWithStream,
    ReaderOfAuthor,
)
from shared.keys import InvalidKey
from shared.stores import connect
from shared.tables import Family, InvalidRow, create_tables
from shared.testing import WatchedConnection, WriterDied, dying_before
from shared.writes import Instructions, WriterClock
from shared.writes.intents import WINDOW_MS
from tests.engines import EMBEDDED

NOON_MS = 1_768_219_200_000
DAY_MS = 86_400_000
SOUP = Post("dan", NOON_MS, 1, "soup")
TEA = Post("dan", NOON_MS + 1, 2, "tea")
LINE = {b"f:x": b"\xc3"}
BAD_KEY = b"dan\x00\x01\xff"
"""Starts as the keys of dan do, and is none."""


@pytest.fixture(params=[DESIGN.main], ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def feeds(connection):
    """Ada follows dan, who has posted twice."""
    feeds = FeedRepository(connection)
    feeds.follow(Follow("ada", "dan"))
    for post in (SOUP, TEA):
        feeds.post(post)
    return feeds


def row_of_line(owner, post):
    return TIMELINES.row(TIMELINES.key.key_class(owner, post.posted_ms, post.author, post.post_id))


def damage(connection, table, row):
    connection.table(table.name).put(row, {table.cells.columns[0]: b"?"})


def kinds(findings):
    return sorted(finding.kind for finding in findings)


def found(feeds):
    return kinds(feeds.upkeep.verify())


def pulled(connection, *posts):
    """Dan has a stream."""
    for post in posts:
        FeedRepository(connection, pull_above=0).post(post)


# ---- lines that nobody sees


def test_ordinary_deletes_and_unfollows_leave_only_what_is_harmless(connection, feeds):
    feeds.follow(Follow("eve", "dan"))
    pulled(connection, Post("dan", NOON_MS, 3, "pulled"), Post("dan", NOON_MS, 4, "pulled"))
    feeds.delete_post("dan", NOON_MS, 1)
    feeds.delete_post("dan", NOON_MS, 3)
    feeds.unfollow("ada", "dan")
    findings = list(feeds.upkeep.verify())
    assert kinds(findings) == ["left-over"] * 3  # two of ada, one of the stream
    assert all(finding.is_harmless for finding in findings)
    assert "rowbook repair feeds" in findings[0].reason
    assert [is_mended for _, is_mended in feeds.upkeep.repair()] == [True] * 3
    assert found(feeds) == []


@pytest.mark.parametrize(("table", "record", "lines"), [(POSTS, SOUP, 1), (FOLLOWING, Follow("ada", "dan"), 2)])
def test_a_line_whose_post_or_follow_is_lost_is_kept_for_the_day_on_which_it_comes_back(
    connection, feeds, table, record, lines
):
    rows, row = connection.table(table.name), table.row(record)
    cells = rows.row(row)
    rows.delete(row)
    orphaned = [finding for finding in feeds.upkeep.verify() if finding.table == TIMELINES.name]
    assert kinds(orphaned) == ["orphaned"] * lines
    assert not orphaned[0].is_harmless
    mended = {finding.row: is_mended for finding, is_mended in feeds.upkeep.repair()}
    assert [mended[finding.row] for finding in orphaned] == [False] * lines
    rows.put(row, cells)
    assert list(feeds.timeline("ada")) == [TEA, SOUP]
    rows.delete(row)
    discarded = dict(feeds.upkeep.repair(instructions=Instructions(discards_orphaned=True)))
    assert [discarded[finding] for finding in orphaned] == [True] * lines


def test_lines_of_a_follow_that_has_lost_a_revision_are_kept_for_the_day_on_which_it_comes_back(connection, feeds):
    """A backup of the follows is restored in which ada has just unfollowed dan."""
    feeds.unfollow("ada", "dan")
    rows, row = connection.table(FOLLOWING.name), FOLLOWING.row(Follow("ada", "dan"))
    backup = rows.row(row)
    for again in (feeds.follow, lambda follow: feeds.unfollow("ada", "dan"), feeds.follow):
        again(Follow("ada", "dan"))
    newer = rows.row(row)
    rows.put(row, backup)
    assert found(feeds) == ["orphaned"] * 3  # the line in the list of followers, and two of the timeline
    assert [is_mended for _, is_mended in feeds.upkeep.repair()] == [False] * 3
    rows.put(row, newer)
    assert list(feeds.timeline("ada")) == [TEA, SOUP]
    rows.put(row, backup)
    told = Instructions(discards_orphaned=True)
    assert [is_mended for _, is_mended in feeds.upkeep.repair(instructions=told)] == [True] * 3
    assert (found(feeds), list(connection.table(TIMELINES.name).scan())) == ([], [])


def test_verify_names_a_line_that_contradicts_its_post_and_one_that_is_no_key(connection, feeds):
    rows = connection.table(TIMELINES.name)
    rows.put(row_of_line("@dan", SOUP), LINE)  # it was pushed
    rows.put(b"no key", LINE)
    verifier = feeds.upkeep
    assert kinds(verifier.verify()) == ["dangling", "undecodable"]
    assert verifier.counts == {"source": 3, "line": 5, "pulled post": 0}
    mended = [(finding.kind, is_mended) for finding, is_mended in feeds.upkeep.repair()]
    assert sorted(mended) == [("dangling", True), ("undecodable", False)]
    assert [told for _, told in feeds.upkeep.repair(instructions=Instructions(discards_undecodable=True))] == [True]
    assert found(feeds) == []
    assert list(feeds.timeline("ada")) == [TEA, SOUP]


def test_the_line_of_a_follow_that_is_being_stored_is_no_finding(connection, feeds):
    dying = WatchedConnection(connection, dying_before(lambda call: call.name == "checkAndPut"))
    with pytest.raises(WriterDied):
        FeedRepository(dying).follow(Follow("eve", "dan"))
    feeds.post(Post("dan", NOON_MS, 3, "cake"))
    assert found(feeds) == []
    feeds.upkeep.recover(older_than_ms=0)
    assert found(feeds) == ["left-over"]


# ---- streams


@pytest.mark.parametrize("lost", ["line", "mark"])
def test_what_a_pulled_post_lacks_in_its_stream_is_found_and_put_again(connection, feeds, lost):
    posts = [Post("dan", NOON_MS, number, "pulled") for number in (3, 4)]
    pulled(connection, *posts)
    shown = [TEA, SOUP, *posts]
    assert (found(feeds), list(feeds.timeline("ada"))) == ([], shown)
    table = TIMELINES if lost == "line" else STREAMS
    row = row_of_line("@dan", posts[0]) if lost == "line" else STREAMS.row(AuthorWithStream("dan"))
    connection.table(table.name).delete(row)
    assert list(feeds.timeline("ada")) != shown
    verifier = feeds.upkeep
    (missing,) = verifier.verify()
    assert (missing.kind, missing.table, missing.row) == ("missing", table.name, row)
    assert missing.source_row in map(POSTS.row, posts)
    assert verifier.counts["pulled post"] == 2
    assert list(feeds.upkeep.repair()) == [(missing, True)]
    assert (found(feeds), list(feeds.timeline("ada"))) == ([], shown)
    feeds.erase("dan")
    assert list(connection.table(STREAMS.name).scan()) == list(connection.table(TIMELINES.name).scan()) == []


@pytest.mark.parametrize("lost", ["line", "mark"])
def test_what_a_delete_of_the_future_hides_in_a_stream_is_not_mended(connection, feeds, lost):
    cake = Post("dan", NOON_MS, 3, "cake")
    pulled(connection, cake)
    table = TIMELINES if lost == "line" else STREAMS
    row = row_of_line("@dan", cake) if lost == "line" else STREAMS.row(AuthorWithStream("dan"))
    connection.table(table.name).delete(row, timestamp=time.time_ns() // 1_000_000 + DAY_MS)
    for _ in range(2):
        ((finding, is_mended),) = feeds.upkeep.repair()
        assert (finding.kind, finding.row, is_mended) == ("missing", row, False)


def test_a_pulled_post_that_is_deleted_or_under_way_lacks_nothing(connection, feeds):
    pulled(connection, Post("dan", NOON_MS, 3, "pulled"))
    feeds.delete_post("dan", NOON_MS, 3)
    dying = FeedRepository(connection, pull_above=0)
    dying._fan_out.spread = lambda row: None
    dying.post(Post("dan", NOON_MS, 4, "pulled"))
    connection.table(TIMELINES.name).delete(row_of_line("@dan", Post("dan", NOON_MS, 3, "")))
    connection.table(STREAMS.name).delete(STREAMS.row(AuthorWithStream("dan")))
    assert found(feeds) == []


def test_lines_that_expire_are_not_missed():
    expiring = attrs.evolve(TIMELINES, families={"f": Family(ttl_seconds=3600)})
    tables = TABLES._replace(timelines=expiring)
    with closing(connect("embedded:")) as connection:
        create_tables(connection, tables)
        feeds = FeedRepository(connection, tables, pull_above=0)
        feeds.follow(Follow("ada", "dan"))
        feeds.post(SOUP)
        connection.table(TIMELINES.name).delete(row_of_line("@dan", SOUP))
        assert found(feeds) == []


# ---- damaged rows


def test_one_bad_row_of_unfinished_posts_stops_no_recovery(connection, feeds):
    dying = FeedRepository(connection)
    dying._fan_out.spread = lambda row: None
    dying.post(Post("dan", NOON_MS, 3, "cake"))
    connection.table(UNFINISHED.name).put(b"a", LINE)
    recovery = feeds.upkeep.recover(older_than_ms=0)
    assert recovery.settled == 1
    assert [failed.startswith("feeds_unfinished: row 61: ") for failed in recovery.failed] == [True]
    assert feeds.timeline("ada").count() == 3
    assert found(feeds) == ["undecodable"]
    assert [finding.row for finding, _ in feeds.upkeep.repair()] == [b"a"]


@pytest.mark.parametrize("damaged", ["post", "follow", "line"])
def test_a_damaged_row_stops_a_timeline_unless_its_page_may_report_it(connection, feeds, damaged):
    feeds.follow(Follow("ada", "eve"))
    table, row = {
        "post": (POSTS, POSTS.row(TEA)),
        "follow": (FOLLOWING, FOLLOWING.row(Follow("ada", "eve"))),
        "line": (TIMELINES, TIMELINES.row(TIMELINES.key.key_class("ada", 0, "", 0)) + b"\xff"),
    }[damaged]
    damage(connection, table, row)
    with pytest.raises(InvalidRow, match=f"^{table.name}: row "):
        list(feeds.timeline("ada"))
    reported = []
    query = feeds.timeline("ada").on_invalid(reported.append)
    assert query.page(10).records == ([SOUP] if damaged == "post" else [TEA, SOUP])
    assert {(invalid.table, invalid.row) for invalid in reported} == {(table.name, row)}
    assert (table.name, row, "undecodable") in [(f.table, f.row, f.kind) for f in feeds.upkeep.verify()]


def test_a_damaged_post_stops_neither_verify_nor_repair_nor_trim(connection, feeds):
    damage(connection, POSTS, POSTS.row(TEA))
    feeds.unfollow("ada", "dan")
    feeds.follow(Follow("ada", "dan"))
    connection.table(TIMELINES.name).put(row_of_line("@dan", SOUP), LINE)
    assert found(feeds) == ["dangling", "undecodable"]
    mended = [(finding.kind, is_mended) for finding, is_mended in feeds.upkeep.repair()]
    assert sorted(mended) == [("dangling", True), ("undecodable", False)]
    assert feeds.trim("ada", 0) == 1
    assert [row for row, _ in connection.table(TIMELINES.name).scan()] == [row_of_line("ada", TEA)]


def test_a_damaged_follow_stops_no_list_of_followers_that_may_report_it(connection, feeds):
    feeds.follow(Follow("eve", "dan"))
    damage(connection, FOLLOWING, FOLLOWING.row(Follow("eve", "dan")))
    reported = []
    assert [follow.reader for follow in feeds.followers("dan").on_invalid(reported.append)] == ["ada"]
    assert [invalid.table for invalid in reported] == [FOLLOWING.name]


@pytest.mark.parametrize("step_rows", [1, 2, 1000])
def test_a_fan_out_passes_over_a_follower_whose_row_is_no_key(connection, feeds, step_rows):
    feeds.follow(Follow("zoe", "dan"))
    connection.table(FOLLOWERS.name).put(BAD_KEY, LINE)
    assert FOLLOWERS.row(ReaderOfAuthor("dan", "zoe")) < BAD_KEY
    cake = Post("dan", NOON_MS + 2, 3, "cake")
    feeds = FeedRepository(connection, step_rows=step_rows)
    if step_rows == 1:
        with pytest.raises(InvalidKey, match="feeds_followers: must have a key among 1 rows of one author"):
            feeds.post(cake)
    else:
        feeds.post(cake)
    assert feeds.timeline("ada").first() == feeds.timeline("zoe").first() == cake


# ---- fan-outs that have not ended


def test_a_fan_out_that_nobody_ends_is_found_once_it_is_ten_minutes_old(connection, feeds, monkeypatch, engine):
    if engine.name != EMBEDDED:
        pytest.skip("the time of a real server cannot be moved")
    dying = FeedRepository(connection, clock=WriterClock())
    dying._fan_out.spread = lambda row: None
    dying.post(cake := Post("dan", NOON_MS, 3, "cake"))
    feeds = FeedRepository(connection, clock=WriterClock())
    assert found(feeds) == []
    now_ns = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() + WINDOW_MS * 1_000_000)
    (finding,) = feeds.upkeep.verify()
    assert (finding.kind, finding.table, finding.row) == ("unsettled", POSTS.name, POSTS.row(cake))
    assert list(feeds.upkeep.repair()) == found(feeds) == []
    assert feeds.timeline("ada").count() == 3


def test_a_fan_out_that_repair_cannot_end_is_unsettled(connection, feeds):
    feeds._fan_out.spread = lambda row: None
    feeds.post(cake := Post("dan", NOON_MS, 3, "cake"))
    feeds = FeedRepository(connection, step_rows=1)
    connection.table(FOLLOWERS.name).put(FOLLOWERS.row(ReaderOfAuthor("dan", "")) + b"\xff", LINE)
    (left,) = [(found, is_mended) for found, is_mended in feeds.upkeep.repair() if found.kind == "unsettled"]
    assert (left[0].row, left[1]) == (POSTS.row(cake), False)
    assert "must have a key among 1 rows of one author" in left[0].reason
