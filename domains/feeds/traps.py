"""Published mistakes about timelines, each as wrong code beside the right code. Do not copy what is named wrong."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shared.designs import Design, Outcome, Trap, scratch_store, scratch_table

from .keys import TABLES
from .published import LONG_MAX
from .records import Post
from .repository import FeedRepository

if TYPE_CHECKING:
    import happybase

READER, NEXT_READER = "r-1", "r-2"
LIMIT = 1000


def _published_row(reader: str, posted_ms: int) -> bytes:
    """`feedRowKey(friendId, timestamp)`, read as the page's `inboxRowKey`."""
    return f"{reader}_{LONG_MAX - posted_ms}".encode()


def _published_timelines(design: Design) -> "happybase.Table":
    """The timelines of two readers as published: `feedRowKey`, and the author in a column."""
    return scratch_table(
        {
            _published_row(reader, post.posted_ms): post.author
            for reader in (READER, NEXT_READER)
            for post in _posts_for(reader, design)
        }
    )


def _authors_of(reader: str, design: Design) -> set[str]:
    """Whom a reader of the samples follows."""
    return {follow.author for follow in design.loads[0].sample_records() if follow.reader == reader}


def _posts_for(reader: str, design: Design) -> Iterator[Post]:
    """The sample posts of those whom a reader follows."""
    authors = _authors_of(reader, design)
    return (post for post in design.loads[1].sample_records() if post.author in authors)


def _timeline(design: Design) -> list[Post]:
    """The same timeline by the repository."""
    feeds = FeedRepository(scratch_store(TABLES))
    follows, posts = design.loads
    for reader in (READER, NEXT_READER):
        for follow in follows.sample_records():
            if follow.reader == reader:
                feeds.follow(follow)
    for post in posts.sample_records():
        feeds.post(post)
    return feeds.timeline(READER).page(LIMIT).records


def two_posts_of_one_millisecond(design: Design) -> Outcome:
    """A row key of reader and time has room for one post: the later one replaces the earlier one."""
    posts = list(_posts_for(READER, design))
    prefix = f"{READER}_".encode()
    wrong = sum(1 for _ in _published_timelines(design).scan(row_prefix=prefix))
    return Outcome(
        f"the {len(posts)} posts for reader {READER}",
        f"{wrong} rows; {len(posts) - wrong} posts were overwritten",
        f"{len(_timeline(design))} posts",
    )


def scan_without_a_stop_row(design: Design) -> Outcome:
    """A scan with a start row and a limit, but no stop row, goes on into the timeline of the next reader."""
    published = _published_timelines(design)
    start = f"{READER}_{LONG_MAX - LONG_MAX:019}".encode()  # feedRowKey(userId, Long.MAX_VALUE)
    own = f"{READER}_".encode()
    rows = [row for row, _ in published.scan(row_start=start, limit=LIMIT)]
    foreign = sum(not row.startswith(own) for row in rows)
    authors = _authors_of(READER, design)
    right = _timeline(design)
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
