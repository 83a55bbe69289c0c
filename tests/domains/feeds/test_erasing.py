"""Erasing a user, beyond what every design promises: strays, a user who came back, wrong clocks, what cannot go."""

import time
from functools import partial

import pytest

from domains.feeds import FeedRepository, Follow, Post
from domains.feeds.keys import (
    ERASURES,
    FOLLOWERS,
    FOLLOWS,
    STREAMS,
    TIMELINES,
    UNFINISHED,
    AuthorWithStream,
    ReaderOfAuthor,
)
from shared.intents.times import FORGET_MS
from shared.testing.erased_person import ErasureTests
from shared.writes import WriterClock
from tests.domains.clocks import SetClock

from .erased import ERASED, NOON_MS, SOUP, TEA, network
from .stopped_writes import LINE, line_of

DUE_MS = FORGET_MS + 1000

pytestmark = pytest.mark.parametrize("variant", ERASED.variants, ids=["feeds"])


def opened(connection, **options):
    """A repository with a clock of its own, because a test may move the time."""
    return FeedRepository(connection, **{"clock": WriterClock(), **options})


@pytest.fixture
def feeds(connection):
    """The network of dan."""
    network(partial(opened, connection))
    return opened(connection)


@pytest.fixture
def named(engine, variant, connection):
    """Returns how many rows of some tables, of all if none is given, name dan."""
    tests = ErasureTests(engine, ERASED, variant)

    def count(*tables):
        names = {table.name for table in tables or variant.tables}
        return sum(table in names for table, _row in tests.naming(connection))

    return count


def now_ms():
    return time.time_ns() // 1_000_000


# ---- stray lines


@pytest.mark.parametrize(
    ("table", "row"),
    [
        (FOLLOWERS.layout, FOLLOWERS.layout.row(ReaderOfAuthor("dan", "zoe"))),
        (UNFINISHED.layout, UNFINISHED.layout.row(SOUP)),
        (TIMELINES.layout, line_of("zoe", SOUP)),
        (TIMELINES.layout, line_of("dan", Post("zoe", NOON_MS, 1, ""))),
        (TIMELINES.layout, line_of("@dan", SOUP)),
    ],
    ids=["follower", "unfinished", "his post", "his timeline", "his stream"],
)
def test_a_line_without_a_source_goes_with_the_erasure_even_if_it_is_put_late(
    connection, feeds, named, passes, table, row
):
    connection.table(table.name).put(row, LINE)
    assert feeds.erase("dan") == ERASED.remaining + (table is not TIMELINES.layout)
    connection.compact(table.name)
    passes(1000)
    connection.table(table.name).put(row, LINE, timestamp=now_ms() - 500_000)  # a late call
    passes(FORGET_MS)
    assert feeds.upkeep.recover().settled == 1
    assert named() == feeds.erase("dan") == 0


# ---- a user who came back


def test_a_user_who_comes_back_keeps_all_that_is_new(connection, feeds, named, passes):
    feeds.erase("dan")
    passes(10_000)
    for reader, author in (("dan", "ada"), ("zoe", "dan"), ("ada", "dan")):
        feeds.follow(Follow(reader, author))
    feeds.unfollow("dan", "eve")
    cake = Post("dan", NOON_MS + 5, 9, "cake")
    for post in (SOUP, cake):
        feeds.post(post)
    opened(connection, pull_above=0).post(TEA)
    for _ in range(2):
        assert list(feeds.timeline("zoe")) == [cake, TEA, SOUP]
        assert [follow.author for follow in feeds.following("dan")] == ["ada"]
        passes(FORGET_MS)
        feeds.upkeep.recover()
    assert list(feeds.upkeep.verify()) == []
    assert named(ERASURES.layout) == 0


@pytest.mark.parametrize("ahead_ms", [50_000, 0])
def test_the_stream_of_a_user_who_comes_back_at_once_is_read_whichever_clocks_have_dated_its_mark(
    connection, passes, ahead_ms
):
    clock = SetClock(now_ms())
    ahead = opened(connection, clock=clock.other(ahead_ms), pull_above=0)
    ahead.follow(Follow("zoe", "dan"))
    ahead.post(SOUP)
    opened(connection, clock=clock.other(0)).erase("dan")
    passes(5_000)
    clock.set_ms += 5_000
    feeds = opened(connection, clock=clock.other(0), pull_above=0)
    feeds.follow(Follow("zoe", "dan"))
    feeds.post(TEA)
    assert list(feeds.timeline("zoe")) == [TEA]
    assert list(feeds.upkeep.verify()) == []


def test_a_follow_that_is_under_way_when_an_erasure_ends_is_not_lost(connection, feeds, passes):
    """It has read the cell of the deleted follow, and put its line with the time of that cell."""
    feeds.erase("dan")
    passes(DUE_MS)
    slow, decisions = opened(connection), []

    def recover_meanwhile(row, source, new):
        decisions.append(row)
        if len(decisions) == 1:
            assert opened(connection).upkeep.recover().settled == 1
        return check_and_put(row, source, new)

    check_and_put = slow.follow_writer.check_and_put
    slow.follow_writer.check_and_put = recover_meanwhile
    slow.follow(Follow("ada", "dan"))
    assert len(decisions) > 1
    feeds.upkeep.recover(older_than_ms=0)
    assert [follow.reader for follow in feeds.followers("dan")] == ["ada"]
    assert list(feeds.upkeep.verify()) == []


# ---- what cannot go


@pytest.mark.parametrize(
    ("table", "row"),
    [
        (TIMELINES.layout, line_of("zoe", Post("dan", NOON_MS, 9, ""))),
        (STREAMS.layout, STREAMS.layout.row(AuthorWithStream("dan"))),
    ],
    ids=["timeline", "mark"],
)
def test_a_stray_of_the_future_stays_and_keeps_its_erasure_and_no_tombstone_hides_what_is_new(
    connection, feeds, passes, table, row
):
    future_ms = now_ms() + 365 * 86_400_000
    connection.table(table.name).put(row, LINE, timestamp=future_ms)
    assert feeds.erase("dan") == ERASED.remaining + (table is not STREAMS.layout)  # which has dan's mark already
    passes(DUE_MS)
    reason = f"kept, because it is dated {future_ms}, after what any clock may show"
    for _ in range(2):
        assert feeds.upkeep.recover().failed == (f"{table.name}: row {row.hex(' ')}: {reason}",)
    assert feeds.erase("dan") == 1
    feeds.follow(Follow("zoe", "dan"))
    opened(connection, pull_above=0).post(Post("dan", NOON_MS, 9, "cake"))
    assert feeds.timeline("zoe").count() == feeds.followers("dan").count() == 1


def test_trim_keeps_a_line_of_the_future_and_hides_nothing_with_it(connection, feeds, passes):
    stray = line_of("ada", Post("dan", NOON_MS, 99, ""))
    connection.table(TIMELINES.layout.name).put(stray, LINE, timestamp=now_ms() + 86_400_000)
    assert feeds.trim("ada", 0) == 3
    connection.table(TIMELINES.layout.name).put(line_of("ada", SOUP), LINE)
    assert list(feeds.timeline("ada")) == [SOUP, Post("dan", NOON_MS, 3, "pulled")]


def test_a_record_that_cannot_be_read_counts_as_remaining_and_is_named(connection, feeds, named, passes):
    table, record = FOLLOWS.layout, Follow("ada", "dan")
    connection.table(table.name).put(table.row(record), {table.cells.columns[0]: b"?"})
    passes(1000)
    assert feeds.erase("dan") >= ERASED.remaining
    passes(DUE_MS)
    named_rows = [reason.split(": ")[:2] for reason in feeds.upkeep.recover().failed]
    assert [table.name, f"row {table.row(record).hex(' ')}"] in named_rows
    connection.table(table.name).delete(table.row(record))
    assert feeds.erase("dan") == named() == 0
