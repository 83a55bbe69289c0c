"""Plans beyond the cases of `questions.toml`: whole tables, points, limits, the successor of a prefix, and matching."""

from itertools import product

import pytest

from shared.keys import (
    HashPrefix,
    Int64,
    InvalidQuestion,
    KeyLayout,
    Salt,
    TimeBucket,
    any_of,
    between,
    most_ranges,
    starting_with,
    successor,
)
from shared.keys.conditions import matcher
from shared.keys.ranges import RowRange
from tests.shared.specimens import Event, Log, Named, Pair, Post, Probe, Reading

EVENTS = KeyLayout(Event)
READINGS = KeyLayout(Reading, TimeBucket(of="at_ms", every_ms=900_000))
LOGS = KeyLayout(Log, Salt(of="host", buckets=4))


def test_the_whole_table_is_one_range_or_one_for_each_bucket():
    assert KeyLayout(Pair).whole_table().ranges == (RowRange(b"", None),)
    salted = LOGS.whole_table()
    assert [(range_.start, range_.stop) for range_ in salted.ranges] == [(bytes([n]), bytes([n + 1])) for n in range(4)]
    assert [stream.prefix_bytes for stream in salted.streams] == [1, 1, 1, 1]
    (unlisted,) = (
        KeyLayout(Event, Salt(of="user_id", buckets=4), HashPrefix(of="user_id", bytes=4)).whole_table().streams
    )
    assert (unlisted.ranges, unlisted.prefix_bytes) == ((RowRange(b"", None),), 0)


def test_a_hash_short_enough_is_listed_in_byte_order():
    plan = KeyLayout(Log, HashPrefix(of="host", bytes=1, hex=True, separator="-")).plan(at_s=5)
    assert [range_.start for range_ in plan.ranges] == [b"%c-\5" % digit for digit in b"0123456789abcdef"]
    assert [stream.prefix_bytes for stream in plan.streams] == [2] * 16


def test_ranges_tell_what_binds_them():
    (joined,) = KeyLayout(Probe).plan(kind=any_of(["cpu", "disk"])).ranges
    assert joined.parts == (("kind", any_of(["disk", "cpu"])),)
    in_slices = KeyLayout(Log, TimeBucket(of="at_s", every_ms=10, codec=Int64))
    assert in_slices.narrow(at_s=between(0, 20)).ranges[0].parts == (("TimeBucket", between(0, 20)),)


# ---- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "question", "most"),
    [
        (
            READINGS,
            {"host": "a", "at_ms": between(0, 1025 * 900_000)},
            {"host": "a", "at_ms": between(0, 1024 * 900_000)},
        ),
        (KeyLayout(Log, HashPrefix(of="host", bytes=1), Salt(of="kind", buckets=5)), {"at_s": 5}, None),
        (
            KeyLayout(Post),
            {"author": "a", "at_ms": any_of(range(0, 2050, 2))},
            {"author": "a", "at_ms": any_of(range(0, 2048, 2))},
        ),
    ],
    ids=["slices", "buckets", "values"],
)
def test_more_ranges_than_the_limit_are_refused_unless_the_caller_raises_it(layout, question, most):
    assert most is None or len(layout.plan(**most).ranges) == 1024
    with pytest.raises(InvalidQuestion, match=r"at most 1024 (slices|ranges)"):
        layout.plan(**question)
    with most_ranges(1280):
        assert len(layout.plan(**question).ranges) > 1
        with most_ranges(1000), pytest.raises(InvalidQuestion, match=r"at most 1000 (slices|ranges)"):
            layout.plan(**question)
    with pytest.raises(InvalidQuestion):
        layout.plan(**question)


@pytest.mark.parametrize("count", [0, 65_537, 1.0, True, "9"])
def test_a_limit_of_ranges_that_is_none_is_refused(count):
    with pytest.raises(InvalidQuestion, match=r"^most_ranges: must be 1\.\.65536 \(got"), most_ranges(count):
        pass


@pytest.mark.parametrize("condition", [-1, between(-1, 5), between(-900_000, 900_000), 2**32 * 900_000])
def test_a_time_that_no_slice_can_hold_is_refused_by_name(condition):
    with pytest.raises(InvalidQuestion, match=r"^Reading\.at_ms: "):
        READINGS.plan(host="a", at_ms=condition)


@pytest.mark.parametrize("name", ["", "a" * 32_768])
def test_a_point_that_no_row_can_have_is_refused(name):
    with pytest.raises(InvalidQuestion, match=r"^Named"):
        KeyLayout(Named).plan(name=name)


@pytest.mark.parametrize("condition", ["a" * 32_768, starting_with("a" * 32_768), between("a" * 32_768, None)])
@pytest.mark.parametrize("layout", [EVENTS, KeyLayout(Event, Salt(of="user_id", buckets=4))], ids=str)
def test_a_question_longer_than_any_row_is_refused(layout, condition):
    with pytest.raises(InvalidQuestion, match=r"^Event"):
        layout.plan(user_id=condition)
    with pytest.raises(InvalidQuestion, match=r"^Event.user_id: a row key has at most 32767 bytes"):
        EVENTS.narrow(user_id=condition, event_id="e")


@pytest.mark.parametrize("values", ["abc", b"abc", 5, None])
def test_any_of_what_is_not_several_values_is_refused(values):
    with pytest.raises(InvalidQuestion) as refused:
        any_of(values)
    assert str(refused.value) == f"any_of: must be several values, such as a list (got {values!r})"


# ---- the successor of a prefix -------------------------------------------------------------------


_SHORT = [bytes(key) for width in range(4) for key in product((0x00, 0x01, 0x61, 0xFE, 0xFF), repeat=width)]


def test_a_prefix_and_its_successor_hold_what_starts_with_the_prefix_and_nothing_else():
    for prefix in _SHORT:
        rows = [row for row in _SHORT if row in RowRange(prefix, successor(prefix))]
        assert rows == [row for row in _SHORT if row.startswith(prefix)], prefix.hex()


# ---- whether a value matches ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "matching", "others"),
    [
        (5, [5], [4, 6]),
        ("a", ["a"], ["", "A", "ab"]),
        (between(2, 4), [2, 3], [1, 4]),
        (between(2, None), [2, 99], [1, None]),
        (between(None, 4), [-99, 3], [4, None]),
        (between(0, 0), [], [-1, 0, 1]),
        (between(), [0, -1], [None]),
        (between("a", "b"), ["a", "a\uffff"], ["", "b"]),
        (starting_with("ab"), ["ab", "abc"], ["", "a", "b", "AB", "cab", None]),
        (starting_with(b"\xff"), [b"\xff", b"\xff\x00"], [b"", b"\xfe"]),
        (starting_with(""), ["", "a"], []),
        (any_of(["a", "b"]), ["a"], ["ab"]),
        (any_of([]), [], ["a"]),
    ],
)
def test_a_value_matches_a_condition_that_it_equals_or_is_in(condition, matching, others):
    assert [matcher(condition)(value) for value in matching + others] == [True] * len(matching) + [False] * len(others)
