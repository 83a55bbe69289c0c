"""Documents by owner and id: each whole in one cell, with its latest versions, and its chosen paths beside it.

The chosen paths are columns of their own, in the row of their document, so a list of them fetches no documents. The
owner comes first in every key, so no question leaves the range of one tenant.
"""

from shared.intents import KEEP_TOMBSTONES_MS, ErasuresTable
from shared.keys import EscapedText, FixedBytes, KeyLayout, TrailingText, UInt8, part, row_key
from shared.sources import Source
from shared.tables import RAW, TEXT, Family, ItemCells, OtherColumns, TableLayout

from .records import Summary
from .stored import GENERATION_BYTES, PartOfDocument, StoredDocument, is_unsettled, summaries_of

VERSIONS = 10
"""How many changes of a document the store keeps. Each version is the whole document."""


@row_key
class DocumentOfOwner:
    """One document of an owner.

    Order:  by owner, then by document id, as text.
    Serves: a document whose id is known; all documents of an owner; those whose ids start alike.
    Costs:  one get, or one scan, which reads one row more than the page. All questions name the owner, so none leaves
            the range of one tenant.
    Fixed:  the owner comes first, and is part of the key of every table.
    Source: S4.5, userID+applicationID; S4.1, the field _id; S0.1, [userid] with versions. Without a
            terminator after the owner, a question also finds the documents of owners whose ids start alike.
    """

    owner: str = part(EscapedText, "whose document: a user, or a tenant; any text, and u-1 never matches u-12")
    document_id: str = part(TrailingText, "which of the owner's documents, such as an application; any text")


@row_key
class GenerationOfDocument:
    """The parts of one revision of a large document.

    Order:  by owner, then by document id, then by generation: oldest first, because it starts with a time.
    Serves: the parts of a document, whose row names the generation; all parts of an owner, to erase them.
    Costs:  one get for each part. Readers find the parts while the document's row names their generation; when it names
            another one, they are removed.
    Fixed:  a generation is never written twice.
    Source: none
    """

    owner: str = part(EscapedText, "whose document")
    document_id: str = part(EscapedText, "which of the owner's documents")
    generation: bytes = part(FixedBytes(GENERATION_BYTES), "when its writer began, then eight random bytes")


@row_key
class NumberOfPart:
    """The place of a part in its document: the qualifier of its cell.

    Order:  by number.
    Serves: one part at a time.
    Costs:  for each part one byte, and the row key, which HBase stores again with each cell.
    Fixed:  at most 256 parts.
    Source: none
    """

    number: int = part(UInt8, "counts the parts from 0")


DOCUMENTS = Source(
    "documents",
    DocumentOfOwner,
    StoredDocument,
    {
        "body": "d:b",
        "changed_ms": "d:t",
        "revision": "d:r",
        "edits": "d:e",
        "generation": "d:g",
        "part_count": "d:n",
        "paths_in_parts": "d:p",
        "writing": "d:w",
        "leaving": "d:l",
    },
    cell="d:document",
    holds="the document",
    families={"d": Family(max_versions=VERSIONS)},
)
SUMMARIES = DOCUMENTS.list(
    "documents",
    DOCUMENTS.layout.key,
    Summary,
    {"revision": "p:_revision", "paths": OtherColumns("p", TEXT)},
    lines=summaries_of,
    holds="its chosen paths",
)
"""Computed columns in the row of their document, one for each chosen path, such as `p:name.last`."""
UNSETTLED = DOCUMENTS.moving_list(
    "documents_unsettled",
    DocumentOfOwner,
    when=is_unsettled,
    marker="u:x",
    holds="a line for a document whose parts are being written or removed",
)
PART_CELLS = ItemCells(PartOfDocument, "b", KeyLayout(NumberOfPart), value="data", packing=RAW)
PARTS = TableLayout(
    "documents_parts",
    "the parts of one revision of a large document",
    KeyLayout(GenerationOfDocument),
    PART_CELLS,
    {"b": Family(keep_tombstones_ms=KEEP_TOMBSTONES_MS)},
)
ERASURES = ErasuresTable("documents_erasures")
"""The owners who are being erased."""

TABLES = (*DOCUMENTS.tables, PARTS, *ERASURES.tables)
