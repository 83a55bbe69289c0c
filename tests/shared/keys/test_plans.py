"""Questions become ranges: golden ranges, refusals with their reasons, and both laws against an oracle on values."""

from collections.abc import Iterable
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.keys import (
    Code,
    Descending,
    EscapedBytes,
    EscapedText,
    FixedText,
    Float64,
    HashPrefix,
    Int64,
    InvalidQuestion,
    KeyLayout,
    Modulo,
    Plan,
    ReversedDigits,
    RowRange,
    Salt,
    Stream,
    TimeBucket,
    TrailingBytes,
    TrailingText,
    UInt8,
    UInt16,
    any_of,
    between,
    part,
    row_key,
    starting_with,
    successor,
)
from shared.keys.conditions import Between

from .oracle import (
    KINDS,
    SLICES,
    Kind,
    Subject,
    asks_for_nothing,
    is_answerable,
    is_sound,
    layout_of,
    matches,
    merged_part,
    place,
    questions,
    subjects,
    widened,
)

many = settings(max_examples=700, derandomize=True, database=None)

# user_id "a" = 61 00 01; at_ms 0 = 7f ff ff ff ff ff ff ff, 1 = 7f ff ff ff ff ff ff fe


@row_key
class Event:
    user_id: str = part(EscapedText, "who")
    at_ms: int = part(Descending(Int64), "when, newest first")
    event_id: str = part(EscapedText, "tells events of one millisecond apart")


@row_key
class Reading:
    host: str = part(FixedText(1, "\0"), "what was measured")
    at_ms: int = part(Int64, "when, milliseconds since 1970")
    kind: str = part(Code({"cpu": 1, "disk": 2}), "of what")


@row_key
class Log:
    at_s: int = part(UInt8, "when")
    host: str = part(FixedText(1, "\0"), "where")


@row_key
class Pair:
    left: int = part(UInt8, "first")
    right: int = part(UInt16, "second")


@row_key
class Named:
    name: str = part(TrailingText, "all of the key")


@row_key
class Blob:
    group: int = part(UInt8, "first")
    data: bytes = part(TrailingBytes, "up to the end")


@row_key
class Backwards:
    name: str = part(Descending(EscapedText), "from z to a")
    data: bytes = part(Descending(EscapedBytes), "from ff to 00")


@row_key
class Meter:
    meter_id: int = part(ReversedDigits(4), "counts up")
    ratio: float = part(Float64, "measured")


EVENTS = KeyLayout(Event)
READINGS = KeyLayout(Reading, TimeBucket(of="at_ms", every_ms=900_000))
EVENTS_BY_SLICE = KeyLayout(Event, TimeBucket(of="at_ms", every_ms=900_000))
LOGS = KeyLayout(Log, Salt(of="host", buckets=4))  # crc32 of "a" and "c" is 3 modulo 4, of "b" 1, of "d" 0
PAIRS = KeyLayout(Pair)


def spans(plan: Plan) -> list[str]:
    """The ranges as "start stop" in hex."""
    return [f"{range_.start.hex()} {'end' if range_.stop is None else range_.stop.hex()}" for range_ in plan.ranges]


def hexed(*ranges: str) -> list[str]:
    """Ranges written with spaces at field borders and ".." between start and stop."""
    return [range_.replace(" ", "").replace("..", " ") for range_ in ranges]


# ---- golden ranges -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user_id", "wanted"),
    [
        ("", "0001 .. 0002"),
        ("1", "31 0001 .. 31 0002"),
        ("12", "31 32 0001 .. 31 32 0002"),
        ("123", "31 32 33 0001 .. 31 32 33 0002"),
        ("1\0", "31 00ff 0001 .. 31 00ff 0002"),
        ("\xff", "c3bf 0001 .. c3bf 0002"),
    ],
)
def test_an_id_bounds_its_own_rows_and_not_those_of_longer_ids(user_id: str, wanted: str) -> None:
    assert hexed(wanted) == spans(EVENTS.plan(user_id=user_id))


@pytest.mark.parametrize(
    ("left", "wanted"),
    [(0, "00 .. 01"), (1, "01 .. 02"), (12, "0c .. 0d"), (123, "7b .. 7c"), (254, "fe .. ff"), (255, "ff .. end")],
)
def test_a_leading_number_bounds_its_rows_up_to_the_end_of_the_table(left: int, wanted: str) -> None:
    assert hexed(wanted) == spans(PAIRS.plan(left=left))


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        (between(0, 256), "01 0000 .. 01 0100"),
        (between(255, 65535), "01 00ff .. 01 ffff"),
        (between(65535, None), "01 ffff .. 02"),
        (between(None, 1), "01 .. 01 0001"),
        (between(None, None), "01 .. 02"),
    ],
)
def test_an_ascending_interval_starts_at_since_and_stops_at_until(condition: Any, wanted: str) -> None:
    assert hexed(wanted) == spans(PAIRS.plan(left=1, right=condition))


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        # [102, 106) is 105, 104, 103, 102: ..96 up to, but not including, ..9a. Published: (from, to], or nothing.
        (between(102, 106), "61 0001 7fffffffffffff96 .. 61 0001 7fffffffffffff9a"),
        (between(102, None), "61 0001 .. 61 0001 7fffffffffffff9a"),
        (between(None, 106), "61 0001 7fffffffffffff96 .. 61 0002"),
        (between(0, 1), "61 0001 7fffffffffffffff .. 61 0001 80"),
        (between(-1, 0), "61 0001 80 .. 61 0001 8000000000000001"),
        (between(-(2**63), 2**63 - 1), "61 0001 0000000000000001 .. 61 0002"),
        (between(None, -(2**63) + 1), "61 0001 ffffffffffffffff .. 61 0002"),
        (between(2**63 - 1, None), "61 0001 .. 61 0001 0000000000000001"),
    ],
)
def test_a_descending_interval_swaps_its_ends_inside_the_plan(condition: Any, wanted: str) -> None:
    assert hexed(wanted) == spans(EVENTS.plan(user_id="a", at_ms=condition))


def test_times_from_102_up_to_106_are_read_newest_first() -> None:
    plan = EVENTS.plan(user_id="a", at_ms=between(102, 106))
    rows = {at_ms: EVENTS.encode(Event("a", at_ms, "")) for at_ms in range(100, 110)}
    in_period = sorted(row for row in rows.values() if row in plan.ranges[0])
    assert [EVENTS.decode(row).at_ms for row in in_period] == [105, 104, 103, 102]


def test_an_empty_interval_has_no_range() -> None:
    assert spans(EVENTS.plan(user_id="a", at_ms=between(5, 5))) == []
    assert spans(PAIRS.plan(left=between(5, 5))) == []
    assert spans(EVENTS.plan(user_id="a", at_ms=between(None, -(2**63)))) == []
    assert spans(READINGS.plan(at_ms=between(900_000, 900_000))) == []
    assert spans(READINGS.plan(host="a", at_ms=between(7, 7))) == []


def test_nothing_is_below_the_last_descending_value_at_the_end_of_the_table() -> None:
    layout = layout_of([Kind(Descending(UInt8), (0,)), Kind(UInt8, (0,))])
    assert spans(layout.plan(a=between(None, 0))) == []
    assert hexed("ff .. end") == spans(layout.plan(a=between(None, 1)))


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        (b"", "01 .. 02"),
        (b"\x00", "01 00 .. 01 01"),
        (b"a", "01 61 .. 01 62"),
        (b"a\xff", "01 61ff .. 01 62"),
        (b"a\xff\xff", "01 61ffff .. 01 62"),
        (b"\x01\xff", "01 01ff .. 01 02"),  # 02 alone is after all that starts with 01 ff; 02 00 is not the first
        (b"\xff", "01 ff .. 02"),
        (b"\xff\xff", "01 ffff .. 02"),
    ],
)
def test_the_stop_of_a_prefix_carries_over_ff(start: bytes, wanted: str) -> None:
    assert hexed(wanted) == spans(KeyLayout(Blob).plan(group=1, data=starting_with(start)))


def test_a_prefix_of_ff_at_the_start_of_the_key_runs_to_the_end_of_the_table() -> None:
    plan = KeyLayout(Blob).plan(group=255, data=starting_with(b"\xff\xff"))
    assert hexed("ff ffff .. end") == spans(plan)


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        ("", " .. end"),
        ("ab", "9e9d .. 9e9e"),
        ("a\0", "9e ff00 .. 9e ff01"),
        ("\U0010ffff", "0b704040 .. 0b704041"),
    ],
)
def test_a_prefix_of_a_descending_text_leaves_its_terminator_open(start: str, wanted: str) -> None:
    assert hexed(wanted) == spans(KeyLayout(Backwards).plan(name=starting_with(start)))


def test_a_prefix_of_descending_bytes_carries_if_its_inversion_ends_in_ff() -> None:
    # "a" descending is 9e ff fe; the prefix 01 00 is fe ff 00, the prefix 01 is fe.
    layout = KeyLayout(Backwards)
    assert hexed("9e fffe fe .. 9e fffe ff") == spans(layout.plan(name="a", data=starting_with(b"\x01")))
    assert hexed("9e fffe fe ff00 .. 9e fffe fe ff01") == spans(layout.plan(name="a", data=starting_with(b"\x01\x00")))
    assert hexed("9e fffe 00 .. 9e fffe 01") == spans(layout.plan(name="a", data=starting_with(b"\xff")))


def test_an_unbound_salt_gives_one_range_for_each_bucket() -> None:
    plan = LOGS.plan(at_s=5)
    assert hexed("00 05 .. 00 06", "01 05 .. 01 06", "02 05 .. 02 06", "03 05 .. 03 06") == spans(plan)
    assert [stream.prefix_bytes for stream in plan.streams] == [1, 1, 1, 1]


def test_a_bucket_ends_where_the_next_one_starts_and_the_last_at_the_end_of_the_table() -> None:
    assert hexed("00 ff .. 01", "01 ff .. 02", "02 ff .. 03", "03 ff .. 04") == spans(LOGS.plan(at_s=255))
    full = KeyLayout(Log, Salt(of="host", buckets=256))
    assert hexed("fe ff .. ff", "ff ff .. end") == spans(full.plan(at_s=255))[-2:]


def test_a_bound_salt_gives_the_one_range_of_its_bucket() -> None:
    layout = KeyLayout(Reading, Salt(of="host", buckets=4))
    assert hexed("03 61 .. 03 62") == spans(layout.plan(host="a"))
    assert hexed("01 62 .. 01 63") == spans(layout.plan(host="b"))
    assert len(layout.plan(host="a").streams) == 1


def test_a_bound_hash_gives_one_range_after_its_bytes() -> None:
    # md5 of user_1 is 3f49..92bf, of user22 87dc..6dff: with "hash, last byte plus one" user22 has no rows at all.
    layout = KeyLayout(Event, HashPrefix(of="user_id", bytes=16))
    start = "87dc1e131a1369fdf8f1c824a6a62dff 757365723232 0001"
    assert hexed(f"{start} .. {start[:-1]}2") == spans(layout.plan(user_id="user22"))
    text = KeyLayout(Event, HashPrefix(of="user_id", bytes=4, hex=True, separator="_"))
    assert hexed("33663439 5f 757365725f31 0001 .. 33663439 5f 757365725f31 0002") == spans(text.plan(user_id="user_1"))


def test_a_hash_short_enough_is_listed_in_byte_order() -> None:
    plan = KeyLayout(Log, HashPrefix(of="host", bytes=1, hex=True, separator="-")).plan(at_s=5)
    wanted = [f"{ord(digit):02x} 2d 05 .. {ord(digit):02x} 2d 06" for digit in "0123456789abcdef"]
    assert hexed(*wanted) == spans(plan)
    assert [stream.prefix_bytes for stream in plan.streams] == [2] * 16


def test_two_spreads_are_listed_as_all_their_pairs() -> None:
    layout = KeyLayout(Log, Salt(of="host", buckets=2), Modulo(of="at_s", by=2))
    assert hexed("00 01 05 .. 00 01 06", "01 01 05 .. 01 01 06") == spans(layout.plan(at_s=5))
    plan = layout.plan(at_s=between(5, 7))
    pairs = ("00 00", "00 01", "01 00", "01 01")
    assert hexed(*(f"{pair} 05 .. {pair} 07" for pair in pairs)) == spans(plan)
    assert [stream.prefix_bytes for stream in plan.streams] == [2] * 4


def test_whole_slices_are_one_range_and_leave_the_parts_after_them_free() -> None:
    assert hexed("00000000 .. 00000002") == spans(READINGS.plan(at_ms=between(0, 1_800_000)))
    one_host = READINGS.plan(host="a", at_ms=between(0, 1_800_000))
    assert hexed("00000000 61 .. 00000000 62", "00000001 61 .. 00000001 62") == spans(one_host)
    assert len(one_host.streams) == 1


def test_slices_cut_by_the_interval_need_the_parts_before_the_time() -> None:
    plan = READINGS.plan(host="a", at_ms=between(1, 1_800_001))
    low, high = "61 8000000000000001", "61 80000000001b7741"
    assert hexed(*(f"0000000{number} {low} .. 0000000{number} {high}" for number in range(3))) == spans(plan)


def test_slices_of_a_descending_time_run_from_the_newest() -> None:
    assert hexed("fffffffe .. end") == spans(EVENTS_BY_SLICE.plan(at_ms=between(0, 1_800_000)))
    plan = EVENTS_BY_SLICE.plan(user_id="a", at_ms=between(900_000, 2_700_000))
    assert hexed("fffffffd 61 0001 .. fffffffd 61 0002", "fffffffe 61 0001 .. fffffffe 61 0002") == spans(plan)


def test_an_until_at_the_start_of_a_slice_does_not_read_that_slice() -> None:
    plan = READINGS.plan(host="a", at_ms=between(1, 900_000))
    assert hexed("00000000 61 8000000000000001 .. 00000000 61 80000000000dbba0") == spans(plan)


def test_slices_below_zero_are_counted_downwards() -> None:
    layout = KeyLayout(Reading, TimeBucket(of="at_ms", every_ms=10, codec=Int64))
    assert hexed("7ffffffffffffffe .. 80") == spans(layout.plan(at_ms=between(-20, 0)))
    assert hexed("7fffffffffffffff 61 .. 7fffffffffffffff 62") == spans(layout.plan(host="a", at_ms=between(-10, 0)))


def test_a_salt_before_slices_gives_each_bucket_its_run_of_slices() -> None:
    layout = KeyLayout(Reading, Salt(of="kind", buckets=2), TimeBucket(of="at_ms", every_ms=10))
    plan = layout.plan(host="a", at_ms=between(0, 20))
    wanted = ["00 00000000 61 .. 00 00000000 62", "00 00000001 61 .. 00 00000001 62"]
    assert hexed(*wanted, *(range_.replace("00 0000", "01 0000") for range_ in wanted)) == spans(plan)
    assert [len(stream.ranges) for stream in plan.streams] == [2, 2]


def test_all_parts_bound_is_a_point_and_never_a_prefix() -> None:
    plan = EVENTS.plan(user_id="a", at_ms=0, event_id="e")
    row = "61 0001 7fffffffffffffff 65 0001"
    assert bytes.fromhex(row) == plan.point
    assert hexed(f"{row} .. {row} 00") == spans(plan)
    # Without a terminator a longer name starts with the same bytes.
    named = KeyLayout(Named).plan(name="ann")
    assert named.point == b"ann"
    assert hexed("616e6e .. 616e6e 00") == spans(named)


def test_a_point_comes_after_all_its_prefixes() -> None:
    layout = KeyLayout(Reading, Salt(of="host", buckets=4), TimeBucket(of="at_ms", every_ms=10))
    plan = layout.plan(host="a", at_ms=25, kind="disk")
    assert bytes.fromhex("03 00000002 61 8000000000000019 02") == plan.point
    assert plan.point == layout.encode(Reading("a", 25, "disk"))


def test_a_question_with_an_interval_has_no_point() -> None:
    assert None is KeyLayout(Named).plan(name=starting_with("ann")).point
    assert None is KeyLayout(Named).plan(name=between("ann", "ann\0")).point


def test_the_whole_table_is_one_range_or_one_for_each_bucket() -> None:
    assert [RowRange(b"", None)] == list(PAIRS.whole_table().ranges)
    assert hexed("00 .. 01", "01 .. 02", "02 .. 03", "03 .. 04") == spans(LOGS.whole_table())
    assert [stream.prefix_bytes for stream in LOGS.whole_table().streams] == [1, 1, 1, 1]
    unlisted = KeyLayout(Event, Salt(of="user_id", buckets=4), HashPrefix(of="user_id", bytes=4)).whole_table()
    assert [RowRange(b"", None)] == list(unlisted.ranges)
    assert [stream.prefix_bytes for stream in unlisted.streams] == [0]


# ---- the successor of a prefix -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prefix", "wanted"),
    [
        ("00", "01"),
        ("61", "62"),
        ("61 00", "61 01"),
        ("01 ff", "02"),
        ("01 fe ff ff", "01 ff"),
        ("61 ff 00", "61 ff 01"),
    ],
)
def test_the_successor_strips_ff_and_adds_one(prefix: str, wanted: str) -> None:
    assert bytes.fromhex(wanted) == successor(bytes.fromhex(prefix))


@pytest.mark.parametrize("prefix", [b"", b"\xff", b"\xff\xff\xff"])
def test_nothing_is_after_a_prefix_of_ff(prefix: bytes) -> None:
    assert None is successor(prefix)


_SHORT = [bytes(key) for width in range(4) for key in product((0x00, 0x01, 0x61, 0xFE, 0xFF), repeat=width)]


def test_a_prefix_and_its_successor_hold_what_starts_with_the_prefix_and_nothing_else() -> None:
    for prefix in _SHORT:
        with_prefix = RowRange(prefix, successor(prefix))
        assert [row for row in _SHORT if row.startswith(prefix)] == [row for row in _SHORT if row in with_prefix], (
            prefix.hex()
        )


def test_the_stop_of_a_salted_range_is_the_successor_of_salt_and_prefix() -> None:
    for buckets, lead in product((1, 16, 256), (b"\x00", b"\x01\xff", b"\xff", b"\xff\xff", b"a\xff")):
        layout = KeyLayout(Blob, Salt(of="group", buckets=buckets))
        # An unbound salt, and a first part that ends in FF or is nothing else.
        plan = KeyLayout(Log, Salt(of="host", buckets=buckets)).plan(at_s=lead[-1])
        salts = [bytes([salt]) for salt in range(buckets)]
        assert [successor(salt + lead[-1:]) for salt in salts] == [range_.stop for range_ in plan.ranges]
        (salted,) = layout.plan(group=255, data=starting_with(lead)).ranges
        assert salted.stop == successor(salted.start[:1] + b"\xff" + lead)


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "question", "wanted"),
    [
        (EVENTS, {}, "Event: needs a condition for user_id; ask whole_table() for all rows"),
        (EVENTS, {"user": "a"}, "Event.user: no such part; the parts are user_id, at_ms and event_id"),
        (EVENTS, {"at_ms": 5}, "Event.at_ms: needs a value for user_id, which comes earlier in the row key"),
        (
            EVENTS,
            {"user_id": "a", "event_id": "e"},
            "Event.event_id: needs a value for at_ms, which comes earlier in the row key",
        ),
        (
            EVENTS,
            {"event_id": "e"},
            "Event.event_id: needs a value for user_id and at_ms, which come earlier in the row key",
        ),
        (
            EVENTS,
            {"user_id": starting_with("a"), "event_id": "e"},
            "Event.event_id: needs a value for user_id (not a prefix) and at_ms, which come earlier in the row key",
        ),
        (
            EVENTS,
            {"user_id": "a", "at_ms": between(1, 2), "event_id": "e"},
            "Event.event_id: needs a value for at_ms (not an interval), which comes earlier in the row key",
        ),
        (
            EVENTS,
            {"user_id": starting_with("a"), "at_ms": between(1, 2)},
            "Event.at_ms: needs a value for user_id (not a prefix), which comes earlier in the row key",
        ),
        (EVENTS, {"user_id": "a", "at_ms": between(6, 5)}, "Event.at_ms: since must not be above until (got 6 and 5)"),
        (EVENTS, {"user_id": 5}, "Event.user_id: must be text (got 5, int)"),
        (EVENTS, {"user_id": None}, "Event.user_id: must be text (got None, NoneType)"),
        (EVENTS, {"user_id": "a", "at_ms": True}, "Event.at_ms: must be an int (got True, bool)"),
        (EVENTS, {"user_id": "a", "at_ms": between("1", "2")}, "Event.at_ms: must be an int (got '1', str)"),
        (PAIRS, {"left": 256}, "Pair.left: must be 0..255 (got 256)"),
        (PAIRS, {"left": between(0, 256)}, "Pair.left: must be 0..255 (got 256)"),
        (
            PAIRS,
            {"left": starting_with("1")},
            "Pair.left: UInt8 does not support starting_with(): give a value or between(...)",
        ),
        (KeyLayout(Blob), {"group": 1, "data": starting_with("a")}, "Blob.data: must be bytes (got 'a', str)"),
        (
            KeyLayout(Meter),
            {"meter_id": between(1, 5)},
            "Meter.meter_id: needs a single value, because ReversedDigits(4) is not ordered",
        ),
        (
            KeyLayout(Meter),
            {"meter_id": 1, "ratio": between(-0.0, 1.0)},
            "Meter.ratio: must be a float other than NaN and -0.0 (got -0.0)",
        ),
        (
            KeyLayout(Event, HashPrefix(of="user_id", bytes=4)),
            {"user_id": starting_with("a")},
            "Event: needs a single value for user_id, "
            "because HashPrefix(of='user_id', bytes=4) has more than 1024 values",
        ),
        (
            KeyLayout(Log, HashPrefix(of=("at_s", "host"), bytes=4)),
            {"at_s": 5},
            "Log: needs a single value for host, "
            "because HashPrefix(of=('at_s', 'host'), bytes=4) has more than 1024 values",
        ),
        (
            KeyLayout(Log, HashPrefix(of="host", bytes=1), Salt(of="host", buckets=5)),
            {"at_s": 5},
            "Log: the question must read at most 1024 ranges (got 1280 buckets); give a value for host",
        ),
        (
            READINGS,
            {"host": "a"},
            "Reading.at_ms: needs a value or an interval with both ends, "
            "because slices of 900000 ms come earlier in the row key",
        ),
        (
            READINGS,
            {"host": "a", "at_ms": between(5, None)},
            "Reading.at_ms: needs a value or an interval with both ends, "
            "because slices of 900000 ms come earlier in the row key",
        ),
        (
            READINGS,
            {"at_ms": between(1, 900_000)},
            "Reading.at_ms: needs a value for host, which comes earlier in the row key, "
            "or an interval whose ends are multiples of 900000 ms",
        ),
        (
            READINGS,
            {"at_ms": between(0, 900_001)},
            "Reading.at_ms: needs a value for host, which comes earlier in the row key, "
            "or an interval whose ends are multiples of 900000 ms",
        ),
        (
            READINGS,  # whole slices do not help, because kind comes after the time
            {"at_ms": between(0, 900_000), "kind": "cpu"},
            "Reading.at_ms: needs a value for host, which comes earlier in the row key",
        ),
        (
            READINGS,
            {"kind": "cpu", "at_ms": 5},
            "Reading.at_ms: needs a value for host, which comes earlier in the row key",
        ),
        (
            READINGS,
            {"at_ms": 5},
            "Reading.at_ms: needs a value for host, which comes earlier in the row key, "
            "or an interval whose ends are multiples of 900000 ms",
        ),
        (READINGS, {}, "Reading: needs a condition for at_ms; ask whole_table() for all rows"),
        (READINGS, {"at_ms": between(900_000, 0)}, "Reading.at_ms: since must not be above until (got 900000 and 0)"),
        (
            READINGS,
            {"host": "a", "at_ms": between(0, 1025 * 900_000)},
            "Reading.at_ms: the interval must span at most 1024 slices of 900000 ms (got 1025)",
        ),
        (
            KeyLayout(Reading, Salt(of="kind", buckets=16), TimeBucket(of="at_ms", every_ms=10)),
            {"host": "a", "at_ms": between(0, 650)},
            "Reading: the question must read at most 1024 ranges (got 16 buckets x 65 slices); "
            "give a value for kind or ask for a shorter interval",
        ),
    ],
)
def test_a_refusal_names_record_and_part(layout: KeyLayout[Any], question: dict[str, Any], wanted: str) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        layout.plan(**question)
    assert wanted == str(refused.value)


def test_as_many_ranges_as_the_limit_are_answered() -> None:
    assert len(READINGS.plan(host="a", at_ms=between(0, 1024 * 900_000)).ranges) == 1024
    layout = KeyLayout(Log, HashPrefix(of="host", bytes=1), Salt(of="host", buckets=4))
    assert len(layout.plan(at_s=5).ranges) == 1024


@pytest.mark.parametrize("condition", [-1, between(-1, 5), between(-900_000, 900_000), 2**32 * 900_000])
def test_a_time_that_no_slice_can_hold_is_refused_by_name(condition: Any) -> None:
    with pytest.raises(InvalidQuestion, match=r"^Reading\.at_ms: "):
        READINGS.plan(host="a", at_ms=condition)


def test_more_slices_than_an_index_can_count_are_refused_by_name() -> None:
    layout = KeyLayout(Reading, TimeBucket(of="at_ms", every_ms=1, codec=Int64))
    with pytest.raises(InvalidQuestion, match=r"must span at most 1024 slices of 1 ms \(got 18446744073709551615\)$"):
        layout.plan(host="a", at_ms=between(-(2**63), 2**63 - 1))


def test_a_part_after_the_interval_of_whole_slices_is_refused_as_after_any_interval() -> None:
    with pytest.raises(
        InvalidQuestion, match=r"^Reading\.kind: needs a value for at_ms \(not an interval\), which comes"
    ):
        READINGS.plan(host="a", at_ms=between(0, 900_000), kind="cpu")


@pytest.mark.parametrize("name", ["", "a" * 32_768])
def test_a_point_that_no_row_can_have_is_refused(name: str) -> None:
    with pytest.raises(InvalidQuestion, match=r"^Named"):
        KeyLayout(Named).plan(name=name)


@pytest.mark.parametrize("condition", ["a" * 32_768, starting_with("a" * 32_768), between("a" * 32_768, None)])
def test_a_question_longer_than_any_row_is_refused(condition: Any) -> None:
    for layout in (EVENTS, KeyLayout(Event, Salt(of="user_id", buckets=4))):
        with pytest.raises(InvalidQuestion, match=r"^Event"):
            layout.plan(user_id=condition)


# ---- the laws ------------------------------------------------------------------------------------


def assert_holds_exactly(subject: Subject, question: dict[str, Any], plan: Plan) -> None:
    """The ranges hold exactly the slices that match, and the records in them that pass the residual filter match."""
    records = [(record, subject.layout.row_of(record)) for record in subject.keys]
    in_ranges = [record for record, row in records if any(row in range_ for range_ in plan.ranges)]
    assert [record for record, _ in records if matches(question, record)] == [
        record for record in in_ranges if matches({**plan.residual}, record)
    ]
    slices = widened(subject, question)
    assert in_ranges == [
        record
        for record, _ in records
        if matches(slices, subject.key_of(record)) and not asks_for_nothing({**plan.residual})
    ]
    assert_apart(plan.ranges)
    for stream in plan.streams:
        assert sorted(stream.ranges, key=lambda range_: range_.start) == list(stream.ranges)
        assert len(prefixes_of(subject, stream)) <= 1
        assert len({range_.start[: stream.prefix_bytes] for range_ in stream.ranges}) == 1
    if merged_part(subject, question) is None:
        assert {stream.prefix_bytes for stream in plan.streams} <= {0, subject.layout.spread_bytes}
        starts = [stream.ranges[0].start[: stream.prefix_bytes] for stream in plan.streams]
        assert len(starts) == len({*starts})  # one stream for each bucket


def prefixes_of(subject: Subject, stream: Stream) -> set[bytes]:
    """What the rows of a stream start with."""
    rows = map(subject.layout.row_of, subject.keys)
    return {row[: stream.prefix_bytes] for row in rows if any(row in range_ for range_ in stream.ranges)}


def assert_apart(ranges: Iterable[RowRange]) -> None:
    """No range is empty, and none overlaps another."""
    ordered = sorted(ranges, key=lambda range_: range_.start)
    assert all(range_.stop is None or range_.start < range_.stop for range_ in ordered)
    assert all(low.stop is not None and low.stop <= high.start for low, high in pairwise(ordered))


def with_questions(**options: Any) -> st.SearchStrategy[tuple[Subject, dict[str, Any]]]:
    return subjects(slices=True, **options).flatmap(
        lambda subject: st.tuples(st.just(subject), questions(subject, merged=True))
    )


@many
@given(with_questions())
def test_a_plan_holds_exactly_the_keys_that_match_and_refuses_only_questions_that_the_order_cannot_answer(
    case: tuple[Subject, dict[str, Any]],
) -> None:
    subject, question = case
    if not is_answerable(subject, question):
        with pytest.raises(InvalidQuestion, match=r"^Key[.:]"):
            subject.layout.plan(**question)
        return
    plan = subject.layout.plan(**question)
    assert question == plan.question
    assert_holds_exactly(subject, question, plan)
    singles = [condition for condition in question.values() if not hasattr(condition, "__attrs_attrs__")]
    assert (len(singles) == len(subject.kinds)) == (plan.point is not None)


@many
@given(with_questions())
def test_only_slices_that_a_condition_cuts_leave_it_to_the_client(case: tuple[Subject, dict[str, Any]]) -> None:
    subject, question = case
    if is_answerable(subject, question):
        slices = widened(subject, question)
        cut = {
            name: condition
            for name, condition in question.items()
            if subject.kinds[name].every > 1 and not (isinstance(condition, Between) and condition == slices[name])
        }
        assert cut == subject.layout.plan(**question).residual


@many
@given(with_questions())
def test_the_parts_of_a_range_are_what_all_its_keys_have_in_common(case: tuple[Subject, dict[str, Any]]) -> None:
    subject, question = case
    if not is_answerable(subject, question):
        return
    plan = subject.layout.plan(**question)
    for range_ in plan.ranges:
        names = [name for name, _ in range_.parts]
        spread = [data for _, data in range_.parts[: len(subject.layout.spread)]] if plan.point is None else []
        assert [name for name in subject.kinds if name in names] == [name for name in names if name in subject.kinds]
        for record in subject.keys:
            row, key = subject.layout.row_of(record), subject.key_of(record)
            if row in range_:
                assert row.startswith(b"".join(spread))
                assert matches({name: condition for name, condition in range_.parts if name in subject.kinds}, key)
                periods = [condition for name, condition in range_.parts if name == "TimeBucket"]
                assert all(subject.time_bucket and getattr(key, subject.time_bucket.of) in period for period in periods)


@settings(many, max_examples=500)
@given(with_questions(ordered=True))
def test_after_the_prefixes_of_their_streams_rows_are_in_the_order_of_their_values(
    case: tuple[Subject, dict[str, Any]],
) -> None:
    subject, question = case
    if is_answerable(subject, question):
        plan = subject.layout.plan(**question)
    else:
        plan, question = subject.layout.whole_table(), {}
        if subject.layout.spread and not plan.streams[0].prefix_bytes:
            return  # the buckets of the whole table cannot be listed
    after = merged_part(subject, question)
    rests: list[tuple[bytes, Any]] = []
    for record in subject.keys:
        row = subject.layout.row_of(record)
        streams = [stream for stream in plan.streams if any(row in range_ for range_ in stream.ranges)]
        rests += [(row[stream.prefix_bytes :], place(subject, record, after)) for stream in streams]
    merged = [values for _rest, values in sorted(rests, key=lambda rest_and_values: rest_and_values[0])]
    assert sorted(merged) == merged


@settings(many, max_examples=100)
@given(subjects(slices=True))
def test_the_whole_table_holds_every_key_once(subject: Subject) -> None:
    assert_holds_exactly(subject, {}, subject.layout.whole_table())


KIND_BY_NAME = {str(kind): kind for kind in (*KINDS, *SLICES)}


@pytest.mark.parametrize("name", KIND_BY_NAME)
def test_every_interval_and_prefix_of_every_codec_holds_exactly_its_values(name: str) -> None:
    kind = KIND_BY_NAME[name]
    after_ff = Kind(UInt8, (255,))
    alone, second = layout_of([kind]), layout_of([after_ff, kind])
    subject = Subject(alone, {"a": kind}, {"a": list(kind.values)}, None)
    records = subject.keys if kind.every > 1 else [alone.key_class(value) for value in kind.values]
    rows = [(record, second.row_of(second.key_class(255, record.a))) for record in records]
    conditions: list[Any] = [
        starting_with(value[:n]) for value in kind.values if kind.beginnings for n in range(len(value) + 1)
    ]
    conditions += [any_of(pair) for pair in product(kind.values, repeat=2) if is_sound(kind, any_of(pair))]
    if kind.ordered:
        ends = [(since, until) for since, until in product((None, *kind.values), repeat=2)]
        conditions += [between(*pair) for pair in ends if None in pair or pair[0] <= pair[1]]
    for condition in conditions:
        slices = widened(subject, {"a": condition})
        is_cut = slices["a"] != condition and asks_for_nothing({"a": condition})
        wanted = [record for record in records if matches(slices, subject.key_of(record)) and not is_cut]
        ranges = second.plan(a=255, b=condition).ranges
        assert wanted == [record for record, row in rows if any(row in range_ for range_ in ranges)], condition
        ranges = alone.plan(a=condition).ranges
        assert wanted == [record for record, row in rows if any(row[1:] in range_ for range_ in ranges)], condition
        assert [record for record in records if matches({"a": condition}, record)] == [
            record for record in wanted if matches({"a": condition}, record)
        ]
