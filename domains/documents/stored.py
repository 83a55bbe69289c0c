"""A document as its row holds it: the latest revision, and what its writers and readers need besides."""

from collections.abc import Mapping
from typing import Any

import attrs

from .records import EDIT_BYTES, Document, Summary, paths_of

EDITS_KEPT = 16
"""A change that is stored again is known by its edit until so many later ones were stored."""
GENERATION_BYTES = 16


@attrs.frozen
class StoredDocument:
    """The latest revision of a document, whole or in parts.

    A generation is the parts of one revision. It has a name that is never used again: when its writer began, in eight
    bytes, then eight random bytes.
    """

    owner: str
    document_id: str
    body: Mapping[str, Any] | None = attrs.field(hash=False)
    """None if the document is in parts, was deleted, or is not stored yet."""
    changed_ms: int
    revision: int
    """0 if the document is not stored yet, because its first parts are being written."""
    edits: bytes
    """The latest edits, the newest last, `EDIT_BYTES` each."""
    generation: bytes = b""
    """The parts of this revision; empty if it is not in parts."""
    part_count: int = 0
    paths_in_parts: Mapping[str, str] = attrs.field(factory=dict[str, str], hash=False)
    """The chosen paths of a document in parts; those of any other document are in its body."""
    writing: bytes = b""
    """Generations that are being written: one of them may become that of the next revision."""
    leaving: bytes = b""
    """Generations that no revision has any more: their parts are to be removed."""

    @classmethod
    def empty(cls, owner: str, document_id: str) -> "StoredDocument":
        """A document that is not stored yet."""
        return cls(owner, document_id, None, 0, 0, b"")

    @property
    def is_there(self) -> bool:
        """Whether readers see a document: it is stored, and not deleted."""
        return self.body is not None or bool(self.generation)

    @property
    def is_settled(self) -> bool:
        """Whether no parts are being written, or have to be removed."""
        return not self.writing and not self.leaving

    def has(self, edit: bytes) -> bool:
        """Whether this edit is among the latest ones."""
        return edit in pieces(self.edits, EDIT_BYTES)

    def is_writing(self, generation: bytes) -> bool:
        """Whether a generation may become that of the next revision."""
        return generation in pieces(self.writing, GENERATION_BYTES)

    def replaced_by(self, document: Document, generation: bytes = b"", part_count: int = 0) -> "StoredDocument":
        """The next revision: whole, or in the parts of a generation. The parts of all others are to be removed."""
        edits = (self.edits + document.edit)[-EDITS_KEPT * EDIT_BYTES :]
        others = pieces(self.leaving + self.writing + self.generation, GENERATION_BYTES)
        return StoredDocument(
            document.owner,
            document.document_id,
            None if generation or document.is_deleted else document.body,
            document.changed_ms,
            document.revision,
            edits,
            generation,
            part_count,
            paths_of(document.body) if generation else {},
            leaving=b"".join(other for other in others if other != generation),
        )

    def document(self, body: Mapping[str, Any] | None) -> Document:
        """The document, with the body that its parts hold, or its own; None if it was deleted."""
        edit = self.edits[-EDIT_BYTES:]
        return Document(
            self.owner, self.document_id, body or {}, self.changed_ms, self.revision, not self.is_there, edit
        )

    @property
    def summary(self) -> Summary:
        """The summary of a document that is there."""
        paths = paths_of(self.body) if self.body is not None else self.paths_in_parts
        return Summary(self.owner, self.document_id, self.revision, paths)


@attrs.frozen
class PartOfDocument:
    """One part of the packed body of a large document."""

    owner: str
    document_id: str
    generation: bytes
    number: int
    """Counts the parts of a generation from 0."""
    data: bytes = attrs.field(repr=False)


def summaries_of(document: StoredDocument) -> list[Summary]:
    """The summary of a document; none if readers do not see it."""
    return [document.summary] if document.is_there else []


def is_unsettled(document: StoredDocument) -> bool:
    """Whether parts of a document are being written, or have to be removed."""
    return not document.is_settled


def pieces(joined: bytes, width_bytes: int) -> list[bytes]:
    """Edits or generations that are stored one after the other."""
    return [joined[start : start + width_bytes] for start in range(0, len(joined), width_bytes)]
