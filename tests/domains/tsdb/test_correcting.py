"""Points in place of what a table holds for their times, in every form that it may have."""

from contextlib import suppress

import pytest

from domains.tsdb.changing.correcting import CorrectionResult
from domains.tsdb.changing.rewriting import QUIET_MS
from domains.tsdb.records import Point
from domains.tsdb.storage.qualifiers import APPENDED, column_of
from shared.testing import ReplyLost, Stop, WatchedConnection, WriterDied, paused_at_call, stopped_at
from tests.domains.tsdb.compacting import FIVE, HOUR, HOUR_MS, NOW, TAGS, repository, stored, values

pytestmark = pytest.mark.usefixtures("simulated_time")


def strict(connection, clock):
    """The values for an OpenTSDB that refuses two cells of one time."""
    return values(connection, clock, duplicates="strict")


@pytest.mark.parametrize(
    ("qualifier", "number"),
    [
        ("f0000000", "2a"),  # a whole second, put over HTTP in milliseconds
        ("000f", "4045000000000000"),  # a float, put over HTTP
        ("0001", "002a"),  # an int of another width
    ],
)
@pytest.mark.parametrize("value", [7, 42.5])
def test_a_correction_leaves_one_cell_whatever_form_the_time_had(connection, clock, qualifier, number, value):
    tsdb = repository(connection, clock)
    tsdb.store(FIVE[1])
    ((row, _),) = stored(connection).items()
    connection.table("tsdb").put(row, {column_of(bytes.fromhex(qualifier)): bytes.fromhex(number)}, timestamp=NOW - 1)
    clock.set_ms += 1
    assert tsdb.correct([Point("cpu", HOUR, value, TAGS)]).left == 0
    assert strict(connection, clock) == [value, 1]
    assert len(stored(connection)[row]) == 2


def test_a_correction_of_a_compacted_hour_leaves_its_other_points_dated_as_before(connection, clock):
    tsdb = repository(connection, clock)
    tsdb.store_all(FIVE)
    clock.set_ms += QUIET_MS + 1
    tsdb.compact("cpu")
    tsdb.store(Point("cpu", HOUR + 2000, 0.5, TAGS))
    with pytest.raises(ValueError, match="cells of one time must hold the same number"):
        strict(connection, clock)
    assert tsdb.correct([Point("cpu", HOUR + 2000, 300, TAGS)]) == CorrectionResult(1, 0)
    assert strict(connection, clock) == [0, 1, 300, 3, 4]
    ((_, cells),) = stored(connection).items()
    assert sorted(written_ms for _, written_ms in cells.values()) == [NOW, clock.set_ms + 1]
    tsdb.correct([Point("cpu", HOUR + 1000 * second, 9, TAGS) for second in range(5)])
    assert strict(connection, clock) == [9] * 5
    assert len(stored(connection).popitem()[1]) == 5


def test_a_correction_of_appended_points_is_appended_and_leaves_no_cell_of_its_own(connection, clock):
    tsdb = repository(connection, clock)
    tsdb.append([Point("cpu", HOUR, 1, TAGS), Point("cpu", HOUR + 2000, 3, TAGS)])
    tsdb.store(Point("cpu", HOUR, 0.5, TAGS))
    clock.set_ms += 10**13  # HBase dates appended cells
    new = [Point("cpu", HOUR, 2, TAGS), Point("cpu", HOUR + 1500, 2.5, TAGS)]
    for _ in range(2):
        assert tsdb.correct(new).left == 0
    assert strict(connection, clock) == [2, 2.5, 3]
    assert [[*cells] for cells in stored(connection).values()] == [[column_of(APPENDED)]]


CALLS, CHANGES = 19, 4
"""The calls of a repository that is opened for a correction of a compacted hour, and those that change the store."""
CORRECTION = Point("cpu", HOUR + 2000, 300, TAGS)


@pytest.fixture
def compacted(connection, clock):
    """An hour of one cell."""
    tsdb = repository(connection, clock)
    tsdb.store_all(FIVE)
    clock.set_ms += QUIET_MS + 1
    tsdb.compact("cpu")
    return connection


@pytest.mark.parametrize("stored_rows", [(), (0,)])
@pytest.mark.parametrize("is_death", [True, False])
@pytest.mark.parametrize("call", range(CHANGES))
def test_wherever_it_stops_no_point_is_lost_and_the_same_call_completes_it(
    compacted, clock, call, stored_rows, is_death
):
    watched = WatchedConnection(compacted, stopped_at(Stop(call, frozenset(stored_rows), is_death)))
    with suppress(WriterDied, ReplyLost):
        repository(watched, clock).correct([CORRECTION])
    assert watched.is_stopped
    assert values(compacted, clock) in ([0, 1, 2, 3, 4], [0, 1, 300, 3, 4])
    clock.set_ms += 1
    assert repository(compacted, clock).correct([CORRECTION]).left == 0
    watched.deliver()
    assert strict(compacted, clock) == [0, 1, 300, 3, 4]


@pytest.mark.parametrize("second", [2, 3, pytest.param(9, marks=pytest.mark.further)])
@pytest.mark.parametrize("call", range(CALLS))
def test_what_others_store_meanwhile_is_not_lost(compacted, clock, call, second):
    def store() -> None:
        clock.set_ms += 1
        repository(compacted, clock).store(Point("cpu", HOUR + 1000 * second, 0.5, TAGS))

    watched = WatchedConnection(compacted, before_call=paused_at_call(call, store))
    repository(watched, clock).correct([CORRECTION])
    assert watched.number_of_calls > call
    found = {
        (answer.time_ms - HOUR) // 1000: answer.value
        for answer in repository(compacted, clock).query("none:cpu", HOUR, HOUR + HOUR_MS)
    }
    assert found[second] == 0.5 or (second == 2 and found[2] == 300)
    assert {at: value for at, value in found.items() if at != second} == {
        at: value for at, value in {0: 0, 1: 1, 2: 300, 3: 3, 4: 4}.items() if at != second
    }
