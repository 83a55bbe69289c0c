"""Lines that know more than their source, as after a restored backup: kept, restored or discarded."""

import time
from contextlib import suppress

import attrs
import pytest

from shared.intents import WriterUpkeep
from shared.intents.times import FORGET_MS, FUTURE_MS, WINDOW_MS
from shared.testing import WatchedConnection, WriterDied

from .clocks import now_ms
from .notes import BEFORE_DECISION, NOTES, OWNERS, STATES, TABLES, ByState, Note, die, moving_notes

A = Note("a", "ada", "open", "x")
LATER = Note("a", "ada", "done", "y")
EVE, BOB = attrs.evolve(A, owner="eve"), attrs.evolve(A, owner="bob")
COLUMN = b"n:note"
DAMAGED = {COLUMN: b"damaged"}
ORPHANED = [("orphaned", OWNERS.name), ("orphaned", STATES.name)]


def contents(connection):
    return {table.name: dict(connection.table(table.name).scan()) for table in TABLES[:-1]}


def kinds(notes):
    return [(finding.kind, finding.table) for finding in notes.findings()]


def kinds_repaired(notes, **told):
    return [(finding.kind, finding.table, is_mended) for finding, is_mended in notes.repaired(**told)]


def are_all_mended(notes, **told):
    return all(is_mended for _, is_mended in notes.repaired(**told))


def put_line(connection, table, line, time_ms, **cells):
    """Puts the line of another process; with `cells`, these instead of its own."""
    connection.table(table.name).put(table.row(line), cells or table.cells.pack(line), timestamp=time_ms)


def restore_backup(connection, backup):
    connection.table(NOTES.name).delete(b"a")
    time.sleep(0.02)  # so that the server dates the backup after the delete
    if backup:
        connection.table(NOTES.name).put(b"a", backup)


def lose(notes, *, keeps):
    """Stores a note, changes it, and restores the source table from a backup before the change or before the note."""
    if keeps:
        notes.store(A)
    backup = notes.connection.table(NOTES.name).row(b"a")
    notes.store(LATER)
    restore_backup(notes.connection, backup)


OLDER = pytest.mark.parametrize("keeps", [True, False], ids=["older", "missing"])


@OLDER
def test_lines_of_a_lost_revision_are_orphaned_and_kept_however_often_repair_runs(connection, notes, keeps):
    lose(notes, keeps=keeps)
    before = contents(connection)
    for _ in range(3):
        after = kinds_repaired(notes)
        assert {(*orphaned, False) for orphaned in ORPHANED} <= {*after}
        assert not any(is_mended for _, _, is_mended in after)
        assert contents(connection) == before


def test_a_finding_shows_what_the_line_holds(notes):
    lose(notes, keeps=False)
    owners, states = map(str, notes.findings())
    what = "its source is missing, it holds owner='ada', id='a', state='done', text='y'"
    assert owners == f"notes_by_owner: orphaned row {OWNERS.row(LATER).hex(' ')}: {what}"
    assert states.endswith("its source is missing, it holds state='done', id='a'")


def test_a_line_that_says_what_its_source_says_is_a_proof_too(connection, notes):
    """The list by owner is put again by a revision that changes only what it does not show: it is newer, not other."""
    notes.store(A)
    time_ms = notes.source().time_ms
    put_line(connection, OWNERS, A, time_ms + 1)
    assert kinds(notes) == []
    put_line(connection, OWNERS, A, time_ms + 2)
    assert kinds(notes) == ORPHANED[:1]


@OLDER
def test_a_record_is_restored_from_its_lines(notes, keeps):
    lose(notes, keeps=keeps)
    after = kinds_repaired(notes, restore=True)
    assert all(is_mended for _, _, is_mended in after)
    assert {(kind, table) for kind, table, _ in after if kind == "orphaned"} == {*ORPHANED}
    assert (notes.source().record, kinds(notes)) == (LATER, [])
    notes.store(A)
    assert (notes.source().record, kinds(notes)) == (A, [])


def test_a_restored_revision_is_above_every_line_that_it_was_made_of(connection, notes):
    lose(notes, keeps=False)
    ahead_ms = now_ms() + FUTURE_MS - 1_000
    put_line(connection, OWNERS, attrs.evolve(LATER, text="newest"), ahead_ms)
    assert are_all_mended(notes, restore=True)
    source = notes.source()
    assert (source.record.text, source.time_ms > ahead_ms) == ("newest", True)
    notes.store(A)
    assert (notes.source().record, kinds(notes)) == (A, [])


def test_a_record_is_restored_without_what_its_present_source_has_removed(connection, notes):
    notes.store(BOB)
    notes.delete(BOB)
    notes.store(A)
    time_ms = notes.source().time_ms
    put_line(connection, OWNERS, BOB, time_ms - 1)
    put_line(connection, STATES, ByState("done", "a"), time_ms + 50)
    notes.repaired(restore=True)
    assert (notes.source().record, kinds(notes)) == (attrs.evolve(A, state="done"), [])


def put_another_owner(owners):
    ((_, time_ms), *_) = owners.row(OWNERS.row(LATER), include_timestamp=True).values()
    put_line(owners.connection, OWNERS, attrs.evolve(LATER, owner="bob"), time_ms)


@pytest.mark.parametrize(
    ("damage", "told", "reason"),
    [
        (lambda owners: owners.delete(OWNERS.row(LATER)), "restore", "; not restored: no line holds owner and text"),
        (put_another_owner, "restore", "; not restored: its lines contradict each other"),
        (lambda owners: owners.put(OWNERS.row(LATER), {b"n:t": b"\xc1"}), "restore", "cannot be read: Note.text: "),
        (lambda _owners: None, "discards_orphaned", "; not discarded: must be 42 minutes old"),
    ],
    ids=["an attribute is missing", "lines contradict each other", "a line cannot be read", "the lines are young"],
)
def test_lines_are_kept_with_a_reason_if(connection, notes, damage, told, reason):
    lose(notes, keeps=False)
    damage(connection.table(OWNERS.name))
    before = contents(connection)
    after = notes.repaired(**{told: True})
    assert {(finding.kind, is_mended) for finding, is_mended in after} == {("orphaned", False)}
    assert reason in after[0][0].reason
    assert contents(connection) == before


# ---- discarding


@pytest.fixture
def old_lines(connection):
    """The lines of a note without a source, which are old enough to be discarded."""
    for table, line in ((OWNERS, A), (STATES, ByState("open", "a"))):
        put_line(connection, table, line, now_ms() - FORGET_MS - 1)


@pytest.mark.usefixtures("old_lines")
def test_lines_without_a_source_are_discarded_if_told_to_and_their_tombstones_hide_no_new_line(connection, notes):
    assert kinds_repaired(notes) == [(*orphaned, False) for orphaned in ORPHANED]
    assert kinds_repaired(notes, discards_orphaned=True) == [(*orphaned, True) for orphaned in ORPHANED]
    assert contents(connection) == {NOTES.name: {}, OWNERS.name: {}, STATES.name: {}}
    notes.store(A)
    assert kinds(notes) == []
    assert notes.writer.reader.agreeing(STATES, [ByState("open", "a")]) == [A]


def test_to_discard_lines_of_an_older_source_makes_all_its_lines_agree_with_it(connection, notes):
    lose(notes, keeps=True)
    assert are_all_mended(notes, discards_orphaned=True)
    assert (notes.source().record, kinds(notes)) == (A, [])
    assert contents(connection)[OWNERS.name] == {OWNERS.row(A): OWNERS.cells.pack(A)}
    notes.store(LATER)
    assert kinds(notes) == []


def test_a_source_that_cannot_be_read_is_discarded_by_its_row_alone_and_restored_from_its_lines(connection, notes):
    notes.store(A)
    connection.table(NOTES.name).put(b"a", DAMAGED)
    assert kinds_repaired(notes, discards_undecodable=True) == [("undecodable", NOTES.name, False)]
    told = {"discards_rows": frozenset({(NOTES.name, b"a")})}
    assert kinds_repaired(notes, **told)[0] == ("undecodable", NOTES.name, True)
    assert are_all_mended(notes, restore=True)
    assert (notes.source().record, kinds(notes)) == (A, [])


def test_a_damaged_source_that_is_dated_in_the_future_is_not_discarded_because_that_would_hide_later_ones(
    connection, notes
):
    notes.store(A)
    ahead_ms = now_ms() + 2 * FUTURE_MS
    connection.table(NOTES.name).put(b"a", DAMAGED, timestamp=ahead_ms)
    told = {"discards_rows": frozenset({(NOTES.name, b"a")})}
    ((finding, is_mended),) = [found for found in notes.repaired(**told) if found[0].table == NOTES.name]
    assert not is_mended
    assert f"not discarded: dated {ahead_ms}; Thrift1 would also hide later puts" in finding.reason
    assert connection.table(NOTES.name).row(b"a") == DAMAGED


# ---- what is not a lost revision


def test_repair_mends_the_lines_of_other_sources(connection, notes):
    notes.store(other := attrs.evolve(A, id="b"))
    lose(notes, keeps=True)
    connection.table(OWNERS.name).delete(OWNERS.row(other))
    after = kinds_repaired(notes)
    assert [kind for kind, _, is_mended in after if is_mended] == ["missing"]
    assert ("missing", STATES.name, False) in after, "the older source stays as it is"


def test_lines_of_a_claim_that_died_are_explained_by_the_record_that_claims_them(connection, moving):
    claimed, calls = [frozenset({b"a"})], []
    with suppress(WriterDied):
        moving_notes(WatchedConnection(connection, BEFORE_DECISION)).claim(A)
    upkeep = WriterUpkeep(moving.writer, lambda: calls.append(1) or claimed[0])
    assert list(upkeep.verify()) == []
    assert calls
    claimed[0] = frozenset()
    assert [finding.kind for finding in upkeep.verify()] == ["orphaned"]
    assert moving.claim(A) == 1
    calls.clear()
    assert list(upkeep.verify()) == []
    assert not calls, "called only if lines are suspect whose sources were never written"


def test_a_source_that_a_claim_explains_may_still_have_lost_a_line(connection, notes):
    notes.store(A)
    connection.table(STATES.name).delete(STATES.row(ByState("open", "a")))
    upkeep = WriterUpkeep(notes.writer, lambda: frozenset({b"a"}))
    assert [finding.kind for finding in upkeep.verify()] == ["missing"]


# ---- cells of the future


@pytest.mark.parametrize("ahead_ms", [86_400_000, 2**63 - 2], ids=["a day", "2**63-2"])
@pytest.mark.parametrize("note", [A, EVE], ids=["a line of its source", "a line of no source"])
def test_a_cell_of_the_future_is_kept_and_does_not_drag_its_source_there(connection, notes, ahead_ms, note):
    notes.store(A)
    at_ms = min(now_ms() + ahead_ms, 2**63 - 2)
    put_line(connection, OWNERS, note, at_ms, **{"n:t": b"\xa1z"})
    for told in ({}, {"discards_orphaned": True, "restore": True}):
        assert kinds_repaired(notes, **told) == [("future", OWNERS.name, False)]
    (finding,) = notes.findings()
    statement = f"""delete 'notes_by_owner', "{note.owner}\\x00\\x01a\\x00\\x01", "n:t", {at_ms}"""
    assert finding.reason.endswith(f"in the HBase shell: {statement}")
    assert notes.source().time_ms <= now_ms() + FUTURE_MS
    notes.store(LATER)


def test_repair_of_a_source_refuses_a_time_in_the_future(notes):
    notes.store(A)
    with pytest.raises(ValueError, match="newest_ms: must be at most 180000 ms after now"):
        notes.writer.repair(b"a", (), now_ms() + 2 * FUTURE_MS)


# ---- writes under way on a source that has lost a revision


@OLDER
def test_a_write_of_a_lost_revision_is_not_completed_because_that_would_delete_its_last_copy(connection, notes, keeps):
    if keeps:
        notes.store(A)
    backup = connection.table(NOTES.name).row(b"a")
    notes.store(LATER)
    die(connection, attrs.evolve(LATER, state="open"))
    restore_backup(connection, backup)
    before = contents(connection)
    assert ORPHANED[0] in kinds(notes), "a young intent does not explain it"
    recovery = notes.recover()
    assert (recovery.settled, len(recovery.failed)) == (0, 1)
    assert "its source has lost a revision" in recovery.failed[0] or "its source is missing" in recovery.failed[0]
    assert kinds_repaired(notes)[0][0] == "unsettled"
    assert contents(connection) == before
    restored = kinds_repaired(notes, restore=True)
    assert all(is_mended for kind, _, is_mended in restored if kind == "orphaned")
    assert notes.source().record.text == "y"
    assert notes.recover().failed == ()
    assert kinds(notes) == []


def test_a_line_that_only_a_write_puts_is_orphaned_if_no_intent_names_its_source(connection, notes):
    notes.store(A)
    put_line(connection, STATES, line := ByState("done", "a"), notes.source().time_ms + 1)
    assert kinds(notes) == ORPHANED[1:]
    assert kinds_repaired(notes)[0] == (*ORPHANED[1], False)
    assert connection.table(STATES.name).row(STATES.row(line)) != {}


def test_a_line_that_only_a_write_puts_is_dangling_if_an_old_intent_names_its_source(connection, machine, notes):
    notes.store(A)
    die(connection, attrs.evolve(A, state="done"))
    machine.passes(WINDOW_MS + 1000)
    assert kinds(notes) == [("dangling", STATES.name)]


def test_two_first_writes_of_a_note_that_died_are_both_settled(connection, machine, notes):
    for note in (A, EVE):
        die(connection, note)
        machine.passes(WINDOW_MS // 2)
    recovery = notes.recover()  # the older first, whose moving line the younger has put again
    assert (recovery.settled, recovery.failed) == (2, ())
    assert (notes.records(), notes.findings()) == ({}, [])
