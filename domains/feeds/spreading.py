"""The fan-out of a post to the timelines of all followers, in steps; and the streams of pulled posts."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import attrs

from shared.intents.work_in_steps import UnfinishedWork
from shared.keys import InvalidKey, between
from shared.keys.copied_part import CopiedPart
from shared.queries import scan
from shared.queries.scanning import in_batches
from shared.sources import BoundSource
from shared.tables import BoundTable, TableLayout
from shared.writes import WriterClock
from shared.writes.dated_cells import put_rows
from shared.writes.server_clock import MAX_SKEW_MS

from .keys import FOLLOWERS, UNFINISHED, AuthorWithStream, LineOfTimeline
from .records import Follow, StoredPost, stream_of

NOT_SPREAD = "its fan-out has not ended; rowbook recover feeds continues it"


class FanOut:
    """Puts the lines of posts into timelines and streams, which no source derives.

    A fan-out puts a line for the post into the timelines of all followers, in steps of `step_rows` followers. The row
    of the post holds the position of the fan-out, so any process can continue. A pulled post gets a single line, in the
    author's stream. Costs are those of `FeedRepository`.
    """

    def __init__(
        self,
        follows: BoundSource[Follow],
        posts: BoundSource[StoredPost],
        timelines: BoundTable[Any, LineOfTimeline],
        streams: BoundTable[Any, AuthorWithStream],
        clock: WriterClock,
        step_rows: int,
    ) -> None:
        self._followers = follows.table(FOLLOWERS)
        self._timelines = timelines
        self._streams = streams
        self._writer = posts.writer
        self._clock = clock
        self._step_rows = step_rows
        self._lines_of_followers = CopiedPart(self._followers.layout.key, "reader", timelines.layout.key, "owner")
        self._marker = timelines.layout.cells.pack(LineOfTimeline("", 0, "", 0))
        self.upkeep = UnfinishedWork(posts.writer, posts.table(UNFINISHED), _is_spreading, self.spread, NOT_SPREAD)

    def spread(self, row: bytes) -> None:
        """Continues the fan-out of a post to its end. Two processes that do so put the same lines.

        A step reads the post and puts the lines of the next followers, with the time of the revision that it read as
        timestamp. Then it moves the position past these followers, if the stored post has not changed since it was
        read. So no follower is left out if a process dies.
        """
        while True:
            source = self._writer.reader.read(row)
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
            self._writer.write(stored, partial(after_step, stored, moved))

    def has_more_followers(self, author: str, most: int | None) -> bool:
        """Whether an author has more than `most` followers; None is no bound. Costs: one scan of `most` + 1 rows."""
        return most is not None and sum(1 for _ in self._rows_of_followers(most + 1, author=author)) > most

    # ---- streams

    def in_stream(self, post: StoredPost) -> Iterator[tuple[BoundTable[Any, Any], Any]]:
        """The rows of a pulled post in its author's stream, each as its table and line."""
        yield self._streams, post
        yield self._timelines, LineOfTimeline(stream_of(post.author), post.posted_ms, post.author, post.post_id)

    def _put_in_stream(self, post: StoredPost, time_ms: int) -> None:
        lines = [(table.rows, table.layout, line) for table, line in self.in_stream(post)]  # compares both layouts
        for rows, layout, line in lines:
            rows.put(layout.row(line), layout.cells.pack(line), timestamp=time_ms)

    def put_in_stream_again(self, row: bytes) -> None:
        """Puts the rows of a pulled post in its stream again, with a timestamp above any that a server may have given.

        Costs: 1 get, 2 puts.
        """
        source = self._writer.reader.read(row)
        if is_in_stream(source.record):
            assert source.record is not None
            self._put_in_stream(source.record, max(source.time_ms, self._clock.read_ms() + MAX_SKEW_MS))

    # ---- timelines

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
            except InvalidKey:  # a row that is not a key names nobody; `verify` finds it
                rows = [row for row in rows if _is_key(layout, row)]
                lines = [*map(line_of, rows)]
            if rows:
                put_rows(self._timelines.rows, ((line, self._marker) for line in lines), time_ms)
                last = rows[-1]
        if count == self._step_rows and not last:
            raise InvalidKey(f"{layout.name}: must have a key among {count} rows of one author; see verify")
        return count, layout.key.decode(last).reader if last else ""


def is_in_stream(post: StoredPost | None) -> bool:
    """Whether a stored post has a line in its author's stream."""
    return post is not None and post.way == "pulled" and post.state == "spread"


def after_step(read: StoredPost, moved: StoredPost, stored: StoredPost | None) -> StoredPost | None:
    """The post after a step; the stored post if it has changed since the step read it."""
    return moved if stored == read else stored


def _is_spreading(post: StoredPost) -> bool:
    return post.state == "spreading"


def _is_key(table: TableLayout[Any, Any], row: bytes) -> bool:
    with suppress(InvalidKey):
        table.key.decode(row)
        return True
    return False
