"""A filter against an index: what a question for one value reads, by how many of an owner's documents have it."""

from contextlib import closing

from shared.designs import Design, metered, scratch_store
from shared.exhibit import Crossing, Panel, Series, lower_where

from ..records import Document
from ..repository import DocumentRepository
from .variants import indexed

NOON_MS = 1_768_219_200_000
DOCUMENTS = 128
HAVING = (1, 2, 4, 8, 16, 32, 64, 128)
"""How many of them have the value."""


def _rows_read(having: int, repository: type[DocumentRepository | indexed.Repository]) -> int:
    """The rows that are read to find the documents that have a value."""
    with closing(scratch_store(indexed.TABLES)) as connection:
        documents = repository(connection)
        for number in range(DOCUMENTS):
            state = "CA" if number < having else "NV"
            documents.store(Document("acme", f"{number:03}", {"state": state, "text": "x" * 500}, NOON_MS))
        with metered(connection) as cost:
            assert len(documents.having("acme", "state", "CA").page(DOCUMENTS).records) == having
        return cost.rows_read or 0


def filter_against_index(_design: Design) -> Crossing:
    """The rows that a question for one value reads."""
    filter_, index = (
        [_rows_read(having, repository) for having in HAVING] for repository in (DocumentRepository, indexed.Repository)
    )
    ways = Series("a filter", filter_), Series("an index", index)
    lower = max(place for place, one, other in zip(HAVING, filter_, index, strict=True) if other < one)
    return Crossing(
        "A filter against an index",
        f"An index reads fewer rows for up to {lower} of {DOCUMENTS} documents",
        HAVING,
        (Panel("rows read", f"documents that have the value, of {DOCUMENTS} of the owner", ways),),
        f"Fewest rows: {lower_where(HAVING, 'documents', *ways)}. The filter of `documents` reads all "
        f"{filter_[0]} rows of the owner on the server, whatever it returns. `documents:indexed` reads two rows for "
        f"each document, its line and the document: {index[0]} rows for one, {index[-1]} for all. A change of a "
        "value then costs 2 calls more, which put a line and delete one.",
    )
