"""What is said of OpenTSDB's rows: the names in a key, and a cell taken apart."""

import struct

import pytest

from domains.tsdb import Point, TsdbRepository
from domains.tsdb.annotations import Annotation, annotation_qualifier, pack_annotation
from domains.tsdb.contents import contents_of_cell, names_in_key, unknown_names
from domains.tsdb.keys import NAMES, POINTS, UIDS, HourOfSeries, RowOfName, RowOfUid
from domains.tsdb.qualifiers import APPENDED, pack_appended, qualifier_of
from domains.tsdb.uids import UnknownUid
from shared.records import parse_time
from shared.tables import InvalidRecord

HOUR = parse_time("2013-01-01T00:00")
UID = bytes.fromhex("000001")
KEY = HourOfSeries(UID, HOUR, UID + UID)


def contents(qualifier, value):
    explained = contents_of_cell(POINTS, KEY, b"t:" + qualifier, value)
    return explained.holds, *((of["time_ms"] - HOUR, of["type"], of["value"], of["bytes"]) for of in explained.values)


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
    ("qualifier", "value", "wanted"),
    [
        ("0031", "0101", ("1 point, in seconds", (3000, "int of 2 bytes", 257, b"\1\1"))),
        ("f000020b", "422a0000", ("1 point, in milliseconds", (8, "float of 4 bytes", 42.5, b"\x42\x2a\0\0"))),
        (
            "0000 03c1 f000020b",
            "2a 0101 422a0000 01",
            (
                "3 points, compacted",
                (0, "int of 1 byte", 42, b"\x2a"),
                (60_000, "int of 2 bytes", 257, b"\1\1"),
                (8, "float of 4 bytes", 42.5, b"\x42\x2a\0\0"),
            ),
        ),
        ("0003", "ffffffff", ("1 point, in seconds", (0, "int of 4 bytes", -1, b"\xff" * 4))),
    ],
)
def test_a_cell_is_taken_apart_point_by_point_in_its_own_order(qualifier, value, wanted):
    assert contents(bytes.fromhex(qualifier), bytes.fromhex(value)) == wanted


def test_appended_points_are_shown_in_the_order_in_which_they_arrived():
    value = pack_appended([(60_000, 1), (0, 42)]) + pack_appended([(30_000, 24)])
    holds, *points = contents(APPENDED, value)
    assert (holds, [point[:3:2] for point in points]) == ("3 points, appended", [(60_000, 1), (0, 42), (30_000, 24)])


def test_a_number_that_is_not_finite_is_text_because_json_has_none():
    holds, point = contents(qualifier_of(0, 0xF), struct.pack(">d", float("nan")))
    assert (holds, point[1:3]) == ("1 point, in seconds", ("float of 8 bytes", "nan"))


def test_an_annotation_is_its_fields():
    note = Annotation(HOUR // 1000 + 7, "deploy", "all of it")
    explained = contents_of_cell(POINTS, KEY, b"t:" + annotation_qualifier(note.start_time), pack_annotation(note))
    (fields,) = explained.values
    assert (explained.holds, Annotation(**fields)) == ("an annotation", note)


@pytest.mark.parametrize(("qualifier", "what"), [("060001", "a histogram"), ("09", "something else")])
def test_other_cells_are_said_to_be_passed_over(qualifier, what):
    assert contents(bytes.fromhex(qualifier), b"x") == (f"{what}, not points: ignored",)


@pytest.mark.parametrize(
    ("qualifier", "value", "said"),
    [
        ("0003", "01ff00", "cell 00 03: must be an int of 1, 2, 4 or 8 bytes, or a float of 4 or 8 (got 01 ff 00)"),
        ("00000010", "01", "cell 00 00 00 10: must be 2 bytes for its 2 points (got 01)"),
        ("", "01", "qualifier: must be of a point (got no bytes)"),
        ("050000", "00", "cell 05 00 00: needs 3 bytes at offset 0, 1 left: (got 00)"),
        ("010a02", "7b", "Annotation: must be its JSON: "),
    ],
)
def test_a_damaged_cell_is_refused_with_what_was_wanted(qualifier, value, said):
    with pytest.raises(InvalidRecord) as refused:
        contents(bytes.fromhex(qualifier), bytes.fromhex(value))
    assert str(refused.value).startswith(said)


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
