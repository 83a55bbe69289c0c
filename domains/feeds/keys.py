"""Who follows whom, both ways; the posts of each author; a timeline for each reader, and a stream for some authors.

Follows and posts are sources: the list of followers and the list of unfinished posts are derived from them. The lines
of timelines are not derived. The steps of a fan-out put them, 1,000 in a call, and the post's source holds the position
of the fan-out. Rows of lists and timelines hold only a marker, because a page fetches the follows and the posts.
"""

from typing import Any, NamedTuple

from shared.keys import Descending, EscapedText, Int64, KeyLayout, TrailingText, UInt64, part, row_key
from shared.tables import Column, Family, RecordCells, TableLayout
from shared.writes import (
    KEEP_TOMBSTONES_MS,
    ErasedName,
    ErasedSource,
    Erasure,
    Intent,
    SourceCells,
    erasures_tables,
    intents_table,
)

from .records import Follow, StoredPost


@row_key
class AuthorOfReader:
    """One author whom a reader follows.

    Order:  by reader, then by author.
    Serves: whom a reader follows; whether a reader follows an author.
    Costs:  one scan of a page's rows and one more. Each page of a timeline reads all follows of its reader.
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
    Costs:  one scan of a page's rows and one more, and one call that gets the follows.
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
    Costs:  one scan of a page's rows and one more.
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
    """An author who has a stream, because a post was pulled.

    Order:  by author.
    Serves: each page of a timeline, which gets the rows of all authors whom its reader follows.
    Costs:  one call for each 1,000 of these authors.
    Fixed:  a row stays until its author is erased, because pulled posts stay in the stream.
    Source: none
    """

    author: str = part(TrailingText, "an author of at least one pulled post")


POST_CELLS = RecordCells(
    StoredPost,
    {
        "text": Column("p:t"),
        "way": Column("p:w"),
        "state": Column("p:s"),
        "position": Column("p:p"),
        "run": Column("p:r"),
    },
)

DERIVED = {"f": Family(keep_tombstones_ms=KEEP_TOMBSTONES_MS)}

FOLLOWING = TableLayout(
    "feeds_following",
    "the follow",
    KeyLayout(AuthorOfReader),
    SourceCells(RecordCells(Follow, {"since_ms": Column("f:s")}), "f:follow"),
)
FOLLOWERS = TableLayout(
    "feeds_followers",
    "one follower of an author",
    KeyLayout(ReaderOfAuthor),
    RecordCells(ReaderOfAuthor, {}, marker="f:x"),
    DERIVED,
)
POSTS = TableLayout("feeds_posts", "the post", KeyLayout(PostOfAuthor), SourceCells(POST_CELLS, "p:post"))
UNFINISHED = TableLayout(
    "feeds_unfinished",
    "a post on its way to followers",
    KeyLayout(PostOfAuthor),
    RecordCells(PostOfAuthor, {}, marker="f:x"),
    DERIVED,
)
TIMELINES = TableLayout(
    "feeds_timelines",
    "one line of a timeline",
    KeyLayout(LineOfTimeline),
    RecordCells(LineOfTimeline, {}, marker="f:x"),
    DERIVED,
)
STREAMS = TableLayout(
    "feeds_streams",
    "an author with a stream",
    KeyLayout(AuthorWithStream),
    RecordCells(AuthorWithStream, {}, marker="f:x"),
)
FOLLOW_INTENTS = intents_table("feeds_follow_intents")
POST_INTENTS = intents_table("feeds_post_intents")

ERASURES, (ERASED_FOLLOWS, ERASED_POSTS) = erasures_tables("feeds_erasures", writers=2)


class FeedTables(NamedTuple):
    """Follows, posts, timelines and streams; the erasures of users; and the writes under way."""

    following: TableLayout[Any, Follow]
    followers: TableLayout[Any, ReaderOfAuthor]
    posts: TableLayout[Any, StoredPost]
    unfinished: TableLayout[Any, PostOfAuthor]
    timelines: TableLayout[Any, LineOfTimeline]
    streams: TableLayout[AuthorWithStream, AuthorWithStream]
    erasures: TableLayout[ErasedName, Erasure]
    erased_follows: TableLayout[ErasedName, ErasedSource]
    erased_posts: TableLayout[ErasedName, ErasedSource]
    follow_intents: TableLayout[Any, Intent]
    post_intents: TableLayout[Any, Intent]


TABLES = FeedTables(
    FOLLOWING,
    FOLLOWERS,
    POSTS,
    UNFINISHED,
    TIMELINES,
    STREAMS,
    ERASURES,
    ERASED_FOLLOWS,
    ERASED_POSTS,
    FOLLOW_INTENTS,
    POST_INTENTS,
)
