"""Comparing the parts of large documents with the rows that name them."""

from collections.abc import Callable, Iterator
from functools import partial

from shared.intents import IntentWriter
from shared.keys import InvalidKey
from shared.queries import scan
from shared.queries.scanning import in_batches
from shared.tables import InvalidRow
from shared.upkeep import Finding, Instructions, Mendable, Upkeep
from shared.writes import delete_rows

from .keys import GenerationOfDocument
from .parts import DocumentParts
from .stored import StoredDocument

LEFT_OVER = "no document names these parts; rowbook repair documents deletes them"


class PartsUpkeep(Upkeep):
    """The part of an upkeep that compares documents in parts with their parts.

    Parts of a document's revision are lost if they are missing or cannot be read: nothing else holds them, so `repair`
    reports them.
    Parts that no document names are left over, such as those of a put that arrived after a compaction: `repair` deletes
    them. The parts of a writer that died are named, and `recover` removes them.
    """

    def __init__(self, writer: IntentWriter[StoredDocument], parts: DocumentParts) -> None:
        self._writer = writer
        self._parts = parts
        self._compared = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many documents in parts were compared so far."""
        return {"large document": self._compared}

    def found(self, progress: Callable[[], object], _told: Instructions | None, /) -> Iterator[Mendable]:
        """The parts that are lost or left over.

        Costs: one scan of the documents, and one of the rows of all parts, with a call for each 1,000 of them; for each
        document in parts 2 calls, and 1 for each part.
        """
        self._compared = 0
        yield from map(Mendable, self._lost(progress))
        yield from self._left_over(progress)

    def _delete(self, row: bytes) -> bool:
        """Deletes a row up to the newest date of its parts."""
        cells = self._parts.table.rows.row(row, include_timestamp=True).values()
        return bool(delete_rows(self._parts.table, [row], max((time_ms for _, time_ms in cells), default=0)))

    def _lost(self, progress: Callable[[], object]) -> Iterator[Finding]:
        """The generations that their documents name, and that lack parts or cannot be read."""
        table, reader = self._writer.source, self._writer.reader
        for batch in in_batches(scan(self._writer.rows(table.name), table.whole_table(), columns=table.cells.columns)):
            for row, cells in batch:
                source = reader.source_or_error(row, cells)
                if isinstance(source, InvalidRow) or source.record is None or not source.record.generation:
                    continue
                self._compared += 1
                lost = self._lost_parts(source.record)
                if lost and reader.read(row).record == source.record:  # otherwise another writer has replaced them
                    yield lost
            progress()

    def _lost_parts(self, document: StoredDocument) -> Finding | None:
        key = GenerationOfDocument(document.owner, document.document_id, document.generation)
        table, source_row = self._parts.table.layout, self._writer.source.row(document)
        if missing := {*range(document.part_count)} - self._parts.numbers(key):
            reason = f"{len(missing)} of {document.part_count} parts are lost"
            return Finding("missing", table.name, table.row(key), source_row, reason)
        if isinstance(whole := self._parts.whole(document), InvalidRow):
            return Finding("undecodable", table.name, table.row(key), source_row, whole.reason)
        return None

    def _left_over(self, progress: Callable[[], object]) -> Iterator[Mendable]:
        """The generations that no document names, which are deleted; and rows that are not keys, only if told."""
        table = self._parts.table.layout.name
        for rows in self._parts.generations():
            mendables: list[Mendable] = []
            for row, named in self._parts.named(rows).items():
                delete = partial(self._delete, row)
                if isinstance(named, InvalidKey):
                    mendables.append(Mendable(Finding("undecodable", table, row, None, str(named)), discard=delete))
                elif named is False and self._is_still_left_over(row):
                    finding = Finding("left-over", table, row, self._source_row(row), LEFT_OVER)
                    mendables.append(Mendable(finding, delete))
            yield from mendables
            progress()

    def _is_still_left_over(self, row: bytes) -> bool:
        """Whether a row is there and no document names it when both are read again, the row last.

        A generation is named before it is put, and until it is removed.
        """
        return self._parts.named([row])[row] is False and bool(self._parts.numbers(self._key(row)))

    def _source_row(self, row: bytes) -> bytes:
        return self._writer.source.key.row_of(self._key(row))

    def _key(self, row: bytes) -> GenerationOfDocument:
        return self._parts.table.layout.key.decode(row)
