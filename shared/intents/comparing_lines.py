"""Comparing lines with their sources, in batches, while writers are at work."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any, TypeAlias

import attrs

from ..keys import InvalidKey
from ..keys.errors import listed
from ..keys.ranges import EVERY_ROW
from ..queries.scanning import in_batches, scan_in_batches
from ..tables import InvalidRow, TableLayout
from ..upkeep.checkpoints import Checkpoint
from ..upkeep.findings import TIMES_READ_AGAIN, Finding, Kind, too_new_to_delete, unreadable
from .intent_rows import CLOCKS_APART_MS, Dated
from .restoring import StoredLine
from .source_cells import SourceRow
from .times import FUTURE_MS, KEEP_TOMBSTONES_MS
from .writer import IntentWriter


@attrs.frozen
class _Wanted:
    """The lines that a source wants in the lists."""

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
    """The columns that differ."""

    @property
    def orphaned(self) -> "_Suspect":
        """The same line, as one of a lost revision."""
        return attrs.evolve(self, kind="orphaned")

    @property
    def changed_columns(self) -> list[str]:
        """The columns of an orphaned line that were changed after it was put; empty if the whole line is newer.

        A write puts all columns of a line at once. So if the source wants some that are not newer, these are its line.
        """
        last_ms, dated = self.wanted.last_ms or 0, self.line.cells
        newer = {column for column, (_, written_ms) in dated.items() if written_ms > last_ms}
        wanted = self.wanted.lines.get((self.line.table.name, self.line.row), {})
        differing = {column for column, _ in wanted.items() ^ self.line.values.items()}
        return _names(newer | differing) if dated.keys() & wanted.keys() - newer - differing else []

    @property
    def reason(self) -> str:
        """Why the line is a finding."""
        if self.kind == "orphaned":
            source_ms = self.wanted.last_ms
            why = "its source is missing" if source_ms is None else f"{self.line.newest_ms - source_ms + 1} ms newer"
            return f"{why}, it holds {self.line}"
        return f"in {listed(self.columns)}" if self.columns else ""


_Line: TypeAlias = tuple[TableLayout[Any, Any], bytes, bytes]
"""The table and row of a line, and the row of its source."""


class Comparison:
    """Compares the lines of a writer's records with their sources; see `verifying.py`.

    `claimed` returns the rows of sources which unfinished records are about to create with `claim`.
    """

    def __init__(self, writer: IntentWriter[Any], claimed: Callable[[], Set[bytes]]) -> None:
        self._writer = writer
        self._claimed = claimed
        self.lists = {table.name: table for table in writer.lists}
        self.sources = 0
        """Number of sources compared so far."""
        self.lines = 0
        """Number of lines compared so far."""

    def of_intents(self) -> Iterator[Finding]:
        """The intents that cannot be read."""
        damaged: list[InvalidRow] = []
        self._writer.pending(damaged.append)
        for intent in damaged:
            yield Finding("undecodable", intent.table, intent.row, None, intent.reason)

    def of_sources(
        self, progress: Callable[[], object], checkpoint: Checkpoint | None = None, *, also_changing: bool = False
    ) -> Iterator[Finding]:
        """The lines that are missing or differ, and the sources that cannot be read.

        `also_changing`: also those of sources that are being written, because a write puts only the lines it changes.
        """
        for stored in self._batches(self._writer.source, "compared", checkpoint):
            cells = {row: {column: value for column, (value, _) in dated.items()} for row, dated in stored.items()}
            yield from self._confirmed(self._of_sources(cells), also_changing=also_changing)
            self.sources += len(stored)
            progress()

    def of_lists(
        self, progress: Callable[[], object], checkpoint: Checkpoint | None = None, passed: str = "compared"
    ) -> Iterator[Finding]:
        """The lines that their sources do not want, those that are newer, and those that cannot be read.

        `passed` names this pass over the lists in the checkpoint.
        """
        for table in self._writer.lists:
            for stored in self._batches(table, passed, checkpoint):
                yield from self._confirmed(self._of_list(table, stored))
                self.lines += len(stored)
                progress()

    def line(self, finding: Finding) -> StoredLine:
        """The line of a finding, as it is now."""
        (line,) = self._read(self.lists[finding.table], [finding.row])
        return line

    def agrees(self, finding: Finding, source_row: bytes) -> bool:
        """Whether the line of a finding now is as its source wants it, or a write under way is about to make it so."""
        line = self.lists[finding.table], finding.row, source_row
        return not list(self._confirmed(self._disagreeing([line], self._readable([source_row]))))

    def _batches(
        self, table: TableLayout[Any, Any], passed: str, checkpoint: Checkpoint | None
    ) -> Iterator[dict[bytes, Dated]]:
        """The rows of a table in batches; the checkpoint notes each as soon as the caller asks for the next one."""
        rows, columns, passed = self._writer.rows(table.name), table.cells.columns, f"{passed} {table.name}"
        rest = EVERY_ROW if checkpoint is None else checkpoint.rest(passed)
        if rest is None:
            return
        for batch in scan_in_batches(rows, rest, columns=columns, include_timestamp=True):
            yield dict(batch)
            if checkpoint is not None:
                checkpoint.note(passed, batch[-1][0])
        if checkpoint is not None:
            checkpoint.note(passed, None)

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
                wanted[row] = self._wanted(self._writer.reader.source_of(row, cells))
            except (InvalidKey, InvalidRow) as error:
                yield unreadable(self._writer.source.name, row, error)
                continue
            lines += [(self.lists[name], line, row) for name, line in wanted[row].lines]
        disagreeing = self._disagreeing(lines, wanted)
        yield from (suspect for suspect in disagreeing if suspect.kind in ("missing", "differing"))

    def _of_list(self, table: TableLayout[Any, Any], stored: Mapping[bytes, Dated]) -> Iterator[Finding | _Suspect]:
        """The lines among these that no source wants, those that are newer, and those that cannot be read."""
        source_of_line: dict[bytes, bytes] = {}
        invalid: dict[bytes, Finding] = {}
        for row in stored:
            try:
                source_of_line[row] = self._writer.source.key.row_of(table.key.decode(row))
            except InvalidKey as error:
                invalid[row] = unreadable(table.name, row, error)
        if invalid and table.name == self._writer.source.name:  # those with a source were found with the sources
            sources = self._writer.reader.cells_of(self._writer.source, invalid)
            invalid = {row: invalid[row] for row, cells in sources if not cells}
        yield from invalid.values()
        wanted = self._readable(source_of_line.values())
        for row, source_row in source_of_line.items():
            if source_row in wanted:
                suspect = _compared(StoredLine(table, row, stored[row]), source_row, wanted[source_row])
                if suspect is not None and suspect.kind in ("dangling", "orphaned"):
                    yield suspect

    def _readable(self, rows: Iterable[bytes]) -> dict[bytes, _Wanted]:
        """The lines that these sources want, without the sources that cannot be read."""
        sources = self._writer.reader.read_each(rows)
        return {row: self._wanted(source) for row, source in sources.items() if not isinstance(source, InvalidRow)}

    def _wanted(self, source: SourceRow[Any]) -> _Wanted:
        lines: dict[tuple[str, bytes], dict[bytes, bytes]] = {}
        for (table, row, column), value in self._writer.derived(source.record).items():
            lines.setdefault((table, row), {})[column] = value
        last_ms = None if source.cell is None else source.time_ms + 1
        return _Wanted(source.revision, last_ms, source.was_never_written, lines)

    def _disagreeing(self, lines: Iterable[_Line], wanted: Mapping[bytes, _Wanted]) -> Iterator[_Suspect]:
        """The lines that now differ from what their sources want; skips the lines of other sources."""
        for table in self._writer.lists:
            of_table = [line for line in lines if line[0] is table and line[2] in wanted]
            stored = self._read(table, (row for _, row, _ in of_table))
            for (_, _, source_row), line in zip(of_table, stored, strict=True):
                if suspect := _compared(line, source_row, wanted[source_row]):
                    yield suspect

    def _confirmed(self, findings: Iterable[Finding | _Suspect], *, also_changing: bool = False) -> Iterator[Finding]:
        suspects: list[_Suspect] = []
        for finding in findings:
            if isinstance(finding, Finding):
                yield finding
            else:
                suspects.append(finding)
        for _ in range(TIMES_READ_AGAIN):
            if not suspects:
                return
            under_way = set[bytes]() if also_changing else self._writer.under_way()
            suspects = [
                suspect for suspect in suspects if suspect.source_row not in under_way or self._proves_a_loss(suspect)
            ]
            if any(suspect.wanted.was_never_written for suspect in suspects):
                claimed = self._claimed()
                suspects = [
                    suspect
                    for suspect in suspects
                    if not (suspect.wanted.was_never_written and suspect.source_row in claimed)
                ]
            wanted = self._readable(suspect.source_row for suspect in suspects)
            lines = [(suspect.line.table, suspect.line.row, suspect.source_row) for suspect in suspects]
            suspects = [
                suspect
                for suspect in self._disagreeing(lines, wanted)
                if suspect in suspects or (also_changing and suspect.kind in ("missing", "differing"))
            ]
        named = {slot.intent.source_row for slot in self._writer.pending()} if suspects else set[bytes | None]()
        for suspect in suspects:
            is_named = suspect.source_row in named
            if not is_named and self._is_before_a_decision(suspect):
                suspect = suspect.orphaned
            yield self._finding(suspect, is_named=is_named)

    def _is_before_a_decision(self, suspect: _Suspect) -> bool:
        """Whether an unwanted line is dated like those that a write puts before its decision and names in an intent."""
        is_moving = suspect.line.table.name in self._writer.moving
        return is_moving and suspect.kind == "dangling" and suspect.line.newest_ms == suspect.wanted.last_ms

    def _proves_a_loss(self, suspect: _Suspect) -> bool:
        """Whether no write under way explains the line: its source has an older time, or has long been missing."""
        first_lines_ms = self._writer.check_clock().wall_ms - KEEP_TOMBSTONES_MS + CLOCKS_APART_MS
        is_of_existing = suspect.wanted.last_ms is not None
        return suspect.kind == "orphaned" and (is_of_existing or suspect.line.newest_ms > first_lines_ms)

    def _finding(self, suspect: _Suspect, *, is_named: bool) -> Finding:
        line = suspect.line
        if suspect.kind == "orphaned":
            column, (_, written_ms) = max(line.cells.items(), key=lambda cell: cell[1][1])
            if reason := self.dated_in_the_future(line.table.name, line.row, column, written_ms):
                return Finding("future", line.table.name, line.row, suspect.source_row, reason)
            if not is_named and (columns := suspect.changed_columns):  # otherwise a write may have died in between
                suspect = attrs.evolve(suspect, kind="differing", columns=tuple(columns))
        return Finding(suspect.kind, line.table.name, line.row, suspect.source_row, suspect.reason)

    def dated_in_the_future(self, table: str, row: bytes, column: bytes, written_ms: int) -> str:
        """Why a cell that is dated after what any clock may show stays, and how to remove it; "" for other cells."""
        if written_ms <= self._writer.check_clock().wall_ms + FUTURE_MS:
            return ""
        return too_new_to_delete(self._writer.rows(table).name, row, column, written_ms)


def _compared(line: StoredLine, source_row: bytes, wanted: _Wanted) -> _Suspect | None:
    """The disagreement of a line with its source; None if its cells are as the source wants them."""
    wanted_cells, cells = wanted.lines.get((line.table.name, line.row), {}), line.values
    if cells and (wanted.last_ms is None or line.newest_ms > wanted.last_ms):
        return _Suspect("orphaned", line, source_row, wanted)
    if wanted_cells == cells:
        return None
    if not wanted_cells:
        return _Suspect("dangling", line, source_row, wanted)
    if not cells:
        return _Suspect("missing", line, source_row, wanted)
    columns = _names({column for column, _ in wanted_cells.items() ^ cells.items()})
    return _Suspect("differing", line, source_row, wanted, tuple(columns))


def _names(columns: Set[bytes]) -> list[str]:
    return [column.decode(errors="backslashreplace") for column in sorted(columns)]
