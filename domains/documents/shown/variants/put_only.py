"""One put for each change, and the versions of HBase as the history, as published (S0.1). Do not copy it.

A put does not look at what it replaces: of two writers who have read the same revision, the second silently undoes the
change of the first. Two puts of one millisecond are one version, so a change of the history is lost. As of a time that
is older than the kept versions, a document is missing or older than asked, and nothing tells.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from shared.keys import starting_with
from shared.queries import Query, Versions
from shared.sources import Table
from shared.tables import Family

from ...keys import VERSIONS, DocumentOfOwner
from ...parts import check_fits_cell
from ...records import Document

if TYPE_CHECKING:
    import happybase

PUT_ONLY = Table(
    "documents_put_only",
    DocumentOfOwner,
    Document,
    {"body": "d:b", "changed_ms": "d:t", "revision": "d:r", "is_deleted": "d:x", "edit": "d:e"},
    dated_by="changed_ms",
    families={"d": Family(max_versions=VERSIONS)},
)
TABLES = PUT_ONLY.tables


class Repository:
    """Stores and finds the documents of owners; `DocumentRepository` describes the questions."""

    lacks: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("summaries", "having"), "needs columns of the chosen paths; read the documents with of_owner"
    )
    """Why a question of the design has no method here, by its name."""

    def __init__(self, connection: "happybase.Connection", documents: Table[Document] = PUT_ONLY) -> None:
        self._documents = documents.on(connection)

    # ---- writes

    def store(self, document: Document) -> None:
        """Puts a document, dated by its `changed_ms`, whatever is stored. Raises Expired. Costs: 1 put."""
        check_fits_cell(document)
        self._documents.put(document)

    # ---- questions

    def document(self, owner: str, document_id: str, as_of_ms: int | None = None) -> Document | None:
        """The document of that owner and id, or None. Costs: one get."""
        return self._present(as_of_ms, owner=owner, document_id=document_id).first()

    def of_owner(self, owner: str, id_prefix: str = "", as_of_ms: int | None = None) -> Query[Document]:
        """The documents of an owner by id. Costs: one scan of a page's rows and one more."""
        return self._present(as_of_ms, owner=owner, document_id=starting_with(id_prefix))

    def versions(self, owner: str, document_id: str, newest: int = 3) -> list[Document]:
        """The newest revisions of a document, newest first, without those of which the millisecond has a later one.

        Costs: one call for each column.
        """
        plan = self._documents.plan(owner=owner, document_id=document_id)
        versions = Versions(self._documents, plan, newest)
        return [version.record for version in versions if version.record is not None]

    def _present(self, as_of_ms: int | None, **question: Any) -> Query[Document]:
        return self._documents.ask(**question).as_of(as_of_ms).then(those_present)


def those_present(documents: list[Document]) -> list[Document | None]:
    """The documents that are not deleted; None for the others."""
    return [None if document.is_deleted else document for document in documents]
