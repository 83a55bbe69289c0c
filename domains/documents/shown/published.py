"""The keys of S0.1, S4.1, S4.4 and S4.5 byte for byte as published: all as text."""

from shared.exhibit import PublishedKey

from ..keys import DOCUMENTS, DocumentOfOwner
from .variants import put_only, salted

TERMINATOR = "any text, with the terminator `00 01`; without it user000001 would also match user0000012"
DOCUMENT_ADDED = "added: an owner has several documents"

PUBLISHED = (
    PublishedKey(
        "S4.5",
        "userID + applicationID",
        DOCUMENTS.layout,
        DocumentOfOwner("user000001", "app-7"),
        {"owner": b"user000001", "document_id": b"app-7"},
        {"owner": TERMINATOR},
    ),
    PublishedKey(
        "S4.1",
        "_id",
        DOCUMENTS.layout,
        DocumentOfOwner("user000001", "app-7"),
        {"owner": b"user000001"},
        {"owner": TERMINATOR, "document_id": DOCUMENT_ADDED},
    ),
    PublishedKey(
        "S0.1",
        "[userid]",
        put_only.PUT_ONLY.layout,
        DocumentOfOwner("user000001", "app-7"),
        {"owner": b"user000001"},
        {"owner": TERMINATOR, "document_id": DOCUMENT_ADDED},
    ),
    PublishedKey(
        "S4.4",
        "ffe51364248490",
        salted.SALTED.layout,
        DocumentOfOwner("1364248490", "app-7"),
        {"HashPrefix": b"ffe5", "owner": b"1364248490"},
        {"owner": TERMINATOR, "document_id": DOCUMENT_ADDED},
    ),
)
