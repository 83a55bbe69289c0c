"""Who follows whom, both ways; the posts of each author; a timeline for each reader, and a stream for some authors.

Follows and posts are sources: the list of followers and the list of unfinished posts are derived from them. The lines
of timelines are not derived. The steps of a fan-out put them, 1,000 in a call, and the post's source holds the position
of the fan-out. Rows of lists and timelines hold only a marker, because a page fetches the follows and the posts.
"""

from shared.intents import KEEP_TOMBSTONES_MS, ErasuresTable
from shared.keys import Descending, EscapedText, Int64, TrailingText, UInt64, part, row_key
from shared.sources import Source, Table
from shared.tables import Family, RecordCells

from .records import Follow, StoredPost


@row_key
class AuthorOfReader:
    """One author whom a reader follows.

    Order:  by reader, then by author.
    Serves: whom a reader follows; whether a reader follows an author.
    Costs:  one scan, which reads one row more than the page. Each page of a timeline reads all follows of its reader.
    Fixed:  the two names are the whole key, so each pair has one follow.
    Source: none
    """

    reader: str = part(EscapedText, "who follows; any text that does not start with @")
    author: str = part(EscapedText, "who is followed")


@row_key
class ReaderOfAuthor:
    """One reader who may follow an author.

    Order:  by author, then by reader.
    Serves: an author's followers; the steps of a fan-out, each after the position of the previous step.
    Costs:  one scan, which reads one row more than the page, and one call that gets the follows.
    Fixed:  the order of readers: the positions of unfinished posts depend on it.
    Source: none
    """

    author: str = part(EscapedText, "who is followed; ann never matches ann_1")
    reader: str = part(EscapedText, "who follows")


@row_key
class PostOfAuthor:
    """One post of an author.

    Order:  by author, newest first, then by post id.
    Serves: an author's posts, latest or of a period; one post.
    Costs:  one scan, which reads one row more than the page.
    Fixed:  the widths and the direction of time; changing them means a new table.
    Source: S3.10, where the key has no id: two posts of one millisecond share a row.
    """

    author: str = part(EscapedText, "who wrote the post; any text that does not start with @")
    posted_ms: int = part(Descending(Int64), "when posted, milliseconds since 1970 UTC, newest first")
    post_id: int = part(UInt64, "distinguishes posts of one millisecond; ids above 2^53 stay exact")


@row_key
class LineOfTimeline:
    """One post in a timeline.

    Order:  by owner, newest first, then by author, then by post id.
    Serves: a reader's timeline, merged with streams, each of which has an owner of its own.
    Costs:  one scan of the reader's own lines, one of each stream, and one call that gets the posts of a page.
    Fixed:  as `PostOfAuthor`.
    Source: S3.10, where the key has neither author nor id: two posts of one millisecond share a row.
    """

    owner: str = part(EscapedText, "who reads; or @ and an author, whose stream all followers read")
    posted_ms: int = part(Descending(Int64), "when posted, milliseconds since 1970 UTC, newest first")
    author: str = part(EscapedText, "who wrote the post")
    post_id: int = part(UInt64, "distinguishes posts of one author and millisecond")


@row_key
class AuthorWithStream:
    """An author who has a stream: some posts are there, and in no follower's timeline.

    Order:  by author.
    Serves: each page of a timeline, which gets the rows of all authors whom its reader follows.
    Costs:  one call for each 1,000 of these authors.
    Fixed:  a row stays until its author is erased, because these posts stay in the stream.
    Source: none
    """

    author: str = part(TrailingText, "an author of at least one post in a stream")


FOLLOWS = Source(
    "feeds_following",
    AuthorOfReader,
    Follow,
    {"since_ms": "f:s"},
    cell="f:follow",
    intents="feeds_follow_intents",
)
FOLLOWERS = FOLLOWS.moving_list("feeds_followers", ReaderOfAuthor)

POSTS = Source(
    "feeds_posts",
    PostOfAuthor,
    StoredPost,
    {"text": "p:t", "way": "p:w", "state": "p:s", "position": "p:p", "run": "p:r"},
    cell="p:post",
    intents="feeds_post_intents",
)
UNFINISHED = POSTS.moving_list(
    "feeds_unfinished",
    PostOfAuthor,
    when=lambda post: post.state == "spreading",
    marker="f:x",
    holds="one post on its way to followers",
)

TIMELINES = Table(
    "feeds_timelines",
    LineOfTimeline,
    LineOfTimeline,
    RecordCells(LineOfTimeline, {}, marker="f:x"),
    families={"f": Family(keep_tombstones_ms=KEEP_TOMBSTONES_MS)},
)
STREAMS = Table("feeds_streams", AuthorWithStream, AuthorWithStream, RecordCells(AuthorWithStream, {}, marker="f:x"))

ERASURES = ErasuresTable("feeds_erasures", writers=2)

TABLES = (*FOLLOWS.tables, *POSTS.tables, *TIMELINES.tables, *STREAMS.tables, *ERASURES.tables)
