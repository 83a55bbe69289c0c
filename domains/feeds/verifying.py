"""Comparing lines of timelines with posts and follows, and pulled posts with their streams."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from shared.intents import IntentWriter
from shared.keys import InvalidKey
from shared.queries import scan
from shared.queries.scanning import in_batches
from shared.sources import BoundSource
from shared.tables import InvalidRow, TableLayout
from shared.upkeep import Finding, Instructions, Mendable, Upkeep
from shared.upkeep.findings import mended_together

from .keys import LineOfTimeline
from .lines import Hidden, StoredLines, TimelineLines
from .records import Follow, Post, StoredPost
from .spreading import FanOut, is_in_stream

REASONS = {
    "left-over": "no page shows it; rowbook repair feeds deletes it",
    "orphaned": "its post, or its reader's follow, is lost",
}
MENDED = ("left-over", "dangling")
"""Lines that `repair` deletes without being told. An orphaned line may be the only trace of a lost post."""


class TimelineUpkeep(Upkeep):
    """The part of the upkeep that compares timelines with posts and follows, after the parts of both.

    A line of a deleted post, or of an author whom the reader does not follow any more, is left over: no page shows it,
    and `repair` deletes it. `verify` cannot find missing lines of pushed posts, because no row says who followed an
    author at the time of a post; nor missing lines of streams, if lines expire. A line is orphaned, and `repair` keeps
    it, if its post or follow is lost: has no row at all, or if the line of the follow in the list of followers is
    orphaned. Such a follow may have been stored again since it was deleted.
    """

    def __init__(
        self, follows: BoundSource[Follow], post_writer: IntentWriter[StoredPost], lines: TimelineLines
    ) -> None:
        self._follows = follows.upkeep
        self._follow_writer = follows.writer
        self._post_writer = post_writer
        self._lines = lines
        self._compared = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many lines of timelines were compared so far."""
        return {"line": self._compared}

    def found(self, progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """The lines that no page shows. A post that cannot be read is a finding of its own table.

        Costs: one scan of the timelines, and two calls for each 1,000 lines.
        """
        self._compared = 0
        for stored in self._lines.batches():
            kinds = self._hidden(stored)
            if "orphaned" in kinds.values():
                kinds = self._hidden_for_good(kinds)
            keys = self._lines.keys_of(kinds)
            findings = [self._finding(kind, row, keys[row]) for row, kind in kinds.items()]
            yield from mended_together(findings, partial(self._deleted, stored, findings, told))
            self._compared += len(stored)
            progress()

    def _deleted(self, stored: StoredLines, findings: list[Finding], told: Instructions | None) -> set[Finding]:
        """Deletes those of these lines that `repair` may delete, or is told to; returns which."""
        gone = [finding for finding in findings if finding.kind in MENDED or (told and told.discards(finding))]
        self._lines.delete({finding.row: stored[finding.row] for finding in gone})
        return {*gone}

    def _hidden(self, rows: Iterable[bytes]) -> dict[bytes, Hidden]:
        posts = self._lines.posts_of(rows)
        kinds: dict[bytes, Hidden] = {
            row: post for row, post in posts.items() if not isinstance(post, Post | InvalidRow)
        }
        keys = self._lines.keys_of(row for row, kind in kinds.items() if self._follows.lost and kind == "left-over")
        for row, key in keys.items():
            if self._lines.follow_row(key) in self._follows.lost:
                kinds[row] = "orphaned"
        return kinds

    def _hidden_for_good(self, kinds: Mapping[bytes, Hidden]) -> dict[bytes, Hidden]:
        """The lines that are still hidden when they are read again, without lines of follows that are being stored.

        A fan-out reaches such lines, because the list of followers has their follows before these are decided.
        """
        undecided = self._follow_writer.under_way()
        keys = self._lines.keys_of(kinds)
        again = self._hidden(kinds)
        return {row: kind for row, kind in again.items() if self._lines.follow_row(keys[row]) not in undecided}

    def _finding(self, kind: Hidden, row: bytes, key: LineOfTimeline | InvalidKey) -> Finding:
        name = self._lines.table.name
        if isinstance(key, InvalidKey):
            return Finding(kind, name, row, None, str(key))
        return Finding(kind, name, row, self._post_writer.source.row(key), REASONS.get(kind, ""))


class StreamUpkeep(Upkeep):
    """Compares pulled posts with their streams: each has a line there, and its author a mark.

    `repair` puts both again.
    """

    def __init__(self, writer: IntentWriter[StoredPost], fan_out: FanOut, timelines: TableLayout[Any, Any]) -> None:
        self._writer = writer
        self._fan_out = fan_out
        self._timelines = timelines
        self._lines_expire = any(family.ttl_seconds for family in timelines.families.values())
        self._pulled = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many posts were compared so far."""
        return {"pulled post": self._pulled}

    def found(self, progress: Callable[[], object], _told: Instructions | None, /) -> Iterator[Mendable]:
        """The rows that pulled posts lack: their line, or the mark of their author.

        A fan-out has put both before it says that it has ended, so only posts that are then read again can lack them.
        Costs: one scan of the posts, and three calls for each 1,000 pulled posts.
        """
        self._pulled = 0
        for rows in in_batches(self._pulled_posts()):
            lacking = self._lacking(rows)
            still_lacking = self._lacking(lacking)
            for row in filter(still_lacking.__contains__, lacking):
                of_post = still_lacking[row]
                yield from mended_together(of_post, partial(self._put_again, row, of_post))
            self._pulled += len(rows)
            progress()

    def _put_again(self, row: bytes, of_post: list[Finding]) -> set[Finding]:
        """Puts again what a post lacks; returns the findings that are mended."""
        self._fan_out.put_in_stream_again(row)
        return {*of_post} - {*self._lacking([row]).get(row, [])}

    def _pulled_posts(self) -> Iterator[bytes]:
        posts = self._writer.source
        for row, cells in scan(self._writer.rows(posts.name), posts.whole_table(), columns=posts.cells.columns):
            source = self._writer.reader.source_or_error(row, cells)
            if not isinstance(source, InvalidRow) and is_in_stream(source.record):
                yield row

    def _lacking(self, rows: Iterable[bytes]) -> dict[bytes, list[Finding]]:
        """What these posts lack if they are in a stream by now, by row."""
        sources = self._writer.reader.read_each(rows)
        wanted: dict[str, dict[bytes, bytes]] = {}
        tables: dict[str, TableLayout[Any, Any]] = {}
        for row, source in sources.items():
            if isinstance(source, InvalidRow) or source.record is None or not is_in_stream(source.record):
                continue
            for stored_in, line in self._fan_out.in_stream(source.record):
                table = stored_in.layout
                if not (table is self._timelines and self._lines_expire):
                    tables[table.name] = table
                    wanted.setdefault(table.name, {})[table.row(line)] = row
        lacking: dict[bytes, list[Finding]] = {}
        for name, post_rows in wanted.items():
            for line_row, cells in self._writer.reader.cells_of(tables[name], post_rows):
                if not cells:
                    post_row = post_rows[line_row]
                    lacking.setdefault(post_row, []).append(Finding("missing", name, line_row, post_row))
        return lacking
