"""Two deletions of one row, or a deletion and a compaction, in any order of their calls: no deleted point is back."""

from contextlib import suppress
from functools import cache, partial
from math import inf
from time import time_ns

import pytest

from domains.tsdb.changing.registry import KEEP_MS, DeletionRegistry
from domains.tsdb.changing.rewriting import QUIET_MS
from domains.tsdb.keys import DELETIONS, TABLES
from domains.tsdb.records import Point, RegisteredDeletion
from shared.stores import connect
from shared.tables import create_tables
from shared.testing import ReplyLost, Stop, WatchedConnection, WriterDied, stopped_at
from shared.upkeep.recovery import Recovery
from shared.writes import ClockSkew, WriterClock, server_clock
from shared.writes.server_clock import MAX_DRIFT_MS, MAX_SKEW_MS
from tests.domains.clocks import SetClock
from tests.domains.interleaving import every_order
from tests.domains.tsdb.compacting import FIVE, HOUR, HOUR_MS, NOW, TAGS, repository, stored, values

pytestmark = pytest.mark.usefixtures("simulated_time")


@pytest.fixture
def same_ids(monkeypatch):
    """Ids that are the same in every run, so that its states are."""

    def new(registry, **of_deletion):
        return RegisteredDeletion(f"{registry.points.layout.name}#{of_deletion['since_ms']}", 0, **of_deletion)

    monkeypatch.setattr(DeletionRegistry, "new", new)


@cache
def _filled(compacted):
    """A store with one row, and when it was filled."""
    clock = SetClock(NOW)
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    points, later = {"whole": (FIVE, []), "with another": (FIVE[:4], FIVE[4:]), "single": ([], FIVE)}[compacted]
    for part in (points, later):
        repository(connection, clock.other()).store_all(part)
        clock.set_ms += QUIET_MS + 10
        if part is points and points:
            assert repository(connection, clock.other()).compact("cpu").compacted == 1
    return connection, clock.set_ms + 4 * QUIET_MS


def filled(clock, *, compacted):
    """A new store with one row: a compacted cell, or that and a single one, or single ones."""
    connection, clock.set_ms = _filled(compacted)
    return connection.copy()


def delete(tsdb, second):
    return tsdb.delete_points("cpu", (), HOUR + second * 1000, HOUR + (second + 1) * 1000)


def opened(connection, clock):
    """A repository that has read the names and compared the clocks."""
    tsdb = repository(connection, clock)
    tsdb.delete_points("cpu", (), HOUR - 2, HOUR - 1)  # of no row
    return tsdb


def deleting(second, ahead_ms=0):
    return lambda clock, connection: partial(delete, opened(connection, clock.other(ahead_ms)), second)


def compacting(ahead_ms=0):
    return lambda clock, connection: partial(opened(connection, clock.other(ahead_ms)).compact, "cpu")


def contents(connection):
    """What all tables hold, without timestamps, which differ from run to run."""
    return repr([[*connection.table(table).scan()] for table in ("tsdb", "tsdb-rowbook")])


PAIRS = {
    "two deletions": (deleting(1), deleting(3, ahead_ms=5), [0, 2, 4]),
    "the first ahead": (deleting(1, ahead_ms=5), deleting(3), [0, 2, 4]),
    "a compaction": (deleting(1), compacting(ahead_ms=5), [0, 2, 3, 4]),
    "ahead of a compaction": (deleting(1, ahead_ms=5), compacting(), [0, 2, 3, 4]),
}
EVERY_ORDER = [*((pair, "whole") for pair in PAIRS), ("a compaction", "single"), ("a compaction", "with another")]
CASES = [
    ("a compaction", "whole", 2),
    *(pytest.param(*case, interruptions, marks=pytest.mark.long) for case in EVERY_ORDER for interruptions in (2, inf)),
]


@pytest.mark.parametrize(("pair", "compacted", "interruptions"), CASES)
def test_what_both_have_deleted_stays_deleted(clock, same_ids, pair, compacted, interruptions):
    *both, wanted = PAIRS[pair]
    runs = tuple(partial(run, clock) for run in both)
    remaining = []
    for connection, answers in every_order(filled(clock, compacted=compacted), runs, contents, interruptions):
        assert all(answer.failed == () for answer in answers)
        remaining.append(values(connection, clock.other()))
    assert remaining == [wanted] * len(remaining)


# ---- deaths, late calls, and processes that stop -------------------------------------------------

FIRST, BOTH = [0, 2, 3, 4], [0, 2, 4]
"""What remains when the deletion of second 1 has run; when that of second 3 has, too."""
PUTS = [
    Stop(call, frozenset(stored), is_death) for call in range(6) for stored in ((), (0,)) for is_death in (True, False)
]


def others_of(run):
    return {"delete": lambda tsdb: delete(tsdb, 3), "compact": lambda tsdb: tsdb.compact("cpu")}[run]


@pytest.mark.parametrize("stop", PUTS)
@pytest.mark.parametrize("run", ["delete", "compact"])
def test_what_a_dead_process_has_brought_back_is_deleted_by_recover(clock, run, stop):
    """It dies at any of its calls that change the store, after the deletion of another process; or a call is late."""
    connection = filled(clock, compacted="with another")
    tsdb = repository(connection, clock.other())

    def run_meanwhile(number, call):
        if number == stop.call:
            assert delete(tsdb, 1).failed == ()
        return stop if number == stop.call else None

    watched = WatchedConnection(connection, run_meanwhile)
    with suppress(WriterDied, ReplyLost):
        others_of(run)(repository(watched, clock.other(5)))
    if not watched.is_stopped:
        assert delete(tsdb, 1).failed == ()
    clock.set_ms += QUIET_MS
    watched.deliver()
    clock.set_ms += KEEP_MS
    assert tsdb.upkeep.recover().failed == ()
    assert values(connection, clock.other()) in (FIRST, BOTH)
    assert tsdb.upkeep.pending() == []
    assert tsdb.upkeep.recover() == Recovery(0, 0, ())


@pytest.mark.parametrize("paused_ms", [0, pytest.param(QUIET_MS, marks=pytest.mark.long), 3 * QUIET_MS])
@pytest.mark.parametrize("call", [pytest.param(call, marks=[pytest.mark.long] * (call % 3 == 1)) for call in range(27)])
@pytest.mark.parametrize("run", ["delete", "compact"])
def test_a_process_that_is_stopped_brings_nothing_back(clock, run, call, paused_ms):
    """Before any of its calls, while another deletion runs, and `recover` if it takes so long.

    Only if that has removed the deletion, and the call is the put itself, what it deleted may be back: `registry.py`.
    """
    connection = filled(clock, compacted="with another")
    tsdb = repository(connection, clock.other())

    def before_call(number):
        if number == call:
            delete(tsdb, 1)
            clock.set_ms += paused_ms
            tsdb.upkeep.recover()

    put = []
    watched = WatchedConnection(
        connection, lambda number, one: put.append((watched.number_of_calls - 1, one)), before_call
    )
    others_of(run)(repository(watched, clock.other(5)))
    if watched.number_of_calls <= call:
        delete(tsdb, 1)
    is_put = any(number == call and one.table == "tsdb" and not one.rows[0][1][0].isDelete for number, one in put)
    found = values(connection, clock.other())
    wanted = BOTH if run == "delete" else FIRST
    assert found == wanted or (is_put and paused_ms > KEEP_MS)


def test_a_process_that_is_stopped_before_one_put_does_not_send_the_next(clock):
    """The cells of two rows have two timestamps, and so two puts, because a point of one row is nearly young."""
    connection = filled(clock, compacted="whole")
    tsdb = repository(connection, clock.other())
    others = {"host": "web-2"}
    tsdb.store_all([Point("cpu", HOUR + second * 1000, second, others) for second in range(5)])
    clock.set_ms += 5 * QUIET_MS
    assert tsdb.compact("cpu").compacted == 1
    clock.set_ms += 5 * QUIET_MS
    tsdb.store(Point("cpu", HOUR + 9000, 9, others))
    clock.set_ms += QUIET_MS - 30_000
    paused = []

    def pause_before_the_first_put(_number, call):
        if call.table == "tsdb" and not paused:
            paused.append(call)
            delete(tsdb, 1)
            clock.set_ms += 3 * QUIET_MS
            tsdb.upkeep.recover()

    delete(repository(WatchedConnection(connection, pause_before_the_first_put), clock.other(5)), 3)
    (put,) = paused
    assert [row for row, mutations in put.rows if not mutations[0].isDelete] == [min(stored(connection))]
    answers = repository(connection, clock.other()).query("none:cpu{host=web-2}", HOUR, HOUR + HOUR_MS)
    assert [answer.value for answer in answers] == [0, 2, 4, 9]


def test_points_that_are_stored_again_stay_whoever_compacts_deletes_or_recovers(clock):
    connection = filled(clock, compacted="whole")
    tsdb = repository(connection, clock.other())
    delete(tsdb, 1)
    again = Point("cpu", HOUR + 1000, 77, TAGS)
    repository(connection, clock.other(-2 * MAX_SKEW_MS)).store(again)
    assert values(connection, clock.other()) == [0, 77, 2, 3, 4]
    delete(tsdb, 3)
    clock.set_ms += QUIET_MS + 1
    assert tsdb.compact("cpu").compacted == 1
    assert tsdb.upkeep.recover(0).waiting == 2
    clock.set_ms += KEEP_MS
    assert [deletion.metric for deletion in tsdb.upkeep.pending()] == ["cpu", "cpu"]
    assert tsdb.upkeep.recover() == Recovery(2, 0, ())
    assert values(connection, clock.other()) == [0, 77, 2, 4]


def test_recover_completes_a_deletion_that_died_and_one_of_a_series(clock):
    connection = filled(clock, compacted="whole")
    tsdb = repository(connection, clock.other())
    for died in (lambda tsdb: delete(tsdb, 1), lambda tsdb: tsdb.delete_series("cpu", TAGS)):
        with suppress(WriterDied):
            died(repository(WatchedConnection(connection, stopped_at(Stop(2))), clock.other()))
    assert values(connection, clock.other()) == [0, 1, 2, 3, 4]
    assert tsdb.upkeep.recover() == Recovery(0, 2, ())
    clock.set_ms += KEEP_MS
    assert tsdb.upkeep.recover() == Recovery(2, 0, ())
    assert [*connection.table("tsdb").scan()] == []


@pytest.mark.parametrize("ahead_ms", [2 * QUIET_MS, -2 * QUIET_MS])
def test_a_clock_that_is_far_off_deletes_compacts_and_corrects_nothing(monkeypatch, ahead_ms):
    """It would date what it puts and deletes so late that points of others are hidden, or a correction too early."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    repository(connection, WriterClock()).store_all(FIVE)
    monkeypatch.setattr(server_clock, "MAX_SKEW_MS", MAX_SKEW_MS)
    clock = SetClock(time_ns() // 10**6 + ahead_ms)
    for run in (
        lambda tsdb: delete(tsdb, 1),
        lambda tsdb: tsdb.compact("cpu"),
        lambda tsdb: tsdb.upkeep.recover(),
        lambda tsdb: tsdb.correct([Point("cpu", HOUR, 0.5, TAGS)]),
    ):
        with pytest.raises(ClockSkew):
            run(repository(connection, clock))
    assert [len(cells) for _, cells in connection.table("tsdb").scan()] == [5]


class _ClockThatIsSet(WriterClock):
    """One that somebody sets an hour ahead after so many readings."""

    def __init__(self):
        super().__init__()
        self.readings = 10**6

    def read_ms(self):
        self.readings -= 1
        return super().read_ms() + (6 * QUIET_MS if self.readings < 0 else 0)


@pytest.mark.parametrize("readings", range(10))
@pytest.mark.parametrize("run", ["delete", "compact", "recover"])
def test_a_clock_that_is_set_ahead_hides_no_later_point_and_compacts_no_young_one(monkeypatch, run, readings):
    """During a call, which compares the clocks at its start."""
    monkeypatch.setattr(server_clock, "MAX_SKEW_MS", MAX_SKEW_MS)
    monkeypatch.setattr(server_clock, "MAX_DRIFT_MS", MAX_DRIFT_MS)
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    earlier = SetClock(time_ns() // 10**6 - (0 if run == "compact" else 2 * QUIET_MS))
    repository(connection, earlier).store_all(FIVE)
    clock = _ClockThatIsSet()
    tsdb = opened(connection, clock)
    if run == "recover":
        with suppress(WriterDied):
            delete(repository(WatchedConnection(connection, stopped_at(Stop(2))), WriterClock()), 1)
    clock.readings = readings
    runs = {
        "delete": partial(delete, tsdb, 1),
        "compact": partial(tsdb.compact, "cpu"),
        "recover": partial(tsdb.upkeep.recover, 0),
    }
    with suppress(ClockSkew):
        runs[run]()
    assert len(stored(connection).popitem()[1]) >= 4
    repository(connection, WriterClock()).store_all(FIVE)
    assert values(connection, WriterClock()) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({b"s:t": b"\xc1"}, "started_ms: "),
        ({b"s:t": b"\0", b"s:m": b"\xa4load", b"s:f": b"\x91\x91\xa4host"}, "filters: must each be tag, kind and text"),
    ],
)
def test_a_deletion_that_cannot_be_read_stops_no_other(clock, cells, reason):
    connection = filled(clock, compacted="whole")
    tsdb = repository(connection, clock.other())
    with suppress(WriterDied):
        delete(repository(WatchedConnection(connection, stopped_at(Stop(2))), clock.other()), 1)
    damaged = DELETIONS.row(RegisteredDeletion("tsdb#0", 0))
    connection.table("tsdb-rowbook").put(damaged, cells)
    clock.set_ms += KEEP_MS
    (failed,) = tsdb.upkeep.recover().failed
    assert failed.startswith(f"tsdb-rowbook: row {damaged.hex(' ')}: RegisteredDeletion.{reason}")
    assert values(connection, clock.other()) == FIRST
