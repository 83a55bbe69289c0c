"""Published mistakes about timelines, each as wrong code beside the right code. Do not copy what is named wrong."""

from collections.abc import Iterator

import happybase

from shared.designs import Outcome, Trap
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .loads import FOLLOWS_LOAD, POSTS_LOAD
from .published import LONG_MAX
from .records import Post
from .repository import FeedRepository

READER, NEXT_READER = "r-1", "r-2"
LIMIT = 1000


def _published_row(reader: str, posted_ms: int) -> bytes:
    """`feedRowKey(friendId, timestamp)`, read as the page's `inboxRowKey`."""
    return f"{reader}_{LONG_MAX - posted_ms}".encode()


def _published_timelines() -> happybase.Table:
    """The timelines of two readers as published: `feedRowKey`, and the author in a column."""
    connection = connect("embedded:")
    connection.create_table("t", {"f": {}})
    table = connection.table("t")
    with table.batch() as batch:
        for reader in (READER, NEXT_READER):
            for post in _posts_for(reader):
                batch.put(_published_row(reader, post.posted_ms), {b"f:author": post.author.encode()})
    return table


def _posts_for(reader: str) -> Iterator[Post]:
    """The sample posts of those whom a reader follows."""
    authors = {follow.author for follow in FOLLOWS_LOAD.sample_records() if follow.reader == reader}
    return (post for post in POSTS_LOAD.sample_records() if post.author in authors)


def _timeline() -> list[Post]:
    """The same timeline by the repository."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    feeds = FeedRepository(connection)
    for reader in (READER, NEXT_READER):
        for follow in FOLLOWS_LOAD.sample_records():
            if follow.reader == reader:
                feeds.follow(follow)
    for post in POSTS_LOAD.sample_records():
        feeds.post(post)
    return feeds.timeline(READER).page(LIMIT).records


def two_posts_of_one_millisecond() -> Outcome:
    """A row key of reader and time has room for one post: the later one replaces the earlier one."""
    posts = list(_posts_for(READER))
    prefix = f"{READER}_".encode()
    wrong = sum(1 for _ in _published_timelines().scan(row_prefix=prefix))
    return Outcome(
        f"the {len(posts)} posts for reader {READER}",
        f"{wrong} rows; {len(posts) - wrong} posts were overwritten",
        f"{len(_timeline())} posts",
    )


def scan_without_a_stop_row() -> Outcome:
    """A scan with a start row and a limit, but no stop row, goes on into the timeline of the next reader."""
    published = _published_timelines()
    start = f"{READER}_{LONG_MAX - LONG_MAX:019}".encode()  # feedRowKey(userId, Long.MAX_VALUE)
    own = f"{READER}_".encode()
    rows = [row for row, _ in published.scan(row_start=start, limit=LIMIT)]
    foreign = sum(not row.startswith(own) for row in rows)
    authors = {follow.author for follow in FOLLOWS_LOAD.sample_records() if follow.reader == READER}
    right = _timeline()
    return Outcome(
        f"the timeline of {READER}, up to {LIMIT} posts",
        f"{len(rows)} rows, {foreign} of them in other readers' timelines",
        f"{len(right)} posts, {sum(post.author not in authors for post in right)} of others",
    )


TRAPS = (
    Trap("two posts of one millisecond", "feedRowKey(friendId, timestamp)", two_posts_of_one_millisecond),
    Trap(
        "scan without a stop row",
        "scan.withStartRow(feedRowKey(userId, Long.MAX_VALUE))",
        scan_without_a_stop_row,
    ),
)
