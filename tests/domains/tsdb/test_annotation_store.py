"""Annotations and appended points on a store."""

import time

import attrs
import pytest

from domains.tsdb.asking.query_text import TagFilter
from domains.tsdb.records import Point
from domains.tsdb.repository import FOREVER_MS, TsdbRepository
from domains.tsdb.storage.annotations import Annotation
from shared.designs.counting import metered
from shared.keys import InvalidKey
from shared.tables import InvalidRow
from shared.testing import WatchedConnection, paused_at, paused_at_call
from tests.domains.tsdb.compacting import HOUR, HOUR_MS

SECONDS = HOUR // 1000


@pytest.fixture
def repository(repository):
    repository.store_all(
        Point("cpu", HOUR + second * 1000, second, {"host": host}) for second in range(40) for host in "ab"
    )
    return repository


def noted(repository, host, start_time, description):
    return Annotation(start_time, description, tsuid=repository.tsuid("cpu", {"host": host}))


def test_annotations_of_series_are_read_in_the_period_in_which_they_start(repository):
    a1, a2, b1 = (
        noted(repository, host, start_time, f"{host} {start_time}")
        for host, start_time in (("a", SECONDS + 20), ("a", HOUR + HOUR_MS + 250), ("b", SECONDS + 10))
    )
    for annotation in (a1, a2, b1):
        assert repository.store_annotation(annotation)
    assert repository.annotations("cpu") == [b1, a1, a2]
    assert repository.annotations("cpu", [TagFilter("host", "literal_or", "a")]) == [a1, a2]
    assert repository.annotations("cpu", [TagFilter("host", "wildcard", "b*")]) == [b1]
    assert repository.annotations("cpu", (), a1.start_ms, a2.start_ms) == [a1]
    assert repository.annotations("cpu", (), a1.start_ms + 1) == [a2]
    assert repository.annotations("none") == repository.annotations("cpu", [TagFilter("dc", "literal_or", "x")]) == []
    assert [series.values.points()[:2] for series in repository.read("cpu")] == [[(HOUR, 0), (HOUR + 1000, 1)]] * 2
    assert repository.global_annotations() == []


def test_annotations_of_all_series(repository):
    first = Annotation(SECONDS + 3599, "of all", end_time=SECONDS + 9000, custom={"b": "1", "a": "2"})
    last = Annotation(FOREVER_MS // 1000 - 1, "the last second")
    for annotation in (last, first):
        assert repository.store_annotation(annotation)
    assert repository.global_annotations() == [first, last]
    assert repository.global_annotations(HOUR, HOUR + HOUR_MS) == [first]
    assert repository.global_annotations(HOUR, HOUR + HOUR_MS - 1000) == []
    assert repository.annotations("cpu") == []
    assert len(repository.read("cpu")) == 2


def test_an_annotation_is_changed_only_if_it_is_what_its_editor_has_seen(repository):
    first = noted(repository, "a", SECONDS, "first")
    second, third = (attrs.evolve(first, description=text) for text in ("second", "third"))
    assert repository.store_annotation(first)
    assert repository.store_annotation(first), "a retry"
    assert not repository.store_annotation(second)
    assert repository.store_annotation(second, replaced=first)
    assert not repository.store_annotation(third, replaced=first)
    assert not repository.delete_annotation(first)
    assert repository.annotations("cpu") == [second]
    assert repository.delete_annotation(second)
    assert repository.delete_annotation(second), "a retry"
    assert not repository.store_annotation(third, replaced=second)
    assert repository.store_annotation(third)
    assert repository.annotations("cpu") == [third]


def test_of_two_editors_at_once_one_is_refused_whichever_call_the_other_comes_before(connection):
    first, mine, other = (Annotation(SECONDS, text) for text in ("first", "mine", "other"))
    repository = TsdbRepository(connection)
    assert repository.store_annotation(first)
    alone = WatchedConnection(connection)
    assert TsdbRepository(alone).store_annotation(mine, replaced=first)
    assert repository.store_annotation(first, replaced=mine)
    for call in range(alone.number_of_calls):
        watched = WatchedConnection(
            connection, before_call=paused_at_call(call, lambda: repository.store_annotation(other, replaced=first))
        )
        assert not TsdbRepository(watched).store_annotation(mine, replaced=first)
        assert repository.global_annotations() == [other]
        assert repository.store_annotation(first, replaced=other)


def test_an_annotation_that_is_changed_before_its_delete_stays(connection):
    first, other = Annotation(SECONDS, "first"), Annotation(SECONDS, "other")
    repository = TsdbRepository(connection)
    repository.store_annotation(first)
    time.sleep(0.005)  # the server dates them in milliseconds
    meanwhile = paused_at(lambda _call: True, lambda: repository.store_annotation(other, replaced=first))
    TsdbRepository(WatchedConnection(connection, meanwhile)).delete_annotation(first)
    assert repository.global_annotations() == [other]


def test_the_server_leaves_out_points(repository):
    repository.store_annotation(noted(repository, "a", SECONDS, "one"))
    with metered(repository._points.connection) as cost:
        repository.annotations("cpu")
    assert cost.cells_fetched == 1 + 2 * 16, "the points of seconds 16 to 31 have qualifiers that start so, too"


def test_annotations_that_cannot_be_stored_or_read_are_refused(connection):
    repository = TsdbRepository(connection)
    repository.store(Point("cpu", HOUR, 1, {"host": "a"}))
    with pytest.raises(InvalidKey, match=r"tsuid: must be UIDs in hex .got 'XYZ'"):
        repository.store_annotation(Annotation(SECONDS, tsuid="xyz"))
    with pytest.raises(InvalidKey, match=r"tag_uids: must be 1..8 pairs of 6 bytes .got 0 bytes"):
        repository.store_annotation(Annotation(SECONDS, tsuid="000001"))
    ((row, _),) = connection.table("tsdb").scan()
    connection.table("tsdb").put(row, {b"t:\1\0\0": b"[]"})
    with pytest.raises(InvalidRow, match=f"tsdb: row {row.hex(' ')}: Annotation: must be its JSON"):
        repository.annotations("cpu")


# ---- appends -------------------------------------------------------------------------------------


def test_appended_points_are_read_beside_stored_ones_and_the_last_of_a_time_counts(repository):
    points = [
        Point("cpu", HOUR + time_ms, value, {"host": "c"})
        for time_ms, value in ((5000, 5), (0, 0.1), (1500, 300), (5000, 6), (HOUR_MS, 1))
    ]
    repository.store(Point("cpu", HOUR + 2000, 2, {"host": "c"}))
    assert repository.append(points) == 5
    wanted = [(HOUR, 0.1), (HOUR + 1500, 300), (HOUR + 2000, 2), (HOUR + 5000, 6), (HOUR + HOUR_MS, 1)]
    for _ in range(2):
        answers = repository.points("cpu", "host", "c")
        assert [(answer.time_ms, answer.value) for answer in answers] == wanted
        repository.append(points)  # as after a lost reply


def test_points_of_one_row_are_one_append(connection):
    repository = TsdbRepository(connection)
    repository.store(Point("cpu", HOUR, 0, {"host": "a"}))
    with metered(connection) as cost:
        repository.append(Point("cpu", HOUR + second * 1000, second, {"host": "a"}) for second in range(7200))
    assert cost.rpcs == 2
    ((_, cells), _) = connection.table("tsdb").scan()
    assert cells[b"t:\5\0\0"][:6] == bytes.fromhex("0000 00 0010 01")
