"""Erasing a user: what goes at once, what `recover` removes later, and what stays of a user who came back."""

import time
from contextlib import suppress
from itertools import count

import attrs
import pytest

from domains.feeds import TABLES, FeedRepository, Follow, Post
from domains.feeds.design import DESIGN
from domains.feeds.keys import (
    ERASURES,
    FOLLOWERS,
    FOLLOWING,
    POSTS,
    STREAMS,
    TIMELINES,
    UNFINISHED,
    AuthorWithStream,
    ReaderOfAuthor,
)
from shared.tables import InvalidRow
from shared.testing import WatchedConnection, WriterDied, dying_at, dying_before
from shared.writes import ClockSkew, WriterClock
from shared.writes.intents import FORGET_MS, WINDOW_MS
from tests.engines import EMBEDDED, HBASE

NOON_MS = 1_768_219_200_000
SOUP = Post("dan", NOON_MS, 1, "soup")
TEA = Post("dan", NOON_MS + 1, 2**64 - 1, "tea")
LINE = {b"f:x": b"\xc3"}
DAY_MS = 86_400_000


@pytest.fixture(params=[DESIGN.main], ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def embedded_only(engine):
    if engine.name != EMBEDDED:
        pytest.skip("the time of a real server cannot be moved")


@pytest.fixture
def passes(monkeypatch, embedded_only):
    """Lets so many milliseconds pass, for all writers and for the store."""
    now_ns, passed_ns = time.time_ns, [0]
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() + passed_ns[0])

    def let_pass(milliseconds):
        passed_ns[0] += milliseconds * 1_000_000

    return let_pass


@pytest.fixture
def at_once(monkeypatch):
    """What is deleted is old enough to be forgotten, also on a real server."""
    monkeypatch.setattr("shared.writes.claiming.FORGET_MS", -1_000_000)
    monkeypatch.setattr("shared.writes.erasing.FORGET_MS", -1_000_000)


def opened(connection, **options):
    """A repository with a clock of its own, because a test may move the time."""
    return FeedRepository(connection, clock=WriterClock(), **options)


def network(connection):
    """The user dan follows and is followed, posts both ways, and unfollowed somebody."""
    feeds = opened(connection)
    for reader, author in (("ada", "dan"), ("bob", "dan"), ("dan", "ada"), ("dan", "eve"), ("ada", "eve")):
        feeds.follow(Follow(reader, author))
    feeds.unfollow("dan", "eve")
    for post in (SOUP, TEA, Post("ada", NOON_MS, 1, "hello"), Post("eve", NOON_MS, 1, "la la")):
        feeds.post(post)
    opened(connection, pull_above=0).post(Post("dan", NOON_MS, 3, "pulled"))
    feeds.unfollow("bob", "dan")
    return feeds


def rows_that_name(connection, name, *tables):
    """How many rows, columns or values of all tables hold a name."""
    return sum(
        name.encode() in b"".join((row, *cells, *cells.values()))
        for table in {table.name for table in tables or TABLES}
        for row, cells in connection.table(table).scan()
    )


def line_of(table, owner, post):
    return table.row(table.key.key_class(owner, post.posted_ms, post.author, post.post_id))


# ---- without a second call


def test_recover_removes_what_an_erasure_has_left_once_it_is_old_enough(connection, passes):
    feeds = network(connection)
    assert feeds.erase("dan") == 7  # three posts, four follows: too young
    assert rows_that_name(connection, "dan", FOLLOWERS, TIMELINES, STREAMS) == 0
    assert list(feeds.following("dan")) == list(feeds.posts("dan")) == []
    assert list(feeds.upkeep.verify()) == []
    passes(FORGET_MS - 10_000)
    assert (feeds.upkeep.recover().failed, feeds.upkeep.recover().settled) == ((), 0)
    assert rows_that_name(connection, "dan", POSTS, FOLLOWING) == 7
    passes(20_000)
    assert feeds.upkeep.recover().settled == 1
    assert rows_that_name(connection, "dan") == 0
    assert feeds.upkeep.recover().settled == 0
    assert list(feeds.timeline("ada")) == [Post("eve", NOON_MS, 1, "la la")]
    assert list(feeds.posts("ada")) == [Post("ada", NOON_MS, 1, "hello")]
    assert list(feeds.upkeep.verify()) == []


def test_erasing_again_says_how_many_rows_remain_and_ends_it_too(connection, passes):
    feeds = network(connection)
    assert [feeds.erase("dan") for _ in range(2)] == [7, 7]
    passes(FORGET_MS + 1000)
    assert feeds.erase("dan") == 0
    assert rows_that_name(connection, "dan") == 0
    assert feeds.erase("dan") == feeds.erase("nobody") == 0
    assert rows_that_name(connection, "nobody") == 0


def test_an_erased_user_is_named_in_no_table(connection, at_once):
    feeds = network(connection)
    assert feeds.erase("dan") == 0
    assert rows_that_name(connection, "dan") == 0
    assert list(feeds.upkeep.verify()) == []


def test_a_user_with_thousands_of_posts_is_erased(connection, passes):
    feeds = opened(connection)
    with connection.table(POSTS.name).batch(timestamp=1) as batch:
        for number in range(2500):
            batch.put(POSTS.row(attrs.evolve(SOUP, post_id=number)), {POSTS.cells.columns[0]: deleted_cell()})
    passes(1)
    assert feeds.erase("dan") == 0  # they were deleted long ago
    assert rows_that_name(connection, "dan") == 0


def deleted_cell():
    return POSTS.cells.pack_revision(2, 1, (), None)


# ---- stray lines


@pytest.mark.parametrize(
    ("table", "row"),
    [
        (FOLLOWERS, FOLLOWERS.row(ReaderOfAuthor("dan", "zoe"))),
        (FOLLOWERS, FOLLOWERS.row(ReaderOfAuthor("zoe", "dan"))),
        (UNFINISHED, UNFINISHED.row(SOUP)),
        (TIMELINES, line_of(TIMELINES, "zoe", SOUP)),
        (TIMELINES, line_of(TIMELINES, "dan", Post("zoe", NOON_MS, 1, ""))),
        (TIMELINES, line_of(TIMELINES, "@dan", SOUP)),
    ],
    ids=["his follower", "as a follower", "unfinished", "his post", "his timeline", "his stream"],
)
def test_a_line_without_a_source_counts_until_it_is_old_enough_to_go(connection, passes, table, row):
    feeds = opened(connection)
    is_line_of_list = table is not TIMELINES
    connection.table(table.name).put(row, LINE)
    assert feeds.erase("dan") == is_line_of_list
    connection.table(table.name).put(row, LINE, timestamp=time.time_ns() // 1_000_000 - 1000)  # a late call
    passes(FORGET_MS + 1000)
    if is_line_of_list:
        feeds.upkeep.recover()
    assert rows_that_name(connection, "dan", FOLLOWERS, UNFINISHED) == 0
    assert feeds.erase("dan") == 0
    assert rows_that_name(connection, "dan") == 0


def test_a_line_that_is_put_late_goes_with_the_erasure(connection, passes):
    feeds = network(connection)
    feeds.erase("dan")
    passes(1000)
    old_ms = time.time_ns() // 1_000_000 - 500_000
    late = [
        (FOLLOWERS, FOLLOWERS.row(ReaderOfAuthor("dan", "ada"))),
        (UNFINISHED, UNFINISHED.row(SOUP)),
        (TIMELINES, line_of(TIMELINES, "ada", SOUP)),
    ]
    for table, row in late:
        connection.compact(table.name)
        connection.table(table.name).put(row, LINE, timestamp=old_ms)
    passes(FORGET_MS)
    assert feeds.upkeep.recover().settled == 1
    assert rows_that_name(connection, "dan") == 0


# ---- a user who came back


def test_a_user_who_comes_back_keeps_all_that_is_new(connection, passes):
    feeds = network(connection)
    feeds.erase("dan")
    passes(10_000)
    for reader, author in (("dan", "ada"), ("zoe", "dan"), ("ada", "dan")):
        feeds.follow(Follow(reader, author))
    feeds.unfollow("dan", "eve")
    cake = Post("dan", NOON_MS + 5, 9, "cake")
    for post in (SOUP, cake):
        feeds.post(post)
    opened(connection, pull_above=0).post(TEA)

    def shown():
        return [list(feeds.timeline(name)) for name in ("ada", "zoe")], list(feeds.following("dan"))

    before = shown()
    assert before[0][1] == [cake, TEA, SOUP]
    passes(FORGET_MS)
    assert feeds.upkeep.recover() == attrs.evolve(feeds.upkeep.recover(), settled=1)
    assert shown() == before
    assert [finding.kind for finding in feeds.upkeep.verify()] == []
    for reader in ("ada", "zoe"):
        assert feeds.timeline(reader).count() >= 3
    late = Post("dan", NOON_MS + 6, 10, "late")
    feeds.post(late)
    assert feeds.timeline("zoe").first() == late
    assert rows_that_name(connection, "dan", ERASURES) == 0


def test_a_follow_that_is_under_way_when_an_erasure_ends_is_not_lost(connection, passes):
    """It has read the cell of the deleted follow, and put its line with the time of that cell."""
    feeds = network(connection)
    feeds.erase("dan")
    passes(FORGET_MS + 1000)
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


# ---- clocks


class HourAhead(WriterClock):
    """The clock of a host on which it is an hour later."""

    def read_ms(self):
        return super().read_ms() + 3_600_000


def test_on_a_host_an_hour_ahead_an_erasure_is_refused_and_forgets_nothing(connection):
    feeds = network(connection)
    feeds.erase("dan")
    before = [list(connection.table(table.name).scan()) for table in (POSTS, FOLLOWING, ERASURES)]
    ahead = FeedRepository(WatchedConnection(connection), clock=HourAhead())
    for call in (lambda: ahead.erase("dan"), lambda: ahead.erase("ada"), ahead.upkeep.recover):
        with pytest.raises(ClockSkew, match="must be within 60000 ms"):
            call()
    assert [list(connection.table(table.name).scan()) for table in (POSTS, FOLLOWING, ERASURES)] == before
    assert list(feeds.posts("ada")) == [Post("ada", NOON_MS, 1, "hello")]


class Shifted(WriterClock):
    """The clock of a host that is some seconds ahead."""

    def __init__(self, ahead_ms):
        super().__init__()
        self._ahead_ms = ahead_ms

    def read_ms(self):
        return super().read_ms() + self._ahead_ms


def test_an_erasure_that_died_on_a_host_whose_clock_is_ahead_does_not_hide_the_next_one(connection, passes):
    network(connection)
    dying = WatchedConnection(connection, dying_before(lambda call: call.name == "checkAndPut"))
    with pytest.raises(WriterDied):
        FeedRepository(dying, clock=Shifted(50_000)).erase("dan")
    feeds = opened(connection)
    assert feeds.erase("dan") == 7
    passes(FORGET_MS + 60_000)
    recovery = feeds.upkeep.recover()
    assert (recovery.settled, recovery.failed) == (1, ())
    assert rows_that_name(connection, "dan") == 0


def test_an_erasure_is_not_put_below_a_cell_of_the_future(connection, embedded_only):
    feeds = network(connection)
    future_ms = time.time_ns() // 1_000_000 + DAY_MS
    connection.table(ERASURES.name).put(b"dan", {b"e:t": b"?"}, timestamp=future_ms)
    with pytest.raises(InvalidRow, match=f"must be dated at most 180000 ms after now .got {future_ms}."):
        feeds.erase("dan")
    assert feeds.posts("dan").count() == 3


# ---- what cannot go


@pytest.mark.parametrize(
    ("table", "row"),
    [
        (FOLLOWERS, FOLLOWERS.row(ReaderOfAuthor("dan", "zoe"))),
        (TIMELINES, line_of(TIMELINES, "zoe", Post("dan", NOON_MS, 9, ""))),
        (STREAMS, STREAMS.row(AuthorWithStream("dan"))),
    ],
    ids=["list", "timeline", "mark"],
)
def test_a_stray_of_the_future_stays_and_keeps_its_erasure_and_no_tombstone_hides_what_is_new(
    connection, passes, table, row
):
    feeds = network(connection)
    future_ms = time.time_ns() // 1_000_000 + 365 * DAY_MS
    connection.table(table.name).put(row, LINE, timestamp=future_ms)
    assert feeds.erase("dan") == 8
    passes(FORGET_MS + 1000)
    recovery = feeds.upkeep.recover()
    reason = f"kept, because it is dated {future_ms}, after what any clock may show"
    assert recovery.failed == (f"{table.name}: row {row.hex(' ')}: {reason}",)
    assert feeds.upkeep.recover().failed == recovery.failed
    assert feeds.erase("dan") == 1
    feeds.follow(Follow("zoe", "dan"))
    opened(connection, pull_above=0).post(Post("dan", NOON_MS, 9, "cake"))
    assert feeds.timeline("zoe").count() == feeds.followers("dan").count() == 1


def test_trim_keeps_a_line_of_the_future_and_hides_nothing_with_it(connection, embedded_only):
    feeds = network(connection)
    stray = line_of(TIMELINES, "ada", Post("dan", NOON_MS, 99, ""))
    connection.table(TIMELINES.name).put(stray, LINE, timestamp=time.time_ns() // 1_000_000 + DAY_MS)
    assert feeds.trim("ada", 0) == 3
    connection.table(TIMELINES.name).put(line_of(TIMELINES, "ada", SOUP), LINE)
    assert list(feeds.timeline("ada")) == [SOUP, Post("dan", NOON_MS, 3, "pulled")]


# ---- deaths


def test_an_erasure_that_died_is_named_until_it_is_called_again(connection, passes):
    network(connection)
    dying = WatchedConnection(connection, dying_before(lambda call: call.name == "checkAndPut"))
    with pytest.raises(WriterDied):
        opened(dying).erase("dan")
    feeds = opened(connection)
    assert feeds.upkeep.recover().waiting == 2  # with the intent of the first delete
    passes(FORGET_MS)
    (failed,) = feeds.upkeep.recover().failed
    assert failed == "feeds_erasures: row 64 61 6e: erase has not ended; if it is not at work, call it again"
    assert feeds.posts("dan").count() == 3
    assert feeds.erase("dan") == 5  # two follows were deleted before, and are old enough
    passes(FORGET_MS + 1000)
    assert feeds.upkeep.recover().settled == 1
    assert rows_that_name(connection, "dan") == 0


def test_erasing_may_die_at_any_call_and_recovery_keeps_what_is_new(engine, variant, passes):
    """After each death the user comes back; then the erasure is due, and only what is new stays."""
    for number in count():
        with engine.shared_store(*variant.tables) as connection:
            network(connection)
            watched = WatchedConnection(connection, dying_at(number))
            with suppress(WriterDied):
                opened(watched).erase("dan")
            feeds = opened(connection)
            feeds.upkeep.recover(older_than_ms=0)
            feeds.follow(Follow("zoe", "dan"))
            feeds.post(cake := Post("dan", NOON_MS + 5, 9, "cake"))
            passes(FORGET_MS + 1000)
            reasons = [reason.rpartition(": ")[2] for reason in feeds.upkeep.recover().failed]
            assert feeds.timeline("zoe").first() == cake
            assert [f.reason for f in feeds.upkeep.verify() if not f.is_harmless] == reasons
            feeds.erase("dan")
            passes(FORGET_MS + 1000)
            assert feeds.upkeep.recover().failed == ()
            assert rows_that_name(connection, "dan") == 0
            if not watched.is_stopped:
                break
    assert number > 25


def test_recovery_may_die_at_any_call_and_another_one_ends_the_erasure(engine, variant, passes):
    for number in count():
        with engine.shared_store(*variant.tables) as connection:
            network(connection).erase("dan")
            passes(FORGET_MS + 1000)
            watched = WatchedConnection(connection, dying_at(number))
            with suppress(WriterDied):
                opened(watched).upkeep.recover()
            assert opened(connection).upkeep.recover().failed == ()
            assert rows_that_name(connection, "dan") == 0
            if not watched.is_stopped:
                break
    assert number > 7


def test_erasing_may_die_anywhere_and_the_same_call_goes_on(engine, variant, at_once):
    for number in count(0, 20 if engine.name == HBASE else 3):
        with engine.shared_store(*variant.tables) as connection:
            network(connection)
            watched = WatchedConnection(connection, dying_at(number))
            try:
                opened(watched).erase("dan")
            except WriterDied:
                assert opened(connection).erase("dan") == 0
            assert rows_that_name(connection, "dan") == 0
            if not watched.is_stopped:
                break


# ---- verify


def unsettled(findings):
    return [(f.kind, f.table, f.row, f.reason.partition(";")[0]) for f in findings if not f.is_harmless]


def test_an_erasure_whose_eraser_died_is_found_once_it_is_ten_minutes_old(connection, passes):
    network(connection)
    dying = WatchedConnection(connection, dying_before(lambda call: call.name == "checkAndPut"))
    with pytest.raises(WriterDied):
        opened(dying).erase("dan")
    feeds = opened(connection)
    died = [("unsettled", "feeds_erasures", b"dan", "erase has not ended")]
    assert unsettled(feeds.upkeep.verify()) == unsettled(f for f, _ in feeds.upkeep.repair()) == []
    passes(WINDOW_MS)
    assert unsettled(feeds.upkeep.verify()) == unsettled(f for f, _ in feeds.upkeep.repair()) == died
    feeds.erase("dan")
    assert unsettled(feeds.upkeep.verify()) == []


def test_an_erasure_that_nobody_ends_is_reported(connection, passes):
    feeds = network(connection)
    feeds.erase("dan")
    passes(FORGET_MS + WINDOW_MS - 10_000)
    assert unsettled(feeds.upkeep.verify()) == []
    passes(20_000)
    late = [("unsettled", "feeds_erasures", b"dan", "rows of an erased person remain")]
    assert unsettled(feeds.upkeep.verify()) == late
    assert unsettled(f for f, _ in feeds.upkeep.repair()) == []


def test_a_row_that_is_not_an_erasure_is_reported(connection):
    connection.table(ERASURES.name).put(b"dan", {b"e:t": b"?"})
    assert [finding[:3] for finding in unsettled(opened(connection).upkeep.verify())] == [
        ("undecodable", "feeds_erasures", b"dan")
    ]


# ---- damaged rows


def test_a_bad_key_stops_the_erasure_of_nobody(connection, passes):
    feeds = network(connection)
    for table in (FOLLOWING, FOLLOWERS, UNFINISHED, TIMELINES):
        connection.table(table.name).put(b"no key", {table.cells.columns[0]: b"?"})
    assert feeds.erase("dan") == 7
    passes(FORGET_MS + 1000)
    assert feeds.erase("dan") == 0
    assert rows_that_name(connection, "dan") == 0


@pytest.mark.parametrize(
    ("table", "record"), [(POSTS, SOUP), (FOLLOWING, Follow("ada", "dan"))], ids=["post", "follow"]
)
def test_what_cannot_be_read_counts_as_remaining_and_is_named(connection, passes, table, record):
    feeds = network(connection)
    connection.table(table.name).put(table.row(record), {table.cells.columns[0]: b"?"})
    passes(1000)
    assert feeds.erase("dan") >= 7
    passes(FORGET_MS + 1000)
    (failed,) = feeds.upkeep.recover().failed
    assert failed.startswith(f"{table.name}: row ")
    assert feeds.erase("dan") >= 1
    connection.table(table.name).delete(table.row(record))
    assert feeds.erase("dan") == 0
    assert rows_that_name(connection, "dan") == 0
