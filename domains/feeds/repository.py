"""Follows, posts and timelines; one method for each question and each write."""

import random
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

import attrs
import happybase

from shared.keys import CopiedPart, InvalidKey, InvalidQuestion, any_of, between
from shared.keys.errors import shown, shown_bytes
from shared.queries import DependentQuery, Query, in_batches, scan
from shared.records import check_int, check_text
from shared.tables import BoundTable, InvalidRow, TableLayout
from shared.writes import CLOCK, Derived, IntentWriter, Pending, Recovery, Source, WriterClock, put_in_rows
from shared.writes.intents import WINDOW_MS
from shared.writes.server_clock import MAX_SKEW_MS

from .erasing import NOT_ENDED, UserErasures
from .keys import TABLES, AuthorOfReader, AuthorWithStream, FeedTables, PostOfAuthor
from .lines import StoredLines, TimelineLines, post_of
from .records import (
    STREAM_MARK,
    Follow,
    Follower,
    Post,
    StoredPost,
    StreamAuthor,
    TimelineLine,
    UnfinishedPost,
    Way,
    stream_of,
)
from .verifying import FeedVerifier

STEP_ROWS = 10_000
"""Number of followers in one step of a fan-out. If a worker dies, the next one puts up to this many lines again."""
PULL_ABOVE = 10_000
"""Posts of authors with more followers than this are pulled. The README says how to choose the number."""
RUN_BYTES = 8


class PostConflict(ValueError):
    """Another post is stored with this author, time and id, or the post was deleted."""


class FeedRepository:
    """Stores and deletes follows and posts, and reads timelines.

    Each follow and each post is decided in its own row, see `shared.writes.intents`. A fan-out then puts a line for the
    post into the timelines of all followers, in steps of `step_rows` followers. The row of the post holds the position
    of the fan-out, so any process can go on. If the author has more than `pull_above` followers, the post is pulled: it
    gets a single line, in the author's stream. `pull_above` may differ from post to post and from writer to writer,
    because each post says whether it was pushed or pulled.

    A timeline shows the post of a line only if the post is stored and the reader follows its author when the page is
    read. If a writer dies, the same call again completes the write, and so does `recover`.

    Costs are those of `TABLES`. A happybase connection serves one thread at a time, and so does a repository: make one
    per thread.
    """

    def __init__(
        self,
        connection: happybase.Connection,
        tables: FeedTables = TABLES,
        clock: WriterClock = CLOCK,
        pull_above: int | None = PULL_ABOVE,
        step_rows: int = STEP_ROWS,
    ) -> None:
        self._following = BoundTable(connection, tables.following)
        self._followers = BoundTable(connection, tables.followers)
        self._posts = BoundTable(connection, tables.posts)
        self._unfinished = BoundTable(connection, tables.unfinished)
        self._timelines = BoundTable(connection, tables.timelines)
        self._streams = BoundTable(connection, tables.streams)
        lists: list[TableLayout[Any, Any]] = [tables.followers]
        self.follow_writer = IntentWriter(
            connection,
            tables.following,
            tables.follow_intents,
            lists,
            partial(lines_of_follow, tables),
            moving=lists,
            clock=clock,
        )
        unfinished: list[TableLayout[Any, Any]] = [tables.unfinished]
        self.post_writer = IntentWriter(
            connection,
            tables.posts,
            tables.post_intents,
            unfinished,
            partial(lines_of_post, tables),
            moving=unfinished,
            clock=clock,
        )
        self.writer = FeedWriters((self.follow_writer, self.post_writer))
        self.timeline_lines = TimelineLines(self._timelines, self.follow_writer, self.post_writer)
        self._erasures = UserErasures(
            connection, tables, self._streams, self.timeline_lines, self.follow_writer, self.post_writer
        )
        self._clock = clock
        self._lines_of_followers = CopiedPart(tables.followers.key, "reader", tables.timelines.key, "owner")
        self._pull_above = pull_above
        self._step_rows = step_rows

    # ---- writes

    def follow(self, follow: Follow) -> None:
        """Stores a follow. Every post of the author that is stored later reaches the reader's timeline.

        The timeline also shows older posts of the author's stream, and those pushed during an earlier follow. The same
        follow again changes nothing, whatever its `since_ms`. Costs: 1 get, 3 puts, 1 checkAndPut.
        """
        self.follow_writer.write(follow, partial(after_follow, follow))

    def unfollow(self, reader: str, author: str) -> None:
        """Deletes a follow. From then on the reader's timeline shows no post of the author, new or old.

        The lines of these posts stay in the table until `trim`, `repair` or a TTL removes them.
        Costs: 1 get, 2 puts, 1 checkAndPut, 1 delete.
        """
        self.follow_writer.write(AuthorOfReader(reader, author), after_unfollow)

    def post(self, post: Post) -> None:
        """Stores a post and its line in the timeline of each follower, or in the author's stream.

        The same post again completes the fan-out, and changes nothing else.
        Raises `PostConflict` if another post has this author, time and id, or if the post was deleted.
        Costs: 1 get, 3 puts, 1 checkAndPut; 1 scan that counts followers, up to `pull_above` + 1. If the post is
        pushed: 1 scan for each step of 10,000 followers, and 1 put for each 1,000; if it is pulled: one step of 2 puts.
        For each step 2 gets, 2 puts and 1 checkAndPut, which move the position. At the end 1 delete and 1 get.
        """
        stored = self.post_writer.write(post, partial(self._after_post, post))
        if stored.state == "spreading":
            self._spread(self._posts.row(post))

    def delete_post(self, author: str, posted_ms: int, post_id: int) -> None:
        """Deletes a post. From then on no question shows it, and a fan-out that is under way stops after its step.

        The row of the post stays, without the text, so that a late retry of `post` does not bring the post back. Its
        lines stay in the timelines until `trim`, `repair` or a TTL removes them; no page shows them.
        Costs: 1 get, 2 puts, 1 checkAndPut; 1 delete if its fan-out was unfinished.
        """
        self.post_writer.write(PostOfAuthor(author, posted_ms, post_id), after_delete_post)

    def trim(self, reader: str, keep: int) -> int:
        """Deletes all lines of a reader's timeline except the newest `keep` that a page shows; returns how many.

        It also deletes left-over lines: those of deleted posts, and of authors whom the reader does not follow. Streams
        stay as they are, because all followers read them, and so do lines that are dated in the future. Raises
        ClockSkew.
        Costs: for each 1,000 lines 1 scan, 1 call that gets the posts, 1 that gets the follows, and 1 delete.
        """
        check_name("reader", reader)
        check_int("keep", keep, 0)
        deleted = 0
        for stored in self.timeline_lines.batches(reader):
            gone: StoredLines = {}
            for row, post in self.timeline_lines.posts_of(stored).items():
                if isinstance(post, Post) and keep:
                    keep -= 1
                elif not (isinstance(post, InvalidRow) or post == "undecodable"):
                    gone[row] = stored[row]
            # One timestamp for all, the newest. It also hides what a late step puts below it: lines of older posts,
            # which would be trimmed too.
            deleted += len(gone) - len(self.timeline_lines.delete(gone, at_once=True))
        return deleted

    def erase_user(self, user: str) -> int:
        """Removes every row that names a user from every table; returns how many of these rows remain for now.

        The source of a deleted record remains for 42 minutes, so that it outlasts every call under way. The erasure
        itself is stored until then, and `recover` removes what remains: it needs no second call. `erase_user` may be
        called again at any time. If it returns 0, a full scan has found no row of the user. After an error, and for
        posts and follows stored meanwhile, call it again. A post or a follow that cannot be read counts as remaining;
        a row that is no key tells no name, see `verify`. The texts of other users' posts stay, even if they mention the
        user.

        It first recovers pending writes. Raises ClockSkew before anything is deleted.
        Costs: those of `recover`; for each post and follow those of deleting it, and a cell of the erasure; one scan of
        all follows, one of all followers, one of all unfinished posts and one of all timelines.
        """
        check_name("user", user)
        self.recover(older_than_ms=0)
        return self._erasures.erase(user)

    # ---- fan-out

    def _after_post(self, post: Post, stored: StoredPost | None) -> StoredPost:
        """The post as it is stored before its fan-out; the stored post if it is the same one. Raises PostConflict."""
        if stored is None:
            way: Way = "pulled" if self._has_more_followers(post.author) else "pushed"
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

    def _has_more_followers(self, author: str) -> bool:
        """Whether an author has more followers than `pull_above`."""
        if self._pull_above is None:
            return False
        counted = self._rows_of_followers(self._pull_above + 1, author=author)
        return sum(1 for _ in counted) > self._pull_above

    def _spread(self, row: bytes) -> None:
        """Goes on with the fan-out of a post to its end. If two processes do so, they put the same lines.

        A step reads the post and puts the lines of the next followers, with the time of the revision that it read as
        timestamp. Then it moves the position past these followers, if the stored post has not changed since it was
        read. So no follower is left out if a process dies.
        """
        while True:
            source = self.post_writer.read(row)
            stored = source.record
            if stored is None or stored.state != "spreading":
                return
            if stored.way == "pulled":
                self._put_in_stream(stored, source.time_ms)
                count, last = 0, ""
            else:
                followers = self._next_followers(stored.author, stored.position)
                count, last = self._put_lines(stored, followers, source.time_ms)
            if count < self._step_rows:
                moved = attrs.evolve(stored, state="spread", position="")
            else:
                moved = attrs.evolve(stored, position=last)
            self.post_writer.write(stored, partial(after_step, stored, moved))

    def in_stream(self, post: StoredPost) -> Iterator[Derived]:
        """What a pulled post has in its author's stream: the table and the line of each row."""
        yield self._streams.layout, StreamAuthor(post.author)
        yield self._timelines.layout, TimelineLine(stream_of(post.author), post.posted_ms, post.author, post.post_id)

    def _put_in_stream(self, post: StoredPost, time_ms: int) -> None:
        rows = {table.layout.name: table.rows for table in (self._streams, self._timelines)}
        for table, line in self.in_stream(post):
            rows[table.name].put(table.row(line), table.cells.pack(line), timestamp=time_ms)

    def put_in_stream_again(self, row: bytes) -> None:
        """Puts what a pulled post lacks in its stream, above whatever a server has dated. Costs: 1 get, 2 puts."""
        source = self.post_writer.read(row)
        if source.record is not None and source.record.way == "pulled" and source.record.state == "spread":
            self._put_in_stream(source.record, max(source.time_ms, self._clock.read_ms() + MAX_SKEW_MS))

    def _next_followers(self, author: str, position: str) -> Iterator[bytes]:
        """The rows of the next step's followers, which come after `position`."""
        after = between(position + "\0") if position else between()  # no other text sorts between the two
        return self._rows_of_followers(self._step_rows, author=author, reader=after)

    def _rows_of_followers(self, limit: int, **question: Any) -> Iterator[bytes]:
        """The rows in the list of followers that match a question, at most `limit`.

        A row has one cell. The scan asks for all: HBase takes longer to look for a column than to return the cell.
        """
        rows = scan(self._followers.rows, self._followers.plan(**question), limit=limit)
        return (row for row, _ in rows)

    def _put_lines(self, stored: StoredPost, followers: Iterable[bytes], time_ms: int) -> tuple[int, str]:
        """Puts the post's line for each follower, 1,000 in a call; returns the number of followers, and the last one.

        The rows of the lines are made from those of the followers: their names are not decoded.
        """
        line_of = self._lines_of_followers.rows_with(
            posted_ms=stored.posted_ms, author=stored.author, post_id=stored.post_id
        )
        layout, count, last = self._followers.layout, 0, b""
        for rows in in_batches(followers):
            count += len(rows)
            try:
                lines = [*map(line_of, rows)]
            except InvalidKey:  # a row that is no key names nobody; `verify` finds it
                rows = [row for row in rows if _is_key(layout, row)]
                lines = [*map(line_of, rows)]
            if rows:
                put_in_rows(self._timelines, lines, self.timeline_lines.marker, time_ms)
                last = rows[-1]
        if count == self._step_rows and not last:
            raise InvalidKey(
                f"{self._followers.layout.name}: must have a key among {count} rows of one author; see verify"
            )
        return count, self._followers.layout.key.decode(last).reader if last else ""

    # ---- questions

    def timeline(self, reader: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Post]:
        """The posts of a reader's timeline from `since_ms` up to but not at `until_ms`, newest first.

        A page drops left-over lines, and is then short. A cursor is refused if, since its page, the reader has followed
        or unfollowed an author with a stream, or a followed author has got a stream. Then ask again, with `until_ms`. A
        follow, a line or a post that cannot be read is an `InvalidRow`; see `Query.on_invalid`.
        Costs: one scan of all follows of the reader; 1 call for each 1,000 of these, which gets the authors with
        streams; one scan of a page's lines in the timeline, and one in each of these streams, which may be 1,023 at
        most; and 1 call that gets the page's posts.
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
        plan = self._timelines.plan(owner=any_of(owners, merged=True), posted_ms=posted_ms)
        lines: Query[TimelineLine] = Query(self._timelines, plan)
        return lines.then(partial(self._posts_by, authors))

    def _with_streams(self, authors: Set[str]) -> Iterator[str]:
        """The authors among these who have a stream."""
        rows = {self._streams.row(AuthorWithStream(author)): author for author in sorted(authors)}
        return (rows[row] for row, cells in self.post_writer.cells_of(self._streams.layout, rows) if cells)

    def _posts_by(self, authors: Set[str], lines: list[TimelineLine]) -> list[Post | InvalidRow | None]:
        """The post of each line; None if it is not by one of these authors, or if the line shows no post."""
        rows = [self._posts.row(line) if line.author in authors else None for line in lines]
        sources = self.post_writer.read_each(filter(None, rows))
        return [
            None if row is None else _post_or_error(line, sources[row]) for line, row in zip(lines, rows, strict=True)
        ]

    def posts(self, author: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Post]:
        """An author's posts from `since_ms` up to but not at `until_ms`, newest first.

        A page with deleted posts is short. Costs: one scan of a page's rows and one more.
        """
        plan = self._posts.plan(author=author, posted_ms=between(since_ms, until_ms))
        return Query(self._posts, plan, newest_first=True).then(_posts_not_deleted)

    def followers(self, author: str) -> Query[Follow]:
        """The follows of an author's followers, sorted by name.

        Costs: one scan of a page's lines and one more, and one call that gets the follows.
        """
        lines = Query(self._followers, self._followers.plan(author=author))
        return lines.then(partial(self.follow_writer.agreeing, self._followers.layout))

    def following(self, reader: str) -> Query[Follow]:
        """The follows of a reader, sorted by author. Costs: one scan of a page's rows and one more."""
        return Query(self._following, self._following.plan(reader=reader))

    # ---- upkeep

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Completes the writes of dead writers, see `IntentWriter.recover`; then unfinished posts, and erasures.

        If the position of a post moved within `older_than_ms`, 10 minutes if omitted, the post counts as waiting,
        because its writer is probably alive. An erasure is over 42 minutes after `erase_user` has returned; if
        `erase_user` died, somebody has to call it again, so it counts as waiting for 10 minutes in any case, then as
        failed. Run `recover` every few minutes.
        Costs: one scan of each table of intents, one of the unfinished posts and one of the erasures; then the
        remaining calls of each write and each fan-out. For each erasure that is due: its sources are read and deleted,
        and the lists of followers and unfinished posts and all timelines are scanned.
        """
        recoveries = [writer.recover(older_than_ms) for writer in self.writer.writers]
        settled, waiting = (sum(getattr(done, name) for done in recoveries) for name in ("settled", "waiting"))
        failed = [*chain.from_iterable(done.failed for done in recoveries)]
        age_ms = WINDOW_MS if older_than_ms is None else older_than_ms

        def report(invalid: InvalidRow) -> None:
            failed.append(str(invalid))

        def is_young(time_ms: int) -> bool:
            return age_ms > 0 and self._clock.read_ms() - time_ms < age_ms

        for row in self.unfinished_posts(report):
            try:
                source = self.post_writer.read(row)
                if source.record is None or source.record.state != "spreading":
                    continue
                if is_young(source.time_ms):
                    waiting += 1
                else:
                    self._spread(row)
                    settled += 1
            except Exception as error:  # one post that fails must not stop the others
                failed.append(f"{self._posts.layout.name}: row {shown_bytes(row)}: {error}")
        erasures = self._erasures.erasures
        for erasure in erasures.stored(report):
            try:
                if erasure.is_ended:
                    settled += self._erasures.finish(erasure, report)
                elif not erasures.is_overdue(erasure):  # nobody else can end it
                    waiting += 1
                else:
                    raise RuntimeError(NOT_ENDED)
            except Exception as error:
                row = erasures.table.row(erasure)
                failed.append(f"{erasures.table.name}: row {shown_bytes(row)}: {error}")
        return Recovery(settled, waiting, tuple(failed))

    def unfinished_posts(self, on_invalid: Callable[[InvalidRow], None]) -> Iterator[bytes]:
        """The rows of posts whose fan-out may not have ended; rows that are no keys are reported."""
        lines = Query(self._unfinished, self._unfinished.whole_table())
        for line in lines.on_invalid(on_invalid):
            yield self._posts.row(line)

    def verifier(self) -> FeedVerifier:
        """Finds and mends rows that disagree. Run `verify` once a week, and after an accident."""
        return FeedVerifier(self, self._erasures.erasures)


def lines_of_follow(tables: FeedTables, follow: Follow) -> Iterator[Derived]:
    """The rows that are derived from a follow."""
    yield tables.followers, Follower(follow.author, follow.reader)


def lines_of_post(tables: FeedTables, post: StoredPost) -> Iterator[Derived]:
    """The rows that are derived from a post."""
    if post.state == "spreading":
        yield tables.unfinished, UnfinishedPost(post.author, post.posted_ms, post.post_id)


@attrs.frozen
class FeedWriters:
    """The writer of follows and the writer of posts. Each has intents of its own."""

    writers: tuple[IntentWriter[Any], ...]

    def pending(self) -> list[Pending]:
        """The writes that have not ended, the oldest first."""
        pending = chain.from_iterable(writer.pending() for writer in self.writers)
        return sorted(pending, key=lambda write: write.started_ms)


def after_follow(follow: Follow, stored: Follow | None) -> Follow:
    """The follow that is stored already, otherwise this one."""
    return stored or follow


def after_unfollow(_stored: Follow | None) -> None:
    """No follow."""


def after_step(read: StoredPost, moved: StoredPost, stored: StoredPost | None) -> StoredPost | None:
    """The post after a step; the stored post if it has changed since the step read it."""
    return moved if stored == read else stored


def after_delete_post(stored: StoredPost | None) -> StoredPost | None:
    """The post once it was deleted: without its text."""
    return stored and attrs.evolve(stored, text="", state="deleted", position="")


def _post_or_error(line: TimelineLine, source: Source[StoredPost] | InvalidRow) -> Post | InvalidRow | None:
    return source if isinstance(source, InvalidRow) else post_of(line, source.record)


def _is_key(table: TableLayout[Any, Any], row: bytes) -> bool:
    with suppress(InvalidKey):
        table.key.decode(row)
        return True
    return False


def _posts_not_deleted(posts: list[StoredPost]) -> list[Post | None]:
    return [None if post.state == "deleted" else post.post for post in posts]


def check_name(what: str, name: str) -> None:
    """Raises InvalidQuestion for what is not text, and if a name starts with `STREAM_MARK`, as no user's name does."""
    check_text(what, name)
    if name.startswith(STREAM_MARK):
        raise InvalidQuestion(f"{what}: must not start with {STREAM_MARK} (got {shown(name)})")
