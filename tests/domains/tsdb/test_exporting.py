"""All points with names: whatever layout and form they are stored in, and what is left out is reported."""

import struct

import pytest

from domains.tsdb.annotations import Annotation
from domains.tsdb.records import LAST_POINT_MS, Point
from shared.keys import InvalidQuestion
from shared.records import parse_time
from shared.tables import InvalidRecord

pytestmark = pytest.mark.sampled

T = parse_time("2013-01-01T00:00")
HOUR_MS = 3_600_000
POINTS = [
    Point(metric, T + hour * HOUR_MS + offset_ms, value, {"host": host, "dc": "lga"})
    for metric in ("cpu", "load")
    for host in ("web-1", "web-2")
    for hour, offset_ms, value in ((0, 0, 1), (0, 3_599_500, 0.5), (1, 80_000, -(2**63)), (30, 7, 1e300))
]
"""Seconds 80 to 95 are those at which OpenTSDB's own `scan --import` fails."""


def by_time(points):
    return sorted(points, key=lambda point: (point.metric, point.tags, point.time_ms))


def test_what_was_stored_is_exported_also_if_it_was_appended_beside_annotations(repository):
    repository.store_all(POINTS[:-2])
    repository.append(POINTS[-2:])
    repository.store_annotation(Annotation(T, description="of all series"))
    assert repr(by_time(repository.export())) == repr(by_time(POINTS))


def test_series_and_a_period_are_chosen_as_in_a_question(repository):
    repository.store_all(POINTS)
    chosen = repository.export("cpu{host=wildcard(*-2)}", T + 1, T + HOUR_MS + 80_001)
    assert [(point.metric, dict(point.tags)["host"], point.value) for point in by_time(chosen)] == [
        ("cpu", "web-2", 0.5),
        ("cpu", "web-2", -(2**63)),
    ]
    assert by_time(repository.export("", T + 30 * HOUR_MS, LAST_POINT_MS)) == by_time(POINTS[3::4])
    assert list(repository.export("disk")) == []
    with pytest.raises(InvalidQuestion, match=r"^m: must be a metric, maybe with filters: .* .got 'sum:cpu'.$"):
        repository.export("sum:cpu")


def test_rows_and_numbers_that_cannot_be_read_are_reported_and_all_others_are_exported(repository):
    repository.store_all(POINTS)
    rows = repository._points.rows
    damaged = {
        repository._row(Point("cpu", T, 1, {"short": "number"})): {b"t:\x00\x00": bytes(3)},
        repository._row(Point("cpu", T, 1, {"not": "finite"})): {b"t:\x00\x0b": struct.pack(">f", float("inf"))},
        repository._row(Point("lost", T, 1, {"a": "metric"})): {b"t:\x00\x00": b"\x01"},
        b"short": {b"t:\x00\x00": b"\x01"},
    }
    for row, cells in damaged.items():
        rows.put(row, cells)
    uid = repository.uids.metrics.id_of("lost")
    rows.connection.table("tsdb-uid").delete(uid, [b"name:metrics"])
    repository.uids.metrics.forget()
    reported = []
    assert by_time(repository.export().on_invalid(reported.append)) == by_time(POINTS)
    assert {row.row for row in reported} == damaged.keys()
    with pytest.raises(InvalidRecord):
        list(repository.export())
