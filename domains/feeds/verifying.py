"""Comparing follows and posts with their lists, lines of timelines with posts and follows, posts with their streams."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from shared.keys import InvalidKey
from shared.queries import in_batches, scan
from shared.tables import InvalidRow, TableLayout
from shared.writes import Erasures, Finding, Instructions, Verifier
from shared.writes.findings import NOTHING_TOLD, reason_told
from shared.writes.intents import WINDOW_MS

from .erasing import NOT_ENDED
from .lines import Hidden, StoredLines
from .records import Post, StoredPost, TimelineLine

if TYPE_CHECKING:
    from .repository import FeedRepository

REASONS = {
    "left-over": "no page shows it; rowbook repair feeds deletes it",
    "orphaned": "its post, or its reader's follow, is lost",
    "unsettled": "its fan-out has not ended; rowbook recover feeds goes on with it",
    "erased": "rows of an erased user remain; rowbook recover feeds removes them, or tells why not",
}
MENDED = ("left-over", "dangling")
"""Lines that `repair` deletes without being told. An orphaned line may be all that tells of a lost post."""


class FeedVerifier:
    """Compares lists with follows and posts, timelines with both, and pulled posts with their streams.

    A pulled post has a line in its author's stream, and its author has a mark; `repair` puts both again.
    A line of a deleted post, or of an author whom the reader does not follow any more, is left over: no page shows it,
    and `repair` deletes it. `verify` cannot find missing lines of pushed posts, because no row says who followed an
    author at the time of a post; nor those of streams if lines expire. A line is orphaned, and `repair` keeps it, if
    its post or follow is lost: has no row at all, or if the line of the follow in the list of followers is orphaned.
    A fan-out or an erasure that has not moved for ten minutes is unsettled: its worker died, and nobody has recovered.
    """

    def __init__(self, feeds: "FeedRepository", erasures: Erasures) -> None:
        self._feeds = feeds
        self._erasures = erasures
        self._lines = feeds.timeline_lines
        self._verifiers = [Verifier(writer) for writer in feeds.writer.writers]
        self._lines_expire = any(family.ttl_seconds for family in self._lines.table.families.values())
        self._compared = 0
        self._pulled = 0
        self._lost_follows: set[bytes] = set()
        """The rows of follows that have lost a revision."""

    @property
    def counts(self) -> dict[str, int]:
        """How many rows of each sort were compared so far."""
        lines = self._compared + sum(verifier.lines for verifier in self._verifiers)
        sources = sum(verifier.sources for verifier in self._verifiers)
        return {"source": sources, "line": lines, "pulled post": self._pulled}

    def verify(self, progress: Callable[[], object] = lambda: None) -> Iterator[Finding]:
        """Every row that is not as it should be; see `Verifier.verify`.

        Costs: one scan of each table, one more of the posts and of the unfinished posts, a call for each 1,000 rows of
        a list, two for each 1,000 lines of timelines, and three for each 1,000 pulled posts.
        """
        self._start()
        for verifier in self._verifiers:
            yield from map(self._noted, verifier.verify(progress))
        for _, findings in self._of_lines(progress):
            yield from findings.values()
        for _, of_post in self._of_streams(progress):
            yield from of_post
        yield from self._unsettled()

    def repair(
        self, progress: Callable[[], object] = lambda: None, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Recovers pending writes and unfinished posts, then mends what `verify` finds; see `Verifier.repair`."""
        failed = self._feeds.recover(older_than_ms=0).failed
        self._start()
        for verifier in self._verifiers:
            for finding, is_mended in verifier.repair(progress, instructions):
                yield finding if is_mended else self._noted(finding), is_mended
        for stored, findings in self._of_lines(progress):
            gone = {
                row: stored[row]
                for row, finding in findings.items()
                if finding.kind in MENDED or instructions.discards(finding)
            }
            self._lines.delete(gone)
            yield from ((finding, row in gone) for row, finding in findings.items())
        for row, of_post in self._of_streams(progress):
            self._feeds.put_in_stream_again(row)
            lacking = self._lacking([row]).get(row, [])
            yield from ((finding, finding not in lacking) for finding in of_post)
        yield from ((finding, False) for finding in self._unsettled(failed))

    def _unsettled(self, failed: Collection[str] = ()) -> Iterator[Finding]:
        """Fan-outs and erasures that have not ended in time, or that `failed` names, and erasures that are none.

        A post that cannot be read is a finding of its own table.
        """
        writer, damaged = self._feeds.post_writer, list[InvalidRow]()
        for rows in in_batches(self._feeds.unfinished_posts(lambda _invalid: None)):
            now_ms = writer.check_clock().wall_ms
            for row, source in writer.read_each(rows).items():
                if isinstance(source, InvalidRow) or source.record is None or source.record.state != "spreading":
                    continue
                reason = reason_told(failed, writer.source.name, row)
                if reason or now_ms - source.time_ms >= WINDOW_MS:
                    yield Finding("unsettled", writer.source.name, row, None, reason or REASONS["unsettled"])
        table = self._erasures.table
        for erasure in self._erasures.stored(damaged.append):
            reason = reason_told(failed, table.name, table.row(erasure))
            if reason or self._erasures.is_overdue(erasure):
                otherwise = REASONS["erased"] if erasure.is_ended else NOT_ENDED
                yield Finding("unsettled", table.name, table.row(erasure), None, reason or otherwise)
        for invalid in damaged:
            yield Finding("undecodable", invalid.table, invalid.row, None, invalid.reason)

    def _start(self) -> None:
        self._compared = self._pulled = 0
        self._lost_follows.clear()

    def _noted(self, finding: Finding) -> Finding:
        """The finding; remembers the follow of an orphaned line: it may have been stored again since it was deleted."""
        is_of_follow = any(finding.table == table.name for table in self._feeds.follow_writer.lists)
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
        """What is hidden if it is read again, without the lines of follows that are being stored.

        A fan-out reaches those, because the list of followers has their lines before they are decided.
        """
        undecided = self._feeds.follow_writer.under_way()
        keys = self._lines.keys_of(kinds)
        again = self._hidden(kinds)
        return {row: kind for row, kind in again.items() if self._lines.follow_row(keys[row]) not in undecided}

    def _finding(self, kind: Hidden, row: bytes, key: TimelineLine | InvalidKey) -> Finding:
        name = self._lines.table.name
        if isinstance(key, InvalidKey):
            return Finding(kind, name, row, None, str(key))
        return Finding(kind, name, row, self._feeds.post_writer.source.row(key), REASONS.get(kind, ""))

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
        writer = self._feeds.post_writer
        rows = scan(writer.rows(writer.source.name), writer.source.key.whole_table(), columns=writer.cells.columns)
        for row, cells in rows:
            source = writer.source_or_error(row, cells)
            if not isinstance(source, InvalidRow) and _is_in_stream(source.record):
                yield row

    def _lacking(self, rows: Iterable[bytes]) -> dict[bytes, list[Finding]]:
        """What these posts lack if they are in a stream by now, by row."""
        sources = self._feeds.post_writer.read_each(rows)
        wanted: dict[str, dict[bytes, bytes]] = {}
        tables: dict[str, TableLayout[Any, Any]] = {}
        for row, source in sources.items():
            if isinstance(source, InvalidRow) or source.record is None or not _is_in_stream(source.record):
                continue
            for table, line in self._feeds.in_stream(source.record):
                if not (table is self._lines.table and self._lines_expire):
                    tables[table.name] = table
                    wanted.setdefault(table.name, {})[table.row(line)] = row
        lacking: dict[bytes, list[Finding]] = {}
        for name, post_rows in wanted.items():
            for line_row, cells in self._feeds.post_writer.cells_of(tables[name], post_rows):
                if not cells:
                    post_row = post_rows[line_row]
                    lacking.setdefault(post_row, []).append(Finding("missing", name, line_row, post_row))
        return lacking


def _is_in_stream(post: StoredPost | None) -> bool:
    return post is not None and post.way == "pulled" and post.state == "spread"
