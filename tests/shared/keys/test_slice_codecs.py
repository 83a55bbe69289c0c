"""Slices and their rests: golden rows, golden ranges of whole slices, records with whole values, and refusals."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from shared.keys import (
    Codec,
    DecimalText,
    Delimited,
    Descending,
    EscapedText,
    Float64,
    Int8,
    Int16,
    Int64,
    InvalidKey,
    InvalidQuestion,
    KeyLayout,
    LongMaxMinus,
    Modulo,
    Prefixed,
    Rest,
    Salt,
    Slice,
    TimeBucket,
    TrailingText,
    UInt8,
    UInt16,
    UInt32,
    any_of,
    between,
    part,
    row_key,
    starting_with,
)

HOUR_MS = 3_600_000

ROWS: list[tuple[Codec[Any], Any, str]] = [
    (Slice(Int64, HOUR_MS), -HOUR_MS, "7fffffffffc91180"),
    (Slice(Int64, HOUR_MS), 0, "8000000000000000"),
    (Slice(Int64, HOUR_MS), HOUR_MS, "800000000036ee80"),
    (Slice(Int64, 1), -(2**63), "0000000000000000"),
    (Slice(Int64, 1), 2**63 - 1, "ffffffffffffffff"),
    (Slice(UInt8, 60), 240, "f0"),
    (Slice(DecimalText(4), 60), 120, "30313230"),
    (Slice(Delimited(DecimalText(4), "_"), 60), 120, "30313230 5f"),
    (Descending(Slice(Int64, HOUR_MS)), -HOUR_MS, "800000000036ee7f"),
    (Descending(Slice(Int64, HOUR_MS)), 0, "7fffffffffffffff"),
    (Descending(Slice(DecimalText(4), 60)), 120, "39383739"),
    (Rest(UInt32, HOUR_MS), 0, "00000000"),
    (Rest(UInt32, HOUR_MS), HOUR_MS - 1, "0036ee7f"),
    (Rest(UInt8, 256), 255, "ff"),
    (Rest(Int16, 60), 59, "803b"),
    (Rest(UInt8, 1), 0, "00"),
    (Descending(Rest(UInt32, HOUR_MS)), 0, "ffffffff"),
    (Descending(Rest(UInt32, HOUR_MS)), HOUR_MS - 1, "ffc91180"),
]


@pytest.mark.parametrize(("codec", "value", "row"), ROWS, ids=[f"{codec} {value!r}" for codec, value, _ in ROWS])
def test_a_share_has_these_bytes_and_no_others(codec: Codec[Any], value: Any, row: str) -> None:
    assert bytes.fromhex(row) == codec.encode(value)
    assert value == codec.decode(bytes.fromhex(row))


@pytest.mark.parametrize(
    ("value", "start", "rest"),
    [
        (-HOUR_MS - 1, -2 * HOUR_MS, HOUR_MS - 1),
        (-HOUR_MS, -HOUR_MS, 0),
        (-1, -HOUR_MS, HOUR_MS - 1),
        (0, 0, 0),
        (1, 0, 1),
        (HOUR_MS - 1, 0, HOUR_MS - 1),
        (HOUR_MS, HOUR_MS, 0),
    ],
)
def test_slices_count_from_zero_in_both_directions_and_a_rest_is_never_negative(
    value: int, start: int, rest: int
) -> None:
    assert start == Slice(Int64, HOUR_MS).share(value)
    assert rest == Rest(UInt32, HOUR_MS).share(value)


# ---- records have whole values -------------------------------------------------------------------


@attrs.frozen
class Sample:
    metric: str
    time_ms: int


@row_key
class HourOfMetric:
    metric: str = part(EscapedText, "what was measured")
    time_ms: int = part(Slice(Int64, HOUR_MS), "the hour, milliseconds since 1970")


@row_key
class WithinHour:
    time_ms: int = part(Rest(UInt32, HOUR_MS), "the rest of the hour, milliseconds")


@row_key
class NewestHour:
    time_ms: int = part(Descending(Slice(Int64, HOUR_MS)), "the hour, newest first")
    metric: str = part(EscapedText, "what was measured")


HOURS = KeyLayout(HourOfMetric)
WITHIN = KeyLayout(WithinHour)
NEWEST = KeyLayout(NewestHour)


@pytest.mark.parametrize(
    ("time_ms", "row", "qualifier"),
    [
        (0, "61 0001 8000000000000000", "00000000"),
        (HOUR_MS + 5, "61 0001 800000000036ee80", "00000005"),
        (-1, "61 0001 7fffffffffc91180", "0036ee7f"),
    ],
)
def test_a_record_is_stored_in_the_row_of_its_slice_under_the_rest(time_ms: int, row: str, qualifier: str) -> None:
    sample = Sample("a", time_ms)
    assert bytes.fromhex(row) == HOURS.row_of(sample)
    assert bytes.fromhex(qualifier) == WITHIN.row_of(sample)
    start, rest = HOURS.decode(HOURS.row_of(sample)).time_ms, WITHIN.decode(WITHIN.row_of(sample)).time_ms
    assert time_ms == start + rest


def test_prefixes_of_a_record_are_computed_from_the_slice() -> None:
    salted = KeyLayout(HourOfMetric, Salt(of="time_ms", buckets=16))
    by_two = KeyLayout(HourOfMetric, Modulo(of="time_ms", by=7))
    daily = KeyLayout(HourOfMetric, TimeBucket(of="time_ms", every_ms=24 * HOUR_MS, codec=Int16))
    for layout in (salted, by_two, daily):
        for start in (-HOUR_MS, 0, HOUR_MS):
            rows = {layout.row_of(Sample("a", start + rest)) for rest in (0, 1, HOUR_MS - 1)}
            assert {layout.encode(HourOfMetric("a", start))} == rows


def test_a_key_must_have_the_start_of_a_slice() -> None:
    wanted = r"^HourOfMetric\.time_ms: must be a multiple of 3600000 \(got 5\)$"
    for encode in (HOURS.encode, HOURS.encode_reference):
        with pytest.raises(InvalidKey, match=wanted):
            encode(HourOfMetric("a", 5))
    with pytest.raises(
        InvalidKey, match=r"^HourOfMetric\.time_ms: must be a multiple of 3600000 \(got 5\), at offset 3"
    ):
        HOURS.decode(bytes.fromhex("61 0001 8000000000000005"))
    with pytest.raises(InvalidKey, match=r"^WithinHour\.time_ms: must be 0\.\.3599999 \(got 3600000\), at offset 0"):
        WITHIN.decode(bytes.fromhex("0036ee80"))


def test_a_record_without_an_int_is_refused_by_name() -> None:
    for value, given in ((True, r"True, bool"), ("5", r"'5', str"), (5.0, r"5\.0, float"), (None, "None, NoneType")):
        record = Sample("a", value)  # type: ignore[arg-type]
        with pytest.raises(InvalidKey, match=rf"^HourOfMetric\.time_ms: must be an int \(got {given}\)$"):
            HOURS.row_of(record)
        with pytest.raises(InvalidKey, match=rf"^WithinHour\.time_ms: must be an int \(got {given}\)$"):
            WITHIN.row_of(record)


def test_a_value_whose_slice_starts_below_the_codec_is_refused() -> None:
    layout: KeyLayout[Any] = KeyLayout(row_key(type("Key", (), {"a": part(Slice(Int8, 100), "")})))
    record = layout.key_class(-101)
    with pytest.raises(InvalidKey, match=r"^Key\.a: must be -128\.\.127 \(got -200\)$"):
        layout.row_of(record)
    with pytest.raises(InvalidQuestion, match=r"^Key\.a: must be -128\.\.127 \(got -200\)$"):
        layout.plan(a=-101)


# ---- golden ranges -------------------------------------------------------------------------------

HOUR = {-1: "7fffffffffc91180", 0: "8000000000000000", 1: "800000000036ee80", 2: "80000000006ddd00"}


def spans(layout: KeyLayout[Any], **question: Any) -> list[str]:
    """The ranges as "start..stop" in hex."""
    return [
        f"{range_.start.hex()}..{'end' if range_.stop is None else range_.stop.hex()}"
        for range_ in layout.plan(**question).ranges
    ]


@pytest.mark.parametrize(
    ("condition", "ranges", "is_cut"),
    [
        (between(0, HOUR_MS), [(HOUR[0], HOUR[1])], False),
        (between(-HOUR_MS, HOUR_MS), [(HOUR[-1], HOUR[1])], False),
        (between(0, 1), [(HOUR[0], HOUR[1])], True),
        (between(5, 7), [(HOUR[0], HOUR[1])], True),
        (between(-1, 1), [(HOUR[-1], HOUR[1])], True),
        (between(HOUR_MS - 1, HOUR_MS), [(HOUR[0], HOUR[1])], True),
        (between(HOUR_MS - 1, HOUR_MS + 1), [(HOUR[0], HOUR[2])], True),
        (between(HOUR_MS, HOUR_MS), [], False),
        (between(5, 5), [], True),
        (between(5, None), [(HOUR[0], None)], True),
        (between(HOUR_MS, None), [(HOUR[1], None)], False),
        (between(None, 1), [("", HOUR[1])], True),
        (between(None, 0), [("", HOUR[0])], False),
        (between(), [("", None)], False),
        (between(-(2**63), 2**63 - 1), [("", None)], True),  # neither end is in a slice that starts in the codec
        (any_of([5, HOUR_MS, 7]), [(HOUR[0], HOUR[0] + "00"), (HOUR[1], HOUR[1] + "00")], True),
        (any_of([]), [], True),
    ],
)
def test_an_interval_reads_the_slices_that_it_touches(
    condition: Any, ranges: list[tuple[str, str | None]], is_cut: bool
) -> None:
    layout: KeyLayout[Any] = KeyLayout(row_key(type("Key", (), {"time_ms": part(Slice(Int64, HOUR_MS), "")})))
    assert [f"{start}..{stop or 'end'}" for start, stop in ranges] == spans(layout, time_ms=condition)
    plan = layout.plan(time_ms=condition)
    assert ({"time_ms": condition} if is_cut else {}) == plan.residual
    assert {"time_ms": condition} == plan.question


def test_an_interval_after_other_parts_stays_within_them() -> None:
    assert [f"610001..610001{HOUR[1]}"] == spans(HOURS, metric="a", time_ms=between(None, 5))
    assert [f"610001{HOUR[0]}..610002"] == spans(HOURS, metric="a", time_ms=between(5, None))


def test_descending_slices_swap_the_ends_of_an_interval() -> None:
    # Descending, hour 0 is 7f .. ff ff ff, hour 1 is 7f .. c9 11 7f, and hour 2, which is not read, 7f .. 92 22 ff.
    assert spans(NEWEST, time_ms=between(5, HOUR_MS + 1)) == ["7fffffffff9223..80"]
    assert spans(NEWEST, time_ms=between(0, 2 * HOUR_MS)) == ["7fffffffff9223..80"]
    assert spans(NEWEST, time_ms=7) == ["7fffffffffffffff..80"]
    assert spans(NEWEST, time_ms=between(7, None)) == ["..80"]


def test_the_question_about_a_moment_is_a_point_and_the_client_compares_the_rest() -> None:
    plan = HOURS.plan(metric="a", time_ms=HOUR_MS + 5)
    assert bytes.fromhex("61 0001 800000000036ee80") == plan.point
    assert plan.residual == {"time_ms": HOUR_MS + 5}
    assert plan == HOURS.narrow(metric="a", time_ms=HOUR_MS + 5)


def test_a_slice_that_the_ranges_cannot_bind_is_filtered_by_its_whole_value() -> None:
    plan = HOURS.narrow(metric=starting_with("a"), time_ms=between(0, HOUR_MS))
    assert {"time_ms": between(0, HOUR_MS)} == plan.residual
    salted = KeyLayout(HourOfMetric, Salt(of="time_ms", buckets=4))
    one_hour = salted.narrow(metric=starting_with("a"), time_ms=HOUR_MS + 5)
    assert one_hour.residual == {"time_ms": HOUR_MS + 5}
    assert [salted.row_of(Sample("a", HOUR_MS))[:1]] == [stream.ranges[0].start[:1] for stream in one_hour.streams]


def test_a_residual_filter_that_no_row_can_pass_reads_nothing() -> None:
    for nothing in (between(5, 5), any_of([])):
        assert HOURS.narrow(metric=starting_with("a"), time_ms=nothing).ranges == ()
        assert HOURS.plan(metric="a", time_ms=nothing).ranges == ()


# ---- what is refused -----------------------------------------------------------------------------

ANY: Any = 5


@pytest.mark.parametrize(
    ("declare", "wanted"),
    [
        (lambda: Slice(UInt8, 0), "Slice.every: must be 1 or more (got 0)"),
        (lambda: Rest(UInt8, -1), "Rest.every: must be 1 or more (got -1)"),
        (lambda: Slice(UInt8, True), "Slice.every: must be 1 or more (got True)"),
        (lambda: Rest(UInt8, 60.0), "Rest.every: must be 1 or more (got 60.0)"),  # type: ignore[arg-type]
        (lambda: Slice(ANY, 60), "Slice.codec: must be a codec of ints (got 5)"),
        (lambda: Slice(EscapedText, 60), "Slice: needs a codec of ints (got EscapedText)"),  # type: ignore[arg-type]
        (lambda: Rest(Float64, 60), "Rest: needs a codec of ints (got Float64)"),  # type: ignore[arg-type]
        (
            lambda: Slice(Descending(Int64), 60),
            "Slice: Descending(Int64) must be ascending; write Descending(Slice(...))",
        ),
        (lambda: Rest(LongMaxMinus, 60), "Rest: LongMaxMinus must be ascending; write Descending(Rest(...))"),
        (lambda: Slice(TrailingText, 60), "Slice: TrailingText must have a terminator"),  # type: ignore[arg-type]
        (lambda: Slice(UInt8, 257), "Slice.every: UInt8 must hold 0..every - 1 (got 257)"),
        (lambda: Rest(UInt16, HOUR_MS), "Rest.every: UInt16 must hold 0..every - 1 (got 3600000)"),
        (lambda: Rest(UInt16, 10**5000), "Rest.every: UInt16 must hold 0..every - 1 (got an int of 16610 bits)"),
        (
            lambda: Descending(Slice(Prefixed("t", UInt16), 60)),
            "Descending: Prefixed('t', UInt16) has a label, which stays first: put Descending after it",
        ),
    ],
)
def test_a_declaration_that_cannot_work_is_refused(declare: Callable[[], object], wanted: str) -> None:
    with pytest.raises(InvalidKey) as refused:
        declare()
    assert wanted == str(refused.value)


@pytest.mark.parametrize(
    ("layout", "question", "wanted"),
    [
        (HOURS, {"metric": "a", "time_ms": True}, "HourOfMetric.time_ms: must be an int (got True, bool)"),
        (HOURS, {"metric": "a", "time_ms": between("1", None)}, "HourOfMetric.time_ms: must be an int (got '1', str)"),
        (HOURS, {"metric": "a", "time_ms": any_of([1, "2"])}, "HourOfMetric.time_ms: must be an int (got '2', str)"),
        (
            HOURS,
            {"metric": "a", "time_ms": 2**63},
            "HourOfMetric.time_ms: must be -9223372036854775808..9223372036854775807 (got 9223372036854775808)",
        ),
        (
            HOURS,
            {"metric": "a", "time_ms": between(7, 5)},
            "HourOfMetric.time_ms: since must not be above until (got 7 and 5)",
        ),
        (
            HOURS,
            {"metric": "a", "time_ms": starting_with("1")},
            "HourOfMetric.time_ms: Slice(Int64, 3600000) does not support starting_with(): "
            "give a value or between(...)",
        ),
        (WITHIN, {"time_ms": HOUR_MS}, "WithinHour.time_ms: must be 0..3599999 (got 3600000)"),
        (WITHIN, {"time_ms": between(-1, 5)}, "WithinHour.time_ms: must be 0..3599999 (got -1)"),
    ],
)
def test_a_condition_that_no_value_can_meet_is_refused_by_name(
    layout: KeyLayout[Any], question: dict[str, Any], wanted: str
) -> None:
    for ask in (layout.plan, layout.narrow):
        with pytest.raises(InvalidQuestion) as refused:
            ask(**question)
        assert wanted == str(refused.value)
