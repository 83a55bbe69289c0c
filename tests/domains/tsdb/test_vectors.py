"""The 120 vectors transcribed from OpenTSDB's own unit tests."""

import json
from contextlib import closing

import pytest

from domains.tsdb.changing.compaction import compacted
from domains.tsdb.keys import data_table, uid_tables
from domains.tsdb.records import SeriesPoint
from domains.tsdb.storage.annotations import annotation_qualifier, global_row, tsuid_bytes
from domains.tsdb.storage.codecs import LatinText, SeriesSalt
from domains.tsdb.storage.point_arrays import read_points
from domains.tsdb.storage.qualifiers import HOUR_MS, pack_appended, pack_number, qualifier_of
from domains.tsdb.storage.uids import check_name
from shared.keys import InvalidKey
from shared.stores import connect
from shared.tables import create_tables
from shared.testing import WatchedConnection
from shared.writes import Dictionary
from shared.writes.dictionaries import NoFreeId
from tests.copies import ROOT

VECTORS = json.loads((ROOT / "fixtures/tsdb/vectors.json").read_text(encoding="utf-8"))


def each_vector(kind):
    """Runs a test for each vector of a kind: what OpenTSDB's test asks, and what it expects."""
    of_kind = [vector for vector in VECTORS if vector["kind"] == kind]
    params = [pytest.param(vector["input"], vector["expect"], id=vector["id"]) for vector in of_kind]
    return pytest.mark.parametrize(("asked", "expect"), params)


def hexed(text):
    return bytes.fromhex(text)


def split_time(timestamp):
    """A timestamp of OpenTSDB's as milliseconds, and whether it is in milliseconds: those beyond 32 bits are."""
    return (timestamp, True) if timestamp >= 2**32 else (timestamp * 1000, False)


def cell(qualifier, value, written_ms=0):
    return {hexed(qualifier): (hexed(value), written_ms)}


@each_vector("qualifier")
def test_qualifiers(asked, expect):
    match asked["op"]:
        case "build":
            time_ms, in_ms = split_time(asked["timestamp"])
            assert qualifier_of(time_ms % HOUR_MS, asked["flags"], in_ms=in_ms) == hexed(expect["qualifier"])
        case "fix_flags":
            fixed = read_points(cell("00" + asked["flags_byte"], "00" * asked["value_len"]))
            assert fixed.flags.tolist() == [int(expect["flags_byte"], 16)]
        case "compare":
            (first,), (second,) = (points_of(asked[name]).offsets_ms.tolist() for name in "ab")
            assert (first > second) - (first < second) == expect["result"]
        case op:
            points = points_of(asked["qualifier"])
            place = 0 if "at" not in asked else 1
            answers = {
                "timestamp_ms": lambda: asked["base_time"] * 1000 + points.offsets_ms[place],
                "offset_ms": lambda: points.offsets_ms[place],
                "value_length": lambda: len(points.number_bytes(place)),
                "flags": lambda: points.flags[place],
            }
            assert answers[op]() == next(iter(expect.values()))


def points_of(qualifier):
    """The points of a cell whose value is long enough for any."""
    at, length = 0, 0
    data = hexed(qualifier)
    while at < len(data):
        at += 4 if data[at] >= 0xF0 else 2
        length += (data[at - 1] & 7) + 1
    return read_points(cell(qualifier, "00" * length))


@each_vector("value")
def test_values(asked, expect):
    match asked["op"]:
        case "encode_long":
            assert pack_number(asked["value"])[1] == hexed(expect["value"])
        case "fix_float":
            points = read_points(cell("00" + asked["flags_byte"], asked["value"]))
            assert points.number_bytes(0) == hexed(expect["value"])
        case "put":
            time_ms, in_ms = split_time(asked["timestamp"])
            if "error" in expect or asked["timestamp"] == 9_999_999_999_999:  # there OpenTSDB writes 2014
                with pytest.raises(ValueError, match=r"SeriesPoint.time_ms: must be 0..4294967295999"):
                    SeriesPoint(b"", time_ms, b"", asked["value"])
                return
            tags = b"".join(map(hexed, asked["tags"]))
            point = SeriesPoint(hexed(asked["metric_uid"]), time_ms, tags, asked["value"])
            table = data_table()
            flags, number = pack_number(point.value)
            assert table.row(point) == hexed(expect["row_key"])
            assert qualifier_of(time_ms % HOUR_MS, flags, in_ms=in_ms) == hexed(expect["qualifier"])
            assert number == hexed(expect["value"])
            if in_ms == bool(time_ms % 1000):  # we write whole seconds in 2 bytes
                assert table.cells.pack(point) == {b"t:" + hexed(expect["qualifier"]): number}


def salt_of(asked):
    return SeriesSalt(asked["salt_width"], asked["salt_buckets"]) if "salt_buckets" in asked else None


@each_vector("row_key")
def test_row_keys(asked, expect):
    if asked["op"] == "to_tsuid":
        row = hexed(asked["row_key"])[asked["salt_width"] :]
        assert row[:3] + row[7:] == hexed(expect["tsuid"])
        with pytest.raises(InvalidKey, match="multiple of 3600000"):  # 01 01 01 01 is not the start of an hour
            data_table().key.decode(row)
        return
    tsuid, (time_ms, _) = hexed(asked["tsuid"]), split_time(asked["timestamp"])
    table = data_table(salt=salt_of(asked))
    row = table.row(SeriesPoint(tsuid[:3], time_ms, tsuid[3:], 0))
    assert row == hexed(expect["row_key"])
    assert table.key.decode(row).tag_uids == tsuid[3:]


@each_vector("salt")
def test_salts(asked, expect):
    if asked["op"] == "salt_bytes":
        assert SeriesSalt(asked["width"], 20).every_value()[asked["bucket"]] == hexed(expect["salt"])
        return
    key, salt = hexed(asked["key"]), SeriesSalt(asked["salt_width"], asked["salt_buckets"])
    metric, time_s, tags = key[1:4], key[4:8], key[8:]
    if metric == bytes(3):  # the row of annotations of all series
        assert key == hexed(expect["key"]) == global_row(3, int.from_bytes(time_s, "big") * 1000, salt_bytes=1)
        return
    assert salt.encode((), (metric, tags)) + key[1:] == hexed(expect["key"])


@each_vector("compaction")
def test_compaction(asked, expect):
    cells = {}
    for stored in asked["cells"]:
        cells |= cell(stored["qualifier"], stored["value"], stored["hbase_ts"])
    if expect["qualifier"] is None:
        assert compacted(cells) is None
        return
    read = read_points(cells).merged("newest").compacted()
    assert read == (hexed(expect["qualifier"]), hexed(expect["value"]))
    result = compacted(cells)
    if result is None:
        assert (expect["put"], expect["deletes"]) == (False, [])
        return
    assert (result.qualifier, result.value) == read
    assert result.written_ms == max(written_ms for _, written_ms in cells.values())
    is_equal = cells.get(result.qualifier, (None, 0))[0] == result.value
    assert is_equal != expect["put"]
    # Unlike OpenTSDB, we put an equal cell again if it is older: a deletion may be about to delete it.
    assert result.is_stored == (is_equal and cells[result.qualifier][1] == result.written_ms)
    assert {*result.sources} == {*map(hexed, expect["deletes"])}


@each_vector("append")
def test_appends(asked, expect):
    if asked["op"] == "write":
        points = [(split_time(timestamp)[0] % HOUR_MS, value) for timestamp, value in asked["points"]]
        assert pack_appended(points) == hexed(expect["value"])
        return
    qualifier, value = read_points(cell("050000", asked["value"])).merged("strict").compacted()
    tail = len(value) - len(hexed(expect["value"]))
    assert (qualifier, value[: len(value) - tail]) == (hexed(expect["qualifier"]), hexed(expect["value"]))
    assert tail == (len(qualifier) > 4 or (len(qualifier) == 4 and qualifier[0] < 0xF0))


@each_vector("uid")
def test_uids(asked, expect):
    match asked["op"]:
        case "to_string":
            assert hexed(asked["uid"]).hex().upper() == expect["string"]
        case "from_string":
            assert tsuid_bytes(asked["string"]) == hexed(expect["uid"])
        case "max":
            assert Dictionary(connect("embedded:"), "t", "metrics", asked["width"]).last_id == expect["max"]
        case "validate":
            with pytest.raises(InvalidKey, match="metrics: a name must be letters"):
                check_name("metrics", asked["name"])
        case "from_long":
            with pytest.raises(NoFreeId, match=r"1..255, the ids of 1 bytes .got 257"):
                assign(asked["width"], asked["long"], [])
        case "assign" if "error" in expect:
            with pytest.raises(NoFreeId, match=r"1..255, the ids of 1 bytes .got 256"):
                assign(asked["width"], asked["counter_returns"], [])
        case "assign":
            assert assign(asked["width"], asked["counter_returns"], [hexed(asked["winner"])]) == hexed(expect["uid"])
        case "assign_random":
            assert expect["error"] == "FailedToAssignUniqueIdException"  # ours are never random


def assign(width, counter, winners):
    """What `foo` is assigned, while another writer gives it a UID before the forward mapping is put."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, uid_tables())
        rows = connection.table("tsdb-uid")
        rows.counter_set(b"\0", b"id:metrics", counter - 1)

        def watch(number):
            if number == 3:
                for winner in winners:
                    rows.put(b"foo", {b"id:metrics": winner})

        watched = WatchedConnection(connection, before_call=watch)
        return Dictionary(watched, "tsdb-uid", "metrics", width, names=LatinText).assign("foo")


@each_vector("annotation")
def test_annotations(asked, expect):
    time_ms, _ = split_time(asked["start_time"])
    match asked["op"]:
        case "qualifier":
            assert annotation_qualifier(asked["start_time"]) == hexed(expect["qualifier"])
        case "global_row":
            assert global_row(3, time_ms) == hexed(expect["row_key"])
        case "local_row":
            tsuid = tsuid_bytes(asked["tsuid"])
            assert data_table().row(SeriesPoint(tsuid[:3], time_ms, tsuid[3:], 0)) == hexed(expect["row_key"])
