"""An owner who is erased, for the tests of erasures: documents with versions, in parts, deleted ones."""

from collections.abc import Callable
from functools import partial

import attrs

from domains.documents import Document, DocumentRepository
from domains.documents.shown.design import DESIGN
from shared.designs import Variant
from shared.testing import ErasedPerson

NOON_MS = 1_768_219_200_000
MAIL = Document("dan-e", "mail", {"state": "CA", "of": "dan-e"}, NOON_MS)
PROFILE = Document("dan-e", "profile", {"name": {"last": "dan-e"}, "text": "dan-e" * 20}, NOON_MS)
NOTES = Document("dan-e", "notes", {"text": "dan-e"}, NOON_MS)
TWIN = Document("dan-e-2", "mail", {"state": "CA"}, NOON_MS)
FRIEND = Document("eve", "profile", {"state": "CA", "friend": "my friend dan-e"}, NOON_MS)


def three_owners(open_repository: Callable[..., DocumentRepository]) -> None:
    documents = open_repository()
    for document in (MAIL, NOTES, TWIN, FRIEND):
        documents.store(document)
    documents.store_in_parts(PROFILE)
    documents.store(MAIL.edited({"of": "dan-e"}, NOON_MS + 1))
    documents.store(NOTES.deleted(NOON_MS + 1))


def come_back(documents: DocumentRepository, _time_ms: int) -> list[Document]:
    back = Document("dan-e", "new", {"of": "dan-e"}, NOON_MS)
    documents.store_in_parts(back)
    return [back]


def change(documents: DocumentRepository) -> None:
    documents.store_in_parts(PROFILE.edited({"text": "dan-e" * 30}, NOON_MS + 2))


def repair(documents: DocumentRepository) -> None:
    list(documents.upkeep.repair())


def in_small_parts(variant: Variant) -> Variant:
    open_repository: Callable[..., DocumentRepository] = variant.open
    return attrs.evolve(variant, open=partial(open_repository, part_bytes=30))


ERASED = ErasedPerson(
    "dan-e",
    variants=[in_small_parts(variant) for variant in DESIGN.variants if not variant.without_upkeep],
    before=three_owners,
    seen=lambda documents: [*documents.of_owner("dan-e")],
    others=lambda documents: [*documents.of_owner("dan-e-2"), *documents.of_owner("eve")],
    kept=[TWIN, FRIEND],
    comes_back=come_back,
    rivals=(change, repair),
    texts=("dan-e-2", "my friend dan-e"),
    remaining=3,
    ends_dead=False,
    erasures="documents_erasures",
)
