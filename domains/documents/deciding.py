"""Decisions: what each step of a write makes of the document as it is stored. Nothing here reads or writes."""

import attrs

from shared.keys import shown
from shared.sources import DELETED, Deleted

from .records import Document
from .stored import GENERATION_BYTES, StoredDocument, pieces


class DocumentConflict(ValueError):
    """A change was not made from the stored revision: another writer was faster, or the document is new or deleted."""


def check_follows(document: Document, stored_revision: int) -> None:
    """Raises DocumentConflict for a revision that does not follow the stored one; 0 if none is stored."""
    if document.revision != stored_revision + 1:
        stored = f"is stored with revision {stored_revision}" if stored_revision else "is not stored"
        raise DocumentConflict(
            f"Document.revision: document {shown(document.document_id)} of {shown(document.owner)} {stored}, so the "
            f"next one must be {stored_revision + 1} (got {document.revision})"
        )


def after_store(document: Document, stored: StoredDocument | None) -> StoredDocument:
    """The document with this revision; the stored one if it has this edit already. Raises DocumentConflict."""
    stored = stored or StoredDocument.empty(document.owner, document.document_id)
    if stored.has(document.edit):
        return stored
    check_follows(document, stored.revision)
    return stored.replaced_by(document)


def after_begin(document: Document, generation: bytes, stored: StoredDocument | None) -> StoredDocument:
    """The document with a generation that is being written, or as `after_store`."""
    stored = stored or StoredDocument.empty(document.owner, document.document_id)
    if stored.has(document.edit):
        return stored
    check_follows(document, stored.revision)
    return attrs.evolve(stored, writing=stored.writing + generation)


def after_parts(
    document: Document, generation: bytes, part_count: int, stored: StoredDocument | None
) -> StoredDocument | None:
    """The document in the parts of a generation; as it is stored if it does not wait for that generation any more."""
    if stored is None or stored.has(document.edit):
        return stored
    check_follows(document, stored.revision)
    return stored.replaced_by(document, generation, part_count) if stored.is_writing(generation) else stored


def after_giving_up(writing: bytes, stored: StoredDocument | None) -> StoredDocument | None:
    """The document without these generations among those that are being written: they are to be removed."""
    if stored is None or not writing:
        return stored
    given_up, written = pieces(writing, GENERATION_BYTES), pieces(stored.writing, GENERATION_BYTES)
    return attrs.evolve(
        stored,
        writing=b"".join(generation for generation in written if generation not in given_up),
        leaving=stored.leaving + b"".join(generation for generation in written if generation in given_up),
    )


def after_removal(removed: bytes, stored: StoredDocument | None) -> StoredDocument | Deleted | None:
    """The document without these generations, whose parts are removed; DELETED if no revision of it was ever stored."""
    if stored is None:
        return None
    gone = pieces(removed, GENERATION_BYTES)
    left = b"".join(generation for generation in pieces(stored.leaving, GENERATION_BYTES) if generation not in gone)
    stored = attrs.evolve(stored, leaving=left)
    return DELETED if not stored.revision and stored.is_settled else stored
