"""Deletion on a store loses no point outside the period, whatever other writers do and wherever it dies."""

import random
from contextlib import suppress

import pytest

from domains.tsdb.asking.query_text import TagFilter
from domains.tsdb.changing.deleting import DeletionResult, deletion
from domains.tsdb.changing.registry import CoveredPeriod
from domains.tsdb.changing.rewriting import QUIET_MS
from domains.tsdb.keys import TABLES, data_table
from domains.tsdb.records import Point
from domains.tsdb.repository import TsdbRepository
from domains.tsdb.storage.codecs import SeriesSalt
from domains.tsdb.storage.qualifiers import MIXED, NOT_MIXED, pack_appended, pack_number, qualifier_of
from shared.testing import ReplyLost, Stop, WatchedConnection, WriterDied, paused_at_call, stopped_at
from shared.testing.crash_points import subsets
from tests.domains.clocks import SetClock
from tests.domains.tsdb.compacting import FIVE, HOUR, HOUR_MS, NOW, TAGS, repository, stored, values

pytestmark = [pytest.mark.sampled, pytest.mark.usefixtures("simulated_time")]

ANNOTATION = b"t:\x01\0\x05"


@pytest.fixture
def clock():
    return SetClock(NOW, step_ms=1)


def fill(connection, clock, *, compacted):
    repository(connection, clock).store_all(FIVE)
    clock.set_ms += QUIET_MS + 1
    if compacted:
        assert repository(connection, clock).compact("cpu").compacted == 1


def delete(connection, clock, since_s, until_s, **options):
    return repository(connection, clock, **options).delete_points(
        "cpu", (), HOUR + since_s * 1000, HOUR + until_s * 1000
    )


def test_a_rewritten_cell_is_newer_than_what_it_replaces_and_a_plain_one_if_one_point_remains(connection, clock):
    fill(connection, clock, compacted=True)
    ((_, (compacted_ms,)),) = [(row, [ms for _, ms in cells.values()]) for row, cells in stored(connection).items()]
    delete(connection, clock, 1, 3)
    (cells,) = stored(connection).values()
    ((column, (value, written_ms)),) = cells.items()
    assert (column, value) == (b"t:" + bytes.fromhex("0000 0030 0040"), bytes.fromhex("00 03 04 00"))
    assert compacted_ms < clock.set_ms - QUIET_MS - 10 < written_ms < clock.set_ms - QUIET_MS
    clock.set_ms += QUIET_MS
    delete(connection, clock, 0, 4)
    (cells,) = stored(connection).values()
    assert {column: value for column, (value, _) in cells.items()} == {b"t:\0\x40": b"\4"}


@pytest.mark.parametrize(("later_ms", "seen"), [(2500, []), (3500, [2])])
def test_a_time_that_is_stored_again_is_seen_once_the_clock_has_passed_the_deleted_cell(
    connection, clock, later_ms, seen
):
    repository(connection, SetClock(NOW + 3000)).store(Point("cpu", HOUR, 1, TAGS))
    assert delete(connection, clock, 0, 1) == DeletionResult(1, 0, ())
    clock.set_ms = NOW + later_ms
    repository(connection, clock).store(Point("cpu", HOUR, 2, TAGS))
    assert values(connection, clock) == seen


def test_a_compacted_cell_that_an_opentsdb_has_just_put_is_replaced_by_a_later_call(connection, clock):
    fill(connection, clock, compacted=True)
    ((row, cells),) = stored(connection).items()
    connection.table("tsdb").put(row, {column: value for column, (value, _) in cells.items()}, timestamp=clock.set_ms)
    assert delete(connection, clock, 1, 3) == DeletionResult(0, 1, ())
    assert values(connection, clock) == [0, 1, 2, 3, 4]
    clock.set_ms += QUIET_MS + 1
    assert delete(connection, clock, 1, 3) == DeletionResult(1, 0, ())
    assert values(connection, clock) == [0, 3, 4]


def test_cells_of_every_millisecond_around_the_timestamp_of_the_deletion_are_deleted(connection, clock):
    """A tombstone of the whole row, or of its old cells, is a millisecond older than that."""
    tags = [{"host": f"web-{number}"} for number in range(60)]
    for number, series in enumerate(tags):
        repository(connection, clock).store(Point("cpu", HOUR, number, series))
    for number, row in enumerate(stored(connection)):
        connection.table("tsdb").delete(row, timestamp=clock.set_ms)
        connection.table("tsdb").put(row, dict([cell((7, 7))]), timestamp=clock.set_ms + 1 + number)
    first_ms = clock.set_ms + 1
    clock.set_ms += QUIET_MS
    assert delete(connection, clock, 0, 3600) == DeletionResult(60, 0, ())
    assert first_ms < clock.set_ms - QUIET_MS < first_ms + 60
    assert stored(connection) == {}


def test_what_another_deletion_covers_is_dated_before_its_end():
    """Of a plain cell, of a whole hour, and of a point beside a compacted cell that is replaced."""

    def plan(written_ms, period):
        cells = {b"\0\x10": (b"\1", written_ms), b"\0\x00\0\x10\0\x20": (bytes.fromhex("00 02 02 00"), 99)}
        return deletion(cells if period.since_ms else {b"\0\x10": cells[b"\0\x10"]}, None, [period], 1000)

    whole_hour, second_1 = CoveredPeriod(0, HOUR_MS, 100), CoveredPeriod(1000, 2000, 100)
    assert plan(99, whole_hour).deleted == {b"\0\x10": 99}
    assert plan(100, whole_hour) is None
    assert plan(99, second_1).rewritten == (b"\0\x00\0\x20", bytes.fromhex("00 02 00"))
    assert plan(100, second_1).rewritten == (b"\0\x00\0\x10\0\x20", bytes.fromhex("00 01 02 00"))


def test_a_rewritten_cell_that_a_tombstone_hides_replaces_nothing(connection, clock):
    """OpenTSDB's compaction deletes without a timestamp: its young tombstones hide what is older."""
    fill(connection, clock, compacted=True)
    ((row, before),) = stored(connection).items()
    connection.table("tsdb").delete(row, [b"t:" + bytes.fromhex("0000 0010 0020")], timestamp=clock.set_ms)
    assert delete(connection, clock, 3, 5) == DeletionResult(0, 1, ())
    assert stored(connection) == {row: before}
    clock.set_ms += QUIET_MS
    assert delete(connection, clock, 3, 5) == DeletionResult(1, 0, ())
    assert values(connection, clock) == [0, 1, 2]


# ---- the forms of cells --------------------------------------------------------------------------


def cell(*points, in_ms=()):
    """A compacted cell of points as seconds and number; a plain one if it is one point."""
    are_in_ms = [second in in_ms or second % 1 > 0 for second, _ in points]
    qualifier, number = b"", b""
    for (second, value), is_in_ms in zip(points, are_in_ms, strict=True):
        flags, packed = pack_number(value)
        qualifier += qualifier_of(int(second * 1000), flags, in_ms=is_in_ms)
        number += packed
    if len(points) > 1:
        number += MIXED if len({*are_in_ms}) > 1 else NOT_MIXED
    return b"t:" + qualifier, number


OLD_FLOAT = b"t:" + bytes.fromhex("003b"), bytes(4) + bytes.fromhex("40900000")
FORMS = {
    "seconds": [cell((1, 1)), cell((2, 300)), cell((3, 0.5)), cell((4, 0.1))],
    "milliseconds": [cell((1.5, 1)), cell((2.25, 300)), cell((3, 7), in_ms=[3])],
    "compacted": [cell((1, 1), (2, 300), (3, 0.5), (4, 0.1))],
    "compacted in milliseconds": [cell((1.5, 1), (2.5, 0.1), (3.75, 2**40))],
    "mixed": [cell((1, 1), (1.5, 2), (3, 3), (3.999, 4.5))],
    "two compacted cells and single ones": [cell((1, 1), (3, 3)), cell((2, 2), (4, 4)), cell((2.5, 5)), cell((3, 300))],
    "an old float": [OLD_FLOAT, cell((1, 1), (4, 4))],
    "a tail that is too long": [(column, value + b"\7\7") for column, value in [cell((1, 1), (2, 2), (3, 3))]],
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", FORMS)
def test_cells_of_every_form(connection, clock, form, seed):
    dice = random.Random(seed)
    repository(connection, clock).store(Point("cpu", HOUR + HOUR_MS - 1, 99, TAGS))
    (row,) = stored(connection)
    for number, (column, value) in enumerate(FORMS[form]):
        connection.table("tsdb").put(row, {column: value, ANNOTATION: b"{}"}, timestamp=NOW - 1000 + number)
    clock.set_ms += QUIET_MS + 1
    points = repository(connection, clock).points("cpu", "host", "web-1")
    since_ms, until_ms = sorted(HOUR + dice.randrange(0, 5000, 250) for _ in range(2))
    result = repository(connection, clock).delete_points("cpu", (), since_ms, until_ms)
    assert (result.failed, result.postponed) == ((), 0)
    wanted = [point for point in points if not since_ms <= point.time_ms < until_ms]
    assert repository(connection, clock).points("cpu", "host", "web-1") == wanted
    assert stored(connection)[row][ANNOTATION] == (b"{}", NOW - 1000 + number)


def test_what_cannot_be_read_stops_no_other_row_and_a_cell_of_it_is_deleted_with_its_whole_hour(connection, clock):
    fill(connection, clock, compacted=False)
    (row,) = stored(connection)
    connection.table("tsdb").put(row[:-1], {b"t:\0\0": b"\1"}, timestamp=5)
    result = delete(connection, clock, 0, 2)
    assert (result.changed, [failure.row for failure in result.failed]) == (1, [row[:-1]])
    connection.table("tsdb").delete(row[:-1])
    connection.table("tsdb").put(row, {b"t:" + bytes.fromhex("0050 0060"): b"\1"}, timestamp=5)
    result = delete(connection, clock, 2, 3)
    assert result.changed == 0
    assert str(result.failed[0]).startswith(f"tsdb: row {row.hex(' ')}: cell 00 50 00 60: must be 2 bytes")
    assert delete(connection, clock, 0, 3600).changed == 1
    assert stored(connection) == {}


def test_appended_points_are_deleted_all_or_none(connection, clock):
    fill(connection, clock, compacted=False)
    (row,) = stored(connection)
    appended = {b"t:\5\0\0": pack_appended([(9000, 9), (8000, 8)])}
    connection.table("tsdb").put(row, appended, timestamp=NOW)
    result = delete(connection, clock, 4, 9)
    assert (result.changed, result.postponed) == (0, 0)
    assert str(result.failed[0]).endswith("cell 05 00 00: appended points cannot be deleted in part")
    assert values(connection, clock) == [0, 1, 2, 3, 4, 8, 9]
    assert delete(connection, clock, 0, 2).changed == 1
    assert values(connection, clock) == [2, 3, 8, 9], "the deletion that failed is registered"
    assert delete(connection, clock, 4, 10).changed == 1
    assert values(connection, clock) == [2, 3]


def test_a_compacted_cell_beside_appended_points_is_not_replaced(connection, clock):
    fill(connection, clock, compacted=True)
    connection.table("tsdb").put(min(stored(connection)), {b"t:\5\0\0": pack_appended([(9000, 9)])}, timestamp=NOW)
    result = delete(connection, clock, 4, 9)
    assert (result.changed, len(result.failed)) == (0, 1)


def test_duplicates_do_not_come_back_and_those_in_the_period_may_differ(connection, clock):
    fill(connection, clock, compacted=True)
    repository(connection, clock).store(Point("cpu", HOUR + 2000, 300, TAGS))
    clock.set_ms += QUIET_MS + 1
    assert delete(connection, clock, 2, 3, duplicates="strict") == DeletionResult(1, 0, ())
    assert values(connection, clock, duplicates="strict") == [0, 1, 3, 4]
    repository(connection, clock).store(Point("cpu", HOUR + 3000, 300, TAGS))
    clock.set_ms += QUIET_MS + 1
    result = delete(connection, clock, 4, 5, duplicates="strict")
    assert "cells of one time must hold the same number" in str(result.failed[0])
    assert delete(connection, clock, 4, 5).changed == 1
    assert values(connection, clock) == [0, 1, 300]


# ---- deaths, and others meanwhile ----------------------------------------------------------------


def two_series(connection, clock, *, compacted):
    """Five points of each of two series over two hours, so that a call changes several rows."""
    for host in ("web-1", "web-2"):
        repository(connection, clock).store_all(
            Point("cpu", HOUR + HOUR_MS - 3000 + second * 1000, second, {"host": host}) for second in range(6)
        )
    clock.set_ms += QUIET_MS + 1
    if compacted:
        assert repository(connection, clock).compact("cpu").compacted == 4
    repository(connection, clock).store(Point("cpu", HOUR + HOUR_MS - 4000, 7, TAGS))
    clock.set_ms += QUIET_MS + 1


def further_if(is_so):
    return [pytest.mark.further] * is_so


SINCE_MS, UNTIL_MS = HOUR + HOUR_MS - 1000, HOUR + HOUR_MS + 1000
"""The last point of the first hour and the first one of the second, for each series of `two_series`."""
ALL = {("web-1", value) for value in (7, 0, 1, 2, 3, 4, 5)} | {("web-2", value) for value in range(6)}
REMAINING = {(host, value) for host, value in ALL if value not in (2, 3)}


def seen(connection, clock):
    return {
        (series.tags["host"], value)
        for series in repository(connection, clock, duplicates="strict").read("cpu")
        for _, value in series.values.points()
    }


def delete_both(connection, clock):
    return repository(connection, clock).delete_points("cpu", (), SINCE_MS, UNTIL_MS)


ROWS_OF_CALLS = {False: [1, 1, 4], True: [1, 1, 4, 4]}
"""The clock, the deletion registered, a delete; with compacted cells, a put before it."""
STOPS = [
    pytest.param(
        compacted,
        Stop(call, stored_rows, is_death),
        marks=further_if(0 < len(stored_rows) < size and stored_rows != {0}),
    )
    for compacted, sizes in ROWS_OF_CALLS.items()
    for call, size in enumerate(sizes)
    for stored_rows in subsets(size)
    for is_death in (True, False)
]
CALLS, READING = {False: 16, True: 24}, 14
"""All calls of the deletion, and the one that reads the cells."""
EVERY_CALL = [
    pytest.param(compacted, call, marks=further_if(0 < call < READING - 2))
    for compacted, calls in CALLS.items()
    for call in range(calls)
]


@pytest.mark.parametrize("compacted", [False, True])
def test_the_calls_of_a_deletion(connection, clock, compacted):
    two_series(connection, clock, compacted=compacted)
    watched = WatchedConnection(connection)
    assert delete_both(watched, clock).changed == 4
    assert seen(connection, clock) == REMAINING
    assert [len(call.rows) for call in watched.calls] == ROWS_OF_CALLS[compacted]
    assert watched.number_of_calls == CALLS[compacted]


@pytest.mark.parametrize(("compacted", "stop"), STOPS)
def test_a_deletion_that_stops_at_any_call_is_completed_by_the_same_call(connection, clock, compacted, stop):
    two_series(connection, clock, compacted=compacted)
    watched = WatchedConnection(connection, stopped_at(stop))
    with suppress(WriterDied, ReplyLost):
        delete_both(watched, clock)
    assert watched.is_stopped
    assert REMAINING <= seen(connection, clock) <= ALL
    delete_both(connection, clock)
    assert seen(connection, clock) == REMAINING
    watched.deliver()
    assert seen(connection, clock) == REMAINING
    assert delete_both(connection, clock) == DeletionResult(0, 0, ())
    clock.set_ms += QUIET_MS + 1
    repository(connection, clock).compact("cpu")
    assert seen(connection, clock) == REMAINING


def delete_while(connection, clock, compacted, call, doing):
    """The deletion, with something else done before one of its calls."""
    two_series(connection, clock, compacted=compacted)
    done = []
    watched = WatchedConnection(connection, before_call=paused_at_call(call, lambda: done.append(doing())))
    result = delete_both(watched, clock)
    assert len(done) == 1
    return result


MAIN = [(False, 9, 0), (False, 300, 2 * QUIET_MS), (True, 9, 0)]
"""A point of the period or before it, overwritten by one of as many bytes or by a wider one, maybe with a pause."""


@pytest.mark.parametrize(
    ("time_ms", "value", "paused_ms"),
    [
        pytest.param(time_ms, value, paused_ms, marks=further_if((time_ms < SINCE_MS, value, paused_ms) not in MAIN))
        for time_ms in (SINCE_MS, SINCE_MS - 1000)
        for value in (9, 300)
        for paused_ms in (0, 2 * QUIET_MS)
    ],
)
@pytest.mark.parametrize(("compacted", "call"), EVERY_CALL)
def test_a_point_that_is_overwritten_meanwhile_stays(connection, clock, compacted, call, time_ms, value, paused_ms):
    """Unless it is in the period and was read. A deletion that waits for long begins again, and reads it."""
    overwritten = Point("cpu", time_ms, value, TAGS)

    def overwrite():
        repository(connection, clock).store(overwritten)
        clock.set_ms += paused_ms if call >= READING else 0  # before that, the point is one of the old ones

    result = delete_while(connection, clock, compacted, call, overwrite)
    was_read = call <= READING or paused_ms > 0
    assert (result.changed, result.postponed) == (4, 0)
    points = repository(connection, clock).points("cpu", "host", "web-1")
    is_deleted = time_ms == SINCE_MS and was_read
    assert [point.value for point in points if point.time_ms == time_ms] == ([] if is_deleted else [value])
    clock.set_ms += QUIET_MS + 1
    repository(connection, clock).compact("cpu")
    assert repository(connection, clock).points("cpu", "host", "web-1") == points


@pytest.mark.parametrize(
    "since_ms",
    [None, SINCE_MS - 1000, *(pytest.param(ms, marks=pytest.mark.further) for ms in (SINCE_MS, UNTIL_MS))],
)
@pytest.mark.parametrize(("compacted", "call"), EVERY_CALL)
def test_a_compaction_or_another_deletion_meanwhile_loses_no_other_point(connection, clock, compacted, call, since_ms):
    """A deletion of the same period, one that overlaps it, and one after it."""

    def act():
        tsdb = repository(connection, clock)
        return tsdb.delete_points("cpu", (), since_ms, since_ms + 2000) if since_ms else tsdb.compact("cpu")

    delete_while(connection, clock, compacted, call, act)
    gone = range(2000) if since_ms is None else range(since_ms - SINCE_MS, since_ms - SINCE_MS + 2000)
    neither = {(host, value) for host, value in REMAINING if value == 7 or (value - 2) * 1000 not in gone}
    assert neither <= seen(connection, clock) <= ALL
    act()
    delete_both(connection, clock)
    assert seen(connection, clock) == neither


# ---- series, and everything at random ------------------------------------------------------------


def test_a_series_is_deleted_with_its_annotations_and_others_stay(connection, clock):
    longer = {**TAGS, "dc": "lga"}
    for hour in range(3):
        for metric, tags in (("cpu", TAGS), ("cpu", longer), ("cpu", {"host": "web-2"}), ("load", TAGS)):
            repository(connection, clock).store(Point(metric, HOUR + hour * HOUR_MS, hour, tags))
    row = min(stored(connection))
    connection.table("tsdb").put(row, {ANNOTATION: b"{}"}, timestamp=NOW)
    others = len(stored(connection)) - 3
    assert repository(connection, clock).delete_series("cpu", {"host": "none"}).changed == 0
    assert repository(connection, clock).delete_series("none", TAGS).changed == 0
    assert repository(connection, clock).delete_series("cpu", TAGS) == DeletionResult(3, 0, ())
    assert repository(connection, clock).delete_series("cpu", TAGS) == DeletionResult(0, 0, ())
    assert len(stored(connection)) == others
    assert len(repository(connection, clock).points("cpu", "host", "web-1")) == 3
    assert repository(connection, clock).delete_points("cpu", [TagFilter("host", "wildcard", "*")], 0, NOW).changed == 6
    assert len(stored(connection)) == 3


@pytest.mark.parametrize(
    "salt", [pytest.param(None, id="plain", marks=pytest.mark.further), pytest.param(SeriesSalt(1, 4), id="salted")]
)
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=further_if(seed > 0)) for seed in range(20)])
def test_random_deletions_are_those_of_a_plain_dict(new_store, clock, seed, salt):
    dice = random.Random(seed)
    tables = TABLES._replace(points=data_table(salt=salt))
    tsdb = TsdbRepository(new_store(*tables), tables, clock=clock)
    wanted = {}
    for _ in range(50):
        match dice.choice(("store", "store", "delete", "delete", "compact", "wait", "series")):
            case "store":
                points = [
                    Point("cpu", HOUR + dice.randrange(3 * 3600) * 500, dice.choice((1, 300, 0.5, 0.1)), {"host": host})
                    for host in "abc"
                    for _ in range(dice.randrange(1, 40))
                ]
                tsdb.store_all(points)
                wanted |= {(dict(point.tags)["host"], point.time_ms): point.value for point in points}
            case "delete":
                since_ms, until_ms = sorted(HOUR + dice.randrange(0, 6000) * 1000 for _ in range(2))
                hosts = dice.sample("abc", dice.randrange(1, 4))
                filters = [TagFilter("host", dice.choice(("literal_or", "iliteral_or")), "|".join(hosts))]
                while (result := tsdb.delete_points("cpu", filters, since_ms, until_ms)).postponed:
                    clock.set_ms += QUIET_MS + 1
                assert result.failed == ()
                wanted = {
                    (host, time_ms): value
                    for (host, time_ms), value in wanted.items()
                    if host not in hosts or not since_ms <= time_ms < until_ms
                }
            case "compact":
                tsdb.compact("cpu")
            case "wait":
                clock.set_ms += QUIET_MS + 1
            case "series" if dice.random() < 0.3:
                tsdb.delete_series("cpu", {"host": "a"})
                wanted = {key: value for key, value in wanted.items() if key[0] != "a"}
        found = {
            (series.tags["host"], time_ms): value
            for series in tsdb.read("cpu")
            for time_ms, value in series.values.points()
        }
        assert found == wanted
