"""One more table: an index of the chosen paths, which finds the documents of an owner that have a value.

A change of a value puts the new line before the document and deletes the old one after it, so the index lacks no
document. Choose it if you often ask for values that few of an owner's documents have; if most documents have them, each
costs a line and a get.

Documents that another variant has stored have no lines in it until `rowbook repair documents:indexed` puts them.
"""

from functools import partial

from shared.keys import EscapedText, KeyLayout, TrailingText, part, row_key
from shared.tables import Family, RecordCells, TableLayout
from shared.writes import KEEP_TOMBSTONES_MS

from ..keys import TABLES as MAIN_TABLES
from ..repository import DocumentRepository


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


INDEX = TableLayout(
    "documents_by_value",
    "one line for a value of a document",
    KeyLayout(DocumentWithValue),
    RecordCells(DocumentWithValue, {}, marker="x:x"),
    {"x": Family(keep_tombstones_ms=KEEP_TOMBSTONES_MS)},
)

TABLES = (*MAIN_TABLES, INDEX)
Repository = partial(DocumentRepository, index=INDEX)
