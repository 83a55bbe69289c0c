"""Documents in lines of a file, as another store had them: their present revisions, which an empty store takes."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from shared.keys import shown

from .deciding import after_store
from .parts import check_fits_cell
from .records import Document
from .stored import StoredDocument


def document_in(stored: StoredDocument) -> Sequence[Document]:
    """The present revision of a document, also of one that was deleted; none if only its first parts are being written.

    Raises ValueError for a document in parts, which no line of a file holds.
    """
    if stored.generation:
        raise ValueError(f"document {shown(stored.document_id)} of {shown(stored.owner)}, because it is in parts")
    return [stored.document(stored.body)] if stored.revision else []


def restore(repository: Any, document: Document) -> None:
    """Stores a document with its revision if no revision is stored, otherwise as `store`.

    So a document that was erased comes back, as from any backup. A repository that keeps all revisions gets them one
    after the other, by `store`. Costs what `store` does.
    """
    check_fits_cell(document)
    if hasattr(repository, "writer"):
        repository.writer.write(document, partial(after_restore, document))
    else:
        repository.store(document)


def after_restore(document: Document, stored: StoredDocument | None) -> StoredDocument:
    """The document with this revision, if none is stored; otherwise as `after_store`."""
    stored = stored or StoredDocument.empty(document.owner, document.document_id)
    return after_store(document, stored) if stored.revision else stored.replaced_by(document)
