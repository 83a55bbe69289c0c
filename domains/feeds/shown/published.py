"""Published keys beside the keys of `feeds`, and published mistakes with what each of them returns."""

from collections.abc import Iterator

from shared.designs import Design, scratch_store, scratch_table
from shared.exhibit import LONG_MAX, Outcome, PublishedKey, ScanTask, Trap
from shared.queries import scan

from ..keys import POSTS, TABLES, TIMELINES, LineOfTimeline, PostOfAuthor
from ..records import Post
from ..repository import FeedRepository

# ---- the two keys of S3.10 byte for byte as published, for the author and the reader u-17


POSTED_MS = 1_580_976_517_000  # 2020-02-06T08:08:37Z

NAME, TIME = b"u-17_", str(LONG_MAX - POSTED_MS).encode()
TERMINATOR = "any text, with the terminator `00 01`; the scan ends before the next name begins"
DESCENDING = "8 bytes instead of 19 digits"
ID = "not in the published key, so a second post of this millisecond replaces the first"

PUBLISHED = (
    PublishedKey(
        "S3.10",
        "outboxRowKey(userId, timestamp)",
        POSTS.layout,
        PostOfAuthor("u-17", POSTED_MS, 7),
        {"author": NAME, "posted_ms": TIME},
        {"author": TERMINATOR, "posted_ms": DESCENDING, "post_id": ID},
    ),
    PublishedKey(
        "S3.10",
        "feedRowKey(friendId, timestamp)",
        TIMELINES.layout,
        LineOfTimeline("u-17", POSTED_MS, "ann", 7),
        {"owner": NAME, "posted_ms": TIME},
        {
            "owner": TERMINATOR,
            "posted_ms": DESCENDING,
            "author": "not in the published key, so posts of two authors in one millisecond share a row",
            "post_id": ID,
        },
    ),
)


# ---- published mistakes about timelines, each as wrong code beside the right code. Do not copy what is named wrong


READER, NEXT_READER = "r-1", "r-2"
LIMIT = 1000


def _published_row(reader: str, posted_ms: int) -> bytes:
    """`feedRowKey(friendId, timestamp)`, read as the page's `inboxRowKey`."""
    return f"{reader}_{LONG_MAX - posted_ms}".encode()


def _posts_for(reader: str, design: Design) -> Iterator[Post]:
    """The sample posts of those whom a reader follows."""
    authors = {follow.author for follow in design.loads[0].sample_records() if follow.reader == reader}
    return (post for post in design.loads[1].sample_records() if post.author in authors)


def _timeline(design: Design) -> list[Post]:
    """The same timeline by the repository."""
    feeds = FeedRepository(scratch_store(TABLES))
    follows, posts = design.loads
    for follow in follows.sample_records():
        if follow.reader == READER:
            feeds.follow(follow)
    for post in posts.sample_records():
        feeds.post(post)
    return feeds.timeline(READER).page(LIMIT).records


def two_posts_of_one_millisecond(design: Design) -> Outcome:
    """A row key of reader and time has room for one post: the later one replaces the earlier one."""
    posts = list(_posts_for(READER, design))
    table = scratch_table(_published_row(READER, post.posted_ms) for post in posts)
    wrong = sum(1 for _ in table.scan())
    return Outcome(
        f"the {len(posts)} posts for reader {READER}",
        f"{wrong} rows; {len(posts) - wrong} posts were overwritten",
        f"{len(_timeline(design))} posts",
    )


def scan_without_a_stop_row(design: Design) -> Outcome:
    """A scan with a start row and a limit, but no stop row, goes on into the timeline of the next reader."""
    posts = [(reader, post) for reader in (READER, NEXT_READER) for post in _posts_for(reader, design)]
    timeline = ScanTask(posts, is_wanted=lambda line: line[0] == READER, label=lambda line: line[0])
    start = f"{READER}_{LONG_MAX - LONG_MAX:019}".encode()  # feedRowKey(userId, Long.MAX_VALUE)
    wrong = timeline.run(
        lambda line: _published_row(line[0], line[1].posted_ms), lambda table: table.scan(row_start=start, limit=LIMIT)
    )
    right = timeline.run(
        lambda line: TIMELINES.layout.row(LineOfTimeline(line[0], line[1].posted_ms, line[1].author, line[1].post_id)),
        lambda table: scan(table, TIMELINES.layout.plan(owner=READER), limit=LIMIT),
    )
    return Outcome.of_scans(f"the timeline of {READER}, up to {LIMIT} posts", wrong, right)


def start_row_of_plain_time(design: Design) -> Outcome:
    """If the key has the time as it is, the published start row comes after all posts of its reader."""
    posts = [(reader, post) for reader in (READER, NEXT_READER) for post in _posts_for(reader, design)]
    timeline = ScanTask(posts, is_wanted=lambda line: line[0] == READER, label=lambda line: line[0])
    start = f"{READER}_{LONG_MAX}".encode()  # feedRowKey(userId, Long.MAX_VALUE)
    wrong = timeline.run(
        lambda line: f"{line[0]}_{line[1].posted_ms}_{line[1].author}_{line[1].post_id}".encode(),
        lambda table: table.scan(row_start=start, limit=LIMIT),
    )
    right = timeline.run(
        lambda line: TIMELINES.layout.row(LineOfTimeline(line[0], line[1].posted_ms, line[1].author, line[1].post_id)),
        lambda table: scan(table, TIMELINES.layout.plan(owner=READER), limit=LIMIT),
    )
    return Outcome.of_scans(f"the timeline of {READER}, the key read as userId_timestamp", wrong, right)


TRAPS = (
    Trap("two posts of one millisecond", "feedRowKey(friendId, timestamp)", two_posts_of_one_millisecond),
    Trap(
        "scan without a stop row",
        "scan.withStartRow(feedRowKey(userId, Long.MAX_VALUE))",
        scan_without_a_stop_row,
    ),
    Trap(
        "the start row of a plain time",
        "scan.withStartRow(feedRowKey(userId, Long.MAX_VALUE))",
        start_row_of_plain_time,
    ),
)
