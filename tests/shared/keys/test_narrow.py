"""As much of a question as a key can bind: golden ranges, the residual filter, refusals, and laws on values alone."""

from collections.abc import Mapping
from math import prod
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.keys import (
    Code,
    Descending,
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
    Salt,
    TimeBucket,
    TrailingText,
    UInt8,
    any_of,
    between,
    matcher,
    part,
    row_key,
    starting_with,
)
from shared.keys.conditions import AnyOf, Between, StartingWith
from shared.queries import scan
from tests.engines import Engine, examples
from tests.shared.stocked import stocked_table

from .oracle import (
    Subject,
    asks_for_nothing,
    is_answerable,
    is_sound,
    matches,
    merged_part,
    place,
    questions,
    subjects,
    widened,
)

many = settings(max_examples=700, derandomize=True, database=None)

# at_s 5 = 05; host "a" = 61; kind "cpu" = 01, "disk" = 02


@row_key
class Log:
    at_s: int = part(UInt8, "when")
    host: str = part(FixedText(1, "\0"), "where")
    kind: str = part(Code({"cpu": 1, "disk": 2}), "of what")


@row_key
class Reading:
    host: str = part(FixedText(1, "\0"), "what was measured")
    at_ms: int = part(Int64, "when, milliseconds since 1970")
    kind: str = part(Code({"cpu": 1, "disk": 2}), "of what")


@row_key
class Coded:
    at_s: int = part(UInt8, "when")
    kind: str = part(Code({"cpu": 1, "disk": 2}), "of what")
    host: str = part(FixedText(1, "\0"), "where")


@row_key
class Event:
    user_id: str = part(EscapedText, "who")
    at_ms: int = part(Descending(Int64), "when, newest first")
    event_id: str = part(EscapedText, "tells events of one millisecond apart")


@row_key
class Meter:
    meter_id: int = part(ReversedDigits(4), "counts up")
    slot: int = part(UInt8, "which of its dials")
    ratio: float = part(Float64, "measured")
    note: str = part(TrailingText, "a remark")


LOGS = KeyLayout(Log)
SALTED = KeyLayout(Log, Salt(of="host", buckets=4))  # crc32 of "a" is 3 modulo 4, of "b" 1
SALTED_BY_TWO = KeyLayout(Log, Salt(of=("at_s", "host"), buckets=4))  # crc32 of 05 61 is 0 modulo 4
HASHED = KeyLayout(Log, HashPrefix(of="host", bytes=2))  # md5 of "a" is 0cc1..
HASHED_BY_TWO = KeyLayout(Log, HashPrefix(of=("at_s", "host"), bytes=2))  # md5 of 05 61 is b19f..
READINGS = KeyLayout(Reading, TimeBucket(of="at_ms", every_ms=900_000))
SALTED_READINGS = KeyLayout(Reading, Salt(of="kind", buckets=4), TimeBucket(of="at_ms", every_ms=900_000))
EVENTS = KeyLayout(Event)
METERS = KeyLayout(Meter)


def spans(plan: Plan) -> list[str]:
    """The ranges as "start..stop" in hex."""
    return [f"{range_.start.hex()}..{'end' if range_.stop is None else range_.stop.hex()}" for range_ in plan.ranges]


def hexed(*ranges: str) -> list[str]:
    """Ranges written with spaces at field borders."""
    return [range_.replace(" ", "") for range_ in ranges]


def assert_narrows(
    layout: KeyLayout[Any],
    question: Mapping[str, Any],
    ranges: list[str],
    bound: tuple[str, ...],
    residual: dict[str, Any],
) -> None:
    """`bound` are the parts that every range binds by itself; whole time slices bind none."""
    plan = layout.narrow(**question)
    assert hexed(*ranges) == spans(plan)
    assert residual == plan.residual
    assert question == plan.question
    for range_ in plan.ranges:
        conditions = {name: condition for name, condition in range_.parts if name in layout.part_named}
        assert list(bound) == list(conditions)
        assert {name: question[name] for name in bound} == conditions


# ---- golden ranges -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "ranges", "bound", "residual"),
    [
        ({"at_s": 5}, ["05 .. 06"], ("at_s",), {}),
        ({"at_s": 255, "kind": "cpu"}, ["ff .. end"], ("at_s",), {"kind": "cpu"}),
        ({"at_s": between(5, 7)}, ["05 .. 07"], ("at_s",), {}),
        ({"at_s": between(5, 7), "host": "a"}, ["05 .. 07"], ("at_s",), {"host": "a"}),
        ({"at_s": between(5, None), "host": "a"}, ["05 .. end"], ("at_s",), {"host": "a"}),
        ({"at_s": between(5, 5), "host": "a"}, [], ("at_s",), {"host": "a"}),
        ({"at_s": between(5, 7), "host": "a", "kind": "cpu"}, ["05 .. 07"], ("at_s",), {"host": "a", "kind": "cpu"}),
        ({"kind": "cpu", "host": "a", "at_s": between(5, 7)}, ["05 .. 07"], ("at_s",), {"kind": "cpu", "host": "a"}),
        ({"at_s": 5, "host": starting_with("a")}, ["05 61 .. 05 62"], ("at_s", "host"), {}),
        ({"at_s": 5, "host": between("a", "c"), "kind": "cpu"}, ["05 61 .. 05 63"], ("at_s", "host"), {"kind": "cpu"}),
        ({"at_s": between(5, 7), "host": between("a", "c")}, ["05 .. 07"], ("at_s",), {"host": between("a", "c")}),
        ({"at_s": between(5, 7), "host": starting_with("a")}, ["05 .. 07"], ("at_s",), {"host": starting_with("a")}),
    ],
)
def test_leading_parts_are_bound_up_to_the_first_interval_and_the_others_are_filtered(
    question: dict[str, Any], ranges: list[str], bound: tuple[str, ...], residual: dict[str, Any]
) -> None:
    assert_narrows(LOGS, question, ranges, bound, residual)


def test_a_value_after_a_gap_is_filtered() -> None:
    assert_narrows(EVENTS, {"user_id": "a", "event_id": "e"}, ["61 0001 .. 61 0002"], ("user_id",), {"event_id": "e"})


def test_a_descending_interval_is_bound_and_the_part_after_it_is_filtered() -> None:
    question = {"user_id": "a", "at_ms": between(102, 106), "event_id": starting_with("e")}
    ranges = ["61 0001 7fffffffffffff96 .. 61 0001 7fffffffffffff9a"]
    assert_narrows(EVENTS, question, ranges, ("user_id", "at_ms"), {"event_id": starting_with("e")})


def test_all_parts_bound_to_one_value_are_a_point() -> None:
    question = {"user_id": "a", "at_ms": 0, "event_id": "e"}
    point = "61 0001 7fffffffffffffff 65 0001"
    assert_narrows(EVENTS, question, [f"{point} .. {point} 00"], ("user_id", "at_ms", "event_id"), {})
    assert EVENTS.plan(**question) == EVENTS.narrow(**question)
    assert bytes.fromhex(point) == EVENTS.narrow(**question).point


def test_the_bound_parts_are_in_the_order_of_the_key() -> None:
    assert [name for name, _ in LOGS.narrow(host="a", at_s=between(5, 7)).ranges[0].parts] == ["at_s"]
    assert [name for name, _ in LOGS.narrow(host=starting_with("a"), at_s=5).ranges[0].parts] == ["at_s", "host"]
    assert [name for name, _ in LOGS.narrow(kind="cpu", host="a", at_s=5).ranges[0].parts] == ["at_s", "host", "kind"]


def test_an_interval_of_an_unordered_part_is_filtered_wherever_it_is() -> None:
    names = between("cpu", "disk")
    assert_narrows(LOGS, {"at_s": 5, "kind": names}, ["05 .. 06"], ("at_s",), {"kind": names})
    question = {"at_s": 5, "host": "a", "kind": names}
    assert_narrows(LOGS, question, ["05 61 .. 05 62"], ("at_s", "host"), {"kind": names})
    assert_narrows(METERS, {"meter_id": 17, "slot": 1}, ["37313030 01 .. 37313030 02"], ("meter_id", "slot"), {})
    # Nothing after it is bound.
    layout = KeyLayout(Coded)
    assert_narrows(
        layout, {"at_s": 5, "kind": names, "host": "a"}, ["05 .. 06"], ("at_s",), {"kind": names, "host": "a"}
    )
    assert_narrows(layout, {"at_s": 5, "kind": between()}, ["05 .. 06"], ("at_s",), {})


def test_a_question_with_an_interval_has_no_point() -> None:
    narrowed = LOGS.narrow(at_s=between(5, 6), host="a", kind="cpu")
    assert narrowed.point is None
    assert narrowed.residual == {"host": "a", "kind": "cpu"}


# ---- an interval without ends is no condition ------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "ranges", "bound", "residual"),
    [
        ({"at_s": 5, "kind": between()}, ["05 .. 06"], ("at_s",), {}),
        ({"at_s": 5, "host": between()}, ["05 .. 06"], ("at_s", "host"), {}),
        ({"at_s": 5, "host": between(), "kind": "cpu"}, ["05 .. 06"], ("at_s", "host"), {"kind": "cpu"}),
        ({"at_s": between(), "host": between()}, [".. end"], ("at_s",), {}),
        ({"at_s": between(), "host": "a"}, [".. end"], ("at_s",), {"host": "a"}),
        ({"at_s": between(5, 7), "host": between(), "kind": "cpu"}, ["05 .. 07"], ("at_s",), {"kind": "cpu"}),
        # starting_with("") is a condition: it says that the part is a text.
        ({"at_s": between(5, 7), "host": starting_with("")}, ["05 .. 07"], ("at_s",), {"host": starting_with("")}),
    ],
)
def test_an_interval_without_ends_is_not_a_condition(
    question: dict[str, Any], ranges: list[str], bound: tuple[str, ...], residual: dict[str, Any]
) -> None:
    assert_narrows(LOGS, question, ranges, bound, residual)


# ---- spreading prefixes --------------------------------------------------------------------------


def test_a_filtered_value_still_chooses_the_bucket_of_a_salt() -> None:
    assert_narrows(SALTED, {"at_s": between(5, 7), "host": "a"}, ["03 05 .. 03 07"], ("at_s",), {"host": "a"})
    assert_narrows(SALTED, {"at_s": between(5, 7), "host": "b"}, ["01 05 .. 01 07"], ("at_s",), {"host": "b"})
    assert [stream.prefix_bytes for stream in SALTED.narrow(at_s=between(5, 7), host="a").streams] == [1]


@pytest.mark.parametrize("condition", [starting_with("a"), between("a", "b"), between("a", None)])
def test_a_filtered_interval_chooses_no_bucket(condition: Any) -> None:
    ranges = [f"0{bucket} 05 .. 0{bucket} 07" for bucket in range(4)]
    assert_narrows(SALTED, {"at_s": between(5, 7), "host": condition}, ranges, ("at_s",), {"host": condition})
    assert len(SALTED.narrow(at_s=between(5, 7), host=condition).streams) == 4


def test_a_salt_of_a_bound_part_and_of_a_filtered_one_has_one_bucket() -> None:
    layout = KeyLayout(Reading, Salt(of=("host", "kind"), buckets=4))  # crc32 of 61 01 is 3 modulo 4, of 61 02 is 1
    assert_narrows(layout, {"host": "a", "kind": "cpu"}, ["03 61 .. 03 62"], ("host",), {"kind": "cpu"})
    assert_narrows(layout, {"host": "a", "kind": "disk"}, ["01 61 .. 01 62"], ("host",), {"kind": "disk"})
    assert len(layout.narrow(host="a").streams) == 4
    assert len(layout.narrow(host="a", at_ms=5).streams) == 4


def test_a_salt_of_two_parts_one_of_them_an_interval_has_all_buckets() -> None:
    assert len(SALTED_BY_TWO.narrow(at_s=between(5, 6), host="a").streams) == 4


def test_a_filtered_number_still_chooses_its_remainder() -> None:
    layout = KeyLayout(Event, Modulo(of="at_ms", by=2))
    question = {"user_id": starting_with("a"), "at_ms": 5}
    assert_narrows(layout, question, ["01 61 .. 01 62"], ("user_id",), {"at_ms": 5})
    assert_narrows(layout, question | {"at_ms": -4}, ["00 61 .. 00 62"], ("user_id",), {"at_ms": -4})


def test_a_filtered_value_gives_the_hash_that_cannot_be_listed() -> None:
    assert_narrows(HASHED, {"at_s": between(5, 7), "host": "a"}, ["0cc1 05 .. 0cc1 07"], ("at_s",), {"host": "a"})
    assert_narrows(HASHED, {"at_s": between(250, None), "host": "a"}, ["0cc1 fa .. 0cc2"], ("at_s",), {"host": "a"})
    by_kind = KeyLayout(Log, HashPrefix(of="kind", bytes=2))  # of the text: md5 of "cpu" is d974..
    assert_narrows(by_kind, {"at_s": 5, "kind": "cpu"}, ["d974 05 .. d974 06"], ("at_s",), {"kind": "cpu"})


def test_a_filtered_value_keeps_the_buckets_below_the_limit() -> None:
    layout = KeyLayout(Log, HashPrefix(of="host", bytes=1), Salt(of="kind", buckets=7))  # crc32 of 01 is 2 modulo 7
    assert_narrows(
        layout,
        {"at_s": between(5, 7), "host": "a", "kind": "cpu"},
        ["0c 02 05 .. 0c 02 07"],
        ("at_s",),
        {"host": "a", "kind": "cpu"},
    )
    assert len(layout.narrow(at_s=between(5, 7), host="a").streams) == 7
    with pytest.raises(
        InvalidQuestion,
        match=r"^Log: the question must read at most 1024 ranges \(got 1792 buckets\); give a value for host and kind$",
    ):
        layout.narrow(at_s=5, host=starting_with("a"))


# ---- time slices ---------------------------------------------------------------------------------


def test_whole_slices_need_no_filter() -> None:
    aligned = between(0, 1_800_000)
    assert_narrows(READINGS, {"at_ms": aligned}, ["00000000 .. 00000002"], (), {})
    ranges = ["00000000 61 .. 00000000 62", "00000001 61 .. 00000001 62"]
    assert_narrows(READINGS, {"host": "a", "at_ms": aligned}, ranges, ("host",), {})
    assert_narrows(READINGS, {"host": starting_with("a"), "at_ms": aligned}, ranges, ("host",), {})
    assert_narrows(READINGS, {"host": between(), "at_ms": aligned}, ["00000000 .. 00000002"], ("host",), {})
    assert_narrows(READINGS, {"at_ms": between(900_000, 900_000)}, [], (), {})


def test_whole_slices_bind_a_time_that_the_key_starts_with() -> None:
    layout = KeyLayout(Log, TimeBucket(of="at_s", every_ms=10, codec=UInt8))
    assert_narrows(layout, {"at_s": between(0, 20)}, ["00 .. 02"], (), {})
    assert (("TimeBucket", between(0, 20)),) == layout.narrow(at_s=between(0, 20)).ranges[0].parts
    ranges = ["00 00 .. 00 14", "01 00 .. 01 14"]
    assert_narrows(layout, {"at_s": between(0, 20), "host": "a"}, ranges, ("at_s",), {"host": "a"})


def test_slices_that_the_interval_cuts_are_read_whole_and_the_time_is_filtered() -> None:
    cut = between(1, 1_800_001)
    assert_narrows(READINGS, {"at_ms": cut}, ["00000000 .. 00000003"], (), {"at_ms": cut})
    assert_narrows(READINGS, {"at_ms": cut, "kind": "cpu"}, ["00000000 .. 00000003"], (), {"at_ms": cut, "kind": "cpu"})
    for ends in ((0, 900_001), (1, 900_000)):
        narrowed = READINGS.narrow(at_ms=between(*ends))
        assert narrowed.residual == {"at_ms": between(*ends)}
    # The slice that starts at `until` is not read.
    assert_narrows(
        READINGS, {"at_ms": between(1, 900_000)}, ["00000000 .. 00000001"], (), {"at_ms": between(1, 900_000)}
    )


def test_cut_slices_of_one_host_bind_its_time_in_each() -> None:
    low, high = "61 8000000000000001", "61 80000000001b7741"
    ranges = [f"0000000{number} {low} .. 0000000{number} {high}" for number in range(3)]
    question = {"host": "a", "at_ms": between(1, 1_800_001)}
    assert_narrows(READINGS, question, ranges, ("host", "at_ms"), {})
    assert_narrows(READINGS, question | {"kind": "cpu"}, ranges, ("host", "at_ms"), {"kind": "cpu"})


def test_cut_slices_of_a_host_prefix_filter_the_time() -> None:
    cut = between(1, 900_001)
    ranges = ["00000000 61 .. 00000000 62", "00000001 61 .. 00000001 62"]
    assert_narrows(READINGS, {"host": starting_with("a"), "at_ms": cut}, ranges, ("host",), {"at_ms": cut})


def test_whole_slices_with_a_part_after_the_time_bind_the_time_after_its_host() -> None:
    low, high = "61 8000000000000000", "61 80000000000dbba0"
    question = {"host": "a", "at_ms": between(0, 900_000), "kind": "cpu"}
    ranges = [f"00000000 {low} .. 00000000 {high}"]
    assert_narrows(READINGS, question, ranges, ("host", "at_ms"), {"kind": "cpu"})


def test_one_moment_is_one_slice_and_is_filtered_if_its_host_is_not_bound() -> None:
    assert_narrows(READINGS, {"at_ms": 900_001}, ["00000001 .. 00000002"], (), {"at_ms": 900_001})
    assert_narrows(
        READINGS, {"at_ms": 900_001, "kind": "cpu"}, ["00000001 .. 00000002"], (), {"at_ms": 900_001, "kind": "cpu"}
    )
    moment = "00000001 61 80000000000dbba1"
    assert_narrows(READINGS, {"host": "a", "at_ms": 900_001}, [f"{moment} .. {moment[:-1]}2"], ("host", "at_ms"), {})


def test_descending_slices_run_from_the_newest() -> None:
    layout = KeyLayout(Event, TimeBucket(of="at_ms", every_ms=900_000))
    cut = between(1, 900_001)
    assert_narrows(layout, {"at_ms": cut, "event_id": "e"}, ["fffffffe .. end"], (), {"at_ms": cut, "event_id": "e"})


def test_a_filtered_value_chooses_the_bucket_before_the_slices() -> None:
    cut = between(1, 900_001)
    for kind, bucket in (("cpu", "03"), ("disk", "01")):  # crc32 of 01 is 3 modulo 4, of 02 it is 1
        ranges = [f"{bucket} 00000000 .. {bucket} 00000002"]
        assert_narrows(SALTED_READINGS, {"at_ms": cut, "kind": kind}, ranges, (), {"at_ms": cut, "kind": kind})
    assert len(SALTED_READINGS.narrow(at_ms=cut).streams) == 4


def test_a_filtered_moment_chooses_bucket_and_slice() -> None:
    layout = KeyLayout(Reading, Modulo(of="at_ms", by=2), TimeBucket(of="at_ms", every_ms=900_000))
    assert_narrows(layout, {"at_ms": 900_001}, ["01 00000001 .. 01 00000002"], (), {"at_ms": 900_001})


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "question", "wanted"),
    [
        (LOGS, {}, "Log: needs a condition for at_s; ask whole_table() for all rows"),
        (LOGS, {"who": "a"}, "Log.who: no such part; the parts are at_s, host and kind"),
        (LOGS, {"at_s": 5, "who": between()}, "Log.who: no such part; the parts are at_s, host and kind"),
        (LOGS, {"host": "a"}, "Log.host: needs a value for at_s, which comes earlier in the row key"),
        (LOGS, {"host": between()}, "Log.host: needs a value for at_s, which comes earlier in the row key"),
        (LOGS, {"kind": "cpu", "host": "a"}, "Log.host: needs a value for at_s, which comes earlier in the row key"),
        (SALTED, {"host": "a"}, "Log.host: needs a value for at_s, which comes earlier in the row key"),
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
            {"host": "a", "at_ms": between()},
            "Reading.at_ms: needs a value or an interval with both ends, "
            "because slices of 900000 ms come earlier in the row key",
        ),
        (
            READINGS,
            {"at_ms": between(0, 1025 * 900_000)},
            "Reading.at_ms: the interval must span at most 1024 slices of 900000 ms (got 1025)",
        ),
        (
            HASHED,
            {"at_s": 5},
            "Log: needs a single value for host, because HashPrefix(of='host', bytes=2) has more than 1024 values",
        ),
        (
            HASHED,
            {"at_s": 5, "host": starting_with("a")},
            "Log: needs a single value for host, because HashPrefix(of='host', bytes=2) has more than 1024 values",
        ),
        (
            HASHED_BY_TWO,
            {"at_s": between(5, 6)},
            "Log: needs a single value for at_s and host, "
            "because HashPrefix(of=('at_s', 'host'), bytes=2) has more than 1024 values",
        ),
        (LOGS, {"at_s": between(6, 5)}, "Log.at_s: since must not be above until (got 6 and 5)"),
        (LOGS, {"at_s": 256}, "Log.at_s: must be 0..255 (got 256)"),
        (LOGS, {"at_s": 5, "host": "a", "kind": "gpu"}, "Log.kind: must be one of cpu, disk (got 'gpu')"),
        (
            METERS,
            {"meter_id": between(1, 5)},
            "Meter.meter_id: needs a single value, because ReversedDigits(4) is not ordered",
        ),
        (
            METERS,
            {"meter_id": starting_with("1")},
            "Meter.meter_id: ReversedDigits(4) does not support starting_with(): give a single value",
        ),
    ],
)
def test_a_question_that_binds_nothing_or_has_a_wrong_value_is_refused_as_by_plan(
    layout: KeyLayout[Any], question: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        layout.narrow(**question)
    assert wanted == str(refused.value)
    with pytest.raises(InvalidQuestion) as planned:
        layout.plan(**question)
    assert wanted == str(planned.value)


def test_a_hash_of_a_bound_part_and_a_filtered_interval_is_refused_by_name() -> None:
    with pytest.raises(InvalidQuestion, match=r"^Log: needs a single value for host, because HashPrefix"):
        HASHED_BY_TWO.narrow(at_s=5, kind="cpu")


LEADING = {"at_s": between(5, 7)}


@pytest.mark.parametrize(
    ("layout", "question", "wanted"),
    [
        (LOGS, LEADING | {"host": "ab"}, "Log.host: must be at most 1 bytes of UTF-8 (got 2: 'ab')"),
        (LOGS, LEADING | {"host": 5}, "Log.host: must be text (got 5, int)"),
        (LOGS, LEADING | {"host": None}, "Log.host: must be text (got None, NoneType)"),
        (LOGS, LEADING | {"host": ["a", "b"]}, "Log.host: must be text (got ['a', 'b'], list)"),
        (LOGS, LEADING | {"kind": "gpu"}, "Log.kind: must be one of cpu, disk (got 'gpu')"),
        (LOGS, LEADING | {"host": between("ab", None)}, "Log.host: must be at most 1 bytes of UTF-8 (got 2: 'ab')"),
        (LOGS, LEADING | {"host": between(None, "ab")}, "Log.host: must be at most 1 bytes of UTF-8 (got 2: 'ab')"),
        (LOGS, LEADING | {"host": between("a", 5)}, "Log.host: must be text (got 5, int)"),
        (LOGS, LEADING | {"host": between("b", "a")}, "Log.host: since must not be above until (got 'b' and 'a')"),
        (LOGS, LEADING | {"host": starting_with("ab")}, "Log.host: must be at most 1 bytes of UTF-8 (got 2: 'ab')"),
        (LOGS, LEADING | {"host": starting_with(b"a")}, "Log.host: must be text (got b'a', bytes)"),
        (
            LOGS,
            LEADING | {"kind": starting_with("c")},
            "Log.kind: Code({'cpu': 1, 'disk': 2}) does not support starting_with(): give a single value",
        ),
        (METERS, {"meter_id": 1, "ratio": -0.0}, "Meter.ratio: must be a float other than NaN and -0.0 (got -0.0)"),
        (METERS, {"meter_id": 1, "ratio": 1}, "Meter.ratio: must be a float (got 1, int)"),
        (
            METERS,
            {"meter_id": 1, "ratio": between(float("nan"), 1.0)},
            "Meter.ratio: must be a float other than NaN and -0.0 (got nan)",
        ),
        (
            METERS,
            {"meter_id": 1, "ratio": starting_with("1")},
            "Meter.ratio: Float64 does not support starting_with(): give a value or between(...)",
        ),
        (
            METERS,
            {"meter_id": 1, "note": "\ud800"},
            "Meter.note: must be Unicode text without lone surrogates (got '\\ud800')",
        ),
        (READINGS, {"at_ms": between(900_001, 1)}, "Reading.at_ms: since must not be above until (got 900001 and 1)"),
        (READINGS, {"at_ms": True}, "Reading.at_ms: must be an int (got True, bool)"),
        (SALTED, LEADING | {"host": "ab"}, "Log.host: must be at most 1 bytes of UTF-8 (got 2: 'ab')"),
        (HASHED, LEADING | {"host": 5}, "Log.host: must be text (got 5, int)"),
    ],
)
def test_a_filtered_condition_must_be_a_value_of_its_part(
    layout: KeyLayout[Any], question: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        layout.narrow(**question)
    assert wanted == str(refused.value)


@pytest.mark.parametrize("condition", ["a" * 32_768, starting_with("a" * 32_768), between("a" * 32_768, None)])
def test_a_bound_value_longer_than_any_row_is_refused(condition: Any) -> None:
    with pytest.raises(InvalidQuestion, match=r"^Event.user_id: a row key has at most 32767 bytes"):
        EVENTS.narrow(user_id=condition, event_id="e")


# ---- whether a value matches ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "matching", "others"),
    [
        (5, [5], [4, 6]),
        ("a", ["a"], ["", "A", "ab"]),
        (between(2, 4), [2, 3], [1, 4]),
        (between(2, None), [2, 99], [1]),
        (between(None, 4), [-99, 3], [4]),
        (between(0, 0), [], [-1, 0, 1]),
        (between(), [0, -1], [None]),
        (between(1, None), [1], [0, None]),
        (between(None, 1), [0], [1, None]),
        (between("a", "b"), ["a", "a\uffff"], ["", "b"]),
        (starting_with("ab"), ["ab", "abc"], ["", "a", "b", "AB", "cab", None]),
        (starting_with(b"\xff"), [b"\xff", b"\xff\x00"], [b"", b"\xfe"]),
        (starting_with(""), ["", "a"], []),
    ],
)
def test_a_value_matches_a_condition_that_it_equals_or_is_in(
    condition: Any, matching: list[Any], others: list[Any]
) -> None:
    assert [True] * len(matching) == [matcher(condition)(value) for value in matching]
    assert [False] * len(others) == [matcher(condition)(value) for value in others]


@pytest.mark.parametrize("condition", [between("a", None), between(None, "b")])
def test_a_value_of_another_type_than_the_ends_is_an_error(condition: Any) -> None:
    with pytest.raises(TypeError, match=r"not supported between instances of '(str|int)' and '(str|int)'$"):
        matcher(condition)(5)


# ---- the laws ------------------------------------------------------------------------------------


@attrs.frozen
class Cut:
    """A question split by hand, with no look at bytes."""

    bound: dict[str, Any]
    residual: dict[str, Any]
    planned: dict[str, Any]
    """The question that a plan can answer: the bound parts, and the time extended to whole slices; all of it in the
    starts of slices that keys hold."""


def cut_of(subject: Subject, question: dict[str, Any]) -> Cut:
    slices = widened(subject, question)
    bound: dict[str, Any] = {}
    for name in subject.kinds:
        if name not in question:
            break
        if isinstance(question[name], Between) and not subject.kinds[name].ordered:
            break
        bound[name] = slices[name]
        if isinstance(question[name], Between | StartingWith):
            break
    residual = {
        name: condition
        for name, condition in question.items()
        if condition != between()
        and (name not in bound or (subject.kinds[name].every > 1 and not is_whole(condition, slices[name])))
    }
    planned: dict[str, Any] = {}
    if subject.time_bucket is not None:
        name, every_ms = subject.time_bucket.of, subject.time_bucket.every_ms
        condition = slices[name]
        since, until = (
            (condition.since, condition.until) if isinstance(condition, Between) else (condition, condition + 1)
        )
        planned[name] = between(since // every_ms * every_ms, -(-until // every_ms) * every_ms)
        if planned[name] == question[name]:
            residual.pop(name, None)  # whole slices hold it exactly
    return Cut(bound, residual, planned | bound)


def is_whole(condition: Any, slices: Any) -> bool:
    """Whether an interval ends where slices do."""
    return isinstance(condition, Between) and bool(condition == slices)


def is_narrowable(subject: Subject, question: dict[str, Any]) -> bool:
    """Whether some of a question can be bound, in at most 1024 ranges, and all its conditions fit their parts."""
    if is_answerable(subject, question):
        return True
    bucket = subject.time_bucket
    if not question:
        return False
    if bucket is not None:
        condition = widened(subject, question).get(bucket.of, between())
        if isinstance(condition, StartingWith | AnyOf) or (
            isinstance(condition, Between) and None in (condition.since, condition.until)
        ):
            return False
    for name, condition in question.items():
        if (
            isinstance(condition, Between)
            and None not in (condition.since, condition.until)
            and condition.since > condition.until
        ):
            return False
        if not isinstance(condition, Between) and not is_sound(subject.kinds[name], condition):
            return False
    cut = cut_of(subject, question)
    if not cut.planned:
        return False
    if any(
        getattr(condition, "merged", False) is True for name, condition in question.items() if name not in cut.bound
    ):
        return False
    singles = singles_of(question)
    if len(singles) == len(subject.kinds):
        return False  # a point, which is answered above or is not a row
    # A prefix whose parts all have a value, bound or residual, is in one bucket, as if it were not there.
    known = {*singles} | {name for name in cut.bound if isinstance(question[name], AnyOf)}
    unknown = [prefix for prefix in subject.layout.prefixes if prefix is bucket or not {*prefix.of} <= known]
    kinds = {name: attrs.evolve(kind, every=1) for name, kind in subject.kinds.items()}  # cut.planned is in slices
    if bucket is not None and bucket.of in singles:  # one moment has its slice without any order
        kinds[bucket.of] = attrs.evolve(kinds[bucket.of], ordered=True)
    return is_answerable(
        attrs.evolve(subject, layout=KeyLayout(subject.layout.key_class, *unknown), kinds=kinds), cut.planned
    )


def singles_of(question: dict[str, Any]) -> dict[str, Any]:
    """The parts that a question binds to one value, wherever they are in the key."""
    return {
        name: condition
        for name, condition in question.items()
        if not isinstance(condition, Between | StartingWith | AnyOf)
    }


def _buckets(prefix: Any) -> int:
    """The number of buckets of a prefix."""
    if isinstance(prefix, HashPrefix):
        return int((16 if prefix.hex else 256) ** prefix.count)
    return int(prefix.by if isinstance(prefix, Modulo) else prefix.buckets)


@st.composite
def loose_questions(draw: st.DrawFn, subject: Subject) -> dict[str, Any]:
    """Conditions for most parts: values and intervals in any order, now and then one that makes no sense."""
    question: dict[str, Any] = {}
    for name, kind in subject.kinds.items():
        pool = [*subject.values[name] * 4, *kind.values]
        low, high = sorted((draw(st.sampled_from(pool)), draw(st.sampled_from(pool))))
        if subject.time_bucket is not None and name == subject.time_bucket.of and draw(st.integers(0, 9)):
            ways = [low, between(low, high), between(low, high)]
        else:
            ways = [None, low, low, low]
            ways += [between(low, high), between(low, None), between(None, high)]
            ways += [any_of([low, high, low], merged=draw(st.booleans())), any_of([high])]
            ways += [any_of([])] if draw(st.integers(0, 9)) == 0 else []
            ways += [starting_with(low[:1]), starting_with(high)] if kind.beginnings else []
            ways += draw(st.sampled_from([[], [between()] * 3, [between(high, low), starting_with(low)]]))
        way = draw(st.sampled_from(ways))
        if way is not None:
            question[name] = way
    return {name: question[name] for name in draw(st.permutations(list(question)))}


def subjects_with_questions(**options: Any) -> Any:
    wide = subjects(slices=True, **options).filter(lambda subject: len(subject.kinds) > 1)
    return wide.flatmap(lambda subject: st.tuples(st.just(subject), loose_questions(subject)))


@many
@given(subjects_with_questions())
def test_the_rows_in_the_ranges_that_pass_the_residual_filter_are_the_answer(
    case: tuple[Subject, dict[str, Any]],
) -> None:
    subject, question = case
    layout = subject.layout
    if not is_narrowable(subject, question):
        with pytest.raises(InvalidQuestion, match=r"^Key[.:]"):
            layout.narrow(**question)
        return
    plan = layout.narrow(**question)
    assert question == plan.question
    rows = [(record, layout.row_of(record)) for record in subject.keys]
    candidates = [record for record, row in rows if sum(row in range_ for range_ in plan.ranges) == 1]
    assert [record for record, _row in rows if matches(question, record)] == [
        record for record in candidates if matches({**plan.residual}, record)
    ]


@many
@given(subjects_with_questions())
def test_the_ranges_are_those_of_the_bound_parts_in_the_buckets_of_the_known_parts(
    case: tuple[Subject, dict[str, Any]],
) -> None:
    subject, question = case
    if not is_narrowable(subject, question):
        return
    plan = subject.layout.narrow(**question)
    cut = cut_of(subject, question)
    time = subject.time_bucket and subject.time_bucket.of  # may be filtered although whole slices guarantee it
    for range_ in plan.ranges:
        assert [name for name in cut.bound if name != time] == [
            name for name, _ in range_.parts if name in subject.kinds and name != time
        ]
    assert cut.residual == {
        name: condition for name, condition in plan.residual.items() if name in cut.residual or name != time
    }
    singles = singles_of(question)
    empty = asks_for_nothing(cut.residual)
    for record in subject.keys:
        there = any(subject.layout.row_of(record) in range_ for range_ in plan.ranges)
        is_planned = matches(cut.planned, subject.key_of(record))
        assert there or empty or not (is_planned and matches(singles, record))
        assert is_planned or not there
    buckets = [_buckets(prefix) for prefix in subject.layout.spread if not {*prefix.of} <= {*singles}]
    if merged_part(subject, cut.bound) is None:
        assert len(plan.streams) <= prod(buckets)


@many
@given(
    subjects(slices=True).flatmap(lambda subject: st.tuples(st.just(subject), questions(subject, merged=True))),
)
def test_if_plan_answers_narrow_gives_the_same_plan(case: tuple[Subject, dict[str, Any]]) -> None:
    subject, question = case
    if is_answerable(subject, question):
        assert subject.layout.plan(**question) == subject.layout.narrow(**question)


@settings(many, max_examples=examples(400))
@given(subjects_with_questions(ordered=True))
def test_rows_come_in_the_order_of_the_parts_after_those_bound_to_one_value(
    engine: Engine, case: tuple[Subject, dict[str, Any]]
) -> None:
    subject, question = case
    layout = subject.layout
    if not is_narrowable(subject, question):
        return
    plan = layout.narrow(**question)
    if len(plan.streams) > 20:
        return  # too slow
    with stocked_table(engine, {layout.row_of(record) for record in subject.keys}) as table:
        read = [layout.decode(row) for row, _cells in scan(table, plan)]
    bound = cut_of(subject, question).bound
    for name in {*bound} & {*singles_of(question)}:
        assert [bound[name]] * len(read) == [getattr(key, name) for key in read]
    # Time slices come before all parts, a merged part is not sorted by, and nothing else comes before the others.
    places = [place(subject, key, merged_part(subject, bound)) for key in read]
    assert sorted(places) == places
