"""One more table: an index of the chosen paths, which finds the documents of an owner that have a value.

A change of a value puts the new line before the document and deletes the old one after it, so the index lacks no
document. Choose it if you often ask for values that few of an owner's documents have; if most documents have them, each
costs a line and a get.

Documents that were stored without it have no lines in it until `rowbook repair` puts them.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from shared.keys import EscapedText, TrailingText, part, row_key
from shared.queries import Query
from shared.sources.asked_table import AskedTable
from shared.writes import CLOCK, WriterClock

from ...keys import DOCUMENTS, ERASURES, PARTS
from ...parts import PART_BYTES
from ...records import Document, Summary
from ...repository import DocumentRepository, check_path, those_having
from ...stored import StoredDocument, summaries_of

if TYPE_CHECKING:
    import happybase


@row_key
class DocumentWithValue:
    """One line for a value at a chosen path of a document.

    Order:  by owner, by path, by value, then by document id.
    Serves: an owner's documents that have a value at a path.
    Costs:  one scan of the page's lines and one more, and one call that gets their documents. A change of the value
            puts the new line before its decision and deletes the old one after it, so a page drops lines that
            contradict their documents.
    Fixed:  the owner comes first: a value is not found across owners.
    Source: none
    """

    owner: str = part(EscapedText, "whose document")
    path: str = part(EscapedText, "a chosen path, such as name.last")
    value: str = part(EscapedText, "the value there, as text")
    document_id: str = part(TrailingText, "which of the owner's documents")


def lines_of(document: StoredDocument) -> Iterator[DocumentWithValue]:
    """A line for each value at a chosen path of a document, if readers see it."""
    for summary in summaries_of(document):
        for path, value in summary.paths.items():
            yield DocumentWithValue(summary.owner, path, value, summary.document_id)


INDEXED = DOCUMENTS.like()
BY_VALUE = INDEXED.moving_list(
    "documents_by_value", DocumentWithValue, lines=lines_of, marker="x:x", holds="one line for a value of a document"
)
TABLES = (*INDEXED.tables, PARTS, *ERASURES.tables)


class Repository:
    """A `DocumentRepository`, which also keeps the index and asks it for the documents that have a value."""

    def __init__(
        self, connection: "happybase.Connection", clock: WriterClock = CLOCK, *, part_bytes: int = PART_BYTES
    ) -> None:
        self._documents = DocumentRepository(connection, INDEXED, clock=clock, part_bytes=part_bytes)
        self._lines = AskedTable(connection, BY_VALUE.layout)
        self.parts = self._documents.parts
        self.writer = self._documents.writer
        self.upkeep = self._documents.upkeep

    def store(self, document: Document) -> None:
        """Stores the next revision of a document. Costs: also 1 put and 1 delete for the lines that change."""
        self._documents.store(document)

    def store_in_parts(self, document: Document) -> None:
        """Stores the next revision of a document, cut into parts. Costs: also 1 put and 1 delete for its lines."""
        self._documents.store_in_parts(document)

    def document(self, owner: str, document_id: str, as_of_ms: int | None = None) -> Document | None:
        """The document of that owner and id, or None."""
        return self._documents.document(owner, document_id, as_of_ms)

    def of_owner(self, owner: str, id_prefix: str = "", as_of_ms: int | None = None) -> Query[Document]:
        """The documents of an owner by id."""
        return self._documents.of_owner(owner, id_prefix, as_of_ms)

    def summaries(self, owner: str, id_prefix: str = "") -> Query[Summary]:
        """The chosen paths of an owner's documents, by id."""
        return self._documents.summaries(owner, id_prefix)

    def having(self, owner: str, path: str, value: str) -> Query[Document]:
        """The documents of an owner with this value at a chosen path, by id.

        Costs: one scan of the page's lines and one more, and one call that gets their documents.
        """
        check_path(path, value)
        lines = self._lines.ask(owner=owner, path=path, value=value)
        documents = lines.then(partial(self.writer.reader.agreeing, BY_VALUE.layout)).then(self.parts.present)
        return documents.then(partial(those_having, path, value))

    def versions(self, owner: str, document_id: str, newest: int = 3) -> list[Document]:
        """The newest revisions of a document, newest first."""
        return self._documents.versions(owner, document_id, newest)

    def erase(self, owner: str) -> int:
        """Removes every document of an owner, with versions, parts and lines; returns how many rows remain for now."""
        return self._documents.erase(owner)
