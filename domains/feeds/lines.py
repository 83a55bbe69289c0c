"""The lines of timelines and streams: why a page shows one or not; their deletion."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from shared.intents import IntentWriter, SourceRow
from shared.intents.intent_rows import dated_in_future
from shared.intents.times import FUTURE_MS
from shared.keys import InvalidKey
from shared.queries.scanning import scan_in_batches
from shared.tables import BoundTable, InvalidRow

from .keys import AuthorOfReader, LineOfTimeline
from .records import STREAM_MARK, Follow, Post, StoredPost

StoredLines: TypeAlias = dict[bytes, dict[bytes, tuple[bytes, int]]]
"""Rows of timelines, each with its cells and their timestamps."""

Hidden: TypeAlias = Literal["left-over", "orphaned", "dangling", "undecodable"]
"""Why no page shows a line. It is left over if its post was deleted, or its owner does not follow the author any more;
orphaned if the row of its post, or of its follow, is lost; dangling if its post went the other way, by push or by pull;
undecodable if its row is not a key."""


class TimelineLines:
    """The lines of all timelines and streams, which no source derives. Costs are those of `FeedRepository`."""

    def __init__(
        self,
        timelines: BoundTable[Any, LineOfTimeline],
        follow_writer: IntentWriter[Follow],
        post_writer: IntentWriter[StoredPost],
    ) -> None:
        self._timelines = timelines
        self.table = timelines.layout
        self._follow_writer = follow_writer
        self._post_writer = post_writer

    def batches(self, owner: str | None = None) -> Iterator[StoredLines]:
        """The lines of one timeline, or of all, 1,000 at a time. No scan is open while the caller works on a batch."""
        layout = self.table.key
        (range_,) = (layout.whole_table() if owner is None else layout.plan(owner=owner)).ranges
        columns = self.table.cells.columns
        batches = scan_in_batches(self._timelines.rows, range_, columns=columns, include_timestamp=True)
        yield from (dict(batch) for batch in batches)

    def keys_of(self, stored: Iterable[bytes]) -> dict[bytes, LineOfTimeline | InvalidKey]:
        """The line of each row, or why the row is not a key."""
        lines: dict[bytes, LineOfTimeline | InvalidKey] = {}
        for row in stored:
            try:
                lines[row] = self.table.key.decode(row)
            except InvalidKey as error:
                lines[row] = error
        return lines

    def follow_row(self, line: LineOfTimeline | InvalidKey) -> bytes | None:
        """The row of the follow that a line needs; None for a line of a stream."""
        if isinstance(line, InvalidKey) or line.owner.startswith(STREAM_MARK):
            return None
        return self._follow_writer.source.row(AuthorOfReader(line.owner, line.author))

    def posts_of(self, stored: Iterable[bytes]) -> dict[bytes, Post | InvalidRow | Hidden]:
        """The post of each line, or why no page shows it. The lines of streams need no follow.

        If the row of the post or of the follow cannot be read: its error.
        """
        lines = {row: line for row, line in self.keys_of(stored).items() if not isinstance(line, InvalidKey)}
        follow_rows = {row: follow for row, line in lines.items() if (follow := self.follow_row(line)) is not None}
        post_rows = {row: self._post_writer.source.row(line) for row, line in lines.items()}
        follows = self._follow_writer.reader.read_each(follow_rows.values())
        posts = self._post_writer.reader.read_each(post_rows.values())
        return {
            row: _shown(lines[row], posts[post_rows[row]], follows[follow_rows[row]] if row in follow_rows else None)
            if row in lines
            else "undecodable"
            for row in stored
        }

    def trim(self, owner: str, keep: int) -> int:
        """Deletes all lines of a timeline except the newest `keep` that a page shows; returns how many."""
        deleted = 0
        for stored in self.batches(owner):
            gone: StoredLines = {}
            for row, post in self.posts_of(stored).items():
                if isinstance(post, Post) and keep:
                    keep -= 1
                elif not (isinstance(post, InvalidRow) or post == "undecodable"):
                    gone[row] = stored[row]
            # One timestamp for all, the newest. It also hides what a late step puts below it: lines of older posts,
            # which would be trimmed too.
            deleted += len(gone) - len(self.delete(gone, at_once=True))
        return deleted

    def delete(
        self, stored: Mapping[bytes, Mapping[bytes, tuple[bytes, int]]], *, at_once: bool = False
    ) -> list[InvalidRow]:
        """Deletes each line up to the timestamp with which it was read; with `at_once` all up to the newest one.

        Lines that are dated in the future stay: returns why. Raises ClockSkew.
        """
        if not stored:
            return []
        last_ms = self._post_writer.check_clock().wall_ms + FUTURE_MS
        cells_at: dict[int, list[tuple[str, bytes, bytes]]] = {}
        newest_ms = {row: max(time_ms for _, time_ms in cells.values()) for row, cells in stored.items()}
        kept = [dated_in_future(self.table, row, time_ms) for row, time_ms in newest_ms.items() if time_ms > last_ms]
        newest_of_all_ms = max((time_ms for time_ms in newest_ms.values() if time_ms <= last_ms), default=0)
        for row in stored.keys() - {invalid.row for invalid in kept}:
            cells = [(self.table.name, row, column) for column in stored[row]]
            cells_at.setdefault(newest_of_all_ms if at_once else newest_ms[row], []).extend(cells)
        for time_ms, lines in cells_at.items():
            self._post_writer.delete(lines, time_ms)
        return kept


def _shown(
    line: LineOfTimeline, post: SourceRow[StoredPost] | InvalidRow, follow: SourceRow[Follow] | InvalidRow | None
) -> Post | InvalidRow | Hidden:
    for source in (post, follow):
        if isinstance(source, InvalidRow):
            return source
        if source is not None and source.cell is None:
            return "orphaned"
        if source is not None and source.record is None:
            return "left-over"
    assert not isinstance(post, InvalidRow)
    if post.record is not None and post.record.state == "deleted":
        return "left-over"
    return post_of(line, post.record) or "dangling"


def post_of(line: LineOfTimeline, stored: StoredPost | None) -> Post | None:
    """The post of a line; None if it was deleted, or pushed for a stream's line, or pulled for a reader's line."""
    if stored is None or stored.state == "deleted":
        return None
    is_of_stream = line.owner.startswith(STREAM_MARK)
    return stored.post if is_of_stream == (stored.way == "pulled") else None
