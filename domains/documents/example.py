"""The story of the design: store documents, change one twice at once, look back, store a large one.

Run it: python -m domains.documents.example
"""

import time

from shared.records import parse_time
from shared.stores import connect
from shared.tables import InvalidRecord, create_tables

from .deciding import DocumentConflict
from .keys import TABLES
from .records import Document
from .repository import DocumentRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    documents = DocumentRepository(connection)

    monday, tuesday = parse_time("2026-01-12T09:00"), parse_time("2026-01-13T09:00")
    ada = Document("acme", "user000001", {"name": {"first": "Ada", "last": "King"}, "state": "NV"}, monday)
    ben = Document("acme", "user000002", {"name": {"first": "Ben", "last": "King"}, "state": "CA"}, monday)
    documents.store(ada)
    documents.store(ben)
    documents.store(ada)  # a retry: the same revision again changes nothing
    documents.store(Document("acme-2", "user000001", {"state": "CA"}, monday))

    print("what a list shows of the documents of acme, without the documents:")
    summaries = list(documents.summaries("acme"))
    print(*summaries, sep="\n")
    assert [summary.paths["name.last"] for summary in summaries] == ["King", "King"]
    assert list(documents.having("acme", "state", "CA")) == [ben]

    before_ms = time.time_ns() // 1_000_000
    time.sleep(0.002)  # so that the change has a later time
    moved = ada.edited({**ada.body, "state": "CA"}, tuesday)
    renamed = ada.edited({**ada.body, "nickname": "A."}, tuesday)  # another writer, who read the same revision
    documents.store(moved)
    try:
        documents.store(renamed)
    except DocumentConflict as conflict:
        print("the second writer is told to read again:", conflict)
    assert documents.document("acme", "user000001") == moved
    assert documents.document("acme", "user000001", as_of_ms=before_ms) == ada
    assert documents.versions("acme", "user000001") == [moved, ada]

    large = Document("acme", "photo", {"state": "NV", "jpeg": "x" * 3_000_000}, monday)
    try:
        documents.store(large)
    except InvalidRecord as refused:
        print("a large document:", refused)
    documents.store_in_parts(large)
    assert documents.document("acme", "photo") == large

    print("rows of acme that remain for 42 minutes after it is erased:", documents.erase("acme"))
    assert [*documents.of_owner("acme")] == []
    assert documents.of_owner("acme-2").count() == 1


if __name__ == "__main__":
    main()
