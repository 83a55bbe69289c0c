"""Lines that know more than their source, as after a restored backup: kept, restored or discarded."""

import time
from contextlib import closing, suppress

import attrs
import pytest

from shared.stores import connect
from shared.tables import create_tables
from shared.testing import WatchedConnection, WriterDied, dying_before
from shared.writes import Instructions, IntentWriter, WriterUpkeep, claim
from shared.writes.intents import FORGET_MS, FUTURE_MS
from shared.writes.server_clock import MAX_SKEW_MS

from .notes import INTENTS, NOTES, OWNERS, STATES, TABLES, ById, ByState, Note, writer_on

A = Note("a", "ada", "open", "x")
LATER = Note("a", "ada", "done", "y")
COLUMN = b"n:note"


@pytest.fixture
def connection():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        yield connection


def write(connection, note, key="a"):
    return writer_on(connection).write(ById(key), lambda _stored: note)


def contents(connection):
    return {table.name: dict(connection.table(table.name).scan()) for table in TABLES[:-1]}


def lines(connection):
    return {name: rows for name, rows in contents(connection).items() if name != NOTES.name}


def repaired(connection, **told):
    findings = WriterUpkeep(writer_on(connection)).repair(instructions=Instructions(**told))
    return [(finding.kind, finding.table, is_mended) for finding, is_mended in findings]


def found(connection):
    return [(finding.kind, finding.table) for finding in WriterUpkeep(writer_on(connection)).verify()]


def lose(connection, *, keeps):
    """Stores a note, changes it, and restores the source table from a backup before the change or before the note."""
    if keeps:
        write(connection, A)
    backup = connection.table(NOTES.name).row(b"a")
    write(connection, LATER)
    connection.table(NOTES.name).delete(b"a")
    time.sleep(0.02)  # so that the server dates the backup after the delete
    if keeps:
        connection.table(NOTES.name).put(b"a", backup)


OLDER = pytest.mark.parametrize("keeps", [True, False], ids=["older", "missing"])


@OLDER
def test_lines_of_a_lost_revision_are_orphaned_and_kept_however_often_repair_runs(connection, keeps):
    lose(connection, keeps=keeps)
    before = contents(connection)
    for _ in range(3):
        kinds = repaired(connection)
        assert ("orphaned", OWNERS.name, False) in kinds
        assert ("orphaned", STATES.name, False) in kinds
        assert not any(is_mended for _, _, is_mended in kinds)
        assert contents(connection) == before


def test_a_finding_shows_what_the_line_holds(connection):
    lose(connection, keeps=False)
    row = OWNERS.row(LATER).hex(" ")
    owners, states = map(str, WriterUpkeep(writer_on(connection)).verify())
    what = "owner='ada', id='a', state='done', text='y'"
    assert owners == f"notes_by_owner: orphaned row {row}: its source is missing, it holds {what}"
    assert states.endswith("its source is missing, it holds state='done', id='a'")


def test_a_line_that_says_what_its_source_says_is_a_proof_too(connection):
    """The list by owner is put again by a revision that changes only what it does not show: it is newer, not other."""
    write(connection, A)
    time_ms = writer_on(connection).reader.read(b"a").time_ms
    cells = connection.table(OWNERS.name).row(OWNERS.row(A))
    connection.table(OWNERS.name).put(OWNERS.row(A), cells, timestamp=time_ms + 1)
    assert found(connection) == []
    connection.table(OWNERS.name).put(OWNERS.row(A), cells, timestamp=time_ms + 2)
    assert found(connection) == [("orphaned", OWNERS.name)]


@OLDER
def test_a_record_is_restored_from_its_lines(connection, keeps):
    lose(connection, keeps=keeps)
    kinds = repaired(connection, restores=True)
    assert all(is_mended for _, _, is_mended in kinds)
    assert {table for kind, table, _ in kinds if kind == "orphaned"} == {OWNERS.name, STATES.name}
    assert writer_on(connection).reader.read(b"a").record == LATER
    assert found(connection) == []
    assert write(connection, A) == A
    assert found(connection) == []


def test_a_restored_revision_is_above_every_line_that_it_was_made_of(connection):
    lose(connection, keeps=False)
    ahead_ms = time.time_ns() // 1_000_000 + FUTURE_MS - 1_000
    cells = OWNERS.cells.pack(attrs.evolve(LATER, text="newest"))
    connection.table(OWNERS.name).put(OWNERS.row(LATER), cells, timestamp=ahead_ms)
    assert all(is_mended for _, _, is_mended in repaired(connection, restores=True))
    source = writer_on(connection).reader.read(b"a")
    assert (source.record.text, source.time_ms > ahead_ms) == ("newest", True)
    assert write(connection, A) == A
    assert found(connection) == []


def test_a_record_is_not_restored_if_an_attribute_is_missing(connection):
    lose(connection, keeps=False)
    connection.table(OWNERS.name).delete(OWNERS.row(LATER))
    before = contents(connection)
    ((finding, is_mended),) = WriterUpkeep(writer_on(connection)).repair(instructions=Instructions(restores=True))
    assert (finding.kind, is_mended) == ("orphaned", False)
    assert finding.reason.endswith("; not restored: no line holds owner and text")
    assert contents(connection) == before


def test_a_record_is_not_restored_from_lines_that_contradict_each_other(connection):
    lose(connection, keeps=False)
    cells = connection.table(OWNERS.name).row(OWNERS.row(LATER), include_timestamp=True)
    time_ms = max(written_ms for _, written_ms in cells.values())
    bob = attrs.evolve(LATER, owner="bob")
    connection.table(OWNERS.name).put(OWNERS.row(bob), OWNERS.cells.pack(bob), timestamp=time_ms)
    before = contents(connection)
    findings = WriterUpkeep(writer_on(connection)).repair(instructions=Instructions(restores=True))
    assert {finding.reason.partition("not restored: ")[2] for finding, _ in findings} == {
        "its lines contradict each other"
    }
    assert contents(connection) == before


def test_a_line_that_cannot_be_read_is_not_restored(connection):
    lose(connection, keeps=False)
    connection.table(OWNERS.name).put(OWNERS.row(LATER), {b"n:t": b"\xc1"})
    before = contents(connection)
    findings = list(WriterUpkeep(writer_on(connection)).repair(instructions=Instructions(restores=True)))
    assert [is_mended for _, is_mended in findings] == [False, False]
    assert "it holds cells that cannot be read: Note.text: " in findings[0][0].reason
    assert contents(connection) == before


# ---- discarding


def put_lines(connection, note, time_ms):
    connection.table(OWNERS.name).put(OWNERS.row(note), OWNERS.cells.pack(note), timestamp=time_ms)
    line = ByState(note.state, note.id)
    connection.table(STATES.name).put(STATES.row(line), STATES.cells.pack(line), timestamp=time_ms)


def now_ms():
    return time.time_ns() // 1_000_000


def test_lines_without_a_source_are_discarded_and_create_no_source(connection):
    put_lines(connection, A, now_ms() - FORGET_MS - 1)
    assert repaired(connection) == [("orphaned", OWNERS.name, False), ("orphaned", STATES.name, False)]
    assert repaired(connection, discards_orphaned=True) == [
        ("orphaned", OWNERS.name, True),
        ("orphaned", STATES.name, True),
    ]
    assert contents(connection) == {NOTES.name: {}, OWNERS.name: {}, STATES.name: {}}


def test_the_deletes_of_discarded_lines_hide_no_line_of_a_new_record(connection):
    put_lines(connection, A, now_ms() - FORGET_MS - 1)
    repaired(connection, discards_orphaned=True)
    write(connection, A)
    assert found(connection) == []
    assert writer_on(connection).reader.agreeing(STATES, [ByState("open", "a")]) == [A]
    assert len(contents(connection)[STATES.name]) == 1


def test_young_lines_without_a_source_are_not_discarded(connection):
    lose(connection, keeps=False)
    before = contents(connection)
    findings = list(WriterUpkeep(writer_on(connection)).repair(instructions=Instructions(discards_orphaned=True)))
    assert [is_mended for _, is_mended in findings] == [False, False]
    assert all(finding.reason.endswith("; not discarded: must be 42 minutes old") for finding, _ in findings)
    assert contents(connection) == before


def test_one_line_is_discarded_by_its_table_and_row(connection):
    put_lines(connection, A, now_ms() - FORGET_MS - 1)
    told = {"discards_rows": frozenset({(OWNERS.name, OWNERS.row(A))})}
    assert repaired(connection, **told) == [("orphaned", OWNERS.name, True), ("orphaned", STATES.name, False)]
    assert [len(rows) for rows in lines(connection).values()] == [0, 1]


def test_to_discard_lines_of_an_older_source_makes_all_its_lines_agree_with_it(connection):
    lose(connection, keeps=True)
    assert all(is_mended for _, _, is_mended in repaired(connection, discards_orphaned=True))
    assert found(connection) == []
    assert writer_on(connection).reader.read(b"a").record == A
    assert contents(connection)[OWNERS.name] == {OWNERS.row(A): OWNERS.cells.pack(A)}
    write(connection, LATER)
    assert found(connection) == []


def test_a_source_that_cannot_be_read_is_discarded_by_its_row_alone_and_restored_from_its_lines(connection):
    write(connection, A)
    connection.table(NOTES.name).put(b"a", {COLUMN: b"damaged"})
    assert repaired(connection, discards_undecodable=True) == [("undecodable", NOTES.name, False)]
    told = {"discards_rows": frozenset({(NOTES.name, b"a")})}
    assert repaired(connection, **told)[0] == ("undecodable", NOTES.name, True)
    assert all(is_mended for _, _, is_mended in repaired(connection, restores=True))
    assert writer_on(connection).reader.read(b"a").record == A
    assert found(connection) == []


# ---- what is not a lost revision


def test_repair_mends_the_lines_of_other_sources(connection):
    write(connection, attrs.evolve(A, id="b"), "b")
    lose(connection, keeps=True)
    connection.table(OWNERS.name).delete(OWNERS.row(attrs.evolve(A, id="b")))
    kinds = repaired(connection)
    assert [(kind, is_mended) for kind, _, is_mended in kinds if is_mended] == [("missing", True)]
    assert ("missing", STATES.name, False) in kinds, "the older source stays as it is"


def is_decision(call):
    return call.name == "checkAndPut"


def test_lines_of_a_claim_that_died_are_explained_by_the_record_that_claims_them(connection):
    claimed = [frozenset({b"a"})]

    def line_of(note):
        return [(STATES, ByState(note.state, note.id))]

    def moving_only(connection):
        return IntentWriter(connection, NOTES, INTENTS, [STATES], line_of, moving=[STATES])

    with suppress(WriterDied):
        claim(moving_only(WatchedConnection(connection, dying_before(is_decision))), [A])
    asked = []
    verifier = WriterUpkeep(moving_only(connection), lambda: asked.append(1) or claimed[0])
    assert list(verifier.verify()) == []
    assert asked
    claimed[0] = frozenset()
    assert [finding.kind for finding in verifier.verify()] == ["orphaned"]
    assert claim(moving_only(connection), [A]) == 1
    asked.clear()
    assert list(verifier.verify()) == []
    assert not asked, "asked only if lines are suspect whose sources were never written"


def test_a_source_that_a_claim_explains_may_still_have_lost_a_line(connection):
    write(connection, A)
    connection.table(STATES.name).delete(STATES.row(ByState("open", "a")))
    verifier = WriterUpkeep(writer_on(connection), lambda: frozenset({b"a"}))
    assert [finding.kind for finding in verifier.verify()] == ["missing"]


# ---- cells of the future


@pytest.mark.parametrize("ahead_ms", [86_400_000, 2**63 - 2 - time.time_ns() // 1_000_000], ids=["a day", "2**63-2"])
@pytest.mark.parametrize("is_wanted", [True, False])
def test_a_cell_of_the_future_is_kept_and_does_not_drag_its_source_there(connection, ahead_ms, is_wanted):
    write(connection, A)
    note = A if is_wanted else attrs.evolve(A, owner="eve")
    at_ms = min(now_ms() + ahead_ms, 2**63 - 2)
    connection.table(OWNERS.name).put(OWNERS.row(note), {b"n:t": b"\xa1z"}, timestamp=at_ms)
    for told in ({}, {"discards_orphaned": True, "restores": True}):
        assert repaired(connection, **told) == [("future", OWNERS.name, False)]
    (finding,) = WriterUpkeep(writer_on(connection)).verify()
    statement = f"""delete 'notes_by_owner', "{note.owner}\\x00\\x01a\\x00\\x01", "n:t", {at_ms}"""
    assert finding.reason.endswith(f"in the HBase shell: {statement}")
    assert writer_on(connection).reader.read(b"a").time_ms <= now_ms() + FUTURE_MS
    assert write(connection, LATER) == LATER


def test_a_line_of_a_clock_that_was_ahead_goes_if_told_and_hides_no_later_write(connection):
    write(connection, A)
    note = attrs.evolve(A, owner="eve")
    connection.table(OWNERS.name).put(OWNERS.row(note), {b"n:t": b"\xa1z"}, timestamp=now_ms() + 2 * MAX_SKEW_MS)
    assert repaired(connection, discards_orphaned=True) == [("orphaned", OWNERS.name, True)]
    assert found(connection) == []
    assert write(connection, LATER) == LATER
    assert found(connection) == []


def test_repair_of_a_source_refuses_a_time_in_the_future(connection):
    write(connection, A)
    with pytest.raises(ValueError, match="newest_ms: must be at most 180000 ms after now"):
        writer_on(connection).repair(b"a", (), now_ms() + 2 * FUTURE_MS)


# ---- writes under way on a source that has lost a revision -----------------------------------------------------


def die_after_the_intent(connection, note):
    stopped = WatchedConnection(connection, dying_before(lambda call: call.name == "checkAndPut"))
    with suppress(WriterDied):
        writer_on(stopped).write(ById("a"), lambda _stored: note)


@OLDER
def test_a_write_of_a_lost_revision_is_not_completed_because_that_would_delete_its_last_copy(connection, keeps):
    if keeps:
        write(connection, A)
    backup = connection.table(NOTES.name).row(b"a")
    write(connection, LATER)
    die_after_the_intent(connection, attrs.evolve(LATER, state="open"))
    connection.table(NOTES.name).delete(b"a")
    time.sleep(0.02)  # so that the server dates the backup after the delete
    if keeps:
        connection.table(NOTES.name).put(b"a", backup)
    before = contents(connection)
    assert ("orphaned", OWNERS.name) in found(connection), "a young intent does not explain it"
    recovery = writer_on(connection).recover(older_than_ms=0)
    assert (recovery.settled, len(recovery.failed)) == (0, 1)
    assert "its source has lost a revision" in recovery.failed[0] or "its source is missing" in recovery.failed[0]
    kinds = repaired(connection)
    assert [kind for kind, _, _ in kinds][:1] == ["unsettled"]
    assert contents(connection) == before
    assert all(is_mended for kind, _, is_mended in repaired(connection, restores=True) if kind == "orphaned")
    assert writer_on(connection).reader.read(b"a").record.text == "y"
    assert writer_on(connection).recover(older_than_ms=0).failed == ()
    assert found(connection) == []


def test_a_line_that_only_a_write_puts_is_orphaned_if_no_intent_names_its_source(connection):
    write(connection, A)
    time_ms = writer_on(connection).reader.read(b"a").time_ms
    line = STATES.row(ByState("done", "a"))
    connection.table(STATES.name).put(line, {b"n:x": b""}, timestamp=time_ms + 1)
    assert found(connection) == [("orphaned", STATES.name)]
    assert repaired(connection)[0] == ("orphaned", STATES.name, False)
    assert connection.table(STATES.name).row(line) != {}


def test_a_record_is_restored_without_what_its_present_source_has_removed(connection):
    write(connection, attrs.evolve(A, owner="bob"))
    stale = connection.table(OWNERS.name).row(OWNERS.row(attrs.evolve(A, owner="bob")))
    writer_on(connection).write(ById("a"), lambda _stored: None)
    write(connection, A)
    time_ms = writer_on(connection).reader.read(b"a").time_ms
    connection.table(OWNERS.name).put(OWNERS.row(attrs.evolve(A, owner="bob")), stale, timestamp=time_ms - 1)
    done = ByState("done", "a")
    connection.table(STATES.name).put(STATES.row(done), STATES.cells.pack(done), timestamp=time_ms + 50)
    repaired(connection, restores=True)
    assert writer_on(connection).reader.read(b"a").record == attrs.evolve(A, state="done")
    assert found(connection) == []


def test_a_damaged_source_that_is_dated_in_the_future_is_not_discarded_because_that_would_hide_later_ones(connection):
    write(connection, A)
    ahead_ms = time.time_ns() // 1_000_000 + 2 * FUTURE_MS
    connection.table(NOTES.name).put(b"a", {COLUMN: b"damaged"}, timestamp=ahead_ms)
    told = Instructions(discards_rows=frozenset({(NOTES.name, b"a")}))
    ((finding, is_mended),) = [
        found for found in WriterUpkeep(writer_on(connection)).repair(instructions=told) if found[0].table == NOTES.name
    ]
    assert not is_mended
    assert f"not discarded: dated {ahead_ms}; Thrift1 would also hide later puts" in finding.reason
    assert connection.table(NOTES.name).row(b"a") == {COLUMN: b"damaged"}
