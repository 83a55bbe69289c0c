"""Many writes at once: the calls that they share, the window, rivals, lost replies, and several sockets."""

import threading

import attrs
import pytest

from shared.tables import create_tables
from shared.testing import WatchedConnection, WriterDied, paused_at
from shared.writes.side_by_side import side_by_side
from tests.shared.stores.scripted_gateway import Fault, ScriptedGateway

from .notes import AFTER_DECISION, NOTES, TABLES, ById, Note, Notes, is_decision

MANY = [Note(f"n-{number:02}", f"ann o-{number % 7}") for number in range(40)]
DONE = [attrs.evolve(note, state="done", owner="ann") for note in MANY]


def test_a_batch_shares_all_calls_but_one_for_each_record(connection):
    watched = WatchedConnection(connection)
    Notes(watched).store_all(*MANY)
    Notes(watched).store_all(*DONE)
    names = [call.name for call in watched.calls]
    assert (names.count("checkAndPut"), len(names)) == (80, 80 + 1 + 4 + 6)  # a clock; without, and with deletes
    assert Notes(connection).by_id() == DONE
    assert Notes(connection).findings() == []


def test_the_same_batch_again_puts_the_lines_that_a_dead_writer_has_not_put(connection):
    dying = WatchedConnection(connection, AFTER_DECISION)
    with pytest.raises(WriterDied):
        Notes(dying).store_all(*MANY)
    assert (Notes(connection).by_id(), Notes(connection).by_owner()) == (MANY, [])
    Notes(connection).store_all(*MANY)
    assert len(Notes(connection).by_owner()) == sum(len(note.owner.split()) for note in MANY)


def test_writes_of_one_source_come_one_after_the_other(connection):
    seen = []
    as_a = [attrs.evolve(note, id="a") for note in (MANY[0], DONE[0])]
    writes = [(ById("a"), lambda stored, note=note: seen.append(stored) or note) for note in as_a]
    Notes(connection).writer.write_all(writes)
    assert seen == [None, as_a[0]]
    assert Notes(connection).by_id() == [as_a[1]]


def test_what_is_refused_before_the_first_put_leaves_nothing(connection):
    watched = WatchedConnection(connection)
    with pytest.raises(ZeroDivisionError):
        Notes(watched).writer.write_all([(ById("n-00"), lambda _stored: MANY[0]), (ById("b"), lambda _stored: 1 / 0)])
    assert [call.name for call in watched.calls] == ["mutateRows"]  # to compare clocks


def test_a_record_that_another_process_has_written_meanwhile_is_decided_again_alone(connection):
    rival = attrs.evolve(MANY[3], text="a rival's")
    paused = WatchedConnection(connection, paused_at(is_decision, lambda: Notes(connection).store(rival)))
    kept = [(ById(note.id), lambda stored, note=note: stored or note) for note in MANY]
    Notes(paused).writer.write_all(kept)
    assert Notes(connection).by_id() == [*MANY[:3], rival, *MANY[4:]]
    assert (Notes(connection).findings(), Notes(connection).pending()) == ([], [])


def test_as_many_decisions_are_under_way_as_the_url_says():
    with ScriptedGateway() as gateway:
        create_tables(gateway.store, TABLES)
        notes = Notes(gateway.connect(in_flight=3))
        gateway.takes_s = 0.02
        notes.store_all(*MANY)
        # A call that has been answered may still be counted when the next one comes on another socket.
        assert 3 <= gateway.most_under_way <= 4


@pytest.mark.parametrize("stopped", [0, 1, 2])
def test_an_interrupted_batch_waits_for_the_calls_under_way_and_begins_no_others(stopped):
    with ScriptedGateway() as gateway:
        table = gateway.connect(in_flight=3).table("t")
        gateway.takes_s = 0.02
        helpers = []

        def count_up(number):
            helper = threading.get_ident()
            if helper not in helpers:
                helpers.append(helper)
            if number >= 5 and helpers.index(helper) == stopped:
                raise KeyboardInterrupt
            return table.counter_inc(b"c", b"d:n")

        with pytest.raises(KeyboardInterrupt):
            side_by_side(table.connection, count_up, range(300))
        counted = gateway.count("atomicIncrement")
        assert 5 <= counted < 100
        assert table.counter_get(b"c", b"d:n") == counted


@pytest.mark.parametrize("fault", [Fault.LOST_CALL, Fault.LOST_REPLY, Fault.CUT_REPLY, Fault.WRONG_REPLY])
def test_a_lost_reply_is_settled_and_the_rest_of_the_batch_is_written_too(fault):
    with ScriptedGateway() as gateway:
        create_tables(gateway.store, TABLES)
        notes = Notes(gateway.connect())
        gateway.goes_wrong("checkAndPut", fault)
        notes.store_all(*MANY)
        assert gateway.is_done
        stored = Notes(gateway.store)
        assert stored.by_id() == MANY
        assert (stored.findings(), stored.pending()) == ([], [])
        assert {stored.source(NOTES.row(note)).writes != () for note in MANY} == {True}
