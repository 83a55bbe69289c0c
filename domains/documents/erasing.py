"""Erasing an owner: the documents with all their versions, and their parts."""

from collections.abc import Callable

from shared.intents import Erasure, Erasures, IntentWriter
from shared.queries import KEYS_ONLY, scan
from shared.queries.scanning import in_batches
from shared.tables import InvalidRow

from .keys import VERSIONS
from .parts import DocumentParts
from .stored import StoredDocument


def rows_of_owner(writer: IntentWriter[StoredDocument], owner: str, _until_ms: int | None) -> tuple[list[bytes]]:
    """The rows of all documents of an owner, deleted ones included: no row says when its document was new."""
    table = writer.source
    rows = scan(writer.rows(table.name), table.plan(owner=owner), filter=KEYS_ONLY, columns=table.cells.columns)
    return ([row for row, _ in rows],)


def delete_rows_of_owner(
    writer: IntentWriter[StoredDocument],
    parts: DocumentParts,
    erasures: Erasures,
    erasure: Erasure,
    on_kept: Callable[[InvalidRow], object],
) -> int:
    """Deletes old versions, parts and lines that name an erased owner; returns how many other rows name the owner.

    Calls `on_kept` with the reason that keeps a row that no document needs.
    """
    _delete_versions(writer, erasure)
    others = parts.remove_strays(erasure.name, on_kept)
    return others + erasures.delete_strays(lambda key: key.owner == erasure.name, erasure.at_ms, on_kept)


def _delete_versions(writer: IntentWriter[StoredDocument], erasure: Erasure) -> None:
    """Deletes all versions from before the deletion of their document; later ones of one that came back stay.

    No date of a clock decides: what the deletion put is the newest version without a record. Only if a version that
    cannot be read comes first, and is dated before the erasure, those before it are deleted instead.
    Costs: 1 call for each 1,000 documents, 1 delete for each; 1 call for each that came back or cannot be read.
    """

    def is_last(row: bytes, cell: bytes, put_ms: int) -> bool:
        """Whether a version of a document is the deletion, or one that cannot be read from before the erasure."""
        source = writer.reader.source_or_error(row, {writer.cells.columns[0]: cell})
        return put_ms <= erasure.at_ms if isinstance(source, InvalidRow) else source.record is None

    table, rows = writer.source, writer.rows(writer.source.name)
    column = table.cells.columns[0]
    for batch in in_batches(rows_of_owner(writer, erasure.name, None)[0]):
        for row, cells in rows.rows(batch, columns=[column], include_timestamp=True):
            versions = [cells[column]]
            if not is_last(row, *cells[column]):
                versions = rows.cells(row, column, versions=VERSIONS, include_timestamp=True)
            last_ms = next((put_ms for cell, put_ms in versions if is_last(row, cell, put_ms)), None)
            if last_ms is not None:
                rows.delete(row, [column], timestamp=last_ms - 1)
