"""The rows and qualifiers of all variants, byte for byte, how they sort, and what they refuse."""

import hashlib
import json
import zlib
from pathlib import Path

import pytest

from domains.monitoring.design import DESIGN
from domains.monitoring.keys import BY_TIME, HOUR_MS, POINT_CELLS, POINTS, WithinHour
from domains.monitoring.variants.bucketed import BUCKET_MS
from shared.keys import InvalidKey, InvalidQuestion, between
from shared.records import LAST_MS

from .asking import LOSSLESS, WIDE, point, table_of

GOLDEN = json.loads((Path(__file__).parents[3] / "fixtures/monitoring/keys.json").read_text(encoding="utf-8"))
SALTED, A, B, BUCKETED, HASHED = (table_of(variant.name) for variant in DESIGN.variants[1:])

AT_MS = 1_768_208_345_000  # 2026-01-12T08:59:05.000Z
HOUR_8 = "8000019bb1381000"
named = {"ids": lambda table: table.name}


def rows(table, *points):
    return [table.row(each) for each in points]


# ---- byte for byte ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "row", "qualifier"),
    [
        (point(AT_MS), f"7765622d31 0001  637075 0001  {HOUR_8}", "003617a8"),
        (point(0), "7765622d31 0001  637075 0001  8000000000000000", "00000000"),
        (point(1), "7765622d31 0001  637075 0001  8000000000000000", "00000001"),
        (point(HOUR_MS - 1), "7765622d31 0001  637075 0001  8000000000000000", "0036ee7f"),
        (point(HOUR_MS), "7765622d31 0001  637075 0001  800000000036ee80", "00000000"),
        (point(LAST_MS), "7765622d31 0001  637075 0001  8000e677d1e8ed80", "0036ee7f"),
        (point(AT_MS, "1", " "), f"31 0001  20 0001  {HOUR_8}", "003617a8"),
        (point(AT_MS, "a\0b", "\0"), f"61 00ff 62 0001  00ff 0001  {HOUR_8}", "003617a8"),
        (point(AT_MS, "é", "🐘"), f"c3a9 0001  f09f9098 0001  {HOUR_8}", "003617a8"),
    ],
)
def test_a_row_is_host_metric_and_hour_and_a_qualifier_the_milliseconds_after_it(stored, row, qualifier):
    assert POINTS.row(stored) == bytes.fromhex(row)
    assert [*POINT_CELLS.pack(stored)] == [b"p:" + bytes.fromhex(qualifier)]


@pytest.mark.parametrize(
    ("value", "packed"),
    [(0.0, "cb 0000000000000000"), (1.0, "cb 3ff0000000000000"), (-2.5, "cb c004000000000000")],
)
def test_a_value_is_a_msgpack_float(value, packed):
    assert [*POINT_CELLS.pack(point(value=value)).values()] == [bytes.fromhex(packed)]


@pytest.mark.parametrize("golden", GOLDEN["qualifiers"], ids=lambda golden: golden["qualifier"])
def test_the_golden_qualifiers_are_encoded_and_decoded(golden):
    item, qualifier = WithinHour(**golden["key"]), bytes.fromhex(golden["qualifier"])
    assert POINT_CELLS.qualifier.encode(item) == qualifier
    assert POINT_CELLS.qualifier.decode(qualifier) == item


def test_the_golden_qualifiers_have_the_first_and_the_last_millisecond_of_an_hour():
    assert {golden["key"]["time_ms"] for golden in GOLDEN["qualifiers"]} >= {0, HOUR_MS - 1}


@pytest.mark.parametrize(
    ("metric", "bucket"), [("cpu", "05"), ("cpu-idle", "00"), ("disk", "07"), ("load", "03"), ("a\0b", "04")]
)
def test_salted_is_a_bucket_of_host_and_metric_then_the_row(metric, bucket):
    stored = point(AT_MS, metric=metric)
    assert SALTED.row(stored) == bytes.fromhex(bucket) + POINTS.row(stored)
    name, number = (text.encode().replace(b"\0", b"\0\xff") + b"\0\1" for text in ("web-1", metric))
    assert zlib.crc32(name + number) % 8 == int(bucket, 16)


@pytest.mark.parametrize(
    ("table", "stored", "row"),
    [
        (A, point(AT_MS), b"web-1_1768208345000_cpu"),
        (A, point(0, metric="c_d"), b"web-1_0000000000000_c_d"),
        (A, point(10**13 - 1), b"web-1_9999999999999_cpu"),
        (B, point(AT_MS), b"cpu_web-1_1768208345000"),
        (B, point(0), b"cpu_web-1_0000000000000"),
        (BUCKETED, point(AT_MS), b"1768207500000_web-1_cpu"),
        (BUCKETED, point(BUCKET_MS - 1), b"0000000000000_web-1_cpu"),
        (BUCKETED, point(BUCKET_MS), b"0000000900000_web-1_cpu"),
        (HASHED, point(AT_MS), b"a2e3a94e_web-1_1768207500000_cpu"),
        (HASHED, point(0), b"a2e3a94e_web-1_0000000000000_cpu"),
    ],
)
def test_published_rows_are_text(table, stored, row):
    assert table.row(stored) == row


def test_the_published_hash_is_eight_hex_digits_of_md5():
    for host in ("web-1", "é", " "):
        digits = hashlib.md5(host.encode(), usedforsecurity=False).hexdigest()[:8]
        assert HASHED.row(point(host=host)).startswith(digits.encode() + b"_")


# ---- order ------------------------------------------------------------------------------------------

MOMENTS = [0, 1, BUCKET_MS - 1, BUCKET_MS, HOUR_MS - 1, HOUR_MS, AT_MS, 10**13 - 1]
BY_CODE_POINT = ["1", "12", "a", "a\0", "a\0b", "a!", "aa", "web-1", "web-12", "é", "店", "🐘"]


def place(table, stored):
    return table.row(stored), *table.cells.pack(stored)


@pytest.mark.parametrize("name", LOSSLESS)
def test_older_points_of_a_metric_sort_first(name):
    places = [place(table_of(name), point(at)) for at in MOMENTS]
    assert places == sorted(places)
    assert len(set(places)) == len(places)


def test_a_hosts_points_sort_by_metric_then_time():
    in_order = [point(at, metric=metric) for metric in BY_CODE_POINT for at in (0, 1, HOUR_MS, AT_MS)]
    assert sorted(in_order, key=lambda each: place(POINTS, each)) == in_order


def test_all_points_of_one_host_sort_before_those_of_the_next_by_code_point():
    in_order = rows(POINTS, *(point(at, host) for host in BY_CODE_POINT for at in (0, AT_MS)))
    assert in_order == sorted(in_order)


def test_in_plan_a_a_hosts_points_sort_by_time_then_metric():
    in_order = rows(A, *(point(at, metric=metric) for at in MOMENTS for metric in ("cpu", "cpu-idle", "disk")))
    assert in_order == sorted(in_order)


def test_in_plan_b_a_metrics_points_sort_by_host_then_time():
    in_order = rows(B, *(point(at, host) for host in ("a", "b", "web-12", "web-2") for at in MOMENTS))
    assert in_order == sorted(in_order)


@pytest.mark.parametrize("table", [A, B, BUCKETED], **named)
def test_with_a_delimiter_a_host_sorts_after_those_that_go_on_with_less(table):
    assert sorted(["A", "A1", "Aa"], key=lambda host: table.row(point(host=host))) == ["A1", "A", "Aa"]


def test_in_plan_c_a_bucket_sorts_before_the_next_whatever_the_hosts():
    in_order = rows(BUCKETED, point(0, "b"), point(BUCKET_MS - 1, "c"), point(BUCKET_MS, "a"))
    assert in_order == sorted(in_order)


def test_with_the_hash_of_the_host_all_buckets_of_a_host_are_adjacent():
    in_order = rows(HASHED, *(point(at, host) for host in ("web-1", "web-2") for at in (0, BUCKET_MS, AT_MS)))
    hosts = [row.split(b"_")[1] for row in sorted(in_order)]
    assert hosts in ([b"web-1"] * 3 + [b"web-2"] * 3, [b"web-2"] * 3 + [b"web-1"] * 3)


def test_answers_are_ordered_by_time_then_host_then_metric():
    in_order = [point(0, "b"), point(1, "a"), point(1, "a", "d"), point(1, "ab")]
    assert sorted(in_order, key=BY_TIME.row_of) == in_order


# ---- what is one row --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WIDE)
def test_the_points_of_an_hour_are_one_row_and_those_of_the_next_another(name):
    assert len({*rows(table_of(name), *map(point, (0, 1, 60_000, HOUR_MS - 1)))}) == 1
    assert len({*rows(table_of(name), point(HOUR_MS - 1), point(HOUR_MS))}) == 2


@pytest.mark.parametrize("table", [BUCKETED, HASHED], **named)
def test_the_points_of_a_bucket_are_one_row_with_the_same_columns(table):
    first, last = point(0), point(BUCKET_MS - 1)
    assert place(table, first) == place(table, last) != place(table, point(BUCKET_MS))


ALIKE = ["web-1", "web-12", "web-1 ", "web-1\0", "web"]


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("host", ALIKE)
def test_a_hosts_ranges_hold_its_own_rows_and_no_other_hosts(name, host):
    ranges = table_of(name).plan(host=host).ranges
    rows_of = {other: rows(table_of(name), *(point(at, other) for at in (0, LAST_MS))) for other in ALIKE}
    for other, both in rows_of.items():
        assert [any(row in range_ for range_ in ranges) for row in both] == [other == host] * 2


@pytest.mark.parametrize("name", WIDE)
def test_a_period_reads_the_whole_hours_that_it_touches(name):
    table = table_of(name)
    (range_,) = table.plan(host="web-1", metric="cpu", time_ms=between(HOUR_MS + 1, 2 * HOUR_MS + 1)).ranges
    hours = [hour for hour in range(5) if table.row(point(hour * HOUR_MS)) in range_]
    assert hours == [1, 2]


def test_a_period_of_whole_hours_reads_no_hour_more():
    (range_,) = POINTS.plan(host="web-1", metric="cpu", time_ms=between(HOUR_MS, 2 * HOUR_MS)).ranges
    assert [hour for hour in range(5) if POINTS.row(point(hour * HOUR_MS)) in range_] == [1]


# ---- what keys refuse -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "stored", "reason"),
    [
        (A, point(host="a_b"), "PointOfHost.host: must not contain the delimiter '_' (got b'a_b')"),
        (B, point(metric="a_b"), "PointOfMetric.metric: must not contain the delimiter '_' (got b'a_b')"),
        (B, point(host="a_b"), "PointOfMetric.host: must not contain the delimiter '_' (got b'a_b')"),
        (BUCKETED, point(host="a_b"), "PointOfBucket.host: must not contain the delimiter '_' (got b'a_b')"),
        (HASHED, point(host="a_b"), "PointOfHostBucket.host: must not contain the delimiter '_' (got b'a_b')"),
        (A, point(10**13), "PointOfHost.time_ms: must be 0..9999999999999 (got 10000000000000)"),
        (B, point(LAST_MS), f"PointOfMetric.time_ms: must be 0..9999999999999 (got {LAST_MS})"),
    ],
)
def test_published_keys_refuse_the_delimiter_in_a_name_and_times_after_the_year_2286(table, stored, reason):
    with pytest.raises(InvalidKey) as refused:
        table.row(stored)
    assert str(refused.value) == reason


def test_unrefused_a_delimiter_would_make_one_row_of_two_points():
    assert b"_".join([b"a_b", b"5", b"c"]) == b"_".join([b"a", b"b_5", b"c"])


@pytest.mark.parametrize("name", WIDE)
def test_escaped_text_takes_all_that_the_delimiter_refuses(name):
    for stored in (point(host="a_b", metric="c_d"), point(LAST_MS), point(host="x" * 9000, metric="\0" * 9000)):
        table = table_of(name)
        assert table.records(table.row(stored), table.cells.pack(stored)) == [stored]


def test_a_key_is_given_the_start_of_its_hour():
    with pytest.raises(InvalidKey, match=r"HourOfMetric\.time_ms: must be a multiple of 3600000 \(got 5\)"):
        POINTS.key.encode(POINTS.key.key_class(host="web-1", metric="cpu", time_ms=5))


def test_a_qualifier_beyond_its_hour_is_damage():
    row = POINTS.row(point())
    with pytest.raises(ValueError, match=r"must be 0\.\.3599999 \(got 3600000\)"):
        POINTS.records(row, {b"p:" + HOUR_MS.to_bytes(4, "big"): bytes.fromhex("cb 3ff0000000000000")})


def test_a_row_in_another_bucket_is_not_a_key():
    row = SALTED.row(point())
    with pytest.raises(InvalidKey, match="Salt"):
        SALTED.key.decode(bytes([row[0] ^ 1]) + row[1:])


@pytest.mark.parametrize(
    ("table", "question", "reason"),
    [
        (POINTS, {"metric": "cpu", "time_ms": between(0, 9)}, "needs a value for host"),
        (SALTED, {"metric": "cpu", "time_ms": between(0, 9)}, "needs a value for host"),
        (A, {"metric": "cpu", "time_ms": between(0, 9)}, "needs a value for host"),
        (B, {"host": "web-1", "time_ms": between(0, 9)}, "needs a value for metric"),
        (BUCKETED, {"host": "web-1", "metric": "cpu"}, "needs a value for time_ms"),
        (HASHED, {"metric": "cpu", "time_ms": between(0, 9)}, "needs a value for host"),
    ],
)
def test_a_question_that_no_range_can_bind_names_the_missing_part(table, question, reason):
    with pytest.raises(InvalidQuestion, match=f"{reason}, which comes earlier in the row key"):
        table.narrow(**question)
