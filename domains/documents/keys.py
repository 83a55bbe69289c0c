"""Documents by owner and id: each whole in one cell, with its latest versions, and its chosen paths beside it.

The variants store the same documents in other ways. What questions cost, and the calls that store one change:

    variant    row key                                           paths    one value      last changes  calls
    documents  [owner][document_id]                              1 range  server filter  1 range       5
    salted     [4 hex digits of md5(owner)][owner][document_id]  1 range  server filter  1 range       5
    indexed    as documents; [owner][path][value][document_id]   1 range  1 range, gets  1 range       6
    history    [owner][document_id], a column for each change    refused  refused        1 range       5
    put-only   [owner][document_id]                              refused  refused        wrong answer  1

- Paths: the values at a few paths of each document, which `CHOSEN` in `records.py` names. They are columns of their
  own, so a list of them fetches no documents.
- One value: the documents that have it at such a path. A server filter reads all documents of the owner.
- Last changes: `documents`, `salted` and `indexed` keep ten, each the whole document, and two changes in one
  millisecond may be one; `history` keeps all. `put-only` loses changes of writers who work at once.
- Calls: a get, a checkAndPut of the document, and three puts, two of the intent and one of the paths; `indexed` puts
  lines, and deletes old ones. `history` needs a scan, a get and a checkAndPut; it reads a document by a scan, too.

Except in `put-only`, a change is accepted only if it was made from the stored revision; otherwise the caller reads the
document again, and makes the change again. If a writer dies, the same call again or `recover` completes the write.
Until then a list of paths may be old, and one value may lack a document; in `indexed` it lacks none. A body is at most
512 KiB: `store_in_parts`, which `history` and `put-only` do not have, cuts a larger one into parts without versions.

In all keys the owner comes first, or follows a hash of the owner, so no question leaves the range of one tenant. All
documents of an owner are adjacent. If owners' ids count up, new ones go to the last region; `salted` spreads them.
"""

from typing import Any, NamedTuple

from shared.keys import EscapedText, FixedBytes, KeyLayout, TrailingText, UInt8, part, row_key
from shared.tables import RAW, TEXT, Column, Family, ItemCells, OtherColumns, RecordCells, TableLayout
from shared.writes import (
    KEEP_TOMBSTONES_MS,
    ErasedName,
    ErasedSource,
    Erasure,
    Intent,
    SourceCells,
    erasures_tables,
    intents_table,
)

from .records import Summary
from .stored import GENERATION_BYTES, PartOfDocument, StoredDocument

VERSIONS = 10
"""How many changes of a document the store keeps. Each version is the whole document."""


@row_key
class DocumentOfOwner:
    """One document of an owner.

    Order:  by owner, then by document id, as text.
    Serves: a document whose id is known; all documents of an owner; those whose ids start alike.
    Costs:  one get, or one scan of the page's rows and one more. All questions name the owner, so none leaves the
            range of one tenant.
    Fixed:  the owner comes first, and is part of the key of every table.
    Source: S4.5, userID + applicationID; S4.1, the field _id; S0.1, [userid] with versions. Without a
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


DOCUMENT_CELLS = RecordCells(
    StoredDocument,
    {
        "body": Column("d:b"),
        "changed_ms": Column("d:t"),
        "revision": Column("d:r"),
        "edits": Column("d:e"),
        "generation": Column("d:g"),
        "part_count": Column("d:n"),
        "paths_in_parts": Column("d:p"),
        "writing": Column("d:w"),
        "leaving": Column("d:l"),
    },
)
SUMMARY_CELLS = RecordCells(Summary, {"revision": Column("p:_revision"), "paths": OtherColumns("p", TEXT)})
"""A column for each chosen path, such as `p:name.last`."""
PART_CELLS = ItemCells(PartOfDocument, "b", KeyLayout(NumberOfPart), value="data", packing=RAW)
UNSETTLED_CELLS = RecordCells(DocumentOfOwner, {}, marker="u:x")

DOCUMENTS = TableLayout(
    "documents",
    "the document",
    KeyLayout(DocumentOfOwner),
    SourceCells(DOCUMENT_CELLS, "d:document"),
    {"d": Family(max_versions=VERSIONS)},
)
SUMMARIES = TableLayout(
    "documents",
    "its chosen paths",
    DOCUMENTS.key,
    SUMMARY_CELLS,
    {"p": Family(keep_tombstones_ms=KEEP_TOMBSTONES_MS)},
)
"""A second layout of the same table: computed columns, in the row of their document."""
PARTS = TableLayout(
    "documents_parts",
    "the parts of one revision of a large document",
    KeyLayout(GenerationOfDocument),
    PART_CELLS,
    {"b": Family(keep_tombstones_ms=KEEP_TOMBSTONES_MS)},
)
UNSETTLED = TableLayout(
    "documents_unsettled",
    "a line for a document whose parts are being written or removed",
    DOCUMENTS.key,
    UNSETTLED_CELLS,
    {"u": Family(keep_tombstones_ms=KEEP_TOMBSTONES_MS)},
)
INTENTS = intents_table("documents_intents")
ERASURES, (ERASED_DOCUMENTS,) = erasures_tables("documents_erasures", writers=1)


class DocumentTables(NamedTuple):
    """The documents, the parts of large ones, the erasures of owners, and the writes under way."""

    documents: TableLayout[DocumentOfOwner, StoredDocument]
    summaries: TableLayout[Any, Summary]
    parts: TableLayout[GenerationOfDocument, PartOfDocument]
    unsettled: TableLayout[Any, DocumentOfOwner]
    erasures: TableLayout[ErasedName, Erasure]
    erased_documents: TableLayout[ErasedName, ErasedSource]
    intents: TableLayout[Any, Intent]


TABLES = DocumentTables(DOCUMENTS, SUMMARIES, PARTS, UNSETTLED, ERASURES, ERASED_DOCUMENTS, INTENTS)
