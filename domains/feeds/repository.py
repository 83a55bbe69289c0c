"""Follows, posts and timelines; one method for each question and each write."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import attrs
import happybase

from shared.keys import CopiedPart, InvalidKey, InvalidQuestion, any_of, between
from shared.keys.errors import shown, shown_bytes
from shared.queries import DependentQuery, Query, in_batches, scan, scan_in_batches
from shared.tables import TableLayout
from shared.writes import CLOCK, Finding, IntentWriter, Pending, Recovery, Verifier, WriterClock, put_in_rows
from shared.writes.intents import WINDOW_MS

from .keys import TABLES, AuthorOfReader, AuthorWithStream, PostOfAuthor
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

FeedTables: TypeAlias = tuple[
    TableLayout[Any, Follow],
    TableLayout[Any, Follower],
    TableLayout[Any, StoredPost],
    TableLayout[Any, UnfinishedPost],
    TableLayout[Any, TimelineLine],
    TableLayout[AuthorWithStream, StreamAuthor],
    TableLayout[Any, Any],
    TableLayout[Any, Any],
]
"""The tables of follows by reader, followers by author, posts, unfinished posts, lines of timelines, authors with
streams, writes of follows under way, and writes of posts under way."""

StoredLines: TypeAlias = dict[bytes, dict[bytes, tuple[bytes, int]]]
"""Rows of timelines, each with its cells and their timestamps."""

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
        self._following, self._followers, self._posts, self._unfinished, self.timeline_table, self._streams = tables[:6]
        self._following_rows, self._follower_rows, self._post_rows, self._unfinished_rows, self._timeline_rows = (
            connection.table(table.name) for table in tables[:5]
        )
        self._stream_rows = connection.table(self._streams.name)
        follow_intents, post_intents = tables[6:]
        lists = [self._followers]
        self.follow_writer = IntentWriter(
            connection, self._following, follow_intents, lists, self._lines_of_follow, moving=lists, clock=clock
        )
        unfinished = [self._unfinished]
        self.post_writer = IntentWriter(
            connection, self._posts, post_intents, unfinished, self._lines_of_post, moving=unfinished, clock=clock
        )
        self.writer = FeedWriters((self.follow_writer, self.post_writer))
        self._clock = clock
        self._marker = self.timeline_table.cells.pack(TimelineLine("", 0, "", 0))
        """The cells of every line."""
        self._lines_of_followers = CopiedPart(self._followers.layout, "reader", self.timeline_table.layout, "owner")
        self._pull_above = pull_above
        self._step_rows = step_rows

    def _lines_of_follow(self, follow: Follow) -> Iterator[tuple[TableLayout[Any, Any], Any]]:
        yield self._followers, Follower(follow.author, follow.reader)

    def _lines_of_post(self, post: StoredPost) -> Iterator[tuple[TableLayout[Any, Any], Any]]:
        if post.state == "spreading":
            yield self._unfinished, UnfinishedPost(post.author, post.posted_ms, post.post_id)

    # ---- writes

    def follow(self, follow: Follow) -> None:
        """Stores a follow. Every post of the author that is stored later reaches the reader's timeline.

        The timeline also shows older posts of the author's stream, and those pushed during an earlier follow. The same
        follow again changes nothing, whatever its `since_ms`. Costs: 1 get, 3 puts, 1 checkAndPut.
        """
        self.follow_writer.write(follow, lambda stored: follow if stored is None else stored)

    def unfollow(self, reader: str, author: str) -> None:
        """Deletes a follow. From then on the reader's timeline shows no post of the author, new or old.

        The lines of these posts stay in the table until `trim`, `repair` or a TTL removes them.
        Costs: 1 get, 2 puts, 1 checkAndPut, 1 delete.
        """
        self.follow_writer.write(AuthorOfReader(reader, author), lambda _stored: None)

    def post(self, post: Post) -> None:
        """Stores a post and its line in the timeline of each follower, or in the author's stream.

        The same post again completes the fan-out, and changes nothing else.
        Raises `PostConflict` if another post has this author, time and id, or if the post was deleted.
        Costs: 1 get, 3 puts, 1 checkAndPut; 1 scan that counts followers, up to `pull_above` + 1. If the post is
        pushed: 1 scan for each step of 10,000 followers, and 1 put for each 1,000; if it is pulled: one step of 2 puts.
        For each step 2 gets, 2 puts and 1 checkAndPut, which move the position. At the end 1 delete and 1 get.
        """
        stored = self.post_writer.write(post, partial(self._posted, post))
        if stored.state == "spreading":
            self._spread(self._posts.row(post))

    def delete_post(self, author: str, posted_ms: int, post_id: int) -> None:
        """Deletes a post. From then on no question shows it, and a fan-out that is under way stops after its step.

        The row of the post stays, without the text, so that a late retry of `post` does not bring the post back. Its
        lines stay in the timelines until `trim`, `repair` or a TTL removes them; no page shows them.
        Costs: 1 get, 2 puts, 1 checkAndPut; 1 delete if its fan-out was unfinished.
        """
        self.post_writer.write(PostOfAuthor(author, posted_ms, post_id), _deleted)

    def trim(self, reader: str, keep: int) -> int:
        """Deletes all lines of a reader's timeline except the newest `keep` that a page shows; returns how many.

        It also deletes left-over lines: those of deleted posts, and of authors whom the reader does not follow. Streams
        stay as they are, because all followers read them.
        Costs: for each 1,000 lines 1 scan, 1 call that gets the posts, 1 that gets the follows, and 1 delete.
        """
        check_name("reader", reader)
        if type(keep) is not int or keep < 0:
            raise InvalidQuestion(f"keep: must be 0 or more (got {shown(keep)})")
        deleted = 0
        for stored in self.line_batches(reader):
            lines = [self.timeline_table.layout.decode(row) for row in stored]
            gone: StoredLines = {}
            for (row, cells), post in zip(stored.items(), self._posts_of(lines), strict=True):
                if post is not None and keep:
                    keep -= 1
                else:
                    gone[row] = cells
            # One timestamp for all, the newest. It also hides what a late step puts below it: lines of older posts,
            # which would be trimmed too.
            self.delete_lines(gone, at_once=True)
            deleted += len(gone)
        return deleted

    def erase_user(self, user: str) -> int:
        """Removes every row that names a user from every table; returns how many of these rows remain for now.

        The source of a deleted record remains for 42 minutes, so that it outlasts every call under way. Call
        `erase_user` again after 42 minutes, until it returns 0: then a full scan has found no row of the user. It first
        recovers pending writes. After an error, and for posts and follows stored meanwhile, call it again. The texts of
        other users' posts stay, even if they mention the user.
        Costs: those of `recover`; for each post and follow those of deleting it; one scan of all follows and one of all
        timelines.
        """
        check_name("user", user)
        self.recover(older_than_ms=0)
        posts = [row for row, _ in scan(self._post_rows, self._posts.plan(author=user))]
        for row, source in self.post_writer.read_all(posts).items():
            if source.record is not None:
                self.post_writer.write(self._posts.layout.decode(row), lambda _stored: None)
        follows = list(self._rows_of_follows(user))
        for row, edge in self.follow_writer.read_all(follows).items():
            if edge.record is not None:
                self.follow_writer.write(self._following.layout.decode(row), lambda _stored: None)
        for owner in (user, stream_of(user)):
            for stored in self.line_batches(owner):
                self.delete_lines(stored)
        remaining = 0
        for stored in self.line_batches():
            of_user = {
                row: cells for row, cells in stored.items() if self.timeline_table.layout.decode(row).author == user
            }
            gone = self.left_over(of_user)
            remaining += len(of_user) - len(gone)  # lines of posts that were stored meanwhile
            self.delete_lines(gone)
        mark_row = self._streams.row(AuthorWithStream(user))
        for column, (_, time_ms) in self._stream_rows.row(mark_row, include_timestamp=True).items():
            self.post_writer.delete([(self._streams.name, mark_row, column)], time_ms)
        return remaining + self.post_writer.forget(posts) + self.follow_writer.forget(follows)

    # ---- fan-out

    def _posted(self, post: Post, stored: StoredPost | None) -> StoredPost:
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
                mark = StreamAuthor(stored.author)
                cells = self._streams.cells.pack(mark)
                self._stream_rows.put(self._streams.row(mark), cells, timestamp=source.time_ms)
                line = TimelineLine(stream_of(stored.author), stored.posted_ms, stored.author, stored.post_id)
                self._timeline_rows.put(self.timeline_table.row(line), self._marker, timestamp=source.time_ms)
                count, last = 0, ""
            else:
                followers = self._next_followers(stored.author, stored.position)
                count, last = self._put_lines(stored, followers, source.time_ms)
            if count < self._step_rows:
                moved = attrs.evolve(stored, state="spread", position="")
            else:
                moved = attrs.evolve(stored, position=last)
            self.post_writer.write(stored, partial(_moved, stored, moved))

    def _next_followers(self, author: str, position: str) -> Iterator[bytes]:
        """The rows of the next step's followers, which come after `position`."""
        after = between(position + "\0") if position else between()  # no other text sorts between the two
        return self._rows_of_followers(self._step_rows, author=author, reader=after)

    def _rows_of_followers(self, limit: int, **question: Any) -> Iterator[bytes]:
        """The rows in the list of followers that match a question, at most `limit`.

        A row has one cell. The scan asks for all: HBase takes longer to look for a column than to return the cell.
        """
        rows = scan(self._follower_rows, self._followers.plan(**question), limit=limit)
        return (row for row, _ in rows)

    def _put_lines(self, stored: StoredPost, followers: Iterable[bytes], time_ms: int) -> tuple[int, str]:
        """Puts the post's line for each follower, 1,000 in a call; returns the number of followers, and the last one.

        The rows of the lines are made from those of the followers: their names are not decoded.
        """
        line_of = self._lines_of_followers.rows_with(
            posted_ms=stored.posted_ms, author=stored.author, post_id=stored.post_id
        )
        count, last = 0, b""
        for rows in in_batches(followers):
            put_in_rows(self._timeline_rows, self.timeline_table, map(line_of, rows), self._marker, time_ms)
            count, last = count + len(rows), rows[-1]
        return count, self._followers.layout.decode(last).reader if last else ""

    # ---- upkeep

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Completes the writes of dead writers, see `IntentWriter.recover`; then goes on with unfinished posts.

        If the position of a post moved within `older_than_ms`, 10 minutes if omitted, the post counts as waiting,
        because its writer is probably alive. Run `recover` every few minutes.
        Costs: one scan of each table of intents, and one of the unfinished posts; then the remaining calls of each
        write and each fan-out.
        """
        recoveries = [writer.recover(older_than_ms) for writer in self.writer.writers]
        settled, waiting = (sum(getattr(done, name) for done in recoveries) for name in ("settled", "waiting"))
        failed = [*chain.from_iterable(done.failed for done in recoveries)]
        age_ms = WINDOW_MS if older_than_ms is None else older_than_ms
        for row in self._unfinished_posts():
            try:
                source = self.post_writer.read(row)
                if source.record is None or source.record.state != "spreading":
                    continue
                if age_ms > 0 and self._clock.read_ms() - source.time_ms < age_ms:
                    waiting += 1
                else:
                    self._spread(row)
                    settled += 1
            except Exception as error:  # one post that fails must not stop the others
                failed.append(f"{self._posts.name}: row {shown_bytes(row)}: {error}")
        return Recovery(settled, waiting, tuple(failed))

    def _unfinished_posts(self) -> Iterator[bytes]:
        for line in Query(self._unfinished_rows, self._unfinished, self._unfinished.layout.whole_table()):
            yield self._posts.row(line)

    def verifier(self) -> "FeedVerifier":
        """Finds and mends rows that disagree. Run `verify` once a week, and after an accident."""
        return FeedVerifier(self)

    def _rows_of_follows(self, user: str) -> Iterator[bytes]:
        """The row keys of all follows of or by a user, deleted follows included. Costs: a full table scan."""
        for row, _ in scan(self._following_rows, self._following.layout.whole_table()):
            key = self._following.layout.decode(row)
            if user in (key.reader, key.author):
                yield row

    def line_batches(self, owner: str | None = None) -> Iterator[StoredLines]:
        """The lines of one timeline, or of all, 1,000 at a time. No scan is open while the caller works on a batch."""
        layout = self.timeline_table.layout
        (range_,) = (layout.whole_table() if owner is None else layout.plan(owner=owner)).ranges
        columns = self.timeline_table.cells.columns
        batches = scan_in_batches(self._timeline_rows, range_, columns=columns, include_timestamp=True)
        yield from (dict(batch) for batch in batches)

    def left_over(self, stored: StoredLines) -> StoredLines:
        """The lines among these that no page shows, as they were read: `delete_lines` spares what is put later."""
        lines = [self.timeline_table.layout.decode(row) for row in stored]
        posts = self._posts_of(lines)
        return {row: cells for (row, cells), post in zip(stored.items(), posts, strict=True) if post is None}

    def delete_lines(self, stored: StoredLines, *, at_once: bool = False) -> None:
        """Deletes each line up to the timestamp with which it was read; with `at_once` all up to the newest one."""
        cells_at: dict[int, list[tuple[str, bytes, bytes]]] = {}
        times = [time_ms for cells in stored.values() for _, time_ms in cells.values()]
        newest_ms = max(times, default=0)
        for row, cells in stored.items():
            for column, (_, time_ms) in cells.items():
                at_ms = newest_ms if at_once else time_ms
                cells_at.setdefault(at_ms, []).append((self.timeline_table.name, row, column))
        for time_ms, lines in cells_at.items():
            self.post_writer.delete(lines, time_ms)

    # ---- questions

    def timeline(self, reader: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Post]:
        """The posts of a reader's timeline from `since_ms` up to but not at `until_ms`, newest first.

        A page drops left-over lines, and is then short. A cursor is refused if, since its page, the reader has followed
        or unfollowed an author with a stream, or a followed author has got a stream. Then ask again, with `until_ms`.
        Costs: one scan of all follows of the reader; 1 call for each 1,000 of these, which gets the authors with
        streams; one scan of a page's lines in the timeline, and one in each of these streams, which may be 1,023 at
        most; and 1 call that gets the page's posts.
        """
        check_name("reader", reader)
        return DependentQuery(self.following(reader), partial(self._merged, reader, between(since_ms, until_ms)))

    def _merged(self, reader: str, posted_ms: Any) -> Query[Post]:
        """The posts of a reader's own lines, merged with those of the streams of followed authors."""
        authors = {follow.author for follow in self.following(reader)}
        owners = [reader, *map(stream_of, self._with_streams(authors))]
        plan = self.timeline_table.plan(owner=any_of(owners, merged=True), posted_ms=posted_ms)
        lines: Query[TimelineLine] = Query(self._timeline_rows, self.timeline_table, plan)
        return lines.then(partial(self._posts_by, authors))

    def _with_streams(self, authors: Set[str]) -> Iterator[str]:
        """The authors among these who have a stream."""
        rows = {self._streams.row(AuthorWithStream(author)): author for author in sorted(authors)}
        return (rows[row] for row, cells in self.post_writer.cells_of(self._streams, rows) if cells)

    def _posts_by(self, authors: Set[str], lines: list[TimelineLine]) -> list[Post | None]:
        """The post of each line; None if it is not by one of these authors, or if the line shows no post."""
        rows = [self._posts.row(line) if line.author in authors else None for line in lines]
        sources = self.post_writer.read_all(filter(None, rows))
        return [
            None if row is None else _post_of(line, sources[row].record) for line, row in zip(lines, rows, strict=True)
        ]

    def _posts_of(self, lines: list[TimelineLine]) -> list[Post | None]:
        """The post of each line of any owner; None if the owner does not follow the author, or the line shows no post.

        The lines of streams need no follow.
        """
        follows = {
            line: self._following.row(AuthorOfReader(line.owner, line.author))
            for line in lines
            if not line.owner.startswith(STREAM_MARK)
        }
        edges = self.follow_writer.read_all(follows.values())
        followed = [line for line in lines if line not in follows or edges[follows[line]].record is not None]
        sources = self.post_writer.read_all(map(self._posts.row, followed))
        posts = {line: _post_of(line, sources[self._posts.row(line)].record) for line in followed}
        return [posts.get(line) for line in lines]

    def posts(self, author: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Post]:
        """An author's posts from `since_ms` up to but not at `until_ms`, newest first.

        A page with deleted posts is short. Costs: one scan of a page's rows and one more.
        """
        plan = self._posts.plan(author=author, posted_ms=between(since_ms, until_ms))
        return Query(self._post_rows, self._posts, plan, newest_first=True).then(_posts_not_deleted)

    def followers(self, author: str) -> Query[Follow]:
        """The follows of an author's followers, sorted by name.

        Costs: one scan of a page's lines and one more, and one call that gets the follows.
        """
        lines = Query(self._follower_rows, self._followers, self._followers.plan(author=author))
        return lines.then(partial(self.follow_writer.agreeing, self._followers))

    def following(self, reader: str) -> Query[Follow]:
        """The follows of a reader, sorted by author. Costs: one scan of a page's rows and one more."""
        return Query(self._following_rows, self._following, self._following.plan(reader=reader))


@attrs.frozen
class FeedWriters:
    """The writer of follows and the writer of posts. Each has intents of its own."""

    writers: tuple[IntentWriter[Any], ...]

    def pending(self) -> list[Pending]:
        """The writes that have not ended, the oldest first."""
        pending = chain.from_iterable(writer.pending() for writer in self.writers)
        return sorted(pending, key=lambda write: write.started_ms)


class FeedVerifier:
    """Compares lists with follows and posts, then every line of a timeline with its post and its reader's follow.

    A line of a deleted post, or of an author whom the reader does not follow, is left over: no page shows it, and
    `repair` deletes it. `verify` cannot find missing lines, because no row says who followed an author at the time of a
    post.
    """

    def __init__(self, feeds: FeedRepository) -> None:
        self._feeds = feeds
        self._verifiers = [Verifier(writer) for writer in feeds.writer.writers]
        self._lines = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many rows of each sort were compared so far."""
        lines = self._lines + sum(verifier.lines for verifier in self._verifiers)
        return {"source": sum(verifier.sources for verifier in self._verifiers), "line": lines}

    def verify(self, progress: Callable[[], object] = lambda: None) -> Iterator[Finding]:
        """Every row that is not as it should be; see `Verifier.verify`.

        Costs: one scan of each table, a call for each 1,000 rows of a list, and two for each 1,000 lines of timelines.
        """
        self._lines = 0
        for verifier in self._verifiers:
            yield from verifier.verify(progress)
        for _, findings in self._timeline_findings(progress):
            yield from findings.values()

    def repair(self, progress: Callable[[], object] = lambda: None) -> Iterator[tuple[Finding, bool]]:
        """Recovers pending writes and unfinished posts, then mends what `verify` finds."""
        self._feeds.recover(older_than_ms=0)
        self._lines = 0
        for verifier in self._verifiers:
            yield from verifier.repair(progress)
        for stored, findings in self._timeline_findings(progress):
            self._feeds.delete_lines({row: stored[row] for row in findings})
            yield from ((finding, True) for finding in findings.values())

    def _timeline_findings(
        self, progress: Callable[[], object]
    ) -> Iterator[tuple[StoredLines, Mapping[bytes, Finding]]]:
        """Batches of lines, each with its findings by row."""
        feeds, table = self._feeds, self._feeds.timeline_table
        for stored in feeds.line_batches():
            findings: dict[bytes, Finding] = {}
            readable: StoredLines = {}
            for row, cells in stored.items():
                try:
                    table.layout.decode(row)
                    readable[row] = cells
                except InvalidKey as error:
                    findings[row] = Finding("undecodable", table.name, row, None, str(error))
            for row in feeds.left_over(readable):
                source_row = feeds.post_writer.source.row(table.layout.decode(row))
                findings[row] = Finding("dangling", table.name, row, source_row)
            yield stored, findings
            self._lines += len(stored)
            progress()


def _moved(read: StoredPost, moved: StoredPost, stored: StoredPost | None) -> StoredPost | None:
    """The post after a step; the stored post if it has changed since the step read it."""
    return moved if stored == read else stored


def _deleted(stored: StoredPost | None) -> StoredPost | None:
    return stored and attrs.evolve(stored, text="", state="deleted", position="")


def _post_of(line: TimelineLine, stored: StoredPost | None) -> Post | None:
    """The post of a line; None if it was deleted, or pushed for a stream's line, or pulled for a reader's line."""
    if stored is None or stored.state == "deleted":
        return None
    is_of_stream = line.owner.startswith(STREAM_MARK)
    return stored.post if is_of_stream == (stored.way == "pulled") else None


def _posts_not_deleted(posts: list[StoredPost]) -> list[Post | None]:
    return [None if post.state == "deleted" else post.post for post in posts]


def check_name(what: str, name: str) -> None:
    """Raises InvalidQuestion if a name starts with `STREAM_MARK`, as no user's name does."""
    if type(name) is str and name.startswith(STREAM_MARK):
        raise InvalidQuestion(f"{what}: must not start with {STREAM_MARK} (got {shown(name)})")
