"""The rows of all variants, byte for byte, how they sort, and what they refuse."""

import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.logs import LOGS, LogEvent
from domains.logs.design import DESIGN
from domains.logs.variants import host_first, modulo, random, salted, slices
from domains.logs.variants.random import LogRandom
from domains.logs.variants.slices import SLICE_MS
from domains.logs.variants.time_first import TABLE as TIME_FIRST
from fixtures.logs.make_keys import HOSTS, LONG, WITH_DELIMITER, WITH_X
from shared.keys import InvalidKey, InvalidQuestion, between, starting_with
from shared.records import LAST_MS

GOLDEN = json.loads((Path(__file__).parents[3] / "fixtures" / "logs" / "keys.json").read_text(encoding="utf-8"))

HOST_FIRST = host_first.TABLE
MODULO = modulo.TABLE
SALTED = salted.TABLE
SLICES = slices.TABLE
RANDOM = random.TABLE

AT_MS = 1_768_205_250_123
TIE = bytes.fromhex("0102030405060708")


def event(host="web-1", kind="GET", time_ms=AT_MS, tie=TIE):
    return LogEvent(host, kind, time_ms, tie=tie)


def rows(table, *events):
    return [table.row(event_) for event_ in events]


# ---- byte for byte ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "row"),
    [
        (event(), "7765622d31 0001  474554 0001  7ffffe644ec111b4  fefdfcfbfaf9f8f7"),
        (event(time_ms=0), "7765622d31 0001  474554 0001  7fffffffffffffff  fefdfcfbfaf9f8f7"),
        (event(time_ms=1), "7765622d31 0001  474554 0001  7ffffffffffffffe  fefdfcfbfaf9f8f7"),
        (event(time_ms=LAST_MS), "7765622d31 0001  474554 0001  7fff19882de02400  fefdfcfbfaf9f8f7"),
        (event(tie=bytes(8)), "7765622d31 0001  474554 0001  7ffffe644ec111b4  ffffffffffffffff"),
        (event(tie=b"\xff" * 8), "7765622d31 0001  474554 0001  7ffffe644ec111b4  0000000000000000"),
        (event("1", " "), "31 0001  20 0001  7ffffe644ec111b4  fefdfcfbfaf9f8f7"),
        (event("a\0b", "\0"), "61 00ff 62 0001  00ff 0001  7ffffe644ec111b4  fefdfcfbfaf9f8f7"),
        (event("é", "🐘"), "c3a9 0001  f09f9098 0001  7ffffe644ec111b4  fefdfcfbfaf9f8f7"),
    ],
)
def test_newest_first_is_host_kind_inverted_time_and_inverted_tie(stored, row):
    assert LOGS.row(stored) == bytes.fromhex(row)


def test_the_time_is_the_published_long_max_minus_timestamp():
    assert int.from_bytes(LOGS.row(event())[-16:-8], "big") == 2**63 - 1 - AT_MS


@pytest.mark.parametrize(
    ("stored", "row"),
    [
        (event(), f"7765622d31 {'78' * 15}  474554 0001  8000019bb13eee4b  0102030405060708"),
        (event(time_ms=0), f"7765622d31 {'78' * 15}  474554 0001  8000000000000000  0102030405060708"),
        (event(time_ms=LAST_MS), f"7765622d31 {'78' * 15}  474554 0001  8000e677d21fdbff  0102030405060708"),
        (event("1"), f"31 {'78' * 19}  474554 0001  8000019bb13eee4b  0102030405060708"),
        (event("a" * 20), f"{'61' * 20}  474554 0001  8000019bb13eee4b  0102030405060708"),
        (event("é" * 10), f"{'c3a9' * 10}  474554 0001  8000019bb13eee4b  0102030405060708"),
    ],
)
def test_host_first_is_twenty_bytes_of_host_filled_with_x_then_kind_time_and_tie(stored, row):
    assert HOST_FIRST.row(stored) == bytes.fromhex(row)


@pytest.mark.parametrize(
    ("stored", "row"),
    [
        (event(), "8000019bb13eee4b  7765622d31 0001  474554 0001  0102030405060708"),
        (event(time_ms=0), "8000000000000000  7765622d31 0001  474554 0001  0102030405060708"),
        (event(time_ms=LAST_MS), "8000e677d21fdbff  7765622d31 0001  474554 0001  0102030405060708"),
        (event("a\0b", "é"), "8000019bb13eee4b  61 00ff 62 0001  c3a9 0001  0102030405060708"),
    ],
)
def test_time_first_is_time_host_kind_and_tie(stored, row):
    assert TIME_FIRST.row(stored) == bytes.fromhex(row)


@pytest.mark.parametrize(
    ("time_ms", "bucket"), [(AT_MS, "03"), (AT_MS + 5, "00"), (0, "00"), (7, "07"), (8, "00"), (LAST_MS, "07")]
)
def test_modulo_is_the_time_modulo_eight_then_time_first(time_ms, bucket):
    stored = event(time_ms=time_ms)
    assert MODULO.row(stored) == bytes.fromhex(bucket) + TIME_FIRST.row(stored)


@pytest.mark.parametrize(
    ("host", "bucket"), [("web-1", "05"), ("web-12", "02"), ("host1", "06"), ("é", "05"), ("a\0b", "05")]
)
def test_salted_is_a_bucket_of_the_host_then_time_first(host, bucket):
    stored = event(host)
    assert SALTED.row(stored) == bytes.fromhex(bucket) + TIME_FIRST.row(stored)


def test_the_bucket_is_what_another_language_computes():
    for golden in GOLDEN["logs_salted"]:
        host = golden["key"]["host"].encode().replace(b"\0", b"\0\xff") + b"\0\1"
        assert int(golden["row"][:2], 16) == zlib.crc32(host) % 8


@pytest.mark.parametrize(
    ("stored", "row"),
    [
        (event(), "001dfa80  7765622d31 5f  8000019bb13eee4b  474554 0001  0102030405060708"),
        (event(time_ms=0), "00000000  7765622d31 5f  8000000000000000  474554 0001  0102030405060708"),
        (event(time_ms=SLICE_MS - 1), "00000000  7765622d31 5f  80000000000dbb9f  474554 0001  0102030405060708"),
        (event(time_ms=SLICE_MS), "00000001  7765622d31 5f  80000000000dbba0  474554 0001  0102030405060708"),
        (event(time_ms=LAST_MS), "10c83c5f  7765622d31 5f  8000e677d21fdbff  474554 0001  0102030405060708"),
        (event("a\0b"), "001dfa80  610062 5f  8000019bb13eee4b  474554 0001  0102030405060708"),
    ],
)
def test_slices_is_number_of_the_quarter_host_delimiter_time_kind_and_tie(stored, row):
    assert SLICES.row(stored) == bytes.fromhex(row)


def test_random_is_a_number_then_host_kind_time_and_tie():
    row = RANDOM.key.encode(LogRandom(5, "web-1", "GET", AT_MS, TIE))
    assert row == bytes.fromhex("05  7765622d31 0001  474554 0001  8000019bb13eee4b  0102030405060708")


# ---- the golden file --------------------------------------------------------------------------------

ALL_TABLES = {table.name: table for variant in DESIGN.variants for table in variant.tables}


def values_of(golden):
    return golden["key"] | {"tie": bytes.fromhex(golden["key"]["tie"])}


@pytest.mark.parametrize("name", ALL_TABLES)
def test_the_golden_keys_have_hosts_that_begin_alike_the_ends_of_time_and_ties(name):
    keys = [values_of(golden) for golden in GOLDEN[name]]
    assert {"1", "12", "123", "🐘", " "} < {key["host"] for key in keys}
    assert {0, LAST_MS} < {key["time_ms"] for key in keys}
    assert {bytes(8), b"\xff" * 8} < {key["tie"] for key in keys}
    moment = [(key["host"], key["event"], key["time_ms"]) for key in keys]
    assert max(map(moment.count, moment)) > 5


# ---- order ------------------------------------------------------------------------------------------

MOMENTS = [0, 1, 2, 899_999, 900_000, AT_MS, LAST_MS]


def test_newer_events_of_a_host_and_kind_sort_first():
    newest_first = rows(LOGS, *(event(time_ms=at) for at in reversed(MOMENTS)))
    assert newest_first == sorted(newest_first)


@pytest.mark.parametrize("table", [HOST_FIRST, TIME_FIRST, SLICES], ids=lambda table: table.name)
def test_older_events_of_a_host_and_kind_sort_first(table):
    oldest_first = rows(table, *(event(time_ms=at) for at in MOMENTS))
    assert oldest_first == sorted(oldest_first)


ties = st.binary(min_size=8, max_size=8)


@given(st.lists(st.builds(event, time_ms=st.integers(0, 3) | st.integers(0, LAST_MS), tie=ties)))
def test_newest_first_mirrors_host_first_exactly_ties_included(events):
    newest_first, host_first = (sorted(events, key=table.row) for table in (LOGS, HOST_FIRST))
    assert newest_first == host_first[::-1]
    for event_ in events:
        inverted = bytes(255 - byte for byte in HOST_FIRST.row(event_)[-16:])
        assert LOGS.row(event_)[-16:] == inverted


@pytest.mark.parametrize("table", [HOST_FIRST, TIME_FIRST, MODULO, SALTED, SLICES], ids=lambda table: table.name)
def test_events_of_one_millisecond_sort_by_tie(table):
    tied = rows(table, *(event(tie=bytes([first, *[0] * 7])) for first in (0, 1, 127, 128, 255)))
    assert tied == sorted(tied)


BY_CODE_POINT = ["1", "12", "123", "a", "a\0", "a\0b", "a!", "aa", "host1", "host12", "é", "店", "🐘"]


def test_all_events_of_one_host_lie_before_those_of_the_next_by_code_point():
    in_order = rows(LOGS, *(event(host, time_ms=at) for host in BY_CODE_POINT for at in (9, 0)))
    assert in_order == sorted(in_order)


def test_the_kind_sorts_before_the_time():
    in_order = rows(LOGS, event(kind="A", time_ms=9), event(kind="A", time_ms=0), event(kind="B", time_ms=99))
    assert in_order == sorted(in_order)


@pytest.mark.parametrize("table", [TIME_FIRST, MODULO], ids=lambda table: table.name)
def test_events_of_one_moment_sort_by_host_then_kind(table):
    in_order = rows(table, *(event(host, kind) for host in BY_CODE_POINT for kind in ("A", "AB", "B")))
    assert in_order == sorted(in_order)


def test_filled_with_x_a_host_sorts_after_those_that_go_on_with_less():
    assert sorted(["ab", "ab!", "abc", "aby"], key=lambda host: HOST_FIRST.row(event(host))) == [
        "ab!",
        "abc",
        "ab",
        "aby",
    ]


def test_with_a_delimiter_a_host_sorts_after_those_that_go_on_with_less():
    assert sorted(["A", "A1", "Aa"], key=lambda host: SLICES.row(event(host))) == ["A1", "A", "Aa"]


def test_a_slice_lies_before_the_next_whatever_the_hosts():
    in_order = rows(SLICES, event("b", time_ms=0), event("b", time_ms=SLICE_MS - 1), event("a", time_ms=SLICE_MS))
    assert in_order == sorted(in_order)


def test_within_a_slice_a_hosts_events_of_all_kinds_are_in_the_order_of_time():
    in_order = rows(SLICES, event("a", "Z", 0), event("a", "A", 1), event("a", "Z", 2), event("b", "A", 0))
    assert in_order == sorted(in_order)


# ---- buckets ----------------------------------------------------------------------------------------


def buckets(table, events):
    return {table.row(event_)[0] for event_ in events}


def test_whole_seconds_are_all_in_one_bucket_of_their_time():
    assert buckets(MODULO, (event(time_ms=AT_MS // 1000 * 1000 + 1000 * second) for second in range(3600))) == {0}


def test_a_clock_of_milliseconds_is_spread_over_all_buckets_of_its_time():
    assert buckets(MODULO, (event(time_ms=AT_MS + passed) for passed in range(8))) == set(range(8))


def test_five_thousand_hosts_of_one_moment_are_in_one_bucket_of_the_time_and_in_all_of_the_host():
    events = [event(f"web-{number}") for number in range(5000)]
    assert len(buckets(MODULO, events)) == 1
    assert buckets(SALTED, events) == set(range(8))


def test_one_host_is_one_bucket_of_the_host_at_any_time():
    assert len(buckets(SALTED, (event(time_ms=at) for at in [*MOMENTS, *range(1000)]))) == 1


def test_an_event_in_another_bucket_is_no_key():
    for table in (MODULO, SALTED):
        row = table.row(event())
        with pytest.raises(InvalidKey, match=r"Modulo|Salt"):
            table.key.decode(bytes([row[0] ^ 1]) + row[1:])


# ---- hosts that begin alike -------------------------------------------------------------------------

ALIKE = ["host", "host1", "host12", "host123", "host1 ", "host1\0", "host2"]


@pytest.mark.parametrize("table", [LOGS, HOST_FIRST], ids=lambda table: table.name)
@pytest.mark.parametrize("host", ALIKE)
def test_a_hosts_range_holds_its_own_rows_and_no_other_hosts(table, host):
    (range_,) = table.key.plan(host=host).ranges
    assert [host_ for host_ in ALIKE if table.row(event(host_)) in range_] == [host]
    assert table.row(event(host, time_ms=0)) in range_
    assert table.row(event(host, time_ms=LAST_MS)) in range_


@pytest.mark.parametrize("host", ALIKE)
def test_in_a_slice_a_hosts_range_holds_its_own_rows_and_no_other_hosts(host):
    for period in (
        between(AT_MS, AT_MS + 1),
        between(AT_MS // SLICE_MS * SLICE_MS, (AT_MS // SLICE_MS + 1) * SLICE_MS),
    ):
        (range_,) = SLICES.key.plan(host=host, time_ms=period).ranges
        assert [host_ for host_ in ALIKE if SLICES.row(event(host_)) in range_] == [host]


@pytest.mark.parametrize("table", [LOGS, HOST_FIRST], ids=lambda table: table.name)
def test_a_period_includes_its_first_millisecond_and_excludes_its_end(table):
    (range_,) = table.key.plan(host="web-1", event="GET", time_ms=between(102, 106)).ranges
    assert [time_ms for time_ms in range(100, 110) if table.row(event(time_ms=time_ms)) in range_] == [
        102,
        103,
        104,
        105,
    ]


@pytest.mark.parametrize("table", [LOGS, HOST_FIRST], ids=lambda table: table.name)
def test_hosts_that_begin_alike_are_one_range(table):
    (range_,) = table.key.plan(host=starting_with("host1")).ranges
    assert [host_ for host_ in ALIKE if table.row(event(host_)) in range_] == [
        host_ for host_ in ALIKE if host_.startswith("host1")
    ]


# ---- what published remedies refuse -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("nginx", "LogHostFirst.host: must not contain the pad 'x' (got 'nginx')"),
        ("x", "LogHostFirst.host: must not contain the pad 'x' (got 'x')"),
        ("a" * 21, f"LogHostFirst.host: must be at most 20 bytes of UTF-8 (got 21: '{'a' * 21}')"),
        ("é" * 11, f"LogHostFirst.host: must be at most 20 bytes of UTF-8 (got 22: '{'é' * 11}')"),
    ],
)
def test_a_pad_refuses_long_hosts_and_those_that_hold_it(host, reason):
    with pytest.raises(InvalidKey) as refused:
        HOST_FIRST.row(event(host))
    assert str(refused.value) == reason


def test_a_pad_is_refused_in_a_question_too():
    for host in ("nginx", starting_with("nginx")):
        with pytest.raises(InvalidQuestion, match=r"^LogHostFirst.host: must not contain the pad 'x' .got 'nginx'.$"):
            HOST_FIRST.key.plan(host=host)


@pytest.mark.parametrize("host", ["a_b", "_", "_a", "a_"])
def test_a_delimiter_refuses_hosts_that_hold_it(host):
    with pytest.raises(InvalidKey) as refused:
        SLICES.row(event(host))
    assert str(refused.value) == f"LogInSlices.host: must not contain the delimiter '_' (got {host.encode()!r})"


def test_a_delimiter_is_refused_in_a_question_too():
    for host in ("a_b", starting_with("a_b")):
        with pytest.raises(InvalidQuestion, match=r"^LogInSlices.host: must not contain the delimiter '_'"):
            SLICES.key.narrow(host=host, time_ms=between(0, 1))


def test_unrefused_a_pad_would_make_one_key_of_two_hosts():
    assert "ngin".ljust(20, "x") == "nginx".ljust(20, "x")


def test_unrefused_a_delimiter_would_put_one_host_among_the_rows_of_another():
    row = SLICES.row(event("a-b")).replace(b"a-b_", b"a_b_")
    (of_a,) = SLICES.key.plan(host="a", time_ms=between(0, SLICE_MS)).ranges
    assert b"\0\0\0\0" + row[4:] in of_a


@pytest.mark.parametrize("table", [LOGS, TIME_FIRST, MODULO, SALTED], ids=lambda table: table.name)
def test_escaped_text_takes_all_that_pad_and_delimiter_refuse(table):
    for stored in (WITH_X, WITH_DELIMITER, LONG):
        assert table.key.decode(table.row(stored)).host == stored.host


def test_a_random_key_cannot_be_made_of_an_event():
    with pytest.raises(InvalidKey, match=r"LogRandom: cannot be made from a LogEvent: .*random_bucket"):
        RANDOM.row(event())


@pytest.mark.parametrize("variant", DESIGN.variants[:-1], ids=lambda variant: variant.name)
def test_a_host_without_utf8_is_refused_by_name(variant):
    (table,) = variant.tables
    with pytest.raises(InvalidKey, match=rf"^{table.key.name}.host: must be Unicode text without lone surrogates"):
        table.row(event("\ud800"))


@pytest.mark.parametrize("variant", DESIGN.variants[:-1], ids=lambda variant: variant.name)
@settings(max_examples=30)
@given(stored=st.builds(event, st.sampled_from(HOSTS), st.text(min_size=1), st.integers(0, LAST_MS), ties))
def test_every_row_becomes_its_event_again(variant, stored):
    (table,) = variant.tables
    row = table.row(stored)
    assert table.record(row, table.cells.pack(stored)) == stored
