"""Comparing lines of timelines with posts and follows, and pulled posts with their streams."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from shared.intents import IntentWriter
from shared.intents.intent_rows import Pending
from shared.intents.unfinished import UnfinishedWork
from shared.keys import InvalidKey
from shared.queries import scan
from shared.queries.scanning import in_batches
from shared.sources import BoundSource
from shared.tables import InvalidRow, TableLayout
from shared.upkeep import Finding, Instructions
from shared.upkeep.combined import no_progress
from shared.upkeep.findings import NOTHING_TOLD
from shared.upkeep.recovery import Recovery

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


class TimelineUpkeep:
    """The upkeep of follows and fan-outs, and of the timelines that depend on both.

    A line of a deleted post, or of an author whom the reader does not follow any more, is left over: no page shows it,
    and `repair` deletes it. `verify` cannot find missing lines of pushed posts, because no row says who followed an
    author at the time of a post; nor missing lines of streams, if lines expire. A line is orphaned, and `repair` keeps
    it, if its post or follow is lost: has no row at all, or if the line of the follow in the list of followers is
    orphaned.
    """

    def __init__(
        self,
        follows: BoundSource[Follow],
        post_writer: IntentWriter[StoredPost],
        lines: TimelineLines,
        fan_outs: UnfinishedWork[StoredPost],
    ) -> None:
        self._follows = follows.upkeep
        self._fan_outs = fan_outs
        self._follow_writer = follows.writer
        self._post_writer = post_writer
        self._lines = lines
        self._compared = 0
        self._lost_follows: set[bytes] = set()
        """The rows of follows that have lost a revision."""

    @property
    def counts(self) -> dict[str, int]:
        """How many follows and lines were compared so far."""
        return {"source": self._follows.sources, "line": self._follows.lines + self._compared}

    def pending(self) -> list[Pending]:
        """The writes of follows that have not ended, the oldest first."""
        return self._follows.pending()

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Completes the writes of follows whose writers died, and continues fan-outs."""
        return Recovery.of_all([self._follows.recover(older_than_ms), self._fan_outs.recover(older_than_ms)])

    def verify(self, progress: Callable[[], object] = no_progress) -> Iterator[Finding]:
        """What is wrong with follows, see `WriterUpkeep.verify`, then with fan-outs, then with lines.

        Costs: one scan of each table, a call for each 1,000 rows of a list, and two for each 1,000 lines of timelines.
        """
        self._start()
        yield from map(self._noted, self._follows.verify(progress))
        yield from self._fan_outs.verify(progress)
        for _, findings in self._of_lines(progress):
            yield from findings.values()

    def repair(
        self, progress: Callable[[], object] = no_progress, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Repairs follows, see `WriterUpkeep.repair`, continues fan-outs, then deletes lines that no page shows."""
        self._start()
        for finding, is_mended in self._follows.repair(progress, instructions):
            yield finding if is_mended else self._noted(finding), is_mended
        yield from self._fan_outs.repair(progress, instructions)
        for stored, findings in self._of_lines(progress):
            gone = {
                row: stored[row]
                for row, finding in findings.items()
                if finding.kind in MENDED or instructions.discards(finding)
            }
            self._lines.delete(gone)
            yield from ((finding, row in gone) for row, finding in findings.items())

    def _start(self) -> None:
        self._compared = 0
        self._lost_follows.clear()

    def _noted(self, finding: Finding) -> Finding:
        """The finding; remembers the follow of an orphaned line: it may have been stored again since it was deleted."""
        is_of_follow = any(finding.table == table.name for table in self._follow_writer.lists)
        if is_of_follow and finding.kind == "orphaned" and finding.source_row is not None:
            self._lost_follows.add(finding.source_row)
        return finding

    def _of_lines(self, progress: Callable[[], object]) -> Iterator[tuple[StoredLines, dict[bytes, Finding]]]:
        """Batches of lines, each with its findings by row. A post that cannot be read is a finding of its own table."""
        for stored in self._lines.batches():
            kinds = self._hidden(stored)
            if "orphaned" in kinds.values():
                kinds = self._hidden_for_good(kinds)
            keys = self._lines.keys_of(kinds)
            yield stored, {row: self._finding(kind, row, keys[row]) for row, kind in kinds.items()}
            self._compared += len(stored)
            progress()

    def _hidden(self, rows: Iterable[bytes]) -> dict[bytes, Hidden]:
        posts = self._lines.posts_of(rows)
        kinds: dict[bytes, Hidden] = {
            row: post for row, post in posts.items() if not isinstance(post, Post | InvalidRow)
        }
        keys = self._lines.keys_of(row for row, kind in kinds.items() if self._lost_follows and kind == "left-over")
        for row, key in keys.items():
            if self._lines.follow_row(key) in self._lost_follows:
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


class StreamUpkeep:
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

    def verify(self, progress: Callable[[], object] = no_progress) -> Iterator[Finding]:
        """The rows that pulled posts lack.

        Costs: one scan of the posts, and three calls for each 1,000 pulled posts.
        """
        self._pulled = 0
        for _, of_post in self._of_streams(progress):
            yield from of_post

    def repair(
        self, progress: Callable[[], object] = no_progress, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Puts again what pulled posts lack."""
        self._pulled = 0
        for row, of_post in self._of_streams(progress):
            self._fan_out.put_in_stream_again(row)
            lacking = self._lacking([row]).get(row, [])
            yield from ((finding, finding not in lacking) for finding in of_post)

    def _of_streams(self, progress: Callable[[], object]) -> Iterator[tuple[bytes, list[Finding]]]:
        """The rows of pulled posts that lack their line or the mark of their author, each with its findings.

        A fan-out has put both before it says that it has ended, so only posts that are then read again can lack them.
        """
        for rows in in_batches(self._pulled_posts()):
            lacking = self._lacking(rows)
            still_lacking = self._lacking(lacking)
            yield from ((row, still_lacking[row]) for row in lacking if row in still_lacking)
            self._pulled += len(rows)
            progress()

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
