"""Follows, posts and timelines; one method for each question and each write."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import attrs
import happybase

from shared.keys import InvalidKey, InvalidQuestion, any_of, between, next_row
from shared.keys.errors import shown, shown_bytes
from shared.queries import BATCH_ROWS, DependentQuery, Query, scan
from shared.tables import TableLayout
from shared.writes import CLOCK, Finding, IntentWriter, Pending, Recovery, Verifier, WriterClock
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
"""The follows by reader, the followers by author, the posts, the unfinished ones, the lines of timelines, the authors
with streams, and the writes under way: of follows, and of posts."""

StoredLines: TypeAlias = dict[bytes, dict[bytes, tuple[bytes, int]]]
"""Rows of timelines, each with its cells and their timestamps."""

STEP_ROWS = 10_000
"""Number of followers after which the position of a fan-out moves: what a worker that dies leaves to be put again."""
PULL_ABOVE = 10_000
"""An author with more followers has a stream, which the followers read. See the README for how to choose it."""
RUN_BYTES = 8


class PostConflict(ValueError):
    """Another post has this author, time and id, or the post was deleted."""


class FeedRepository:
    """Follows, unfollows, posts, deletes posts, and reads timelines.

    A follow and a post are decided in their own rows, see `shared.writes.intents`. A post then goes to the timelines of
    all followers, in steps of `step_rows` rows; its own row holds the position, so any process can go on. If the author
    has more than `pull_above` followers, the post goes to the author's stream instead, which is one row.
    `pull_above` may differ from post to post and from writer to writer, because each post says which way it went.

    A line of a timeline shows a post only if the post is stored and its reader follows the author at that moment.
    If a writer dies, the same call again completes the write, and so does `recover`.

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
        self._pull_above = pull_above
        self._step_rows = step_rows

    def _lines_of_follow(self, follow: Follow) -> Iterator[tuple[TableLayout[Any, Any], Any]]:
        yield self._followers, Follower(follow.author, follow.reader)

    def _lines_of_post(self, post: StoredPost) -> Iterator[tuple[TableLayout[Any, Any], Any]]:
        if post.state == "spreading":
            yield self._unfinished, UnfinishedPost(post.author, post.posted_ms, post.post_id)

    # ---- writes

    def follow(self, follow: Follow) -> None:
        """Lets a reader follow an author. The timeline shows every post of the author that begins from then on.

        It also shows older posts of the author's stream, and those pushed while the reader followed earlier. The same
        follow again changes nothing, whatever its `since_ms`. Costs: 1 get, 3 puts, 1 checkAndPut.
        """
        self.follow_writer.write(follow, lambda stored: follow if stored is None else stored)

    def unfollow(self, reader: str, author: str) -> None:
        """Ends a follow. From then on the reader's timeline shows no post of the author, older ones included.

        The lines stay in the table, unseen, until `trim`, `repair` or a TTL removes them.
        Costs: 1 get, 2 puts, 1 checkAndPut, 1 delete.
        """
        self.follow_writer.write(AuthorOfReader(reader, author), lambda _stored: None)

    def post(self, post: Post) -> None:
        """Stores a post and brings it to all followers. The same post again completes that, and changes nothing else.

        Raises `PostConflict` if another post has this author, time and id, or if the post was deleted.
        Costs: 1 get, 3 puts, 1 checkAndPut; a scan of the followers, up to `pull_above`, which counts them. Then 1 scan
        of the followers and 1 put for each 1,000 of them; and for each 10,000 of them 2 gets, 2 puts and 1 checkAndPut,
        which move the position.
        """
        stored = self.post_writer.write(post, partial(self._posted, post))
        if stored.state == "spreading":
            self._spread(self._posts.row(post))

    def delete_post(self, author: str, posted_ms: int, post_id: int) -> None:
        """Deletes a post. From then on no question shows it; a fan-out that is under way stops.

        Its row stays, without the text, so that a late retry of `post` does not bring it back. Its lines stay in the
        timelines, unseen, until `trim`, `repair` or a TTL removes them.
        Costs: 1 get, 2 puts, 1 checkAndPut; 1 delete if it was still on its way.
        """
        self.post_writer.write(PostOfAuthor(author, posted_ms, post_id), _deleted)

    def trim(self, reader: str, keep: int) -> int:
        """Deletes all lines of a reader's own timeline but the newest `keep` that are shown; returns how many.

        Also the left-over lines among those: of deleted posts, and of authors whom the reader does not follow. Streams
        stay as they are, because all followers read them.
        Costs: for each 1,000 lines 1 scan, 1 call that gets the posts, 1 that gets the follows, and 1 delete.
        """
        _check_name("reader", reader)
        if type(keep) is not int or keep < 0:
            raise InvalidQuestion(f"keep: must be 0 or more (got {shown(keep)})")
        deleted = 0
        for stored in self.line_batches(reader):
            lines = [self.timeline_table.layout.decode(row) for row in stored]
            gone: StoredLines = {}
            for (row, cells), post in zip(stored.items(), self._shown(lines), strict=True):
                if post is not None and keep:
                    keep -= 1
                else:
                    gone[row] = cells
            # One timestamp for all of them: what a late step puts below it is of an older post, which would go too.
            self.delete_lines(gone, at_once=True)
            deleted += len(gone)
        return deleted

    def erase_user(self, user: str) -> int:
        """Removes everything that names a user from every table; returns how many rows are still too young to go.

        These are sources of deleted records, which must outlast every call under way. Call it again after 42 minutes,
        until it returns 0: then a full scan has found nothing. Recovers pending writes first. After an error, or for
        posts and follows made meanwhile, the same call again goes on. What other users wrote of the user in their own
        texts stays.
        Costs: for each post and follow what a delete costs; one scan of all follows and one of all timelines.
        """
        _check_name("user", user)
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
        left = 0
        for stored in self.line_batches():
            of_user = {
                row: cells for row, cells in stored.items() if self.timeline_table.layout.decode(row).author == user
            }
            gone = self.left_over(of_user)
            left += len(of_user) - len(gone)  # of posts that were made meanwhile
            self.delete_lines(gone)
        mark = self._streams.row(AuthorWithStream(user))
        for column, (_, time_ms) in self._stream_rows.row(mark, include_timestamp=True).items():
            self.post_writer.delete([(self._streams.name, mark, column)], time_ms)
        return left + self.post_writer.forget(posts) + self.follow_writer.forget(follows)

    # ---- fan-out

    def _posted(self, post: Post, stored: StoredPost | None) -> StoredPost:
        """The post as it is stored before its fan-out, or the stored one if it is the same."""
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
        plan = self._followers.plan(author=author)
        counted = scan(self._follower_rows, plan, limit=self._pull_above + 1, columns=self._followers.cells.columns)
        return sum(1 for _ in counted) > self._pull_above

    def _spread(self, row: bytes) -> None:
        """Goes on with a post until every follower has it; two processes that do so put the same lines.

        A step reads the post, puts the lines of the next followers, dated by the revision that it read, and moves the
        position past them, if the post is still the one that it read. So no follower is left out, whoever dies.
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
                self._put_lines(stored, [stream_of(stored.author)], source.time_ms)
                count, last = 0, ""
            else:
                followers = self._next_followers(stored.author, stored.position)
                count, last = self._put_lines(stored, followers, source.time_ms)
            if count < self._step_rows:
                moved = attrs.evolve(stored, state="spread", position="")
            else:
                moved = attrs.evolve(stored, position=last)
            self.post_writer.write(stored, partial(_moved, stored, moved))

    def _next_followers(self, author: str, position: str) -> Iterator[str]:
        """The names of the followers of the next step, after a position."""
        after = between(position + "\0") if position else between()  # no text is between these two
        plan = self._followers.plan(author=author, reader=after)
        columns, decode = self._followers.cells.columns, self._followers.layout.decode
        for row, _ in scan(self._follower_rows, plan, limit=self._step_rows, columns=columns):
            yield decode(row).reader

    def _put_lines(self, stored: StoredPost, owners: Iterable[str], time_ms: int) -> tuple[int, str]:
        """Puts the line of each owner, 1,000 in a call; returns how many there are, and the last one."""
        count, owner = 0, ""
        with self._timeline_rows.batch(timestamp=time_ms, batch_size=BATCH_ROWS) as batch:
            for count, owner in enumerate(owners, start=1):  # noqa: B007  # both are returned
                line = TimelineLine(owner, stored.posted_ms, stored.author, stored.post_id)
                batch.put(self.timeline_table.row(line), self._marker)
        return count, owner

    # ---- upkeep

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Completes what dead writers left, see `IntentWriter.recover`; then goes on with unfinished posts.

        A post that moved within `older_than_ms` waits, because its writer is probably at work. Run it every few
        minutes. Costs: one scan of both intents' tables, and one of the unfinished posts; then what their steps cost.
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
        """Finds and mends rows that disagree. Run it once a week, and after an accident."""
        return FeedVerifier(self)

    def _rows_of_follows(self, user: str) -> Iterator[bytes]:
        """The rows of all follows that name a user, those of deleted ones included. Costs: a full scan."""
        for row, _ in scan(self._following_rows, self._following.layout.whole_table()):
            key = self._following.layout.decode(row)
            if user in (key.reader, key.author):
                yield row

    def line_batches(self, owner: str | None = None) -> Iterator[StoredLines]:
        """The lines of one timeline, or of all, 1,000 at a time. No scan is open while the caller works on them."""
        layout = self.timeline_table.layout
        (range_,) = (layout.whole_table() if owner is None else layout.plan(owner=owner)).ranges
        start: bytes | None = range_.start
        columns = self.timeline_table.cells.columns
        while start is not None:
            rows = self._timeline_rows.scan(
                start, range_.stop, columns=columns, include_timestamp=True, limit=BATCH_ROWS, batch_size=BATCH_ROWS
            )
            batch: StoredLines = dict(rows)
            if batch:
                yield batch
            start = next_row(next(reversed(batch))) if len(batch) == BATCH_ROWS else None

    def left_over(self, stored: StoredLines) -> StoredLines:
        """The left-over ones among these lines. What was put after they were read is not deleted with them."""
        lines = [self.timeline_table.layout.decode(row) for row in stored]
        posts = self._shown(lines)
        return {row: cells for (row, cells), post in zip(stored.items(), posts, strict=True) if post is None}

    def delete_lines(self, stored: StoredLines, *, at_once: bool = False) -> None:
        """Deletes lines as they were read: up to their timestamps, or `at_once` up to the newest of all."""
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
        """What a reader's timeline shows of posts from `since_ms` up to but not at `until_ms`, newest first.

        A page whose lines are left-overs is short. A cursor is refused if, since its page, the reader followed or
        unfollowed an author with a stream, or a followed author got one: then ask again, with `until_ms`.
        Costs: one scan of all follows of the reader; 1 call for each 1,000 of them, which tells who has a stream; one
        scan of a page's lines in the timeline, and one in each of these streams, at most 1,023; and 1 call that gets
        the page's posts.
        """
        _check_name("reader", reader)
        return DependentQuery(self.following(reader), partial(self._merged, reader, between(since_ms, until_ms)))

    def _merged(self, reader: str, posted_ms: Any) -> Query[Post]:
        """The lines of a timeline and of the streams of those whom its reader follows, merged, and their posts."""
        authors = {follow.author for follow in self.following(reader)}
        owners = [reader, *map(stream_of, self._with_streams(authors))]
        plan = self.timeline_table.plan(owner=any_of(owners, merged=True), posted_ms=posted_ms)
        lines: Query[TimelineLine] = Query(self._timeline_rows, self.timeline_table, plan)
        return lines.then(partial(self._shown_to, authors))

    def _with_streams(self, authors: Set[str]) -> Iterator[str]:
        """Those of these authors who have a stream."""
        rows = {self._streams.row(AuthorWithStream(author)): author for author in sorted(authors)}
        return (rows[row] for row, cells in self.post_writer.cells_of(self._streams, rows) if cells)

    def _shown_to(self, authors: Set[str], lines: list[TimelineLine]) -> list[Post | None]:
        """The post of each line; None if the reader does not follow its author, or if it is not there (any more)."""
        rows = [self._posts.row(line) if line.author in authors else None for line in lines]
        sources = self.post_writer.read_all(filter(None, rows))
        return [
            None if row is None else _shown(line, sources[row].record) for line, row in zip(lines, rows, strict=True)
        ]

    def _shown(self, lines: list[TimelineLine]) -> list[Post | None]:
        """As `_shown_to`, for the lines of several owners: reads whether each of them follows the author."""
        follows = {
            line: self._following.row(AuthorOfReader(line.owner, line.author))
            for line in lines
            if not line.owner.startswith(STREAM_MARK)
        }
        edges = self.follow_writer.read_all(follows.values())
        followed = [line for line in lines if line not in follows or edges[follows[line]].record is not None]
        sources = self.post_writer.read_all(map(self._posts.row, followed))
        posts = {line: _shown(line, sources[self._posts.row(line)].record) for line in followed}
        return [posts.get(line) for line in lines]

    def posts(self, author: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Post]:
        """An author's posts from `since_ms` up to but not at `until_ms`, newest first.

        Costs: one scan of a page's rows and one more; a page with deleted posts is short.
        """
        plan = self._posts.plan(author=author, posted_ms=between(since_ms, until_ms))
        return Query(self._post_rows, self._posts, plan, newest_first=True).then(_stored_posts)

    def followers(self, author: str) -> Query[Follow]:
        """An author's followers, by name. Costs: one scan of a page's lines, and one call that gets the follows."""
        lines = Query(self._follower_rows, self._followers, self._followers.plan(author=author))
        return lines.then(partial(self.follow_writer.agreeing, self._followers))

    def following(self, reader: str) -> Query[Follow]:
        """Whom a reader follows, by name. Costs: one scan of a page's rows and one more."""
        return Query(self._following_rows, self._following, self._following.plan(reader=reader))


@attrs.frozen
class FeedWriters:
    """The writer of follows and that of posts. Each has intents of its own."""

    writers: tuple[IntentWriter[Any], ...]

    def pending(self) -> list[Pending]:
        """The writes that have not ended, the oldest first."""
        pending = chain.from_iterable(writer.pending() for writer in self.writers)
        return sorted(pending, key=lambda write: write.started_ms)


class FeedVerifier:
    """Compares lists with follows and posts, then every line of a timeline with its post and its reader's follow.

    A line of a deleted post, or of an author whom the reader does not follow, is left over: no reader sees it, and
    `repair` deletes it. It cannot find lines that are missing, because no row says who followed when a post was made.
    """

    def __init__(self, feeds: FeedRepository) -> None:
        self._feeds = feeds
        self._verifiers = [Verifier(writer) for writer in feeds.writer.writers]
        self._lines = 0

    @property
    def sources(self) -> int:
        """Number of sources compared so far."""
        return sum(verifier.sources for verifier in self._verifiers)

    @property
    def lines(self) -> int:
        """Number of lines compared so far."""
        return self._lines + sum(verifier.lines for verifier in self._verifiers)

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
        """Batches of lines, and what is wrong with some of them."""
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
    """The post with its position moved, if it is still the one that the step read."""
    return moved if stored == read else stored


def _deleted(stored: StoredPost | None) -> StoredPost | None:
    return stored and attrs.evolve(stored, text="", state="deleted", position="")


def _shown(line: TimelineLine, stored: StoredPost | None) -> Post | None:
    """The post of a line; None if it was deleted, or went the other way than this line."""
    if stored is None or stored.state == "deleted":
        return None
    is_of_stream = line.owner.startswith(STREAM_MARK)
    return stored.post if is_of_stream == (stored.way == "pulled") else None


def _stored_posts(stored: list[StoredPost]) -> list[Post | None]:
    return [None if each.state == "deleted" else each.post for each in stored]


def _check_name(what: str, name: str) -> None:
    """Raises InvalidQuestion for the name of a stream, which no user has."""
    if type(name) is str and name.startswith(STREAM_MARK):
        raise InvalidQuestion(f"{what}: must not start with {STREAM_MARK} (got {shown(name)})")
