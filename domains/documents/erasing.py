"""Erasing an owner: the documents with all their versions, and their parts."""

from collections.abc import Callable, Sequence
from typing import Any

from shared.intents import Erasure, Erasures, IntentWriter, PersonErasures
from shared.queries import KEYS_ONLY, scan
from shared.queries.scanning import in_batches
from shared.tables import InvalidRow

from .keys import VERSIONS
from .parts import DocumentParts
from .stored import StoredDocument


class OwnerErasures:
    """Erases owners from the tables of a `DocumentRepository`, which describes the steps."""

    def __init__(self, erasures: Erasures, writer: IntentWriter[StoredDocument], parts: DocumentParts) -> None:
        self._erasures = erasures
        self._writer = writer
        self._parts = parts
        self.upkeep = PersonErasures(erasures, self._rows_of, self._delete_lines, "documents", ends_dead=False)

    def _rows_of(self, owner: str, _until_ms: int | None) -> Sequence[list[bytes]]:
        """The rows of all documents of an owner, deleted ones included: no row says when its document was new."""
        table = self._writer.source
        rows = scan(
            self._writer.rows(table.name), table.plan(owner=owner), filter=KEYS_ONLY, columns=table.cells.columns
        )
        return ([row for row, _ in rows],)

    def _delete_lines(self, erasure: Erasure, on_kept: Callable[[InvalidRow], Any]) -> int:
        """Deletes old versions, parts and lines that name an erased owner; returns how many other rows name the owner.

        Calls `on_kept` with the reason that keeps a row that no document needs.
        """
        self._delete_versions(erasure)
        parts = self._parts.remove_strays(erasure.name, on_kept)
        return parts + self._erasures.delete_strays(lambda key: key.owner == erasure.name, erasure.at_ms, on_kept)

    def _delete_versions(self, erasure: Erasure) -> None:
        """Deletes all versions from before the deletion of their document; later ones of one that came back stay.

        No date of a clock decides: what the deletion put is the newest version without a record. Only if a version that
        cannot be read comes first, and is dated before the erasure, those before it are deleted instead.
        Costs: 1 call for each 1,000 documents, 1 delete for each; 1 call for each that came back or cannot be read.
        """
        table, rows = self._writer.source, self._writer.rows(self._writer.source.name)
        column = table.cells.columns[0]
        for batch in in_batches(self._rows_of(erasure.name, None)[0]):
            for row, cells in rows.rows(batch, columns=[column], include_timestamp=True):
                versions = [cells[column]]
                if not self._is_last(row, *cells[column], erasure):
                    versions = rows.cells(row, column, versions=VERSIONS, include_timestamp=True)
                last_ms = next((put_ms for cell, put_ms in versions if self._is_last(row, cell, put_ms, erasure)), None)
                if last_ms is not None:
                    rows.delete(row, [column], timestamp=last_ms - 1)

    def _is_last(self, row: bytes, cell: bytes, put_ms: int, erasure: Erasure) -> bool:
        """Whether a version of a document is the deletion, or one that cannot be read from before the erasure."""
        source = self._writer.reader.source_or_error(row, {self._writer.cells.columns[0]: cell})
        return put_ms <= erasure.at_ms if isinstance(source, InvalidRow) else source.record is None
