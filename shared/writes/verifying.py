"""Finding derived rows that disagree with their sources, and mending them.

A scan of the source table finds lines that are missing or differ; a scan of each list finds lines that no source has.
Both get the other side in batches, so memory is that of one batch.

Writers may be at work: what disagrees is read again, twice, and is no finding if it then agrees, if its source has
changed meanwhile, or if an intent names its source. That intent's write is under way, or `recover` mends it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal

import attrs

from ..keys import InvalidKey
from ..keys.errors import listed, shown_bytes
from ..queries import BATCH_ROWS, scan
from ..tables import InvalidRow, TableLayout
from .intents import Cell, IntentWriter
from .sources import Source

TIMES_READ_AGAIN = 2


@attrs.frozen
class Finding:
    """A row that is not as it should be."""

    kind: Literal["missing", "dangling", "differing", "undecodable"]
    """The line of a source is missing; no source has the line; its cells differ; or the row cannot be read."""
    table: str
    row: bytes
    source_row: bytes | None
    """None if the row does not tell its source, or is itself a source."""
    reason: str = ""

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


class Verifier:
    """Compares the derived rows of a writer's records with their sources."""

    def __init__(self, writer: IntentWriter[Any]) -> None:
        self._writer = writer
        self.sources = 0
        """Number of sources compared so far."""
        self.lines = 0
        """Number of lines compared so far."""
        self._lists = {table.name: table for table in writer.lists}
        self._rows = {table.name: writer.rows(table.name) for table in (writer.source, *writer.lists)}

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
        source = self._writer.read(finding.source_row)
        return self._suspect(table, finding.row, rows.row(finding.row), finding.source_row, source) is None

    def _batches(self, table: TableLayout[Any, Any]) -> Iterator[dict[bytes, Mapping[bytes, bytes]]]:
        rows = scan(self._rows[table.name], table.layout.whole_table(), columns=table.cells.columns)
        while batch := list(islice(rows, BATCH_ROWS)):
            yield dict(batch)

    def _of_sources(self, stored: Mapping[bytes, Mapping[bytes, bytes]]) -> Iterator[Finding | _Suspect]:
        """The lines of these sources that are missing or differ, and the sources that cannot be read."""
        lines: list[tuple[TableLayout[Any, Any], bytes, bytes]] = []
        sources: dict[bytes, Source[Any]] = {}
        for row, cells in stored.items():
            try:
                source = sources[row] = self._writer.source_of(row, cells)
            except (InvalidKey, InvalidRow) as error:
                yield Finding("undecodable", self._writer.source.name, row, None, _reason(error))
                continue
            derived = {(table, line) for table, line, _ in self._writer.derived(source.record)}
            lines += [
                (table, line, row) for table in self._writer.lists for name, line in derived if name == table.name
            ]
        for table, row, source_row, cells in self._with_cells(lines):
            if suspect := self._suspect(table, row, cells, source_row, sources[source_row]):
                yield suspect

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
        sources = self._readable(source_of_line.values())
        for row, source_row in source_of_line.items():
            if source := sources.get(source_row):
                suspect = self._suspect(table, row, stored[row], source_row, source)
                if suspect is not None and suspect.kind == "dangling":
                    yield suspect

    def _readable(self, rows: Iterable[bytes]) -> dict[bytes, Source[Any]]:
        """The sources of these rows, without those that cannot be read."""
        wanted = list(dict.fromkeys(rows))
        try:
            return self._writer.read_all(wanted)
        except InvalidRow:
            if len(wanted) == 1:
                return {}
            middle = len(wanted) // 2
            return self._readable(wanted[:middle]) | self._readable(wanted[middle:])

    def _with_cells(
        self, lines: Iterable[tuple[TableLayout[Any, Any], bytes, bytes]]
    ) -> Iterator[tuple[TableLayout[Any, Any], bytes, bytes, Mapping[bytes, bytes]]]:
        """These lines (table, row, row of the source), each with its cells as they are now."""
        for table in self._writer.lists:
            of_table = [(row, source_row) for listed, row, source_row in lines if listed is table]
            for start in range(0, len(of_table), BATCH_ROWS):
                batch = of_table[start : start + BATCH_ROWS]
                stored = dict(self._rows[table.name].rows([row for row, _ in batch], columns=[*table.cells.columns]))
                yield from ((table, row, source_row, stored.get(row, {})) for row, source_row in batch)

    def _suspect(
        self,
        table: TableLayout[Any, Any],
        row: bytes,
        cells: Mapping[bytes, bytes],
        source_row: bytes,
        source: Source[Any],
    ) -> _Suspect | None:
        derived = self._writer.derived(source.record)
        wanted = {column: value for (name, line, column), value in derived.items() if (name, line) == (table.name, row)}
        if wanted == cells:
            return None
        if not wanted:
            return _Suspect(table, row, source_row, source.revision, "dangling")
        if not cells:
            return _Suspect(table, row, source_row, source.revision, "missing")
        columns = sorted(column.decode() for column, _ in wanted.items() ^ cells.items())
        reason = f"in {listed(dict.fromkeys(columns))}"
        return _Suspect(table, row, source_row, source.revision, "differing", reason)

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
            pending = {slot.intent.source_row for slot in self._writer.pending()}
            suspects = [suspect for suspect in suspects if suspect.source_row not in pending]
            sources = self._readable(suspect.source_row for suspect in suspects)
            lines = [(suspect.table, suspect.row, suspect.source_row) for suspect in suspects]
            again = [
                self._suspect(table, row, cells, source_row, sources[source_row])
                for table, row, source_row, cells in self._with_cells(lines)
                if source_row in sources
            ]
            suspects = [suspect for suspect in again if suspect is not None and suspect in suspects]
        yield from (suspect.finding for suspect in suspects)


def _reason(error: ValueError) -> str:
    return error.reason if isinstance(error, InvalidRow) else str(error)
