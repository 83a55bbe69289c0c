"""Compaction on a store: no point is lost, whoever writes meanwhile and wherever it dies."""

from contextlib import suppress

import pytest

from domains.tsdb.changing import compaction
from domains.tsdb.changing.rewriting import QUIET_MS
from domains.tsdb.keys import POINTS
from domains.tsdb.records import Point
from domains.tsdb.storage.qualifiers import qualifier_of
from shared.testing import ReplyLost, Stop, WatchedConnection, WriterDied, paused_at_call, stopped_at
from tests.domains.clocks import SetClock
from tests.domains.tsdb.compacting import HOUR, NOW, TAGS, repository, stored, values

pytestmark = pytest.mark.usefixtures("simulated_time")

CALLS, READING = 19, 12
"""The calls of a repository that is opened to compact, and the one that reads the cells."""
ONE, TWO, THREE = (Point("cpu", HOUR + 10_000 * number, number, TAGS) for number in (1, 2, 3))


def fill(connection, clock, *points):
    for point in points or (ONE, TWO, THREE):
        clock.set_ms += 1
        repository(connection, clock).store(point)
    clock.set_ms += QUIET_MS + 1


def test_the_cells_of_an_hour_become_one_dated_as_the_newest_of_them(connection, clock):
    fill(connection, clock)
    result = repository(connection, clock).compact("cpu")
    assert (result.compacted, result.left, result.failed) == (1, 0, ())
    ((row, cells),) = stored(connection).items()
    assert row.hex(" ") == "00 00 01 50 e2 27 00 00 00 01 00 00 01"
    assert cells == {b"t:" + bytes.fromhex("00a0 0140 01e0"): (bytes.fromhex("01 02 03 00"), NOW + 3)}
    assert values(connection, clock) == [1, 2, 3]
    assert repository(connection, clock).compact("cpu").left == 1


def test_rows_that_are_too_young_are_left_alone(connection, clock):
    repository(connection, clock).store(ONE)
    repository(connection, clock).store(TWO)
    before = stored(connection)
    clock.set_ms += QUIET_MS - 1
    assert repository(connection, clock).compact("cpu").left == 1
    assert stored(connection) == before


def test_a_row_whose_hour_is_not_over_is_left_alone(connection):
    early = SetClock(HOUR)
    fill(connection, early)
    early.set_ms = HOUR + compaction.CLOSED_AFTER_MS
    assert repository(connection, early).compact("cpu").left == 1
    early.set_ms += 1
    assert repository(connection, early).compact("cpu").compacted == 1


def test_rows_with_appended_points_or_other_cells(connection, clock):
    fill(connection, clock)
    (row,) = stored(connection)
    connection.table("tsdb").put(row, {b"t:\x01\0\x05": b"{}"}, timestamp=5)
    repository(connection, clock).compact("cpu")
    assert stored(connection)[row][b"t:\x01\0\x05"] == (b"{}", 5)
    fill(connection, clock, Point("cpu", HOUR, 0, TAGS))
    connection.table("tsdb").put(row, {b"t:\5\0\0": b"\0\0\0"}, timestamp=5)
    before = stored(connection)
    assert repository(connection, clock).compact("cpu").left == 1
    assert stored(connection) == before


def test_a_row_that_cannot_be_read_is_reported_and_does_not_stop_the_others(connection, clock):
    fill(connection, clock, ONE, TWO, Point("cpu", HOUR + 3_600_000, 1, TAGS), Point("cpu", HOUR + 3_601_000, 1, TAGS))
    row = min(stored(connection))
    connection.table("tsdb").put(row, {b"t:\0\0\0\x10": b"\1"}, timestamp=5)
    result = repository(connection, clock).compact("cpu")
    assert (result.compacted, result.left) == (1, 0)
    assert str(result.failed[0]).startswith(f"tsdb: row {row.hex(' ')}: cell 00 00 00 10: must be 2 bytes")
    assert stored(connection)[row][b"t:\0\0\0\x10"] == (b"\1", 5)


def test_strict_compaction_leaves_a_row_whose_cells_differ(connection, clock):
    fill(connection, clock, ONE, TWO)
    repository(connection, clock).compact("cpu")
    fill(connection, clock, Point("cpu", ONE.time_ms, 5, TAGS))
    result = repository(connection, clock, duplicates="strict").compact("cpu")
    assert (result.compacted, len(result.failed)) == (0, 1)
    assert "cells of one time must hold the same number (got 05 and 01" in str(result.failed[0])


@pytest.mark.parametrize("stored_rows", [(), (0,)])
@pytest.mark.parametrize("is_death", [True, False])
@pytest.mark.parametrize("call", range(2))
def test_a_compaction_that_stops_at_any_call_loses_nothing(connection, clock, call, stored_rows, is_death):
    fill(connection, clock)
    watched = WatchedConnection(connection, stopped_at(Stop(call, frozenset(stored_rows), is_death)))
    with suppress(WriterDied, ReplyLost):
        repository(watched, clock).compact("cpu")
    assert watched.is_stopped
    assert len(watched.calls) == call + 1
    assert values(connection, clock, duplicates="strict") == [1, 2, 3]
    repository(connection, clock).compact("cpu")
    watched.deliver()
    assert values(connection, clock, duplicates="strict") == [1, 2, 3]
    repository(connection, clock).compact("cpu")
    assert [len(cells) for cells in stored(connection).values()] == [1]


@pytest.mark.parametrize("value", [9, pytest.param(9.5, marks=pytest.mark.further), 300])
@pytest.mark.parametrize("call", range(CALLS))
def test_a_point_that_is_overwritten_meanwhile_is_not_lost(connection, clock, call, value):
    """OpenTSDB loses a point that keeps its qualifier, because it deletes without a timestamp."""
    fill(connection, clock)
    overwritten = Point("cpu", TWO.time_ms, value, TAGS)
    watched = WatchedConnection(
        connection, before_call=paused_at_call(call, lambda: repository(connection, clock).store(overwritten))
    )
    repository(watched, clock).compact("cpu")
    assert watched.number_of_calls == (CALLS if call > READING else READING + 1), "otherwise the row is too young"
    assert values(connection, clock) == [1, value, 3]
    clock.set_ms += QUIET_MS + 1
    repository(connection, clock).compact("cpu")
    assert values(connection, clock, duplicates="strict") == [1, value, 3]


@pytest.mark.parametrize("call", range(CALLS))
def test_a_new_point_and_another_compaction_meanwhile(connection, clock, call):
    fill(connection, clock)
    new = Point("cpu", HOUR, 0, TAGS)

    def meanwhile():
        repository(connection, clock).store(new)
        clock.set_ms += QUIET_MS + 1
        repository(connection, clock).compact("cpu")

    watched = WatchedConnection(connection, before_call=paused_at_call(call, meanwhile))
    repository(watched, clock).compact("cpu")
    assert values(connection, clock, duplicates="strict") == [0, 1, 2, 3]


def test_a_compacted_cell_that_a_tombstone_hides_replaces_nothing(connection, clock):
    fill(connection, clock)
    (row,) = stored(connection)
    hidden = b"t:" + b"".join(qualifier_of(point.time_ms % 3_600_000, 0) for point in (ONE, TWO, THREE))
    connection.table("tsdb").delete(row, [hidden], timestamp=NOW + 100)
    result = repository(connection, clock).compact("cpu")
    assert (result.compacted, result.left) == (0, 1)
    assert values(connection, clock) == [1, 2, 3]
    assert POINTS.row(POINTS.records(row, {b"t:\0\0": b"\1"})[0]) == row


def test_a_wrong_tail_is_written_anew_and_deletes_nothing(connection, clock):
    fill(connection, clock)
    repository(connection, clock).compact("cpu")
    ((row, cells),) = stored(connection).items()
    ((column, (value, written_ms)),) = cells.items()
    connection.table("tsdb").put(row, {column: value[:-1]}, timestamp=written_ms)
    assert repository(connection, clock).compact("cpu").compacted == 1
    assert stored(connection) == {row: {column: (value, written_ms)}}
