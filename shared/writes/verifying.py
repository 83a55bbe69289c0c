"""Finding derived rows that disagree with their sources, and mending them.

The cells of a source's lines are dated by its time T; those that are put before the next decision, by T + 1. So what
`verify` finds is one of these:

    missing      a source wants the line, and it is not there         put
    differing    the line has other cells than its source wants      put
    dangling     the source does not want the line                   deleted
    orphaned     the line knows more than its source, which is       kept; restored or discarded if told to
                 missing, or has an older T than the line
    future       a cell is dated after what any clock may show       kept; the reason tells how to remove it
    undecodable  the row is not a key, or not a source or an intent  kept; discarded if told to
    unsettled    `repair` could not complete a write under way       kept

On the right is what `repair` does. A source that is older than its lines has lost a revision, for example because its
table was restored from a backup, and maybe only its lines tell what it said. So `repair` changes nothing of such a
source: its next revision would be dated after the lines, and nothing would tell any more that they are newer. A write
of the application has the same effect. If a user was forgotten, lines that outlived the source look alike.

A scan of the source table finds lines that are missing or differ; a scan of each list finds the others. Both get the
other side in batches, so memory is that of one batch; `repair` also remembers the orphaned lines.

Writers may be at work. What disagrees is read again, twice. It is not reported if it then agrees, if its source has
changed meanwhile, or if a write that is younger than ten minutes names its source.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any, TypeAlias

import attrs

from ..keys import InvalidKey, RowRange
from ..keys.errors import listed, shown_bytes
from ..queries import in_batches, scan_in_batches
from ..tables import InvalidRow, TableLayout
from ..tables.ddl import delete_statement
from .findings import Finding, Instructions, Kind
from .intents import FORGET_MS, FUTURE_MS, Cell, IntentWriter
from .restoring import Dated, NotRestorable, StoredLine, restored_record
from .sources import Source

TIMES_READ_AGAIN = 2
EVERY_ROW = RowRange(b"", None)
NOTHING_TOLD = Instructions()


@attrs.frozen
class _Wanted:
    """What a source wants of the lists."""

    revision: int
    last_ms: int | None
    """The largest timestamp that its lines may have; None if the source has no cell."""
    was_never_written: bool
    lines: Mapping[tuple[str, bytes], Mapping[bytes, bytes]]
    """The cells of each line, by its table and row."""


@attrs.frozen
class _Suspect:
    """A line that disagreed with its source when both were read."""

    kind: Kind
    line: StoredLine
    source_row: bytes
    wanted: _Wanted
    columns: tuple[str, ...] = ()
    """Those that differ."""

    @property
    def reason(self) -> str:
        """Why the line is a finding."""
        if self.kind == "orphaned":
            source_ms = self.wanted.last_ms
            why = "its source is missing" if source_ms is None else f"{self.line.newest_ms - source_ms} ms newer"
            return f"{why}, it holds {self.line}"
        return f"in {listed(self.columns)}" if self.columns else ""


_Line: TypeAlias = tuple[TableLayout[Any, Any], bytes, bytes]
"""The table and row of a line, and the row of its source."""


class Verifier:
    """Compares the derived rows of a writer's records with their sources.

    `claimed` returns the rows of sources which unfinished records are about to create with `IntentWriter.claim`, whose
    lines are there first. It is called only if there are lines whose sources were never written.
    """

    def __init__(self, writer: IntentWriter[Any], claimed: Callable[[], Set[bytes]] = frozenset) -> None:
        self._writer = writer
        self._claimed = claimed
        self.sources = 0
        """Number of sources compared so far."""
        self.lines = 0
        """Number of lines compared so far."""
        self._lists = {table.name: table for table in writer.lists}

    @property
    def counts(self) -> dict[str, int]:
        """How many rows of each sort were compared so far."""
        return {"source": self.sources, "line": self.lines}

    def verify(self, progress: Callable[[], object] = lambda: None) -> Iterator[Finding]:
        """Every row that is not as it should be; a row whose write is under way is not among them.

        Calls `progress` after each batch. If something disagrees, it first compares the clocks, and raises ClockSkew.
        Costs: one scan of each 1,000 rows of each table, and a call for each 1,000 rows to get the other side.
        """
        self.sources = self.lines = 0
        damaged: list[InvalidRow] = []
        self._writer.pending(damaged.append)
        for intent in damaged:
            yield Finding("undecodable", intent.table, intent.row, None, intent.reason)
        for stored in self._batches(self._writer.source):
            cells = {row: {column: value for column, (value, _) in dated.items()} for row, dated in stored.items()}
            yield from self._confirmed(self._of_sources(cells))
            self.sources += len(stored)
            progress()
        yield from self._of_lists(progress)

    def _of_lists(self, progress: Callable[[], object]) -> Iterator[Finding]:
        for table in self._writer.lists:
            for stored in self._batches(table):
                yield from self._confirmed(self._of_list(table, stored))
                self.lines += len(stored)
                progress()

    # ---- repairing

    def repair(
        self, progress: Callable[[], object] = lambda: None, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Recovers pending writes, then mends what `verify` finds; with each finding, whether it was mended.

        The module says what is mended, and what is kept without `instructions`. A line stays missing if somebody
        deleted it with a timestamp in the future. If a source has a cell, to discard one of its orphaned lines is to
        say that the source is right: all its lines are made to agree with it. Lines of a missing source are discarded
        only if they are older than 42 minutes.
        Costs: those of `recover` and `verify`, one scan more of the lists, and for each row those of mending it.
        """
        yield from ((finding, False) for finding in self._recovered())
        kept: dict[bytes, str] = {}
        for source_row, lines in self._orphaned(progress).items():
            settled, reason = self._settled(source_row, lines, instructions)
            yield from ((line, True) for line in settled)
            if len(settled) < len(lines):
                kept[source_row] = reason
        for finding in self.verify(progress):
            if finding.source_row in kept:
                is_unwanted = finding.kind == "dangling"
                yield (_as_orphaned(finding) if is_unwanted else finding).because(kept[finding.source_row]), False
            else:
                yield finding, self._is_mended(finding, instructions)

    def _recovered(self) -> list[Finding]:
        """The writes under way that cannot be completed."""
        failed = self._writer.recover(older_than_ms=0).failed
        findings: list[Finding] = []
        for intent in [slot.intent for slot in self._writer.pending()] if failed else []:
            row = self._writer.intents.row(intent)
            start = f"{self._writer.intents.name}: row {shown_bytes(row)}: "
            reasons = [reason.removeprefix(start) for reason in failed if reason.startswith(start)]
            findings += [Finding("unsettled", self._writer.intents.name, row, intent.source_row, *reasons)]
        return [finding for finding in findings if finding.reason]

    def _orphaned(self, progress: Callable[[], object]) -> dict[bytes, list[Finding]]:
        """By source, the lines of lost revisions: of each source with an orphaned line, all that it does not want."""
        unwanted: dict[bytes, list[Finding]] = {}
        for finding in self._of_lists(progress):
            if finding.source_row is not None and finding.kind in ("dangling", "orphaned"):
                unwanted.setdefault(finding.source_row, []).append(finding)
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
        if instructions.restores:
            try:
                self._restore(source_row, [self._stored(finding) for finding in findings])
                return findings, ""
            except NotRestorable as error:
                reason = f"not restored: {error}"
        told = [finding for finding in findings if instructions.discards(finding)]
        if not told:
            return [], reason
        lines = [self._stored(finding) for finding in told]
        self._writer.repair(source_row, _cells_of(lines), max(line.newest_ms for line in lines))
        if self._writer.read(source_row).cell is not None:
            return findings, ""
        young = [finding for finding in told if self._stored(finding).cells]
        reason = f"not discarded: must be {FORGET_MS // 60_000} minutes old" if young else reason
        return [finding for finding in told if finding not in young], reason

    def _restore(self, source_row: bytes, lines: list[StoredLine]) -> None:
        source = self._writer.read(source_row)
        record = restored_record(self._writer, source, lines)
        if self._writer.source.row(record) != source_row:
            raise NotRestorable("its lines are of another source")
        newest_ms = max(line.newest_ms for line in lines)
        if not self._writer.replace(source_row, source, record, _cells_of(lines), newest_ms):
            raise NotRestorable("its source has changed meanwhile")

    def _is_mended(self, finding: Finding, instructions: Instructions) -> bool:
        if finding.kind in ("missing", "differing", "dangling") and finding.source_row is not None:
            line = self._stored(finding)
            self._writer.repair(finding.source_row, _cells_of([line]))
            read_again = line.table, finding.row, finding.source_row
            return not list(self._disagreeing([read_again], self._readable([finding.source_row])))
        is_source = finding.table == self._writer.source.name
        if finding.kind in ("undecodable", "unsettled") and instructions.discards(finding, is_source=is_source):
            self._discard(finding)
            return True
        return False

    def _discard(self, finding: Finding) -> None:
        """Removes a row that cannot be read, and spares what is put into it later."""
        table = self._lists.get(finding.table, self._writer.source)
        is_intent = finding.table == self._writer.intents.name
        columns = None if is_intent else [*table.cells.columns]
        cells = self._writer.rows(finding.table).row(finding.row, columns=columns, include_timestamp=True)
        for column, (_, written_ms) in cells.items():
            self._writer.delete([(finding.table, finding.row, column)], written_ms)

    # ---- comparing

    def _batches(self, table: TableLayout[Any, Any]) -> Iterator[dict[bytes, Dated]]:
        rows, columns = self._writer.rows(table.name), table.cells.columns
        yield from map(dict, scan_in_batches(rows, EVERY_ROW, columns=columns, include_timestamp=True))

    def _stored(self, finding: Finding) -> StoredLine:
        """The line of a finding, as it is now."""
        table = self._lists[finding.table]
        (line,) = self._read(table, [finding.row])
        return line

    def _read(self, table: TableLayout[Any, Any], rows: Iterable[bytes]) -> Iterator[StoredLine]:
        columns = [*table.cells.columns]
        for batch in in_batches(rows):
            stored = dict(self._writer.rows(table.name).rows(batch, columns=columns, include_timestamp=True))
            yield from (StoredLine(table, row, stored.get(row, {})) for row in batch)

    def _of_sources(self, stored: Mapping[bytes, Mapping[bytes, bytes]]) -> Iterator[Finding | _Suspect]:
        """The lines of these sources that are missing or differ, and the sources that cannot be read."""
        lines: list[_Line] = []
        wanted: dict[bytes, _Wanted] = {}
        for row, cells in stored.items():
            try:
                wanted[row] = self._wanted(self._writer.source_of(row, cells))
            except (InvalidKey, InvalidRow) as error:
                yield Finding("undecodable", self._writer.source.name, row, None, _reason(error))
                continue
            lines += [(self._lists[name], line, row) for name, line in wanted[row].lines]
        disagreeing = self._disagreeing(lines, wanted)
        yield from (suspect for suspect in disagreeing if suspect.kind in ("missing", "differing"))

    def _of_list(self, table: TableLayout[Any, Any], stored: Mapping[bytes, Dated]) -> Iterator[Finding | _Suspect]:
        """The lines among these that no source wants, those that are newer, and those that cannot be read."""
        source_of_line: dict[bytes, bytes] = {}
        for row in stored:
            try:
                source_of_line[row] = self._writer.source.layout.row_of(table.layout.decode(row))
            except InvalidKey as error:
                yield Finding("undecodable", table.name, row, None, _reason(error))
        wanted = self._readable(source_of_line.values())
        for row, source_row in source_of_line.items():
            if source_row in wanted:
                suspect = _compared(StoredLine(table, row, stored[row]), source_row, wanted[source_row])
                if suspect is not None and suspect.kind in ("dangling", "orphaned"):
                    yield suspect

    def _readable(self, rows: Iterable[bytes]) -> dict[bytes, _Wanted]:
        """What these sources want of the lists, without the sources that cannot be read."""
        sources = self._writer.read_each(rows)
        return {row: self._wanted(source) for row, source in sources.items() if not isinstance(source, InvalidRow)}

    def _wanted(self, source: Source[Any]) -> _Wanted:
        lines: dict[tuple[str, bytes], dict[bytes, bytes]] = {}
        for (table, row, column), value in self._writer.derived(source.record).items():
            lines.setdefault((table, row), {})[column] = value
        last_ms = None if source.cell is None else source.time_ms + 1
        return _Wanted(source.revision, last_ms, source.was_never_written, lines)

    def _disagreeing(self, lines: Iterable[_Line], wanted: Mapping[bytes, _Wanted]) -> Iterator[_Suspect]:
        """The lines that are now otherwise than their sources want them; those of other sources are passed over."""
        for table in self._writer.lists:
            of_table = [line for line in lines if line[0] is table and line[2] in wanted]
            stored = self._read(table, (row for _, row, _ in of_table))
            for (_, _, source_row), line in zip(of_table, stored, strict=True):
                if suspect := _compared(line, source_row, wanted[source_row]):
                    yield suspect

    def _confirmed(self, found: Iterable[Finding | _Suspect]) -> Iterator[Finding]:
        suspects: list[_Suspect] = []
        for finding in found:
            if isinstance(finding, Finding):
                yield finding
            else:
                suspects.append(finding)
        for _ in range(TIMES_READ_AGAIN):
            if not suspects:
                return
            under_way = self._writer.under_way()
            suspects = [suspect for suspect in suspects if suspect.source_row not in under_way]
            if any(suspect.wanted.was_never_written for suspect in suspects):
                claimed = self._claimed()
                suspects = [
                    suspect
                    for suspect in suspects
                    if not (suspect.wanted.was_never_written and suspect.source_row in claimed)
                ]
            wanted = self._readable(suspect.source_row for suspect in suspects)
            lines = [(suspect.line.table, suspect.line.row, suspect.source_row) for suspect in suspects]
            suspects = [suspect for suspect in self._disagreeing(lines, wanted) if suspect in suspects]
        yield from map(self._finding, suspects)

    def _finding(self, suspect: _Suspect) -> Finding:
        line = suspect.line
        if suspect.kind == "orphaned" and line.newest_ms > self._writer.check_clock().wall_ms + FUTURE_MS:
            column, (_, written_ms) = max(line.cells.items(), key=lambda cell: cell[1][1])
            physical_name = self._writer.rows(line.table.name).name.decode()
            remove = delete_statement(physical_name, line.row, column, written_ms)
            reason = f"dated {written_ms}; Thrift1 would also hide later puts, in the HBase shell: {remove}"
            return Finding("future", line.table.name, line.row, suspect.source_row, reason)
        return Finding(suspect.kind, line.table.name, line.row, suspect.source_row, suspect.reason)


def _compared(line: StoredLine, source_row: bytes, wanted: _Wanted) -> _Suspect | None:
    """What is wrong with the cells of a line; None if they are as its source wants them."""
    wanted_cells, cells = wanted.lines.get((line.table.name, line.row), {}), line.values
    if cells and (wanted.last_ms is None or line.newest_ms > wanted.last_ms):
        return _Suspect("orphaned", line, source_row, wanted)
    if wanted_cells == cells:
        return None
    if not wanted_cells:
        return _Suspect("dangling", line, source_row, wanted)
    if not cells:
        return _Suspect("missing", line, source_row, wanted)
    columns = sorted(column.decode() for column, _ in wanted_cells.items() ^ cells.items())
    return _Suspect("differing", line, source_row, wanted, tuple(dict.fromkeys(columns)))


def _cells_of(lines: Iterable[StoredLine]) -> list[Cell]:
    return [(line.table.name, line.row, column) for line in lines for column in line.cells]


def _as_orphaned(finding: Finding) -> Finding:
    return attrs.evolve(finding, kind="orphaned")


def _reason(error: ValueError) -> str:
    return error.reason if isinstance(error, InvalidRow) else str(error)
