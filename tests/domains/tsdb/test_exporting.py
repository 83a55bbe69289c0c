"""All points with names: whatever layout and form they are stored in, and what is left out is reported."""

import struct

import pytest

from domains.tsdb.records import LAST_POINT_MS, Point
from domains.tsdb.repository import TsdbRepository
from domains.tsdb.storage.annotations import Annotation
from shared.keys import InvalidQuestion
from shared.tables import InvalidRecord
from tests.domains.tsdb.compacting import HOUR, HOUR_MS

pytestmark = pytest.mark.sampled

POINTS = [
    Point(metric, HOUR + hour * HOUR_MS + offset_ms, value, {"host": host, "dc": "lga"})
    for metric in ("cpu", "load")
    for host in ("web-1", "web-2")
    for hour, offset_ms, value in ((0, 0, 1), (0, 3_599_500, 0.5), (1, 80_000, -(2**63)), (30, 7, 1e300))
]
"""Seconds 80 to 95 are those at which OpenTSDB's own `scan --import` fails."""


def by_time(points):
    return sorted(points, key=lambda point: (point.metric, point.tags, point.time_ms))


def test_what_was_stored_is_exported_also_if_it_was_appended_and_annotations_are_counted(repository):
    repository.store_all(POINTS[:-2])
    repository.append(POINTS[-2:])
    (tsuid,) = {repository.tsuid(point.metric, dict(point.tags)) for point in POINTS[:1]}
    for annotation in (Annotation(HOUR, description="of all series"), Annotation(HOUR + HOUR_MS, tsuid=tsuid)):
        repository.store_annotation(annotation)
    for asked, notes in (("", ["annotations are not exported (found 2)"]), ("load", [])):
        exported = repository.export(asked)
        assert repr(by_time(exported)) == repr(by_time(one for one in POINTS if one.metric == asked or not asked))
        assert exported.notes == notes


def test_a_row_that_opentsdb_answers_although_it_would_not_write_it_is_exported(connection):
    repository = TsdbRepository(connection)
    repository.store(Point("cpu", HOUR, 1, {"host": "web-1"}))
    rows = connection.table("tsdb")
    ((row, cells),) = rows.scan()
    metric, hour, tags = row[:3], row[3:7], row[7:]
    rows.put(metric + (int.from_bytes(hour, "big") + 3607).to_bytes(4, "big") + tags, cells)
    rows.put(metric + hour, cells)
    left_out = []
    assert [point.time_ms - HOUR for point in repository.export().on_invalid(left_out.append)] == [0, 3_607_000]
    assert [one.row for one in left_out] == [metric + hour], "no point is without a tag"


def test_series_and_a_period_are_chosen_as_in_a_question(repository):
    repository.store_all(POINTS)
    chosen = repository.export("cpu{host=wildcard(*-2)}", HOUR + 1, HOUR + HOUR_MS + 80_001)
    assert [(point.metric, dict(point.tags)["host"], point.value) for point in by_time(chosen)] == [
        ("cpu", "web-2", 0.5),
        ("cpu", "web-2", -(2**63)),
    ]
    assert by_time(repository.export("", HOUR + 30 * HOUR_MS, LAST_POINT_MS)) == by_time(POINTS[3::4])
    assert list(repository.export("disk")) == []
    with pytest.raises(InvalidQuestion, match=r"^m: must be a metric, maybe with filters: .* .got 'sum:cpu'.$"):
        repository.export("sum:cpu")


def test_rows_and_numbers_that_cannot_be_read_are_reported_and_all_others_are_exported(repository):
    repository.store_all(POINTS)
    rows = repository._points.rows
    damaged = {
        repository._row(Point("cpu", HOUR, 1, {"short": "number"})): {b"t:\x00\x00": bytes(3)},
        repository._row(Point("cpu", HOUR, 1, {"not": "finite"})): {b"t:\x00\x0b": struct.pack(">f", float("inf"))},
        repository._row(Point("lost", HOUR, 1, {"a": "metric"})): {b"t:\x00\x00": b"\x01"},
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
