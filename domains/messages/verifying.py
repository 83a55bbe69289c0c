"""Comparing messages with their lines, and group messages with the copies of their members."""

from collections.abc import Callable, Collection, Iterator, Set
from typing import TypeAlias

from shared.keys.errors import shown
from shared.queries import Query, in_batches, scan
from shared.tables import InvalidRow
from shared.writes import Finding, Instructions, IntentWriter, Recovery, Source, Verifier
from shared.writes.findings import NOTHING_TOLD, reason_told
from shared.writes.intents import WINDOW_MS

from .keys import MessageByReceiver
from .records import StoredMessage, copies_of

Unfinished: TypeAlias = Callable[[Callable[[InvalidRow], None]], Query[MessageByReceiver]]
Recover: TypeAlias = Callable[[int], Recovery]

NOT_DELIVERED = "members may lack their copies; rowbook recover messages goes on with the delivery"


class MessageVerifier:
    """Compares group messages with the copies that they say are delivered, and lists with messages, see `Verifier`.

    A copy that its member has deleted keeps its row. So a copy without a row is lost, and `repair` creates it again,
    unread, also for a member who had read or deleted it. While a message is delivered, the lines of its copies come
    before the copies, and are no findings. A delivery that has not moved for ten minutes is unsettled: its sender died,
    and nobody has recovered.
    """

    def __init__(self, writer: IntentWriter[StoredMessage], unfinished: Unfinished, recover: Recover) -> None:
        self._writer = writer
        self._unfinished = unfinished
        self._recover = recover
        self._lines = Verifier(writer, self._about_to_be_claimed)
        self._copies = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many rows of each sort were compared so far."""
        return {**self._lines.counts, "copy": self._copies}

    def verify(self, progress: Callable[[], object] = lambda: None) -> Iterator[Finding]:
        """Every row that is not as it should be; see `Verifier.verify`.

        Costs: those of `Verifier.verify`, one more scan of the inboxes and of the unfinished deliveries, and a call for
        each 1,000 copies.
        """
        self._copies = 0
        for copies in self._lost_copies(progress):
            yield from copies.values()
        yield from self._lines.verify(progress)
        yield from self._unsettled()

    def repair(
        self, progress: Callable[[], object] = lambda: None, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Goes on with unfinished deliveries, creates lost copies, then does what `Verifier.repair` does."""
        failed = self._recover(0).failed
        self._copies = 0
        for copies in self._lost_copies(progress):
            self._writer.claim(copies)
            stored = self._writer.read_each(finding.row for finding in copies.values())
            yield from ((finding, not _was_never_written(stored[finding.row])) for finding in copies.values())
        yield from self._lines.repair(progress, instructions)
        yield from ((finding, False) for finding in self._unsettled(failed))

    def _unsettled(self, failed: Collection[str] = ()) -> Iterator[Finding]:
        """The deliveries that have not ended in time, or that `failed` names."""
        for rows in in_batches(map(self._writer.source.row, self._unfinished(lambda _invalid: None))):
            now_ms = self._writer.check_clock().wall_ms
            for row, source in self._writer.read_each(rows).items():
                if isinstance(source, InvalidRow) or source.record is None or source.record.is_delivered:
                    continue
                reason = reason_told(failed, self._writer.source.name, row)
                if reason or now_ms - source.time_ms >= WINDOW_MS:
                    yield Finding("unsettled", self._writer.source.name, row, None, reason or NOT_DELIVERED)

    def _lost_copies(self, progress: Callable[[], object]) -> Iterator[dict[StoredMessage, Finding]]:
        """Batches of copies without a row. A copy has its row before the count of its group message includes it."""
        for batch in in_batches(self._delivered_copies()):
            row_of = {copy: self._writer.source.row(copy) for copy, _ in batch}
            stored = self._writer.read_each(row_of.values())
            yield {
                copy: Finding("missing", self._writer.source.name, row_of[copy], original, _reason(copy))
                for copy, original in batch
                if _was_never_written(stored[row_of[copy]])
            }
            self._copies += len(batch)
            progress()

    def _delivered_copies(self) -> Iterator[tuple[StoredMessage, bytes]]:
        """The copies that group messages say are delivered, each with the row of its group message."""
        table = self._writer.source
        rows = scan(self._writer.rows(table.name), table.key.whole_table(), columns=table.cells.columns)
        for batch in in_batches(rows):
            for row, cells in batch:
                source = self._writer.source_or_error(row, cells)
                if not isinstance(source, InvalidRow) and source.record is not None:
                    yield from ((copy, row) for copy in copies_of(source.record, 0, source.record.delivered))

    def _about_to_be_claimed(self) -> Set[bytes]:
        """The rows of copies that are still to be created: their lines come first."""
        group_rows = map(self._writer.source.row, self._unfinished(lambda _invalid: None))
        rows: set[bytes] = set()
        for source in self._writer.read_each(group_rows).values():
            if not isinstance(source, InvalidRow) and source.record is not None:
                rows |= {self._writer.source.row(copy) for copy in copies_of(source.record, source.record.delivered)}
        return rows


def _was_never_written(source: Source[StoredMessage] | InvalidRow) -> bool:
    return not isinstance(source, InvalidRow) and source.was_never_written


def _reason(copy: StoredMessage) -> str:
    return f"the copy of {shown(copy.receiver)} is lost"
