"""An intent names the lines that its write changes, and its writer puts and deletes no others: the explorer proves it.

A team is in an in-place list, by member, whose lines hold the city, so that a write changes some lines, keeps others,
adds and removes some.
"""

import time
from contextlib import closing, suppress
from functools import partial

import attrs
import pytest

from shared.stores import connect
from shared.tables import create_tables
from shared.testing import CrashTests, WatchedConnection, Write, WriterDied, dying_before
from tests.engines import Embedded
from tests.shared.writes import notes
from tests.shared.writes.breaking import BREAKS
from tests.shared.writes.interleaving import Faults
from tests.shared.writes.pairs import Pair
from tests.shared.writes.scenes import OF_ONE, OF_TWO, Scene
from tests.shared.writes.test_stopped_writes import (
    BY_CITY,
    BY_MEMBER,
    TABLES,
    TEAMS,
    VIEWS,
    Team,
    Teams,
    put,
    remove,
    stored,
)

SMALL = Team("red", "Bonn", "ada")
GROWN = attrs.evolve(SMALL, members="ada eve")
MOVED = attrs.evolve(SMALL, city="Rome")
RIVALS = {"grows": partial(put, GROWN), "moves": partial(put, MOVED), "removed": remove}
WRITES = (
    Write("grows", partial(put, GROWN), stored(SMALL), RIVALS),
    Write("moves", partial(put, MOVED), stored(SMALL), RIVALS),
    Write("shrinks", partial(put, SMALL), stored(GROWN), RIVALS, removes_lines=True),
    Write("removed", remove, stored(GROWN), RIVALS, removes_lines=True),
    Write("new", partial(put, GROWN), stored(), RIVALS),
)
TESTS = CrashTests(Embedded(), TABLES, Teams, VIEWS, ())
PAIRS = {str(pair): pair for write in WRITES for pair in (Pair("teams", TESTS, write, name) for name in ("", *RIVALS))}
LATE = Scene(Faults(1, kinds=("late", "lost", "dies"), compactions=1, compacts_last=True))
"""A call may arrive after its writer gave up, and after all tombstones of the other write are gone."""
SHORT = ["teams: grows", "teams: grows | removed", "teams: moves", "teams: moves | moves", "teams: new | removed"]
MOST = 10_000


def explored(name, scene=LATE, keep_ms=0):
    explorer = PAIRS[name].explorer()
    return explorer.explore(scene.faults, recoverers=scene.recoverers, most=MOST, keep_tombstones_ms=keep_ms)


@pytest.mark.parametrize("name", SHORT)
def test_a_late_call_leaves_no_line_though_no_tombstone_is_kept(name):
    found = explored(name)
    assert (found.fault, found.is_cut) == (None, False), found


@pytest.mark.long
@pytest.mark.parametrize("name", PAIRS)
def test_no_order_of_calls_leaves_a_line_that_differs(name):
    for scene in (LATE, *(OF_TWO if "|" in name else OF_ONE).values()):
        assert explored(name, scene, 0 if scene is LATE else 10**9).fault is None


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("step 5 puts cells that the intent does not name", "teams: grows | removed"),
        ("an intent names rows that appear or disappear only", "teams: moves"),
    ],
)
def test_the_explorer_notices_a_broken_rule_of_naming(rule, name, monkeypatch):
    BREAKS[rule].patch(monkeypatch)
    assert explored(name).fault is not None


@pytest.fixture
def connection():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, notes.TABLES)
        yield connection


def write(connection, **changes):
    writer = notes.writer_on(connection)
    note = notes.Note("a", "ada", text="x")
    writer.write(notes.ById("a"), lambda stored: attrs.evolve(stored or note, **changes))
    return writer


def die_before_the_lines(connection, **changes):
    stopped = dying_before(lambda call: call.table == notes.OWNERS.name)
    with suppress(WriterDied):
        write(WatchedConnection(connection, stopped), **changes)


def test_an_intent_names_the_lines_that_its_write_changes(connection):
    for changes, names in (({}, {"notes_by_owner", "notes_by_state"}), ({"text": "y"}, {"notes_by_owner"})):
        die_before_the_lines(connection, **changes)
        (pending,) = notes.writer_on(connection).pending()
        assert pending.intent.touched.keys() == names
        assert sorted(*pending.intent.touched["notes_by_owner"].values()) == [b"n:s", b"n:t"]
        assert notes.writer_on(connection).recover(older_than_ms=0).settled == 1


def test_a_line_of_a_dead_writer_is_put_whole_by_a_write_that_changes_it(connection):
    die_before_the_lines(connection)
    write(connection, state="done")
    ((row, cells),) = connection.table(notes.OWNERS.name).scan()
    assert notes.OWNERS.record(row, cells) == notes.Note("a", "ada", "done", "x")


def test_the_same_write_again_puts_the_lines_of_a_dead_writer(connection):
    write(connection)
    die_before_the_lines(connection, text="y")
    write(connection)
    ((row, cells),) = connection.table(notes.OWNERS.name).scan()
    assert notes.OWNERS.record(row, cells).text == "y"


def test_a_line_of_a_dead_writer_that_another_write_keeps_is_missing_until_recover():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        teams = Teams(connection)
        teams.put(SMALL)
        with suppress(WriterDied):
            Teams(WatchedConnection(connection, dying_before(lambda call: call.table == BY_MEMBER.name))).put(GROWN)
        teams.put(attrs.evolve(GROWN, members="ada bob eve"))
        assert [line.member for line in teams.memberships()] == ["ada", "bob"]
        assert teams.upkeep.recover(older_than_ms=0).settled == 1
        assert [line.member for line in teams.memberships()] == ["ada", "bob", "eve"]


def test_a_write_that_has_read_a_lost_revision_is_not_completed_though_none_of_its_own_lines_is_newer():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        teams, rows = Teams(connection), connection.table(TEAMS.name)
        teams.put(SMALL)
        backup = rows.row(b"red")
        teams.put(GROWN)
        with suppress(WriterDied):
            dying = WatchedConnection(connection, dying_before(lambda call: call.table == BY_CITY.name))
            Teams(dying).put(attrs.evolve(GROWN, members="ada bob eve"))
        rows.delete(b"red")
        time.sleep(0.02)  # so that the server dates the backup after the delete
        rows.put(b"red", backup)
        (failed,) = teams.upkeep.recover(older_than_ms=0).failed
        assert failed.endswith("its source has lost a revision: must be 2 or later (got 1)")
        assert rows.row(b"red") == backup
