"""What the pages of `documents` measure for themselves."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from time import sleep
from typing import Any

from shared.designs import Cost, Design, metered, scratch_store
from shared.exhibit import Crossing, Series, filled, markdown_table, stored_bytes
from shared.stores import connect
from shared.tables import TableLayout, create_tables
from shared.writes import CLOCK

from ..keys import DOCUMENTS, PARTS, TABLES, VERSIONS, DocumentOfOwner
from ..parts import MAX_BODY_BYTES
from ..records import Document
from ..repository import DocumentRepository
from .variants import history, indexed

# ---- a filter against an index: what a question for one value reads, by how many of an owner's documents have it


NOON_MS = 1_768_219_200_000
OF_OWNER = 128
HAVING = (1, 2, 4, 8, 16, 32, 64, 128)
"""How many of them have the value."""


def _rows_read(having: int, repository: type[DocumentRepository | indexed.Repository]) -> int:
    """The rows that are read to find the documents that have a value."""
    with closing(scratch_store(indexed.TABLES)) as connection:
        documents = repository(connection)
        for number in range(OF_OWNER):
            state = "CA" if number < having else "NV"
            documents.store(Document("acme", f"{number:03}", {"state": state, "text": "x" * 500}, NOON_MS))
        with metered(connection) as cost:
            assert len(documents.having("acme", "state", "CA").page(OF_OWNER).records) == having
        return cost.rows_read or 0


def crossing(_design: Design) -> Crossing:
    """The rows that a question for one value reads."""
    filter_, index = (
        [_rows_read(having, repository) for having in HAVING] for repository in (DocumentRepository, indexed.Repository)
    )
    as_many = next(place for place, one, other in zip(HAVING, filter_, index, strict=True) if other >= one)
    return Crossing(
        f"An index pays if fewer than {as_many} of {OF_OWNER} documents match",
        "rows read",
        f"documents that have the value, of {OF_OWNER} of the owner",
        HAVING,
        (Series("a filter", filter_), Series("an index", index)),
        f"The filter of `documents` always reads all {filter_[0]} rows of the owner, on the server. "
        "`documents:indexed` reads two rows for each document that it returns, and a change of a value costs 2 more "
        "calls.",
    )


# ---- blocks of the page of `documents` only: what a document costs by its size, and what its versions store


KIB = 1024
SIZES = (KIB, MAX_BODY_BYTES // 2, 10 * KIB * KIB)
"""Bytes of text in a document; the last one has to be cut."""
CHANGES = (1, 10, 100)
VERSIONED_BYTES = 1000


def _document(size: int) -> Document:
    return Document("acme", "user000001", {"state": "CA", "text": "x" * size}, NOON_MS)


def _words(cost: Cost) -> str:
    return "1 RPC" if cost.rpcs == 1 else f"{cost.rpcs} RPCs"


def size_rows() -> Iterator[tuple[str, ...]]:
    """For each size, the calls that store the document, change it and read it, and the bytes of its summary."""
    for size in SIZES:
        with closing(scratch_store(TABLES)) as connection:
            documents = DocumentRepository(connection)
            documents.store(Document("acme-2", "first", {}, NOON_MS))  # compares the clocks
            is_large = size > MAX_BODY_BYTES
            store = documents.store_in_parts if is_large else documents.store
            document = _document(size)
            with metered(connection) as stored:
                store(document)
            with metered(connection) as changed:
                store(document.edited(document.body, NOON_MS + 1))
            with metered(connection) as read:
                assert documents.document("acme", "user000001") is not None
            with metered(connection) as listed:
                assert documents.summaries("acme").count() == 1
        parts = sum(len(rows) for table, rows in stored.rows_written.items() if table == PARTS.name.encode())
        yield (
            f"{size // KIB:,} KiB",
            f"{parts} parts" if is_large else "one cell",
            _words(stored),
            _words(changed),
            _words(read),
            f"{read.bytes_fetched:,}",
            f"{listed.bytes_fetched:,}",
        )


def version_rows() -> Iterator[tuple[str, ...]]:
    """For each number of changes, the changes and bytes that the last ten versions keep, and that a history keeps."""
    for changes in CHANGES:
        kept: list[str] = []
        for tables, open_ in ((TABLES, DocumentRepository), (history.TABLES, history.Repository)):
            with closing(scratch_store(tables)) as connection:
                documents: Any = open_(connection)
                document = _document(VERSIONED_BYTES)
                for number in range(changes):
                    documents.store(document)
                    document = document.edited({**document.body, "number": number}, NOON_MS + number)
                found = len(documents.versions("acme", "user000001", newest=VERSIONS if tables is TABLES else changes))
                kept += [f"{found}", f"{sum(_all_versions(connection, tables[0])):,}"]
        yield f"{changes}", *kept


def _all_versions(connection: Any, table: TableLayout[Any, Any]) -> Iterator[int]:
    """The bytes of all versions of the cells of the document's row."""
    row = DOCUMENTS.layout.row(DocumentOfOwner("acme", "user000001"))
    columns = connection.table(table.name).row(row, columns=[*table.cells.columns])
    for column in columns:
        for value in connection.table(table.name).cells(row, column, versions=1000):
            yield stored_bytes(row, column, value)


def as_of_words(design: Design) -> str:
    """What a page as of the middle of the samples reads: the cost table asks as of a time after all of them."""
    (load,) = design.loads
    records = sorted(load.sample_records(), key=lambda record: record.changed_ms)
    middle = len(records) // 2
    reads: list[str] = []
    found: set[int] = set()
    for tables, open_ in ((TABLES, DocumentRepository), (history.TABLES, history.Repository)):
        with closing(scratch_store(tables)) as connection:
            documents: Any = open_(connection)
            for record in records[:middle]:
                load.store_in(documents, record)
            as_of_ms = CLOCK.read_ms() if tables is TABLES else records[middle - 1].changed_ms
            sleep(0.002)  # so that the server dates what follows later
            for record in records[middle:]:
                load.store_in(documents, record)
            with metered(connection) as cost:
                page = documents.of_owner("acme", as_of_ms=as_of_ms).page()
            reads.append(f"{cost.rows_read} rows in {cost.rpcs} calls")
            found.add(len(page.records))
    (records_found,) = found
    return (
        "The table asks as of a time after all changes, which is the easiest case. As of the middle of the samples, a "
        f"page of {records_found} documents reads {reads[0]}, because documents that have changed since are read "
        f"again; in `history`, {reads[1]}."
    )


def own_blocks(design: Design) -> Mapping[str, str]:
    """The blocks, by name."""
    sizes = markdown_table(
        ("text", "stored in", "store", "change", "read", "bytes read", "bytes of its summary"), size_rows()
    )
    versions = markdown_table(("changes", "kept by `documents`", "bytes", "kept by `history`", "bytes"), version_rows())
    of_sizes = "What a document costs in `documents`, by the size of a text in it:"
    of_versions = (
        f"How many changes of a document with a text of {VERSIONED_BYTES:,} bytes are kept, and the bytes of all "
        "versions:"
    )
    return {
        "sizes": f"{filled(of_sizes)}\n\n{sizes}",
        "versions": f"{filled(of_versions)}\n\n{versions}",
        "as-of": filled(as_of_words(design)),
    }


# ---- what a list reads after most of an owner's documents were deleted


STORED, DELETED = 100, 70


def compare_retention() -> Iterator[str]:
    """Lines to print: the rows that a list reads after documents were deleted, and after a compaction."""
    connection: Any = connect("embedded:")  # only this store has `compact`
    create_tables(connection, [*TABLES, *history.TABLES])
    documents: Any = DocumentRepository(connection)
    histories: Any = history.Repository(connection)
    for number in range(STORED):
        document = Document("acme", f"{number:02}", {"n": number}, NOON_MS)
        documents.store(document)
        histories.store(document)
        if number < DELETED:
            documents.store(document.deleted(NOON_MS + 1))
            connection.table(history.HISTORY.layout.name).delete(history.HISTORY.layout.row(document))
    for what in ("deleted", "compacted"):
        for name, repository in (("documents", documents), ("history", histories)):
            with metered(connection) as cost:
                found = repository.of_owner("acme").count()
            yield f"{name}, {what}: {cost.rows_read} rows read for {found}"
        for table in (DOCUMENTS.layout.name, history.HISTORY.layout.name):
            connection.compact(table)
