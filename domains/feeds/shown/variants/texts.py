"""The published form: each line of a timeline holds the whole post, so a page is one scan; writes put no intents.

All puts of a post have the timestamp of the first one. So repeating the call completes an interrupted write; nothing
else completes it. Lines may expire: a TTL counts from the moment of the push, not from the time of the post. What it
can lose:

- If a writer dies during a fan-out and its client does not try again, the remaining followers never get the post.
- If two clients store different posts under one author, time and id at once, one of the posts is lost.
- If a delete dies halfway, the post stays readable in the timelines that the delete did not reach.
- If an unfollow dies halfway, posts of the author stay in the timeline.
- Clocks are not compared: if that of a writer is ahead, what it deletes (a follow, a post) stays hidden if another
  writer stores it again before its own clock has passed that date.
"""

import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import attrs

from shared.keys import between, shown
from shared.queries import Query, scan
from shared.queries.scanning import BATCH_ROWS
from shared.records import check_int
from shared.sources import Table
from shared.tables import RecordCells
from shared.writes import CLOCK, WriterClock, delete_rows

from ...keys import AuthorOfReader, LineOfTimeline, PostOfAuthor, ReaderOfAuthor
from ...records import Follow, Post, check_name
from ...repository import PostConflict

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class TextLine:
    """A line of a timeline that holds the post itself."""

    owner: str
    posted_ms: int
    author: str
    post_id: int
    text: str

    @property
    def post(self) -> Post:
        """The post of the line."""
        return Post(self.author, self.posted_ms, self.post_id, self.text)


FOLLOWING = Table("feeds_following_plain", AuthorOfReader, Follow, {"since_ms": "f:s"})
FOLLOWERS = Table(
    "feeds_followers_plain", ReaderOfAuthor, ReaderOfAuthor, RecordCells(ReaderOfAuthor, {}, marker="f:x")
)
POSTS = Table("feeds_posts_plain", PostOfAuthor, Post, {"text": "p:t"})
TIMELINES = Table("feeds_timelines_texts", LineOfTimeline, TextLine, {"text": "f:t"})
TABLES = (*FOLLOWING.tables, *FOLLOWERS.tables, *POSTS.tables, *TIMELINES.tables)


class Repository:
    """Stores and deletes follows and posts, by plain puts and deletes in a fixed order, and reads timelines."""

    def __init__(self, connection: "happybase.Connection", clock: WriterClock = CLOCK) -> None:
        self._following = FOLLOWING.on(connection)
        self._followers = FOLLOWERS.on(connection)
        self._posts = POSTS.on(connection)
        self._timelines = TIMELINES.on(connection)
        self._clock = clock

    # ---- writes

    def follow(self, follow: Follow) -> None:
        """Stores a follow by reader and by author. Costs: one get; two puts, or one if the follow is stored already."""
        row = self._following.row(follow)
        following, followers = self._following.rows, self._followers.rows  # compares both layouts before the first put
        stored = following.row(row, include_timestamp=True)
        written_ms = max((ms for _, ms in stored.values()), default=0) or self._clock.now_ms()
        if not stored:
            following.put(row, self._following.layout.cells.pack(follow), timestamp=written_ms)
        follower = ReaderOfAuthor(follow.author, follow.reader)
        followers.put(self._followers.row(follower), self._followers.layout.cells.pack(follower), timestamp=written_ms)

    def unfollow(self, reader: str, author: str) -> None:
        """Deletes a follow, then the author's lines in the reader's timeline.

        Costs: two deletes; a scan of the whole timeline, in pages, and one delete for each 1,000 lines of the author.
        """
        now_ms = self._clock.now_ms()
        self._followers.rows.delete(self._followers.row(ReaderOfAuthor(author, reader)), timestamp=now_ms)
        self._following.rows.delete(self._following.row(AuthorOfReader(reader, author)), timestamp=now_ms)
        lines = self._timelines.ask_more(owner=reader, author=author)
        delete_rows(self._timelines, map(self._timelines.row, lines), now_ms)

    def post(self, post: Post) -> None:
        """Stores a post, then a line for each follower. Repeating the call puts all lines again.

        Raises `PostConflict` if another post is stored with this author, time and id.
        Costs: one get, one put; for each 1,000 followers one scan and one put.
        """
        row = self._posts.row(post)
        cells = self._posts.rows.row(row, include_timestamp=True)
        if not cells:
            written_ms = self._clock.now_ms()
            self._posts.rows.put(row, self._posts.layout.cells.pack(post), timestamp=written_ms)
        else:
            stored = self._posts.layout.record(row, {column: value for column, (value, _) in cells.items()})
            if stored != post:
                raise PostConflict(
                    f"Post.text: post {post.post_id} of {shown(post.author)} is stored with another text"
                )
            written_ms = max(ms for _, ms in cells.values())
        for readers in self._follower_batches(post.author):
            with self._timelines.rows.batch(timestamp=written_ms) as batch:
                for reader in readers:
                    line = TextLine(reader, post.posted_ms, post.author, post.post_id, post.text)
                    batch.put(self._timelines.row(line), self._timelines.layout.cells.pack(line))

    def delete_post(self, author: str, posted_ms: int, post_id: int) -> None:
        """Deletes a post's lines in the timelines of all present followers, then the post.

        Costs: for each 1,000 followers one scan and one delete; one delete.
        """
        for readers in self._follower_batches(author):
            lines = (LineOfTimeline(reader, posted_ms, author, post_id) for reader in readers)
            delete_rows(self._timelines, map(self._timelines.row, lines), self._clock.now_ms())
        key = PostOfAuthor(author, posted_ms, post_id)
        self._posts.rows.delete(self._posts.row(key), timestamp=self._clock.now_ms())

    def trim(self, reader: str, keep: int) -> int:
        """Deletes all lines of a timeline except the newest `keep`; returns how many.

        Costs: a scan of the whole timeline, in pages, and one delete for each 1,000 lines.
        """
        check_name("reader", reader)
        check_int("keep", keep, 0)
        surplus = islice(self._timelines.ask(owner=reader), min(keep, sys.maxsize), None)
        return delete_rows(self._timelines, map(self._timelines.row, surplus), self._clock.now_ms())

    def _follower_batches(self, author: str) -> Iterator[list[str]]:
        """The names of an author's followers, 1,000 at a time."""
        position: str | None = None
        while True:
            after = between(None if position is None else position + "\0")
            plan = self._followers.plan(author=author, reader=after)
            rows = scan(self._followers.rows, plan, limit=BATCH_ROWS)
            readers = [self._followers.layout.key.decode(row).reader for row, _ in rows]
            if readers:
                yield readers
            if len(readers) < BATCH_ROWS:
                return
            position = readers[-1]

    # ---- questions

    def timeline(self, reader: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Post]:
        """A reader's timeline, newest first. Costs: one scan of a page's rows and one more."""
        check_name("reader", reader)
        lines = self._timelines.ask(owner=reader, posted_ms=between(since_ms, until_ms))
        return lines.newest_first().then(lambda page: [line.post for line in page])

    def posts(self, author: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Post]:
        """An author's posts, newest first. Costs: one scan of a page's rows and one more."""
        return self._posts.ask(author=author, posted_ms=between(since_ms, until_ms)).newest_first()

    def followers(self, author: str) -> Query[Follow]:
        """The follows of an author's followers, sorted by name.

        Costs: one scan of a page's lines and one more, and one call that gets the follows.
        """
        return self._followers.ask(author=author).then(self._follows)

    def _follows(self, lines: list[ReaderOfAuthor]) -> list[Follow | None]:
        rows = [self._following.row(AuthorOfReader(line.reader, line.author)) for line in lines]
        stored = dict(self._following.rows.rows(rows))
        return [self._following.layout.record(row, stored[row]) if row in stored else None for row in rows]

    def following(self, reader: str) -> Query[Follow]:
        """The follows of a reader, sorted by author. Costs: one scan of a page's rows and one more."""
        return self._following.ask(reader=reader)
