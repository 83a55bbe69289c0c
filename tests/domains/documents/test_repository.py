"""Changes, versions and chosen paths of documents, beyond what crash tests and a plain list show."""

import time
from functools import partial

import attrs
import msgpack
import pytest

from domains.documents import Document, DocumentConflict, records
from domains.documents.keys import VERSIONS
from domains.documents.shown.design import DESIGN
from domains.documents.stored import EDITS_KEPT
from shared.designs import metered
from shared.keys import InvalidQuestion
from shared.tables import InvalidRow
from shared.testing import WatchedConnection, paused_before, stored_cells
from tests.domains.variants import only
from tests.engines import EMBEDDED

NOON_MS = 1_768_219_200_000
ADA = Document("acme", "user000001", {"name": {"last": "King"}, "state": "CA", "text": "x" * 1000}, NOON_MS)
BEN = Document("acme", "user000002", {"state": "NV"}, NOON_MS)


without_lost_updates = only(DESIGN, "documents", "history")
with_paths = only(DESIGN, "documents", "indexed")
the_design = only(DESIGN, "documents")


def changed(document, **values):
    """The document with more values, changed a millisecond later."""
    return document.edited({**document.body, **values}, document.changed_ms + 1)


@pytest.fixture
def documents(repository):
    repository.store(ADA)
    repository.store(BEN)
    return repository


# ---- records

DEEP = {"a": 1}
for _ in range(1100):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    "body",
    [{}, {"": ""}, {"a": [1, -(2**63), 2**64 - 1, 1.5, None, True, "é", b"x", {"b": []}]}],
)
def test_a_body_is_what_msgpack_returns_as_it_was(body, repository, variant):
    repository.store(document := Document("acme", "1", body, NOON_MS))
    found = repository.document("acme", "1")
    assert repr(found) == repr(document)  # True is not 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (("a", 1), "is not a dict"),
        ({"a": (1,)}, "can not serialize 'tuple' object"),
        ({"a": 2**64}, "Integer value out of range"),
        ({"a": float("nan")}, "has a NaN"),
        ({"a": ["\ud800"]}, "'utf-8' codec can't encode character"),
        (DEEP, "recursion limit exceeded"),
    ],
)
def test_any_other_body_is_refused_in_one_line(body, reason):
    with pytest.raises(
        ValueError, match=r"^Document\.body: must be a dict that msgpack returns as it was: "
    ) as refused:
        Document("acme", "1", body, NOON_MS)
    assert reason in str(refused.value)
    assert len(str(refused.value)) < 350


def test_a_deletion_has_no_body_and_a_document_of_a_file_the_same_edit_each_time():
    with pytest.raises(ValueError, match=r"^Document\.body: must be empty if is_deleted \(got \{'a': 1\}\)$"):
        Document("acme", "1", {"a": 1}, NOON_MS, 2, is_deleted=True)
    edits = [Document("acme", "1", {"n": number}, NOON_MS).edit for number in (1, 1, 2)]
    assert edits[0] == edits[1] != edits[2]


# ---- changes


@without_lost_updates
def test_of_two_changes_at_once_one_is_refused(connection, variant, documents):
    rival = partial(documents.store, moved := changed(ADA, state="CO"))
    late = WatchedConnection(connection, paused_before(lambda call: call.name == "checkAndPut", rival))
    with pytest.raises(DocumentConflict):
        variant.open(late).store(changed(ADA, state="NV"))
    assert documents.document("acme", "user000001") == moved


@without_lost_updates
def test_a_change_from_another_revision_than_the_stored_one_is_refused_and_changes_nothing(
    connection, variant, documents
):
    documents.store(moved := changed(ADA, state="NV"))
    before = stored_cells(connection, variant.tables)
    late = "Document.revision: document 'user000001' of 'acme' is stored with revision 2, so the next one must be 3"
    new = "Document.revision: document 'user000009' of 'acme' is not stored, so the next one must be 1"
    for document, reason in (
        (changed(ADA, state="CO"), f"{late} (got 2)"),
        (attrs.evolve(ADA, body={}, edit=bytes(8)), f"{late} (got 1)"),
        (attrs.evolve(moved, revision=4, edit=bytes(8)), f"{late} (got 4)"),
        (ADA.deleted(NOON_MS), f"{late} (got 2)"),
        (attrs.evolve(changed(ADA), document_id="user000009"), f"{new} (got 2)"),
    ):
        with pytest.raises(DocumentConflict) as refused:
            documents.store(document)
        assert str(refused.value) == reason
    assert stored_cells(connection, variant.tables) == before


@without_lost_updates
def test_two_writers_who_make_the_same_change_at_once_are_not_taken_for_one(documents):
    counted = changed(ADA, logins=1)
    again = changed(ADA, logins=1)
    documents.store(counted)
    with pytest.raises(DocumentConflict):
        documents.store(again)
    documents.store(counted)  # the same writer, who got no reply
    assert documents.document("acme", "user000001") == counted


@the_design
def test_a_change_that_is_stored_again_is_known_until_sixteen_later_ones(documents):
    history = [ADA]
    for _ in range(EDITS_KEPT):
        history.append(changed(history[-1]))
        documents.store(history[-1])
        documents.store(history[1])
    documents.store(changed(history[-1]))
    with pytest.raises(DocumentConflict):
        documents.store(history[1])


# ---- versions


@with_paths
def test_a_document_as_of_a_time_before_its_kept_changes_is_unknown_before_and_after_a_compaction(
    engine, connection, documents
):
    source = documents.writer.source
    rows, column = documents.writer.rows(source.name), source.cells.columns[0]

    def stored_ms(document):
        return rows.row(source.row(document), [column], include_timestamp=True)[column][1]

    history, times_ms = [ADA], []
    for number in range(VERSIONS + 2):
        times_ms.append(stored_ms(ADA))
        time.sleep(0.002)  # so that the change has a later time
        history.append(changed(history[-1], number=number))
        documents.store(history[-1])
    for compacts in (False, True) if engine.name == EMBEDDED else (False,):
        if compacts:
            connection.compact(source.name)
        for time_ms, document in zip(times_ms, history, strict=False):
            unknown = []
            found = list(documents.of_owner("acme", as_of_ms=time_ms).on_invalid(unknown.append))
            if document.revision > len(history) - VERSIONS:
                assert documents.document("acme", "user000001", as_of_ms=time_ms) == document
                assert (found[0], unknown) == (document, [])
            else:
                with pytest.raises(InvalidRow, match=f"as of {time_ms} ms is unknown: only 10 later versions are kept"):
                    documents.document("acme", "user000001", as_of_ms=time_ms)
                assert [invalid.row for invalid in unknown] == [source.row(ADA)]
        assert documents.document("acme", "user000002", as_of_ms=0) is None


@the_design
def test_a_revision_that_a_recoverer_wrote_again_is_one_version(documents):
    documents.store(moved := changed(ADA, state="NV"))
    for _ in range(3):
        documents.writer.repair(documents.writer.source.row(moved), ())
    with metered(documents.writer.rows("documents").connection) as cost:
        assert documents.versions("acme", "user000001", newest=2) == [moved, ADA]
    assert cost.rpcs == 2


# ---- chosen paths


@with_paths
def test_a_value_is_found_by_its_path_as_the_document_has_it_now(documents):
    source = documents.writer.source
    documents.writer.rows(source.name).put(source.row(ADA), {b"p:state": b"CO"})  # as a dead writer leaves it
    assert list(documents.having("acme", "state", "CO")) == []
    with pytest.raises(InvalidQuestion, match=r"^path: must be one of name\.last, state, social.twitter .got 'text'.$"):
        documents.having("acme", "text", "x")


@with_paths
@pytest.mark.parametrize("column", [b"p:state", b"p:\xff"])
def test_a_damaged_path_is_found_and_mended_though_it_is_newer_than_its_document(documents, variant, column):
    source = documents.writer.source
    documents.writer.rows(source.name).put(source.row(ADA), {column: b"\xff"})
    hidden = column == b"p:state" and variant.name != "indexed"
    assert list(documents.having("acme", "state", "CA")) == ([] if hidden else [ADA])
    ((finding, is_mended),) = documents.upkeep.repair()
    assert (finding.kind, finding.row, is_mended) == ("differing", source.row(ADA), True)
    assert list(documents.upkeep.verify()) == []
    assert list(documents.having("acme", "state", "CA")) == [ADA]
    assert [summary.paths for summary in documents.summaries("acme", ADA.document_id)] == [records.paths_of(ADA.body)]


@with_paths
def test_a_path_that_is_chosen_later_is_filled_by_repair(monkeypatch, documents):
    monkeypatch.setattr(records, "CHOSEN", ("state", "text.0", "name"))
    assert {finding.kind for finding in documents.upkeep.verify()} >= {"differing"}
    assert all(is_mended for _, is_mended in documents.upkeep.repair())
    assert list(documents.upkeep.verify()) == []
    assert [summary.paths for summary in documents.summaries("acme")] == [{"state": "CA"}, {"state": "NV"}]


@pytest.mark.parametrize(
    ("value", "shown"),
    [("", ""), ("é", "é"), (5, "5"), (-1.5, "-1.5"), (True, "true"), ("x" * 256, "x" * 256)]
    + [(value, None) for value in (None, [], {"a": "b"}, b"x", "x" * 257)],
)
def test_a_chosen_value_is_text_a_number_or_a_bool(value, shown):
    assert records.paths_of({"state": value}) == ({} if shown is None else {"state": shown})
    assert records.paths_of({"name": {"last": value}}).get("name.last") == shown


@only(DESIGN, "history")
def test_a_revision_that_lacks_a_value_is_damage_and_no_document_that_was_not_deleted(connection, variant, repository):
    repository.store(ADA)
    repository.store(ADA.deleted(NOON_MS + 1))
    rows = connection.table(variant.tables[0].name)
    ((row, cells),) = rows.scan()
    newest = min(cells)
    values = msgpack.unpackb(cells[newest])
    for length in range(len(values)):
        rows.put(row, {newest: msgpack.packb(values[:length])})
        with pytest.raises(InvalidRow, match="has no value"):
            repository.document("acme", "user000001")
