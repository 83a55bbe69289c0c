"""Finding lines that disagree with their sources, and mending them.

The cells of a source's lines are dated by its time T; those that are put before the next decision, by T + 1. So each
finding of `verify` is one of these:

    missing      a source wants the line, and it is not there         put
    differing    the line has other cells than its source wants, or  put
                 some that were put after the rest of the line
    dangling     the source does not want the line                   deleted
    orphaned     the line knows more than its source, which is       kept; restored or discarded if told to
                 missing, or has an older T than the line; or the
                 line is dated T + 1, and no intent names the source
    future       a cell is dated after what any clock may show       kept; the reason tells how to remove it
    undecodable  the row is not a key, or not a source or an intent  kept; discarded if told to
    unknown      the row has a code or value of a later release      kept; discarded if its row is named
    unsettled    `repair` could not complete a write under way       kept

The right column is what `repair` does. A source that is older than its lines has lost a revision, for example because
its table was restored from a backup, and maybe only its lines hold the lost values. So `repair` changes nothing of such
a source: its next revision would be dated after the lines, and hide that they are newer. Any write of the application
has the same effect. Lines that outlived the source of a forgotten user look the same. But a write puts all cells of a
line at once: if only some are newer than the source, and it wants the others as they are, no revision is lost; they
were damaged since. If an intent names the source, its writer may have died in between, and the line is kept.

A scan of the source table finds lines that are missing or differ; a scan of each list finds the others. Both get the
rows to compare with in batches, so memory is that of one batch; `repair` also remembers the orphaned lines.

Writers may be at work. Rows that disagree are read again, twice. They are not reported if they then agree, if their
source has changed meanwhile, or if a write that is younger than ten minutes names their source.
"""

from collections.abc import Callable, Iterable, Iterator, Set
from functools import partial
from typing import Any

import attrs

from ..tables.recorded_layouts import marked_ms, remove_mark
from ..upkeep.checkpoints import Checkpoint
from ..upkeep.findings import Finding, Instructions, Mendable, reason_told
from ..upkeep.parts import Upkeep
from ..upkeep.recovery import Recovery
from .comparing_lines import Comparison
from .derived_cells import Cell
from .intent_rows import Pending
from .restoring import NotRestorable, StoredLine, restored_record
from .times import FORGET_MS
from .writer import IntentWriter


class WriterUpkeep(Upkeep):
    """The upkeep of a writer: finishes its intents, and compares lines with their sources.

    `claimed` returns the rows of sources which unfinished records are about to create with `claim`, whose
    lines are there first. It is called only if there are lines whose sources were never written. `source` is the
    word for a source in `counts`.
    """

    def __init__(
        self, writer: IntentWriter[Any], claimed: Callable[[], Set[bytes]] = frozenset, *, source: str = "source"
    ) -> None:
        self._writer = writer
        self._source = source
        self._compared = Comparison(writer, claimed)
        self.lost: set[bytes] = set()
        """The rows of sources that have lost a revision, as the latest `verify` or `repair` has left them."""

    @property
    def counts(self) -> dict[str, int]:
        """Rows compared so far, by kind."""
        lines = {"line": self._compared.lines} if self._writer.lists else {}
        return {self._source: self._compared.sources, **lines}

    def pending(self) -> list[Pending]:
        """The writes that have not ended, the oldest first. Costs: one scan of the intents' table."""
        return self._writer.pending()

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Completes the writes of dead writers, see `IntentWriter.recover`."""
        return self._writer.recover(older_than_ms)

    def found(self, progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """Every inconsistent row, except those of pending writes.

        Calls `progress` after each batch. If something disagrees, it first compares the clocks, and raises ClockSkew.
        Costs: one scan of each 1,000 rows of each table, and a call for each 1,000 rows to get the rows to compare
        with.

        `repair` first recovers pending writes. The module says what is mended, and what is kept if it is not told
        otherwise. A line stays missing if it was deleted with a timestamp in the future. If a source has a cell,
        discarding one of its orphaned lines means that the source is right: all its lines are made to agree with it.
        Lines of a missing source are discarded only if they are older than 42 minutes. With a checkpoint, rows that an
        earlier call has compared are skipped.

        Once it is complete, lists that were created after their sources are filled: their readers get no `UnfilledList`
        any more. Another release may not know such a list: first stop all that do not put its lines.
        Costs: those of `recover` and `verify`, one more scan of the lists, and for each row those of mending it. Also 1
        call, 1 get for each list, and 1 delete for each that was not filled.
        """
        checkpoint, marks = None, dict[str, int]()
        kept: dict[bytes, str] = {}
        if told is not None:
            checkpoint = told.checkpoint
            marks = self._marks(checkpoint)
            yield from map(self._mendable, self._recovered())
            for source_row, lines in self._orphaned(progress, checkpoint).items():
                settled, reason = self._settled(source_row, lines, told)
                yield from (Mendable(line, _is_settled) for line in settled)
                if len(settled) < len(lines):
                    kept[source_row] = reason
        self.lost.clear()
        for finding in self._verified(progress, checkpoint, also_changing=bool(marks)):
            mendable = self._mendable(finding)
            if finding.source_row in kept:
                is_unwanted = finding.kind == "dangling"
                named = _as_orphaned(finding) if is_unwanted else finding
                mendable = Mendable(named.because(kept[finding.source_row]))
            if mendable.finding.kind == "orphaned" and finding.source_row is not None:
                self.lost.add(finding.source_row)
            yield mendable
        for name, put_ms in marks.items():
            remove_mark(self._writer.connection, name, put_ms)

    def _verified(
        self, progress: Callable[[], object], checkpoint: Checkpoint | None, *, also_changing: bool
    ) -> Iterator[Finding]:
        self._compared.sources = self._compared.lines = 0
        yield from self._compared.of_intents()
        yield from self._compared.of_sources(progress, checkpoint, also_changing=also_changing)
        yield from self._compared.of_lists(progress, checkpoint)

    # ---- repairing

    def _marks(self, checkpoint: Checkpoint | None) -> dict[str, int]:
        """When each list was marked that this repair fills from the start: a later mark is that of another table."""
        marks = marked_ms(self._writer.connection, self._writer.lists)
        if checkpoint is None:
            return marks
        tables = {table.name for table in (self._writer.source, *self._writer.lists)}
        noted = checkpoint.from_start({f"marked {name}": b"%d" % marks[name] for name in marks}, tables)
        return {passed.removeprefix("marked "): int(put_ms) for passed, put_ms in noted.items() if put_ms is not None}

    def _recovered(self) -> list[Finding]:
        """The writes under way that cannot be completed."""
        failed, table = self._writer.recover(older_than_ms=0).failed, self._writer.intents
        findings: list[Finding] = []
        for intent in [slot.intent for slot in self._writer.pending()] if failed else []:
            row = table.row(intent)
            if reason := reason_told(failed, table.name, row):
                findings.append(Finding("unsettled", table.name, row, intent.source_row, reason))
        return findings

    def _orphaned(self, progress: Callable[[], object], checkpoint: Checkpoint | None) -> dict[bytes, list[Finding]]:
        """The lines of lost revisions, by source: if one line is orphaned, all lines that the source does not want."""
        unwanted: dict[bytes, list[Finding]] = {}
        for finding in self._compared.of_lists(progress, checkpoint, "searched"):
            if finding.source_row is not None and finding.kind in ("dangling", "orphaned"):
                unwanted.setdefault(finding.source_row, []).append(finding)
            if checkpoint is not None and finding.kind == "orphaned":
                checkpoint.hold()
        return {
            row: [*map(_as_orphaned, lines)]
            for row, lines in unwanted.items()
            if any(line.kind == "orphaned" for line in lines)
        }

    def _settled(
        self, source_row: bytes, findings: list[Finding], instructions: Instructions
    ) -> tuple[list[Finding], str]:
        """Restores or discards the lines of a lost revision, as told; returns those, and why the others are kept."""
        reason = ""
        if instructions.restore:
            try:
                self._restore(source_row, [self._compared.line(finding) for finding in findings])
                return findings, ""
            except NotRestorable as error:
                reason = f"not restored: {error}"
        to_discard = [finding for finding in findings if instructions.discards(finding)]
        if not to_discard:
            return [], reason
        lines = [self._compared.line(finding) for finding in to_discard]
        self._writer.repair(source_row, _cells_of(lines), max(line.newest_ms for line in lines))
        if self._writer.reader.read(source_row).cell is not None:
            return findings, ""
        young = [finding for finding in to_discard if self._compared.line(finding).cells]
        reason = f"not discarded: must be {FORGET_MS // 60_000} minutes old" if young else reason
        return [finding for finding in to_discard if finding not in young], reason

    def _restore(self, source_row: bytes, lines: list[StoredLine]) -> None:
        source = self._writer.reader.read(source_row)
        newer = [line for line in lines if source.cell is None or line.newest_ms > source.time_ms]
        record = restored_record(self._writer, source, newer)
        if self._writer.source.row(record) != source_row:
            raise NotRestorable("its lines are of another source")
        newest_ms = max(line.newest_ms for line in lines)
        if not self._writer.replace(source_row, source, record, _cells_of(lines), newest_ms):
            raise NotRestorable("its source has changed meanwhile")

    def _mendable(self, finding: Finding) -> Mendable:
        if finding.kind in ("missing", "differing", "dangling") and finding.source_row is not None:
            return Mendable(finding, partial(self._mend, finding, finding.source_row))
        if finding.kind in ("undecodable", "unknown", "unsettled"):
            is_source = finding.table == self._writer.source.name
            return Mendable(finding, discard=partial(self._discard, finding), is_source=is_source)
        return Mendable(finding)

    def _mend(self, finding: Finding, source_row: bytes) -> bool:
        line = self._compared.line(finding)
        self._writer.repair(source_row, _cells_of([line]), line.newest_ms)
        return self._compared.agrees(finding, source_row)

    def _discard(self, finding: Finding) -> bool | str:
        """Removes a row that cannot be read, and spares what is put into it later; returns why not, if it does not."""
        tables = [table for table in (self._writer.source, *self._writer.lists) if table.name == finding.table]
        columns = [column for table in tables for column in table.cells.columns] or None  # None: all of an intent
        cells = self._writer.rows(finding.table).row(finding.row, columns=columns, include_timestamp=True)
        for column, (_, written_ms) in cells.items():
            if reason := self._compared.dated_in_the_future(finding.table, finding.row, column, written_ms):
                return f"not discarded: {reason}"
        for column, (_, written_ms) in cells.items():
            self._writer.delete([(finding.table, finding.row, column)], written_ms)
        return True


def _cells_of(lines: Iterable[StoredLine]) -> list[Cell]:
    return [(line.table.name, line.row, column) for line in lines for column in line.cells]


def _is_settled() -> bool:
    """The lines of a lost revision are settled together, before they are reported."""
    return True


def _as_orphaned(finding: Finding) -> Finding:
    return attrs.evolve(finding, kind="orphaned")
