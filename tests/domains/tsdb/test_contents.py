"""What is said of OpenTSDB's rows: the names in a key, and a cell taken apart."""

import pytest

from domains.tsdb import Point, TsdbRepository
from domains.tsdb.contents import contents_of_cell, names_in_key, unknown_names
from domains.tsdb.keys import NAMES, POINTS, UIDS, HourOfSeries, RowOfName, RowOfUid
from domains.tsdb.storage.annotations import Annotation, annotation_qualifier, pack_annotation
from domains.tsdb.storage.uids import UnknownUid
from shared.tables import InvalidRecord
from tests.domains.tsdb.compacting import HOUR

UID = bytes.fromhex("000001")
KEY = HourOfSeries(UID, HOUR, UID + UID)


def test_a_key_has_the_names_of_its_metric_and_tags_and_its_hour(connection):
    tsdb = TsdbRepository(connection)
    tsdb.store(Point("load", HOUR + 61_000, 1, {"host": "web-1", "dc": "lga"}))
    ((row, _cells),) = connection.table(POINTS.name).scan()
    assert names_in_key(tsdb, POINTS.key.decode(row)) == {
        "metric_uid": "load",
        "time_ms": "2013-01-01T00:00:00.000Z to 2013-01-01T00:59:59.999Z",
        "tag_uids": "dc=lga,host=web-1",
    }
    assert names_in_key(tsdb, RowOfUid(UID)) == {"metrics": "load", "tagk": "dc", "tagv": "lga"}
    assert names_in_key(tsdb, RowOfUid(bytes.fromhex("000009"))) == names_in_key(tsdb, RowOfUid(b"\1")) == {}
    assert names_in_key(tsdb, RowOfName("load")) == {}


def test_a_uid_without_a_name_is_refused_by_its_kind(connection):
    tsdb = TsdbRepository(connection)
    with pytest.raises(UnknownUid, match=r"^metrics: must be a UID with a name \(got 00 00 01\)$"):
        names_in_key(tsdb, KEY)
    tsdb.uids.metrics.assign("load")
    with pytest.raises(UnknownUid, match=r"^tagk: must be a UID with a name \(got 00 00 01\)$"):
        names_in_key(tsdb, KEY)


@pytest.mark.parametrize(
    ("qualifier", "value", "holds", "points"),
    [
        ("0031", "0101", "1 point, in seconds", [(3000, "int of 2 bytes", 257)]),
        ("0003", "ffffffff", "1 point, in seconds", [(0, "int of 4 bytes", -1)]),
        ("f000020b", "422a0000", "1 point, in milliseconds", [(8, "float of 4 bytes", 42.5)]),
        ("000f", "7ff8000000000000", "1 point, in seconds", [(0, "float of 8 bytes", "nan")]),  # JSON has no NaN
        (
            *("0000 03c1 f000020b", "2a 0101 422a0000 01", "3 points, compacted"),
            [(0, "int of 1 byte", 42), (60_000, "int of 2 bytes", 257), (8, "float of 4 bytes", 42.5)],
        ),
        ("050000", "0010 01  0000 2a", "2 points, appended", [(1000, "int of 1 byte", 1), (0, "int of 1 byte", 42)]),
        ("060001", "78", "a histogram, not points: ignored", []),
        ("09", "78", "something else, not points: ignored", []),
    ],
)
def test_a_cell_is_taken_apart_point_by_point_in_its_own_order(qualifier, value, holds, points):
    explained = contents_of_cell(POINTS, KEY, b"t:" + bytes.fromhex(qualifier), bytes.fromhex(value))
    assert explained.holds == holds
    assert [(of["time_ms"] - HOUR, of["type"], of["value"]) for of in explained.values] == points
    assert all(of["bytes"] in bytes.fromhex(value) for of in explained.values)


def test_an_annotation_is_its_fields():
    note = Annotation(HOUR // 1000 + 7, "deploy", "all of it")
    explained = contents_of_cell(POINTS, KEY, b"t:" + annotation_qualifier(note.start_time), pack_annotation(note))
    (fields,) = explained.values
    assert (explained.holds, Annotation(**fields)) == ("an annotation", note)


def test_a_cell_of_the_names_is_a_mapping_of_one_of_the_three_kinds():
    explained = contents_of_cell(UIDS, RowOfName("load"), b"id:metrics", UID)
    assert (explained.holds, *explained.values) == ("UidMapping", {"name": "load", "kind": "metrics", "uid": UID})
    explained = contents_of_cell(NAMES, RowOfUid(UID), b"name:tagk", b"host")
    assert (explained.holds, *explained.values) == ("UidMapping", {"name": "host", "kind": "tagk", "uid": UID})
    with pytest.raises(InvalidRecord, match=r"^kind: must be metrics or tagk or tagv \(got 78\)$"):
        contents_of_cell(UIDS, RowOfName("load"), b"id:x", UID)


def test_unknown_names_are_those_of_all_joined_questions_each_once(connection):
    repository = TsdbRepository(connection)
    m = "sum:none&m=max:none{host=a}&tsuid=sum:000001000001000001"
    assert unknown_names(repository, {"m": m}) == [
        "metric 'none' has no UID",
        "tag 'host' has no UID",
        "tag value 'a' has no UID",
    ]
