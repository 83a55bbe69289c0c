"""Finding derived rows that disagree with their sources, and mending them.

A scan of the source table finds lines that are missing or differ; a scan of each list finds lines that no source has.
Both get the other side in batches, so memory is that of one batch.

Writers may be at work. What disagrees is read again, twice. It is not reported if it then agrees, if its source has
changed meanwhile, or if an intent names its source: that intent's write is under way, or `recover` completes it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any, Literal, TypeAlias

import attrs

from ..keys import InvalidKey
from ..keys.errors import listed, shown_bytes
from ..queries import in_batches, scan
from ..tables import InvalidRow, TableLayout
from .intents import Cell, IntentWriter
from .sources import Source

TIMES_READ_AGAIN = 2


@attrs.frozen
class Finding:
    """A row that is not as it should be."""

    kind: Literal["missing", "dangling", "differing", "undecodable", "orphaned", "leaked", "left-over"]
    """The line of a source is missing; no source has the line; its cells differ; or the row cannot be read. A left-over
    line shows nothing by design, until something removes it. Of rows with ids of a dictionary: no name leads to the
    row; or the row is that of an id to which no name leads."""
    table: str
    row: bytes
    source_row: bytes | None
    """None if the row does not tell its source, or is itself a source."""
    reason: str = ""

    @property
    def is_harmless(self) -> bool:
        """Whether nothing is wrong: no reader sees a left-over line, and a leaked id is never assigned again."""
        return self.kind in ("leaked", "left-over")

    def __str__(self) -> str:
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.table}: {self.kind} row {shown_bytes(self.row)}{reason}"


@attrs.frozen
class _Suspect:
    """A line that disagreed with its source when both were read."""

    table: TableLayout[Any, Any]
    row: bytes
    source_row: bytes
    revision: int
    kind: Literal["missing", "dangling", "differing"]
    reason: str = ""

    @property
    def finding(self) -> Finding:
        return Finding(self.kind, self.table.name, self.row, self.source_row, self.reason)


_Line: TypeAlias = tuple[TableLayout[Any, Any], bytes, bytes]
"""The table and row of a line, and the row of its source."""


@attrs.frozen
class _Wanted:
    """What a source wants of the lists."""

    revision: int
    lines: Mapping[tuple[str, bytes], Mapping[bytes, bytes]]
    """The cells of each line, by its table and row."""


class Verifier:
    """Compares the derived rows of a writer's records with their sources.

    `claimed` gives the rows of sources that unfinished records are about to create by `claim`, which puts no intent:
    their lines come first, and are no findings. It is called if lines disagree.
    """

    def __init__(self, writer: IntentWriter[Any], claimed: Callable[[], Set[bytes]] = frozenset) -> None:
        self._writer = writer
        self._claimed = claimed
        self.sources = 0
        """Number of sources compared so far."""
        self.lines = 0
        """Number of lines compared so far."""
        self._lists = {table.name: table for table in writer.lists}
        self._rows = {table.name: writer.rows(table.name) for table in (writer.source, *writer.lists)}

    @property
    def counts(self) -> dict[str, int]:
        """How many rows of each sort were compared so far."""
        return {"source": self.sources, "line": self.lines}

    def verify(self, progress: Callable[[], object] = lambda: None) -> Iterator[Finding]:
        """Every row that is not as it should be; a row whose write is pending is not among them.

        Calls `progress` after each batch. Costs: one scan of each table, and a call for each 1,000 rows to get the
        other side.
        """
        self.sources = self.lines = 0
        for table in (self._writer.source, *self._writer.lists):
            is_source = table is self._writer.source
            for stored in self._batches(table):
                found = self._of_sources(stored) if is_source else self._of_list(table, stored)
                yield from self._confirmed(found)
                self.sources += len(stored) if is_source else 0
                self.lines += 0 if is_source else len(stored)
                progress()

    def repair(self, progress: Callable[[], object] = lambda: None) -> Iterator[tuple[Finding, bool]]:
        """Recovers pending writes, then mends what `verify` finds; with each finding, whether it was mended.

        A source that cannot be read is kept as it is, because nothing else tells what it said. A line stays missing if
        somebody deleted it with a timestamp in the future.
        """
        self._writer.recover(older_than_ms=0)
        for finding in self.verify(progress):
            yield finding, finding.table in self._lists and self._is_mended(finding)

    def _is_mended(self, finding: Finding) -> bool:
        table, rows = self._lists[finding.table], self._rows[finding.table]
        stored = rows.row(finding.row, columns=[*table.cells.columns], include_timestamp=True)
        newest_ms = max((written_ms for _, written_ms in stored.values()), default=0)
        cells: list[Cell] = [(table.name, finding.row, column) for column in stored]
        if finding.source_row is None:
            self._writer.delete(cells, newest_ms)
            return True
        self._writer.repair(finding.source_row, cells, newest_ms)
        line = table, finding.row, finding.source_row
        return not list(self._disagreeing([line], self._readable([finding.source_row])))

    def _batches(self, table: TableLayout[Any, Any]) -> Iterator[dict[bytes, Mapping[bytes, bytes]]]:
        rows = scan(self._rows[table.name], table.layout.whole_table(), columns=table.cells.columns)
        for batch in in_batches(rows):
            yield dict(batch)

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
        yield from self._disagreeing(lines, wanted)

    def _of_list(
        self, table: TableLayout[Any, Any], stored: Mapping[bytes, Mapping[bytes, bytes]]
    ) -> Iterator[Finding | _Suspect]:
        """The lines among these that no source has, and those that cannot be read."""
        source_of_line: dict[bytes, bytes] = {}
        for row in stored:
            try:
                source_of_line[row] = self._writer.source.layout.row_of(table.layout.decode(row))
            except InvalidKey as error:
                yield Finding("undecodable", table.name, row, None, _reason(error))
        wanted = self._readable(source_of_line.values())
        for row, source_row in source_of_line.items():
            if source_row in wanted:
                suspect = _compared((table, row, source_row), stored[row], wanted[source_row])
                if suspect is not None and suspect.kind == "dangling":
                    yield suspect

    def _readable(self, rows: Iterable[bytes]) -> dict[bytes, _Wanted]:
        """What these sources want of the lists, without the sources that cannot be read."""
        rows = list(dict.fromkeys(rows))
        try:
            return {row: self._wanted(source) for row, source in self._writer.read_all(rows).items()}
        except InvalidRow:
            if len(rows) == 1:
                return {}
            middle = len(rows) // 2
            return self._readable(rows[:middle]) | self._readable(rows[middle:])

    def _wanted(self, source: Source[Any]) -> _Wanted:
        lines: dict[tuple[str, bytes], dict[bytes, bytes]] = {}
        for (table, row, column), value in self._writer.derived(source.record).items():
            lines.setdefault((table, row), {})[column] = value
        return _Wanted(source.revision, lines)

    def _disagreeing(self, lines: Iterable[_Line], wanted: Mapping[bytes, _Wanted]) -> Iterator[_Suspect]:
        """The lines that are now otherwise than their sources want them; those of other sources are passed over."""
        for table in self._writer.lists:
            of_table = [line for line in lines if line[0] is table and line[2] in wanted]
            stored = self._writer.cells_of(table, (row for _, row, _ in of_table))
            for line, (_, cells) in zip(of_table, stored, strict=True):
                if suspect := _compared(line, cells, wanted[line[2]]):
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
            pending = {slot.intent.source_row for slot in self._writer.pending()} | self._claimed()
            suspects = [suspect for suspect in suspects if suspect.source_row not in pending]
            wanted = self._readable(suspect.source_row for suspect in suspects)
            lines = [(suspect.table, suspect.row, suspect.source_row) for suspect in suspects]
            suspects = [suspect for suspect in self._disagreeing(lines, wanted) if suspect in suspects]
        yield from (suspect.finding for suspect in suspects)


def _compared(line: _Line, cells: Mapping[bytes, bytes], wanted: _Wanted) -> _Suspect | None:
    """What is wrong with the cells of a line; None if they are as its source wants them."""
    table, row, source_row = line
    wanted_cells = wanted.lines.get((table.name, row), {})
    if wanted_cells == cells:
        return None
    if not wanted_cells:
        return _Suspect(table, row, source_row, wanted.revision, "dangling")
    if not cells:
        return _Suspect(table, row, source_row, wanted.revision, "missing")
    columns = sorted(column.decode() for column, _ in wanted_cells.items() ^ cells.items())
    reason = f"in {listed(dict.fromkeys(columns))}"
    return _Suspect(table, row, source_row, wanted.revision, "differing", reason)


def _reason(error: ValueError) -> str:
    return error.reason if isinstance(error, InvalidRow) else str(error)
