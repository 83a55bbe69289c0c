"""Follows, posts and timelines; one method for each question and each write."""

import random
from collections.abc import Callable, Iterable, Iterator, Set
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.intents import Erasures, ErasuresTable, SourceRow
from shared.keys import any_of, between, shown
from shared.queries import DependentQuery, Query
from shared.records import check_int
from shared.sources import DELETED, Source, Table
from shared.tables import InvalidRow
from shared.upkeep import CombinedUpkeep, UnreadableRows, Upkeep
from shared.writes import CLOCK, WriterClock, store_all

from .erasing import delete_lines, rows_of_user
from .keys import (
    ERASURES,
    FOLLOWERS,
    FOLLOWS,
    POSTS,
    STREAMS,
    TIMELINES,
    AuthorOfReader,
    AuthorWithStream,
    LineOfTimeline,
    PostOfAuthor,
)
from .lines import TimelineLines, post_of
from .records import Follow, Post, StoredPost, Way, check_name, stream_of
from .spreading import FanOut
from .verifying import StreamUpkeep, TimelineUpkeep

if TYPE_CHECKING:
    import happybase

STEP_ROWS = 10_000
"""Number of followers in one step of a fan-out. If a worker dies, the next one puts up to this many lines again."""
PULL_ABOVE = 10_000
"""Posts of authors with more followers than this are pulled."""
RUN_BYTES = 8


class PostConflict(ValueError):
    """Another post is stored with this author, time and id, or the post was deleted."""


class FeedRepository:
    """Stores and deletes follows and posts, and reads timelines.

    Each follow and each post is decided in its own row, see `shared.intents.writer`. A fan-out then puts a line for the
    post into the timelines of all followers, in steps of `step_rows` followers. The row of the post holds the position
    of the fan-out, so any process can continue. If the author has more than `pull_above` followers, the post is pulled:
    it gets a single line, in the author's stream. `pull_above` may differ from post to post and from writer to writer,
    because each post says whether it was pushed or pulled.

    A timeline shows the post of a line only if the post is stored and the reader follows its author when the page is
    read. If a writer dies, repeating the call or running `upkeep.recover` completes the write.

    Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        follows: Source[Follow] = FOLLOWS,
        posts: Source[StoredPost] = POSTS,
        timelines: Table[LineOfTimeline] = TIMELINES,
        streams: Table[AuthorWithStream] = STREAMS,
        erasures: ErasuresTable = ERASURES,
        clock: WriterClock = CLOCK,
        pull_above: int | None = PULL_ABOVE,
        step_rows: int = STEP_ROWS,
    ) -> None:
        self._follows, self._posts = follows.on(connection, clock), posts.on(connection, clock)
        self._timelines, self._streams = timelines.on(connection), streams.on(connection)
        self.follow_writer, self.post_writer = self._follows.writer, self._posts.writer
        self._fan_out = FanOut(self._follows, self._posts, self._timelines, self._streams, clock, step_rows)
        self._lines = TimelineLines(self._timelines, self.follow_writer, self.post_writer)
        writers = self.follow_writer, self.post_writer
        rows_of = partial(rows_of_user, *writers)
        delete = partial(delete_lines, self._posts, self._streams, self._lines)
        self._erasures = Erasures(connection, erasures, writers, rows_of, delete, "feeds")
        self.upkeep: Upkeep = CombinedUpkeep(
            self._posts.upkeep,
            self._follows.upkeep,
            self._fan_out.upkeep,
            TimelineUpkeep(self._follows, self.post_writer, self._lines),
            StreamUpkeep(self.post_writer, self._fan_out, timelines.layout),
            UnreadableRows(self._streams),
            self._erasures,
        )
        self._pull_above = pull_above

    # ---- writes

    def follow(self, follow: Follow) -> None:
        """Stores a follow. Every post of the author that is stored later reaches the reader's timeline.

        The timeline also shows older posts of the author's stream, and those pushed during an earlier follow. The same
        follow again changes nothing, whatever its `since_ms`. Costs: 1 get, 3 puts, 1 checkAndPut.
        """
        self._follows.write(follow, partial(after_follow, follow))

    def follow_all(self, follows: Iterable[Follow]) -> int:
        """Stores follows as `follow` does, 1,000 at a time; returns their number.

        Raises NotAllStored. Each of its unconfirmed follows is either stored or not: store them again, or let
        `upkeep.recover` complete them.
        Costs: 1 checkAndPut for each follow; for each 1,000 follows 1 call that reads them, and 3 puts.
        """
        return self._follows.write_all(follows, after_follow)

    def unfollow(self, reader: str, author: str) -> None:
        """Deletes a follow. From then on the reader's timeline shows no post of the author, new or old.

        The lines of these posts stay in the table until `trim`, `repair` or a TTL removes them.
        Costs: 1 get, 2 puts, 1 checkAndPut, 1 delete.
        """
        self._follows.write(AuthorOfReader(reader, author), lambda _stored: DELETED)

    def post(self, post: Post) -> None:
        """Stores a post and its line in the timeline of each follower, or in the author's stream.

        Repeating the call completes the fan-out, and changes nothing else.
        Raises `PostConflict` if another post has this author, time and id, or if the post was deleted.
        Costs: 1 get, 3 puts, 1 checkAndPut; 1 scan that counts followers, up to `pull_above` + 1. If the post is
        pushed: 1 scan for each step of 10,000 followers, and 1 put for each 1,000; if it is pulled: one step of 2 puts.
        For each step 2 gets, 2 puts and 1 checkAndPut, which move the position. At the end 1 delete and 1 get.
        """
        stored = self._posts.write(post, self._deciding(post))
        if stored.state == "spreading":
            self._fan_out.spread(self.post_writer.source.row(post))

    def post_all(self, posts: Iterable[Post]) -> int:
        """Stores posts as `post` does, 1,000 at a time, then the lines of each; returns their number.

        Raises NotAllStored, whose cause may be `PostConflict`. Each of its unconfirmed posts is either stored or not:
        store them again, or let `upkeep.recover` complete them.
        Costs: those of `post`, but for each 1,000 posts 2 calls that read them and 3 puts instead of a get and 3 puts
        for each post.
        """
        return store_all(posts, self._post_batch)

    def _post_batch(self, posts: list[Post]) -> None:
        self.post_writer.write_all((post, self._deciding(post)) for post in posts)
        for row, source in self.post_writer.reader.read_all(map(self.post_writer.source.row, posts)).items():
            if source.record is not None and source.record.state == "spreading":
                self._fan_out.spread(row)

    def _deciding(self, post: Post) -> Callable[[StoredPost | None], StoredPost]:
        return partial(after_post, post, partial(self._fan_out.has_more_followers, post.author, self._pull_above))

    def delete_post(self, author: str, posted_ms: int, post_id: int) -> None:
        """Deletes a post. From then on no question shows it, and a fan-out that is under way stops after its step.

        The row of the post stays, without the text, so that a late retry of `post` does not bring the post back. Its
        lines stay in the timelines until `trim`, `repair` or a TTL removes them; no page shows them.
        Costs: 1 get, 2 puts, 1 checkAndPut; 1 delete if its fan-out was unfinished.
        """
        self._posts.write(PostOfAuthor(author, posted_ms, post_id), after_delete_post)

    def trim(self, reader: str, keep: int) -> int:
        """Deletes all lines of a reader's timeline except the newest `keep` that a page shows; returns how many.

        It also deletes left-over lines: those of deleted posts, and of authors whom the reader does not follow. Streams
        stay as they are, because all followers read them, and so do lines that are dated in the future. Raises
        ClockSkew.
        Costs: for each 1,000 lines 1 scan, 1 call that gets the posts, 1 that gets the follows, and 1 delete.
        """
        check_name("reader", reader)
        check_int("keep", keep, 0)
        return self._lines.trim(reader, keep)

    # ---- questions

    def timeline(self, reader: str, since_ms: int | None = None, until_ms: int | None = None) -> DependentQuery[Post]:
        """The posts of a reader's timeline from `since_ms` to `until_ms` (exclusive), newest first.

        A page drops left-over lines, and is then short. A cursor is refused if, since its page, the reader has followed
        or unfollowed an author with a stream, or a followed author has gained a stream. Then ask again, with
        `until_ms`. A follow, a line or a post that cannot be read is an `InvalidRow`; see `Query.on_invalid`.
        Costs: one scan of all follows of the reader; 1 call for each 1,000 of these, which gets the authors with
        streams; one scan of a page's lines in the timeline, and one in each of these streams, at most 1,023; and 1 call
        that gets the page's posts.
        """
        check_name("reader", reader)
        return DependentQuery(
            self.following(reader),
            partial(self._merged, reader, between(since_ms, until_ms)),
            "the streams of this timeline",
            "ask again with until_ms",
        )

    def _merged(self, reader: str, posted_ms: Any, follows: Iterable[Follow]) -> Query[Post]:
        """The posts of a reader's own lines, merged with those of the streams of followed authors."""
        authors = {follow.author for follow in follows}
        owners = [reader, *map(stream_of, self._with_streams(authors))]
        lines = self._timelines.ask(owner=any_of(owners, merged=True), posted_ms=posted_ms)
        return lines.then(partial(self._posts_by, authors))

    def _with_streams(self, authors: Set[str]) -> Iterator[str]:
        """The authors among these who have a stream."""
        rows = {self._streams.row(AuthorWithStream(author)): author for author in sorted(authors)}
        return (rows[row] for row, cells in self.post_writer.reader.cells_of(self._streams.layout, rows) if cells)

    def _posts_by(self, authors: Set[str], lines: list[LineOfTimeline]) -> list[Post | InvalidRow | None]:
        """The post of each line; None if it is not by one of these authors, or if the line shows no post."""
        row = self.post_writer.source.row
        rows = [row(line) if line.author in authors else None for line in lines]
        sources = self.post_writer.reader.read_each(filter(None, rows))
        return [
            None if row is None else _post_or_error(line, sources[row]) for line, row in zip(lines, rows, strict=True)
        ]

    def posts(self, author: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Post]:
        """An author's posts from `since_ms` to `until_ms` (exclusive), newest first.

        A page with deleted posts is short. Costs: one scan of a page's rows and one more.
        """
        posts = self._posts.ask(author=author, posted_ms=between(since_ms, until_ms))
        return posts.newest_first().then(_posts_not_deleted)

    def followers(self, author: str) -> Query[Follow]:
        """The follows of an author's followers, sorted by name.

        Costs: one scan of a page's lines and one more, and one call that gets the follows.
        """
        return self._follows.ask(FOLLOWERS, author=author)

    def following(self, reader: str) -> Query[Follow]:
        """The follows of a reader, sorted by author. Costs: one scan of a page's rows and one more."""
        return self._follows.ask(reader=reader)

    # ---- upkeep

    def erase(self, user: str) -> int:
        """Removes every row that names a user from every table; returns how many of these rows remain for now.

        The source of a deleted record remains for 42 minutes, so that it outlasts every call under way, and so may the
        mark of the user's stream. The erasure itself is stored until then, and `upkeep.recover` removes what remains,
        without a second call. `erase` may be called again at any time. If it returns 0, a full scan has found no row of
        the user. After an error, and for posts and follows stored meanwhile, call it again. A post or a follow that
        cannot be read counts as remaining; a row that is not a key names nobody, see `verify`. The texts of other
        users' posts stay, even if they mention the user.

        It first recovers pending writes. Raises ClockSkew before anything is deleted.
        Costs: those of `upkeep.recover`; for each post and follow those of deleting it, and a cell of the erasure; one
        scan of all follows, one of all followers, one of all unfinished posts and one of all timelines.
        """
        check_name("user", user)
        self.upkeep.recover(older_than_ms=0)
        return self._erasures.erase(user)


def after_follow(follow: Follow, stored: Follow | None) -> Follow:
    """The follow that is stored already, otherwise this one."""
    return stored or follow


def after_post(post: Post, is_pulled: Callable[[], bool], stored: StoredPost | None) -> StoredPost:
    """The post as it is stored before its fan-out; the stored post if it is the same one. Raises PostConflict.

    Calls `is_pulled` only for a new post.
    """
    if stored is None:
        way: Way = "pulled" if is_pulled() else "pushed"
        run = random.randbytes(RUN_BYTES)
        return StoredPost(**attrs.asdict(post), way=way, state="spreading", position="", run=run)
    if stored.state == "deleted":
        raise PostConflict(f"Post.post_id: post {post.post_id} of {shown(post.author)} was deleted")
    if stored.text != post.text:
        raise PostConflict(
            f"Post.text: post {post.post_id} of {shown(post.author)} is stored with {shown(stored.text)} "
            f"(got {shown(post.text)})"
        )
    return stored


def after_delete_post(stored: StoredPost | None) -> StoredPost | None:
    """The post once it was deleted: without its text."""
    return stored and attrs.evolve(stored, text="", state="deleted", position="")


def _post_or_error(line: LineOfTimeline, source: SourceRow[StoredPost] | InvalidRow) -> Post | InvalidRow | None:
    return source if isinstance(source, InvalidRow) else post_of(line, source.record)


def _posts_not_deleted(posts: list[StoredPost]) -> list[Post | None]:
    return [None if post.state == "deleted" else post.post for post in posts]
