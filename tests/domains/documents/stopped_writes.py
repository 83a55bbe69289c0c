"""The writes of documents, and what their readers see, for the crash tests."""

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter, itemgetter, methodcaller
from typing import Any

import attrs

from domains.documents import Document, DocumentConflict, DocumentRepository
from domains.documents.shown.design import DESIGN
from shared.testing import Contents, StoppedWrites, Store, View, Write, sources

NOON_MS = 1_768_219_200_000
ADA = Document("acme", "user000001", {"name": {"last": "King"}, "state": "CA", "text": "abcdefgh"}, NOON_MS)
BEN = Document("acme", "user000002", {"name": {"last": "King"}, "state": "NV"}, NOON_MS)
"""A document of the same owner, which nobody changes."""
MOVED = attrs.evolve(ADA.edited({"state": "NV", "text": "stuvwxyz"}, NOON_MS + 1), edit=b"moved   ")
RENAMED = attrs.evolve(ADA.edited({"name": {"last": "Ng"}, "state": "CA"}, NOON_MS + 2), edit=b"renamed ")
"""Another change of the same revision."""
GONE = attrs.evolve(ADA.deleted(NOON_MS + 3), edit=b"gone    ")
BACK = attrs.evolve(MOVED.edited({"state": "CO"}, NOON_MS + 4), edit=b"back    ")
PART_BYTES = 20
"""Two or three parts for each of these documents."""

store_ada, store_ben, move, rename, delete, bring_back = (
    methodcaller("store", document) for document in (ADA, BEN, MOVED, RENAMED, GONE, BACK)
)
cut_ada, cut_moved, cut_renamed, cut_back = (
    methodcaller("store_in_parts", document) for document in (ADA, MOVED, RENAMED, BACK)
)


def erase(documents: DocumentRepository) -> None:
    documents.erase("acme")


def stored(*calls: Callable[[Any], object]) -> Callable[[Store], None]:
    """What is stored before: the document that nobody changes, then these."""

    def before(store: Store) -> None:
        store_ben(store.repository())
        for call in calls:
            call(store.repository())

    return before


NONE, WHOLE, PARTS = stored(), stored(store_ada), stored(cut_ada)
RIVALS = {"same": move, "another": rename, "in parts": cut_moved, "other parts": cut_renamed, "delete": delete}


def calls(most: int, indexed: int) -> dict[str, int]:
    """The calls that change the store, and those with an index."""
    return {"documents": most, "salted": most, "indexed": indexed}


WRITES = (
    Write("store", store_ada, NONE, {"same": store_ada, "in parts": cut_ada}, calls=calls(5, 6)),
    Write("change", move, WHOLE, {**RIVALS, "erase": erase}, removes_lines=True, calls=calls(6, 8)),
    Write("change again", move, stored(store_ada, move), {"in parts": cut_back, "erase": erase}, calls=calls(1, 1)),
    Write("delete", delete, WHOLE, {"another": rename, "in parts": cut_moved}, removes_lines=True, calls=calls(5, 6)),
    Write("store_in_parts", cut_ada, NONE, {"same": cut_ada, "whole": store_ada}, calls=calls(12, 13)),
    Write("change parts", cut_moved, PARTS, {**RIVALS, "erase": erase}, removes_lines=True, calls=calls(17, 19)),
    Write("parts to whole", bring_back, stored(cut_ada, cut_moved), {"in parts": cut_back}, calls=calls(11, 13)),
)


# ---- what readers see

by_id = attrgetter("document_id")


def found(documents: DocumentRepository) -> Iterator[Document]:
    return filter(None, (documents.document("acme", document.document_id) for document in (ADA, BEN)))


def columns(documents: DocumentRepository) -> list[tuple[Any, ...]]:
    """The values of chosen paths, one by one: a write deletes those that are lost after it puts the others."""
    summaries = documents.summaries("acme")
    return [(summary.document_id, path, value) for summary in summaries for path, value in summary.paths.items()]


def by_state(documents: DocumentRepository) -> list[Document]:
    return [document for state in ("CA", "CO", "NV") for document in documents.having("acme", "state", state)]


VIEWS = (
    View("by id", found, by_id),
    View("list", lambda documents: documents.of_owner("acme"), by_id),
    View("paths", columns, itemgetter(0, 1), lags=True),
    View("by value", by_state, by_id, lags=True),
)


def contents(documents: Any, _tables: object) -> Contents:
    """All documents with their bodies, the cells of their lines, and the parts that they name; asserts that they agree.

    Two runs of a write name their generations differently.
    """
    assert [str(finding) for finding in documents.upkeep.verify() if not finding.is_harmless] == []
    writer, parts = documents.writer, documents.parts
    records = sources(writer)
    assert all(record.is_settled for record in records.values())
    lines = {table.holds: dict(writer.rows(table.name).scan(columns=[*table.cells.columns])) for table in writer.lists}
    generations = {row: parts.table.layout.key.decode(row) for rows in parts.generations() for row in rows}
    named = {key.document_id for row, key in generations.items() if parts.named([row])[row]}
    return {
        "documents": {row: (record.edits, *parts.kept([record])) for row, record in records.items()},
        "in parts": dict.fromkeys(named),
        **lines,
    }


def in_turn(document: Document, changes: int) -> Iterator[Any]:
    """Calls that store so many revisions of a document, whole and in parts by turns."""
    for number in range(changes):
        yield methodcaller("store" if number % 2 else "store_in_parts", document)
        document = document.edited({**document.body, "number": number}, NOON_MS)


def in_small_parts(repository: Any) -> Any:
    """The repository, with parts of a few bytes."""
    return partial(repository, part_bytes=PART_BYTES)


STOPPED = StoppedWrites(
    WRITES,
    VIEWS,
    variants=[
        attrs.evolve(variant, open=in_small_parts(variant.open))
        for variant in DESIGN.variants
        if not variant.without_upkeep
    ],
    refusals=(DocumentConflict,),
    contents=contents,
    often=(store_ada, *in_turn(MOVED, 14)),
    often_every=13,
)
