"""Any of several values: golden ranges and streams, read one after the other or merged, and refusals."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from shared.keys import (
    Code,
    Descending,
    EscapedText,
    FixedText,
    HashPrefix,
    Int64,
    InvalidQuestion,
    KeyLayout,
    Plan,
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

# author "a" = 61 00 01; at_ms 0 = 7f ff ff ff ff ff ff ff


@row_key
class Post:
    author: str = part(EscapedText, "who wrote it")
    at_ms: int = part(Descending(Int64), "when, newest first")


@row_key
class Reading:
    kind: str = part(Code({"cpu": 2, "disk": 1, "net": 255}), "of what")
    host: str = part(FixedText(1, "\0"), "where")
    at_ms: int = part(UInt8, "when")


@row_key
class Log:
    host: str = part(FixedText(1, "\0"), "where")
    at_ms: int = part(Int64, "when")


@row_key
class Note:
    slot: int = part(UInt8, "first")
    text: str = part(TrailingText, "up to the end")


POSTS = KeyLayout(Post)
READINGS = KeyLayout(Reading)
SALTED = KeyLayout(Reading, Salt(of="host", buckets=4))  # crc32 of "a" and "c" is 3 modulo 4, of "b" 1
LOGS = KeyLayout(Log, TimeBucket(of="at_ms", every_ms=10, codec=UInt8))
NOTES = KeyLayout(Note)


def streams(plan: Plan) -> list[list[str]]:
    """The ranges of each stream, as "start..stop" in hex."""
    return [
        [f"{range_.start.hex()}..{'end' if range_.stop is None else range_.stop.hex()}" for range_ in stream.ranges]
        for stream in plan.streams
    ]


def assert_plan(
    layout: KeyLayout[Any], question: Mapping[str, Any], wanted: list[list[str]], prefix_bytes: list[int]
) -> None:
    """`wanted` are the ranges of each stream, with spaces at field borders."""
    plan = layout.plan(**question)
    assert [[range_.replace(" ", "") for range_ in ranges] for ranges in wanted] == streams(plan)
    assert prefix_bytes == [stream.prefix_bytes for stream in plan.streams]
    assert plan.residual == {}
    assert None is plan.point


# ---- one after the other -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("authors", "ranges"),
    [
        (["b", "a"], ["61 0001 .. 61 0002", "62 0001 .. 62 0002"]),
        (["a", "a"], ["61 0001 .. 61 0002"]),
        (["1", "12"], ["31 0001 .. 31 0002", "3132 0001 .. 3132 0002"]),
        ({"a": 1}.keys(), ["61 0001 .. 61 0002"]),
        (iter(["a"]), ["61 0001 .. 61 0002"]),
    ],
)
def test_each_value_is_a_range_in_key_order_and_twice_is_once(authors: Any, ranges: list[str]) -> None:
    assert_plan(POSTS, {"author": any_of(authors)}, [ranges], [0])


def test_no_values_read_nothing() -> None:
    assert_plan(POSTS, {"author": any_of([])}, [], [])
    assert_plan(SALTED, {"kind": any_of([], merged=True), "host": "a"}, [], [])
    assert {"at_ms": any_of([])} == POSTS.narrow(author=starting_with("a"), at_ms=any_of([])).residual
    assert POSTS.narrow(author=starting_with("a"), at_ms=any_of([])).streams == ()


def test_other_conditions_may_follow() -> None:
    ranges = ["61 0001 7fffffffffffffff .. 61 0001 80", "62 0001 7fffffffffffffff .. 62 0001 80"]
    assert_plan(POSTS, {"author": any_of(["a", "b"]), "at_ms": between(0, 1)}, [ranges], [0])


def test_names_of_a_code_come_in_the_order_of_their_bytes_and_neighbours_are_one_range() -> None:
    assert_plan(READINGS, {"kind": any_of(["net", "cpu"])}, [["02 .. 03", "ff .. end"]], [0])
    assert_plan(READINGS, {"kind": any_of(["cpu", "disk"])}, [["01 .. 03"]], [0])
    (joined,) = READINGS.plan(kind=any_of(["cpu", "disk"])).ranges
    assert (("kind", any_of(["disk", "cpu"])),) == joined.parts


def test_several_parts_give_all_pairs() -> None:
    question = {"kind": any_of(["cpu", "net"]), "host": any_of(["a", "c"])}
    assert_plan(READINGS, question, [["02 61 .. 02 62", "02 63 .. 02 64", "ff 61 .. ff 62", "ff 63 .. ff 64"]], [0])


def test_all_parts_bound_are_whole_keys_and_never_prefixes_of_longer_ones() -> None:
    assert_plan(NOTES, {"slot": 1, "text": any_of(["a", "ab"])}, [["01 61 .. 01 6100", "01 6162 .. 01 616200"]], [0])
    question = {"slot": any_of([1, 2]), "text": "a"}
    assert_plan(NOTES, question, [["01 61 .. 01 6100", "02 61 .. 02 6100"]], [0])


def test_each_value_has_the_bucket_of_its_own_salt() -> None:
    question = {"kind": "cpu", "host": any_of(["a", "b", "c"])}
    ranges = [["01 02 62 .. 01 02 63"], ["03 02 61 .. 03 02 62", "03 02 63 .. 03 02 64"]]
    assert_plan(SALTED, question, ranges, [1, 1])


def test_values_that_choose_no_bucket_are_read_in_every_bucket() -> None:
    ranges = [[f"0{bucket} 02 .. 0{bucket} 03", f"0{bucket} ff .. 0{int(bucket) + 1}"] for bucket in range(4)]
    assert_plan(SALTED, {"kind": any_of(["cpu", "net"])}, ranges, [1, 1, 1, 1])


def test_each_value_has_its_own_hash() -> None:
    layout = KeyLayout(Post, HashPrefix(of="author", bytes=2))  # md5 of "a" is 0cc1.., of "b" 92eb..
    ranges = [["0cc1 61 0001 .. 0cc1 61 0002"], ["92eb 62 0001 .. 92eb 62 0002"]]
    assert_plan(layout, {"author": any_of(["b", "a"])}, ranges, [2, 2])


def test_time_slices_come_before_the_values() -> None:
    ranges = ["00 61 .. 00 62", "00 63 .. 00 64", "01 61 .. 01 62", "01 63 .. 01 64"]
    assert_plan(LOGS, {"host": any_of(["a", "c"]), "at_ms": between(0, 20)}, [ranges], [0])


# ---- merged --------------------------------------------------------------------------------------


def test_each_merged_value_is_a_stream_after_its_own_bytes() -> None:
    ranges = [["31 0001 .. 31 0002"], ["3132 0001 .. 3132 0002"]]
    assert_plan(POSTS, {"author": any_of(["12", "1"], merged=True)}, ranges, [3, 4])


def test_a_part_before_the_merged_one_is_a_stream_for_each_of_its_values_too() -> None:
    question = {"kind": any_of(["cpu", "net"]), "host": any_of(["a", "c"], merged=True)}
    ranges = [["02 61 .. 02 62"], ["02 63 .. 02 64"], ["ff 61 .. ff 62"], ["ff 63 .. ff 64"]]
    assert_plan(READINGS, question, ranges, [2, 2, 2, 2])


def test_values_of_a_part_after_the_merged_one_are_ranges_of_its_stream() -> None:
    question = {"kind": any_of(["cpu", "net"], merged=True), "host": any_of(["a", "c"])}
    assert_plan(
        READINGS, question, [["02 61 .. 02 62", "02 63 .. 02 64"], ["ff 61 .. ff 62", "ff 63 .. ff 64"]], [1, 1]
    )


def test_merged_values_are_merged_across_buckets_and_slices() -> None:
    question = {"kind": any_of(["cpu", "disk"], merged=True)}
    ranges = [[f"0{bucket} 0{kind} .. 0{bucket} 0{kind + 1}"] for bucket in range(4) for kind in (1, 2)]
    assert_plan(SALTED, question, ranges, [2] * 8)
    question = {"host": any_of(["a", "c"], merged=True), "at_ms": between(0, 20)}
    ranges = [["00 61 .. 00 62"], ["00 63 .. 00 64"], ["01 61 .. 01 62"], ["01 63 .. 01 64"]]
    assert_plan(LOGS, question, ranges, [2] * 4)


def test_a_single_merged_value_is_one_stream() -> None:
    assert_plan(POSTS, {"author": any_of(["a"], merged=True)}, [["61 0001 .. 61 0002"]], [3])


# ---- narrowed ------------------------------------------------------------------------------------


def test_values_that_the_ranges_cannot_bind_are_filtered_and_choose_no_bucket() -> None:
    salted = KeyLayout(Reading, Salt(of="at_ms", buckets=2))
    for times in (any_of([5]), any_of([5, 6])):
        plan = salted.narrow(kind="cpu", at_ms=times)
        assert {"at_ms": times} == plan.residual
        assert streams(plan) == [["0002..0003"], ["0102..0103"]]
        assert [stream.prefix_bytes for stream in plan.streams] == [1, 1]


def test_values_that_the_ranges_bind_are_not_filtered() -> None:
    plan = READINGS.narrow(kind=any_of(["cpu", "net"], merged=True), at_ms=5)
    assert plan.residual == {"at_ms": 5}
    assert streams(plan) == [["02..03"], ["ff..end"]]


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        (lambda: any_of("abc"), "any_of: must be several values, such as a list (got 'abc')"),
        (lambda: any_of(b"abc"), "any_of: must be several values, such as a list (got b'abc')"),
        (lambda: any_of(5), "any_of: must be several values, such as a list (got 5)"),  # type: ignore[arg-type]
        (lambda: any_of(None), "any_of: must be several values, such as a list (got None)"),  # type: ignore[arg-type]
        (lambda: POSTS.plan(author=any_of(["a", 5])), "Post.author: must be text (got 5, int)"),
        (lambda: POSTS.narrow(author="a", at_ms=any_of([True])), "Post.at_ms: must be an int (got True, bool)"),
        (
            lambda: POSTS.narrow(author=between("a", "b"), at_ms=any_of([True])),
            "Post.at_ms: must be an int (got True, bool)",
        ),
        (
            lambda: POSTS.plan(author=any_of([between("a", "b")])),
            "Post.author: must be text (got Between(since='a', until='b'), Between)",
        ),
        (
            lambda: POSTS.plan(at_ms=any_of([1])),
            "Post.at_ms: needs a value for author, which comes earlier in the row key",
        ),
        (
            lambda: READINGS.plan(kind=any_of(["cpu", "gpu"])),
            "Reading.kind: must be one of cpu, disk, net (got 'gpu')",
        ),
        (
            lambda: POSTS.narrow(author=between("a", "b"), at_ms=any_of([1, 2], merged=True)),
            "Post.at_ms: cannot be merged, because no range binds it",
        ),
        (
            lambda: READINGS.narrow(kind="cpu", at_ms=any_of([], merged=True)),
            "Reading.at_ms: cannot be merged, because no range binds it",
        ),
        (
            lambda: LOGS.plan(host="a", at_ms=any_of([1, 2])),
            "Log.at_ms: needs a value or an interval with both ends, "
            "because slices of 10 ms come earlier in the row key",
        ),
        (
            lambda: POSTS.plan(author="a", at_ms=any_of(range(1025))),
            "Post.at_ms: any_of must make at most 1024 ranges (got 1025); ask for fewer values at once",
        ),
        (
            lambda: NOTES.plan(slot=any_of(range(256)), text=any_of(["a", "b", "c", "d", "e"])),
            "Note.text: any_of must make at most 1024 ranges (got 1280); ask for fewer values at once",
        ),
        (
            lambda: KeyLayout(Note, Salt(of="text", buckets=8)).plan(slot=any_of(range(129))),
            "Note: the question must read at most 1024 ranges (got 8 buckets x 129 values of any_of); "
            "give a value for text or ask for fewer values at once",
        ),
        (
            lambda: LOGS.plan(host=any_of(["a", "b", "c", "d", "e"]), at_ms=between(0, 2210)),
            "Log: the question must read at most 1024 ranges (got 221 slices x 5 values of any_of); "
            "ask for a shorter interval or ask for fewer values at once",
        ),
    ],
)
def test_a_refusal_names_part_and_value(ask: Callable[[], object], wanted: str) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        ask()
    assert wanted == str(refused.value)


def test_as_many_values_as_the_limit_are_answered() -> None:
    assert len(POSTS.plan(author="a", at_ms=any_of(range(0, 2048, 2))).ranges) == 1024
    assert len(POSTS.narrow(author=starting_with("a"), at_ms=any_of(range(2000))).ranges) == 1  # filtered


def test_a_value_matches_if_it_is_one_of_them() -> None:
    assert [matcher(any_of(["a", "b"]))(value) for value in ("a", "ab")] == [True, False]
    assert not matcher(any_of([]))("a")
