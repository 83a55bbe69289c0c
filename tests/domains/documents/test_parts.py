"""Documents in parts: what is refused and stored, what readers see meanwhile, what is removed, lost or left over."""

import time
from functools import partial

import attrs
import pytest

from domains.documents import Document, DocumentRepository
from domains.documents.keys import DOCUMENTS, PARTS, GenerationOfDocument
from domains.documents.parts import MAX_BODY_BYTES, MAX_PARTS, PART_BYTES
from domains.documents.shown.design import DESIGN
from domains.documents.stored import GENERATION_BYTES
from shared.intents.times import FORGET_MS, WINDOW_MS
from shared.tables import InvalidRecord, InvalidRow
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at, paused_at_call
from shared.testing.stored_samples import stored_cells
from shared.upkeep import Instructions
from tests.shared.intents.clocks import SetClock

VARIANTS = DESIGN.variants[:1]
NOON_MS = 1_768_219_200_000
ADA = Document("acme", "user000001", {"state": "CA", "text": "abcdefgh" * 5}, NOON_MS)
MOVED = ADA.edited({"state": "NV", "text": "stuvwxyz" * 9}, NOON_MS + 1)
BACK = MOVED.edited({"state": "CO"}, NOON_MS + 2)
MIB = 1024 * 1024


def opened(connection, **options):
    return DocumentRepository(connection, **{"part_bytes": 20, **options})


@pytest.fixture
def documents(connection):
    return opened(connection)


def generations(connection):
    return [row for row, _ in connection.table(PARTS.name).scan()]


# ---- what is stored


def test_a_document_of_ten_megabytes_is_refused_with_advice_and_stored_in_parts_on_request(connection, repository):
    large = attrs.evolve(ADA, body={"state": "CA", "text": "x" * (10 * MIB)})
    with pytest.raises(InvalidRecord) as refused:
        repository.store(large)
    assert str(refused.value) == (
        "Document.body: must have at most 524288 bytes (got 10485780): store large values outside and their addresses "
        "here, or cut it into parts with store_in_parts"
    )
    assert not any(stored_cells(connection, VARIANTS[0].tables).values())
    repository.store_in_parts(large)
    ((_, cells),) = connection.table(PARTS.name).scan()
    assert {len(value) for value in cells.values()} == {PART_BYTES, 10_485_780 - 10 * PART_BYTES}
    assert repository.document("acme", "user000001") == large


def test_the_largest_body_of_one_cell_is_stored_and_one_byte_more_is_not(repository):
    repository.store(attrs.evolve(ADA, body={"text": "x" * (MAX_BODY_BYTES - 11)}))
    with pytest.raises(InvalidRecord, match=r"must have at most 524288 bytes \(got 524289\)"):
        repository.store(attrs.evolve(ADA, body={"text": "x" * (MAX_BODY_BYTES - 10)}))


def test_a_deletion_and_a_body_of_more_than_256_parts_are_refused(documents):
    with pytest.raises(InvalidRecord, match=r"^Document.is_deleted: must be False in parts"):
        documents.store_in_parts(ADA.deleted(NOON_MS))
    with pytest.raises(InvalidRecord, match=r"^Document.body: must have at most 5120 bytes \(got 5129\)$"):
        documents.store_in_parts(attrs.evolve(ADA, body={"text": "x" * (20 * MAX_PARTS)}))


def test_only_the_parts_of_the_present_revision_stay(connection, documents):
    for document, count in ((ADA, 1), (MOVED, 1)):
        documents.store_in_parts(document)
        assert len(generations(connection)) == count
        assert documents.document("acme", "user000001") == document
    documents.store(BACK)
    assert generations(connection) == []
    assert documents.versions("acme", "user000001") == [BACK]
    documents.store_in_parts(again := BACK.edited(ADA.body, NOON_MS))
    documents.store(again.deleted(NOON_MS))
    assert generations(connection) == []


# ---- what readers see


def test_a_reader_sees_the_old_document_or_the_new_one_whichever_calls_of_a_change_come_between_its_own(connection):
    opened(connection).store_in_parts(ADA)
    document, seen = ADA, set()
    for number in range(12):
        change = document.edited({"state": "CA", "text": f"{number}" * 90}, NOON_MS)
        write = partial(opened(connection).store_in_parts, change)
        reader = WatchedConnection(connection, before_call=paused_at_call(number, write))
        found = opened(reader).document("acme", "user000001")
        assert found in (document, change)
        seen.add(found == change)
        document = opened(connection).document("acme", "user000001")
    assert seen == {True, False}


def test_the_past_of_a_document_in_parts_is_an_error_as_of_a_time_and_left_out_of_its_versions(connection, documents):
    documents.store(whole := attrs.evolve(ADA, document_id="user000002"))
    documents.store_in_parts(ADA)
    row, column = DOCUMENTS.layout.row(ADA), DOCUMENTS.layout.cells.columns[0]
    ((_, then_ms),) = connection.table("documents").cells(row, column, versions=1, include_timestamp=True)
    assert documents.document("acme", "user000001", as_of_ms=then_ms) == ADA
    documents.store_in_parts(MOVED)
    with pytest.raises(InvalidRow, match=r"revision 1 was in parts, which a later revision has replaced$"):
        documents.document("acme", "user000001", as_of_ms=then_ms)
    reported = []
    assert list(documents.of_owner("acme", as_of_ms=then_ms).on_invalid(reported.append)) == [whole]
    assert [invalid.row for invalid in reported] == [row]
    assert documents.versions("acme", "user000001") == [MOVED]


# ---- what is removed


def is_part(call):
    return call.table == PARTS.name


def die_with_one_part(connection, document):
    """A writer dies after the first part of a document."""
    parts = []

    def is_second(call):
        parts.extend([call] * is_part(call))
        return len(parts) == 2

    with pytest.raises(WriterDied):
        opened(WatchedConnection(connection, dying_at(is_second))).store_in_parts(document)


def test_parts_of_a_dead_writer_are_found_after_ten_minutes_and_removed_by_recover(connection, documents, passes):
    documents.store_in_parts(ADA)
    die_with_one_part(connection, MOVED)
    assert len(generations(connection)) == 2
    assert (list(documents.upkeep.verify()), documents.upkeep.recover().waiting) == ([], 1)
    passes(WINDOW_MS + 1_000)  # a writer's clock may be milliseconds ahead of the store's
    (unsettled,) = documents.upkeep.verify()
    assert (unsettled.kind, unsettled.row) == ("unsettled", DOCUMENTS.layout.row(ADA))
    assert unsettled.reason == "old parts remain; rowbook recover documents removes them"
    assert documents.upkeep.recover().settled == 1
    assert (list(documents.upkeep.verify()), len(generations(connection))) == ([], 1)
    assert list(documents.of_owner("acme")) == [ADA]


def test_a_writer_whose_parts_were_given_up_while_it_lived_starts_again(connection, documents):
    documents.store_in_parts(ADA)
    recover = partial(opened(connection).upkeep.recover, 0)
    writer = WatchedConnection(connection, paused_at(is_part, recover))
    opened(writer).store_in_parts(MOVED)
    assert sum(map(is_part, writer.calls)) > 2 * len(MOVED.body["text"]) // 20
    assert documents.document("acme", "user000001") == MOVED
    assert len(generations(connection)) == 1


def test_a_writer_that_needs_more_than_ten_minutes_is_refused(connection, documents, passes):
    writer = WatchedConnection(connection, paused_at(is_part, partial(passes, WINDOW_MS + 1)))
    with pytest.raises(TimeoutError, match=r"^Document.body: only 1 of 3 parts were stored in ten minutes$"):
        opened(writer).store_in_parts(ADA)
    documents.store_in_parts(ADA)
    assert len(generations(connection)) == 1


# ---- what is lost, left over or damaged


def test_a_lost_part_is_found_and_kept_as_a_finding_and_the_document_is_an_error(connection, documents):
    documents.store(attrs.evolve(ADA, document_id="user000002"))
    documents.store_in_parts(ADA)
    (row,) = generations(connection)
    connection.table(PARTS.name).delete(row, [b"b:\x01"])
    (finding,) = documents.upkeep.verify()
    assert (finding.kind, finding.row, finding.reason) == ("missing", row, "1 of 3 parts are lost")
    assert list(documents.upkeep.repair()) == [(finding, False)]
    with pytest.raises(InvalidRow, match=r"revision 1 its parts are lost$"):
        documents.document("acme", "user000001")
    documents.store(ADA.edited({}, NOON_MS))
    assert list(documents.upkeep.verify()) == []
    assert documents.upkeep.counts["large document"] == 0


@pytest.mark.parametrize(
    ("number", "damaged"),
    [(0, lambda _: b""), (1, lambda _: b"\xc1"), (0, lambda _: b"\x93\x01"), (1, lambda part: part[:-7])],
    ids=["empty", "never used", "a list", "too short"],
)
def test_a_document_whose_parts_cannot_be_read_is_an_error_of_its_own_and_found(connection, documents, number, damaged):
    documents.store(whole := attrs.evolve(ADA, document_id="user000002"))
    documents.store_in_parts(ADA)
    (row,), column = generations(connection), b"b:%c" % number
    table = connection.table(PARTS.name)
    part, put_ms = table.row(row, include_timestamp=True)[column]
    table.put(row, {column: damaged(part)}, timestamp=put_ms)
    error = r"^documents: row .*: StoredDocument: revision 1 has parts that cannot be read: "
    for as_of_ms in (None, time.time_ns() // 1_000_000 + 1):
        with pytest.raises(InvalidRow, match=error):
            documents.document("acme", "user000001", as_of_ms)
        assert list(documents.of_owner("acme", as_of_ms=as_of_ms).on_invalid(lambda _: None)) == [whole]
    with pytest.raises(InvalidRow, match=error):
        documents.versions("acme", "user000001")
    (finding,) = documents.upkeep.verify()
    assert (finding.kind, finding.table, finding.row) == ("undecodable", PARTS.name, row)
    assert finding.source_row == DOCUMENTS.layout.row(ADA)
    assert list(documents.upkeep.repair(instructions=Instructions(discards_undecodable=True))) == [(finding, False)]
    documents.store(MOVED)
    assert list(documents.upkeep.verify()) == generations(connection) == []


def test_parts_that_no_document_names_are_left_over_until_repair_and_rows_that_are_no_keys_if_told(
    connection, documents
):
    documents.store_in_parts(ADA)
    (kept,) = generations(connection)
    stray = PARTS.row(GenerationOfDocument("acme", "user000001", bytes(GENERATION_BYTES)))
    for row in (stray, b"?"):
        connection.table(PARTS.name).put(row, {b"b:\0": b"x"})
    found = {finding.row: finding for finding in documents.upkeep.verify()}
    assert {row: finding.kind for row, finding in found.items()} == {stray: "left-over", b"?": "undecodable"}
    assert found[stray].is_harmless
    assert dict(documents.upkeep.repair()) == {found[stray]: True, found[b"?"]: False}
    told = Instructions(discards_undecodable=True)
    assert list(documents.upkeep.repair(instructions=told)) == [(found[b"?"], True)]
    assert generations(connection) == [kept]
    assert documents.document("acme", "user000001") == ADA


# ---- erasing


def test_parts_whose_date_hbase_does_not_take_stop_no_erasure(connection, documents):
    stray = PARTS.row(GenerationOfDocument("acme", "user000001", b"\xff" * GENERATION_BYTES))
    connection.table(PARTS.name).put(stray, {b"b:\0": b"x"})
    documents.erase("acme")
    assert generations(connection) == list(documents.upkeep.verify()) == []


@pytest.mark.parametrize("ahead_ms", [-50_000, 0, 50_000])
def test_versions_are_erased_and_spared_whatever_the_clock_of_the_eraser_shows(connection, documents, passes, ahead_ms):
    """The server dates versions, so what a writer's clock shows is nearer to another version of the document."""
    documents.store(ADA)
    documents.store(MOVED)
    passes(1000)
    before_ms = time.time_ns() // 1_000_000
    opened(connection, clock=SetClock(ahead_ms)).erase("acme")
    versions = connection.table("documents").cells(
        DOCUMENTS.layout.row(ADA), DOCUMENTS.layout.cells.columns[0], versions=10
    )
    assert not [cell for cell in versions if b"abcdefgh" in cell or b"stuvwxyz" in cell]
    assert documents.document("acme", "user000001", as_of_ms=before_ms) is None
    passes(1000)
    documents.store(back := attrs.evolve(ADA, body={"n": 1}))
    passes(2000)
    came_back_ms = time.time_ns() // 1_000_000
    passes(20_000)
    documents.store(second := back.edited({"n": 2}, NOON_MS))
    passes(FORGET_MS + 120_000)
    documents.store(third := second.edited({"n": 3}, NOON_MS))
    assert documents.upkeep.recover().settled == 1
    assert documents.versions("acme", "user000001", 10) == [third, second, back]
    assert documents.document("acme", "user000001", as_of_ms=came_back_ms) == back
