"""A column for each revision, so that every change is kept, also those of one millisecond.

A row is a document. The qualifier of a cell is the revision, newest first, so the first cell of a row is the present
document, and a scan with HBase's `FirstKeyOnlyFilter` returns no others. So a document is read by a scan, which needs
more calls than a get. As of a time, a scan reads all revisions. A change puts its own column if that is missing: one
call decides, and there are no intents. There are no columns of chosen paths either, because `checkAndPut` puts one
cell. A row never splits: keep a document's revisions below a few gigabytes.

Choose it if every change must be kept; not if you list or compare chosen paths, or erase owners: it refuses both.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from shared.keys import Descending, InvalidQuestion, KeyLayout, UInt32, between, part, row_key, shown, starting_with
from shared.queries import Query, ServerFilter
from shared.queries.scanning import MAX_LIMIT
from shared.records import LAST_MS, check_int
from shared.sources import Table
from shared.sources.asked_table import AskedTable
from shared.tables import ItemCells, TableLayout, put_if

from ...deciding import check_follows
from ...keys import DocumentOfOwner
from ...parts import check_fits_cell
from ...records import Document

if TYPE_CHECKING:
    import happybase

NO_COLUMNS = "needs columns of the chosen paths, and checkAndPut puts one cell; read the documents with of_owner"
FIRST_CELL = ServerFilter((), b"FirstKeyOnlyFilter()")
"""Returns the first cell of each row: the newest revision."""


@row_key
class RevisionOfDocument:
    """The place of a revision in the row of its document: the qualifier of its cell.

    Order:  newest first.
    Serves: the present document, which is the first cell; the newest N revisions; one revision.
    Costs:  four bytes for each revision, and the row key once more. All revisions of a document are in one region.
    Fixed:  the width: 4,294,967,295 revisions.
    Source: none
    """

    revision: int = part(Descending(UInt32), "counts the changes from 1, newest first")


HISTORY_CELLS = ItemCells(
    Document, "h", KeyLayout(RevisionOfDocument), value=("body", "changed_ms", "is_deleted", "edit"), at_least=4
)
HISTORY = Table("documents_history", DocumentOfOwner, Document, HISTORY_CELLS)
TABLES = HISTORY.tables


class OneOfEachRow:
    """The cells of `HISTORY`, read as one document for each row: its newest revision, or that as of a time.

    A document that was deleted by then is none.
    """

    record = Document
    columns = HISTORY_CELLS.columns
    cell_attributes = HISTORY_CELLS.cell_attributes

    def __init__(self, as_of_ms: int | None) -> None:
        self._as_of_ms = LAST_MS if as_of_ms is None else as_of_ms

    def pack(self, record: Document) -> dict[bytes, bytes]:
        """The cell of one revision."""
        return HISTORY_CELLS.pack(record)

    def records(self, key: object, cells: Mapping[bytes, bytes]) -> Iterator[Document]:
        """The document in these cells of a row."""
        revisions = HISTORY_CELLS.records(key, cells)
        newest = next((revision for revision in revisions if revision.changed_ms <= self._as_of_ms), None)
        if newest is not None and not newest.is_deleted:
            yield newest


class Repository:
    """Stores, changes and finds the documents of owners, with all their revisions.

    A change puts the column of its revision, if that is missing, so no change is lost or stored twice, and a reader
    sees it at once. Times are those that the documents have, not those of the store. `DocumentRepository` describes the
    questions.
    """

    lacks: ClassVar[Mapping[str, str]] = dict.fromkeys(("summaries", "having"), NO_COLUMNS)
    """Why a question of the design has no method here, by its name."""

    def __init__(self, connection: "happybase.Connection", documents: Table[Document] = HISTORY) -> None:
        self._revisions = documents.on(connection)

    # ---- writes

    def store(self, document: Document) -> None:
        """Stores the next revision of a document; storing the same one again changes nothing.

        Raises DocumentConflict if it was not made from the newest revision, and InvalidRecord for a body of more than
        512 KiB. Costs: 1 scan of one cell, 1 get of one cell, 1 checkAndPut.
        """
        check_fits_cell(document)
        cells = HISTORY_CELLS.pack(document)
        ((column, value),) = cells.items()
        row = self._revisions.row(document)
        key = {"owner": document.owner, "document_id": document.document_id}
        while True:
            newest = self._revisions.ask(**key).first()
            stored = self._revisions.ask(**key, revision=document.revision).first()
            if stored is not None and stored.edit == document.edit:
                return
            check_follows(document, 0 if newest is None else newest.revision)
            if put_if(self._revisions.rows, row, column, None, value):
                return

    # ---- questions

    def document(self, owner: str, document_id: str, as_of_ms: int | None = None) -> Document | None:
        """The document of that owner and id, or None. Costs: one scan of one cell; as of a time, of its whole row."""
        return self._found(as_of_ms, owner=owner, document_id=document_id).first()

    def of_owner(self, owner: str, id_prefix: str = "", as_of_ms: int | None = None) -> Query[Document]:
        """The documents of an owner by id.

        Costs: one scan of a page's rows and one more, which returns one cell of each; as of a time, all of each.
        """
        return self._found(as_of_ms, owner=owner, document_id=starting_with(id_prefix))

    def versions(self, owner: str, document_id: str, newest: int = 3) -> list[Document]:
        """The newest revisions of a document, newest first. All are kept. Costs: one scan of as many cells."""
        check_int("newest", newest, 1)
        return self._revisions.ask(owner=owner, document_id=document_id).page(min(newest, MAX_LIMIT)).records

    def _found(self, as_of_ms: int | None, **question: Any) -> Query[Document]:
        where = {}
        if as_of_ms is not None:
            if type(as_of_ms) is not int or not 0 <= as_of_ms <= LAST_MS:
                raise InvalidQuestion(
                    f"as_of_ms: must be milliseconds since 1970, 0..{LAST_MS} (got {shown(as_of_ms)})"
                )
            where = {"changed_ms": between(None, as_of_ms + 1)}
        table = self._revisions.layout
        one = TableLayout(table.name, table.holds, table.key, OneOfEachRow(as_of_ms), is_recorded=False)
        documents = AskedTable(self._revisions.connection, one).ask(**question)
        return documents.where(**where).filtered(None if where else FIRST_CELL)
