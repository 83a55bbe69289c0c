"""An intent names the lines that its write changes; its writer puts and deletes no others, as the explorer proves."""

import time

import attrs
import pytest

from shared.testing import WatchedConnection
from shared.testing.crash_tests import CrashTests
from tests.engines import Embedded

from .interleaving import Scene
from .notes import AFTER_DECISION, NOTES, OWNERS, STATES, TABLES, Notes, die
from .pairs import Pair, PairExplorer
from .scenes import OF_ONE, OF_TWO
from .stopped_notes import GROWN, RIVALS, SMALL, VIEWS, WRITES

TESTS = CrashTests(Embedded(), TABLES, Notes, VIEWS, ())
PAIRS = {str(pair): pair for write in WRITES for pair in (Pair("notes", TESTS, write, name) for name in ("", *RIVALS))}
LATE = Scene(1, kinds=("late", "lost", "dies"), compactions=1, compacts_last=True, keep_tombstones_ms=0)
"""A call may arrive after its writer gave up, and after all tombstones of the other write are gone."""
SHORT = ["notes: grows | removed", "notes: is done | is done", "notes: new | removed"]


def explored(name, scene=LATE):
    return PairExplorer(PAIRS[name]).explore(scene, 10_000)


@pytest.mark.parametrize("name", SHORT)
def test_a_late_call_leaves_no_line_though_no_tombstone_is_kept(name):
    late = explored(name)
    assert (late.fault, late.is_cut) == (None, False), late


@pytest.mark.long
@pytest.mark.parametrize("name", PAIRS)
def test_no_order_of_calls_leaves_a_line_that_differs(name):
    for scene in (LATE, *(OF_TWO if "|" in name else OF_ONE).values()):
        assert explored(name, scene).fault is None


# ---- one intent


NOTE = attrs.evolve(SMALL, text="x")
OTHER_TEXT = attrs.evolve(SMALL, text="y")
ALL_OWNERS = attrs.evolve(SMALL, owner="ada bob eve")


def test_an_intent_names_the_lines_that_its_write_changes(connection, notes):
    for note, names in ((NOTE, {"notes_by_owner", "notes_by_state"}), (OTHER_TEXT, {"notes_by_owner"})):
        die(connection, note, AFTER_DECISION)
        (pending,) = notes.pending()
        assert pending.intent.touched.keys() == names
        assert sorted(*pending.intent.touched["notes_by_owner"].values()) == [b"n:s", b"n:t"]
        assert notes.recover().settled == 1


def test_a_line_of_a_dead_writer_is_put_whole_by_a_write_that_changes_it(connection, notes):
    die(connection, NOTE, AFTER_DECISION)
    notes.store(done := attrs.evolve(NOTE, state="done"))
    assert notes.by_owner() == [done]


def test_a_write_that_has_read_a_lost_revision_is_not_completed_though_none_of_its_own_lines_is_newer(
    connection, notes
):
    rows = connection.table(NOTES.name)
    notes.store(SMALL)
    backup = rows.row(b"a")
    notes.store(GROWN)
    die(connection, ALL_OWNERS)
    rows.delete(b"a")
    time.sleep(0.02)  # so that the server dates the backup after the delete
    rows.put(b"a", backup)
    (failed,) = notes.recover().failed
    assert failed.endswith("its source has lost a revision: must be 2 or later (got 1)")
    assert rows.row(b"a") == backup


def test_lines_are_deleted_in_the_order_of_their_tables_so_that_every_run_makes_the_same_calls(connection, notes):
    notes.store(NOTE)
    watched = WatchedConnection(connection)
    lines = [(table.name, b"a", column) for table in (STATES, OWNERS) for column in table.cells.columns]
    Notes(watched).writer.delete(lines, until_ms=1)
    assert [call.table for call in watched.calls] == [OWNERS.name, STATES.name]
