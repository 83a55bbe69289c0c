"""The application's records: a document, and its chosen paths. Nothing here knows of storage."""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any, cast

import attrs

from shared.keys import shown
from shared.records import LAST_MS, InvalidRecord, fixed_bytes, integer, one_of, text
from shared.tables import MSGPACK

CHOSEN = ("name.last", "state", "social.twitter")
"""The paths whose values are columns of their own, so that a list shows them and a filter compares them. A path is a
key of the body, or several joined by dots. Choose those of your documents; after a change of this line, run `repair`.
"""
MAX_CHOSEN_CHARACTERS = 256
"""A longer value has no column."""

LAST_REVISION = 2**32 - 1
EDIT_BYTES = 8


def _stores_body(document: "Document", field: "attrs.Attribute[Any]", body: Any) -> None:
    """A dict that msgpack returns as it was: text, numbers, bools, None, bytes, lists and dicts within each other."""
    if body and document.is_deleted:
        raise InvalidRecord(f"{type(document).__name__}.{field.name}: must be empty if is_deleted (got {shown(body)})")
    if reason := _not_stored(body):
        wanted = "must be a dict that msgpack returns as it was"
        raise InvalidRecord(f"{type(document).__name__}.{field.name}: {wanted}: {reason} (got {shown(body)})")


def _not_stored(body: Any) -> str:
    """Why msgpack does not return a body as it was; empty if it does."""
    if type(body) is not dict:
        return "is not a dict"
    try:
        return "" if MSGPACK.unpack(MSGPACK.pack(body)) == body else "has a NaN"
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        return str(error)


def _digest_of(document: "Document") -> bytes:
    """The edit of a document that comes from a file: reading the file again makes the same one."""
    values = [getattr(document, field.name) for field in attrs.fields(Document) if field.name != "edit"]
    try:
        packed = MSGPACK.pack(values)
    except (TypeError, ValueError, OverflowError, RecursionError):
        packed = b""  # the validators, which run later, refuse the document
    return hashlib.md5(packed, usedforsecurity=False).digest()[:EDIT_BYTES]


@attrs.frozen
class Document:
    """One revision of a document: nested values under names, as JSON has them.

    To change a document, read it and store the revision that `edited` returns. If another writer was faster, that
    revision is refused, and nothing of the other's change is lost.
    """

    owner: str = attrs.field(validator=text())
    """Whose document it is: a user, or a tenant."""
    document_id: str = attrs.field(validator=text())
    """Distinguishes the documents of one owner, such as the id of an application."""
    body: Mapping[str, Any] = attrs.field(validator=_stores_body, hash=False)
    """The nested values."""
    changed_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """When its owner changed it, milliseconds since 1970-01-01 UTC."""
    revision: int = attrs.field(default=1, validator=integer(1, LAST_REVISION))
    """Counts the changes, from 1; a deletion is one too."""
    is_deleted: bool = attrs.field(default=False, validator=one_of(False, True))
    """Whether this revision deletes the document."""
    edit: bytes = attrs.field(default=attrs.Factory(_digest_of, takes_self=True), validator=fixed_bytes(EDIT_BYTES))
    """Tells a change that is stored again from an equal change of another writer. A document from a file has a digest
    of its values."""

    def edited(self, body: Mapping[str, Any], changed_ms: int) -> "Document":
        """The next revision, with another body."""
        return Document(self.owner, self.document_id, body, changed_ms, self.revision + 1, edit=os.urandom(EDIT_BYTES))

    def deleted(self, changed_ms: int) -> "Document":
        """The next revision, which deletes the document."""
        return attrs.evolve(self.edited({}, changed_ms), is_deleted=True)


@attrs.frozen
class Summary:
    """What a list shows of a document: the values of its chosen paths."""

    owner: str
    document_id: str
    revision: int
    paths: Mapping[str, str] = attrs.field(hash=False)
    """Values by path, without the paths that the document lacks."""


def paths_of(body: Mapping[str, Any]) -> dict[str, str]:
    """The values of the chosen paths of a body, as text: true is `true`, 5 is `5`. Lists and dicts are not values."""
    values: dict[str, str] = {}
    for path in CHOSEN:
        value: Any = body
        for name in path.split("."):
            value = cast("dict[str, Any]", value).get(name) if type(value) is dict else None
        if type(value) in (bool, int, float):
            value = json.dumps(value)
        if type(value) is str and len(value) <= MAX_CHOSEN_CHARACTERS:
            values[path] = value
    return values
