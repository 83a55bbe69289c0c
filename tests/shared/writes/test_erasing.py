"""An erasure ends once its sources are old enough, takes late lines with it, and spares what is new."""

import time
from contextlib import closing

import pytest

from shared.stores import connect
from shared.tables import create_tables
from shared.writes import ClockSkew, Erasure, Erasures, IntentWriter, WriterClock, erasures_tables
from shared.writes.intents import FORGET_MS

from .notes import INTENTS, NOTES, STATES, ById, ByState, Note

TABLE, SOURCES = erasures_tables("notes_erasures", writers=1)
A, B = Note("a", "ada"), Note("b", "ada")
LINE = {b"n:x": b"\xc3"}


@pytest.fixture
def passes(monkeypatch):
    """Lets so many milliseconds pass, for the writers and the store."""
    now_ns, passed_ns = time.time_ns, [0]
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() + passed_ns[0])

    def let_pass(milliseconds):
        passed_ns[0] += milliseconds * 1_000_000

    return let_pass


@pytest.fixture
def connection():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, (NOTES, STATES, INTENTS, TABLE, *SOURCES))
        yield connection


@pytest.fixture
def writer(connection):
    return IntentWriter(
        connection,
        NOTES,
        INTENTS,
        [STATES],
        lambda note: [(STATES, ByState(note.state, note.id))],
        moving=[STATES],
        clock=WriterClock(),
    )


@pytest.fixture
def erasures(connection, writer):
    return Erasures(connection, (TABLE, SOURCES), [writer])


def store(writer, note):
    writer.write(ById(note.id), lambda _stored: note)


def delete(writer, note):
    writer.write(ById(note.id), lambda _stored: None)


def rows(connection, table):
    return [row for row, _ in connection.table(table.name).scan()]


def fail(invalid):
    raise invalid


def erase_ada(writer, erasures):
    """Erases both notes; returns the erasure."""
    for note in (A, B):
        store(writer, note)
    erasures.begin("ada")
    for note in (A, B):
        delete(writer, note)
    return erasures.end("ada", [[NOTES.row(A), NOTES.row(B)]])


def test_an_erasure_is_stored_before_it_ends_and_until_it_is_removed(connection, erasures):
    erasures.begin("ada")
    (begun,) = erasures.stored(fail)
    assert (begun.name, begun.is_ended, erasures.is_due(begun)) == ("ada", False, False)
    ended = erasures.end("ada", [[b"r%d" % number for number in range(2500)]])
    assert list(erasures.stored(fail)) == [ended]
    assert len(connection.table(TABLE.name).row(b"ada")) == 2502
    erasures.remove(ended)
    assert list(erasures.stored(fail)) == rows(connection, TABLE) == []


def test_an_erasure_that_has_not_ended_is_never_due(erasures, passes):
    erasures.begin("ada")
    (begun,) = erasures.stored(fail)
    passes(10 * FORGET_MS)
    assert not erasures.is_due(begun)


def test_sources_are_forgotten_once_they_are_old_enough(connection, writer, erasures, passes):
    erasure = erase_ada(writer, erasures)
    assert (erasures.is_due(erasure), erasures.forget(erasure, fail)) == (False, 2)
    passes(FORGET_MS + 1000)
    assert (erasures.is_due(erasure), erasures.forget(erasure, fail)) == (True, 0)
    assert rows(connection, NOTES) == []


def test_a_record_that_came_back_stays(connection, writer, erasures, passes):
    erasure = erase_ada(writer, erasures)
    store(writer, A)
    passes(FORGET_MS + 1000)
    assert erasures.forget(erasure, fail) == 0
    assert erasures.delete_strays(lambda line: line.id in "ab", erasure.at_ms, fail) == 1
    assert (rows(connection, NOTES), rows(connection, STATES)) == ([b"a"], [STATES.row(ByState("open", "a"))])


def test_a_source_that_cannot_be_read_remains_and_is_reported(connection, writer, erasures, passes):
    erasure = erase_ada(writer, erasures)
    connection.table(NOTES.name).put(b"a", {b"n:note": b"?"})
    passes(FORGET_MS + 1000)
    reported = []
    assert erasures.forget(erasure, reported.append) == 1
    assert [invalid.row for invalid in reported] == rows(connection, NOTES) == [b"a"]


def test_only_old_lines_without_a_source_are_strays(connection, writer, erasures, passes):
    erasure = erase_ada(writer, erasures)
    passes(FORGET_MS + 1000)
    store(writer, A)
    lines = connection.table(STATES.name)
    old_ms, under_way_ms = erasure.at_ms, erasure.at_ms + FORGET_MS // 2
    for line, time_ms in (("a", old_ms), ("b", under_way_ms), ("c", old_ms), ("d", old_ms)):
        lines.put(STATES.row(ByState("done", line)), LINE, timestamp=time_ms)
    lines.put(b"no key", LINE)

    def names(line):
        return line.id != "d"

    kept = [(state, name) for state, name in (("open", "a"), ("done", "a"), ("done", "b"), ("done", "d"))]
    assert erasures.delete_strays(names, erasure.at_ms + FORGET_MS, fail) == 3
    assert rows(connection, STATES) == sorted([*(STATES.row(ByState(*line)) for line in kept), b"no key"])
    assert erasures.delete_strays(names, erasure.at_ms - 1, fail) == 3


def test_what_is_dated_after_an_erasure_is_not_its_line(connection, erasures):
    connection.table(STATES.name).put(STATES.row(ByState("done", "c")), LINE, timestamp=1000)
    assert erasures.delete_strays(lambda _line: True, 999, fail) == 1
    assert erasures.delete_strays(lambda _line: True, 1000, fail) == 0
    assert rows(connection, STATES) == []


def test_the_end_of_an_erasure_spares_a_later_one_of_the_same_name(erasures, passes):
    erasures.begin("ada")
    first = erasures.end("ada", [[b"r1"]])
    passes(1000)
    erasures.begin("ada")
    second = erasures.end("ada", [[b"r2"]])
    passes(1000)  # a tombstone of now is above it
    erasures.remove(first)
    assert list(erasures.stored(fail)) == [second]
    assert second == Erasure("ada", second.at_ms, is_ended=True)


def test_a_row_that_is_no_erasure_is_reported(connection, erasures):
    erasures.begin("ada")
    connection.table(TABLE.name).put(b"\xff", {b"e:t": b"?"})
    reported = []
    assert [erasure.name for erasure in erasures.stored(reported.append)] == ["ada"]
    assert [invalid.row for invalid in reported] == [b"\xff"]


def test_what_keeps_a_line_that_must_go_is_told(connection, writer, erasures):
    store(writer, A)
    connection.table(NOTES.name).put(b"a", {b"n:note": b"?"})
    future_ms = time.time_ns() // 1_000_000 + 86_400_000
    connection.table(STATES.name).put(STATES.row(ByState("done", "c")), LINE, timestamp=future_ms)
    told = []
    assert erasures.delete_strays(lambda _line: True, future_ms, told.append) == 2
    assert [(kept.table, kept.row) for kept in told] == [
        (NOTES.name, b"a"),
        (STATES.name, STATES.row(ByState("done", "c"))),
    ]


def test_an_erasure_is_dated_by_a_clock_that_was_compared(connection, writer, passes):
    class Jumped(WriterClock):
        jumped_ms = 0

        def read_ms(self):
            return super().read_ms() + self.jumped_ms

    clock = Jumped()
    erasures = Erasures(connection, (TABLE, SOURCES), [IntentWriter(connection, NOTES, INTENTS, [], list, clock=clock)])
    erasures.begin("ada")
    clock.jumped_ms = 3_600_000
    for call in (lambda: erasures.begin("ada"), lambda: erasures.end("ada", [[]])):
        with pytest.raises(ClockSkew):
            call()
    (begun,) = erasures.stored(fail)
    assert begun.at_ms <= time.time_ns() // 1_000_000
