"""The laws of plans, on generated layouts and questions, against an oracle that looks at values alone."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from shared.keys import InvalidQuestion, Plan, UInt8, any_of, between, starting_with
from shared.keys.conditions import Between, StartingWith
from shared.keys.ranges import RowRange, Stream
from tests.shared.keys.oracle import (
    asks_for_nothing,
    is_sound,
    matches,
    merged_part,
    questions,
    widened,
)
from tests.shared.keys.strategies import CASES, Kind, Subject, layout_of, subjects

many = settings(max_examples=100, derandomize=True, database=None)

# ---- questions that the order of keys answers ------------------------------------------------------


def assert_holds_exactly(subject: Subject, question: dict[str, Any], plan: Plan) -> None:
    """The ranges hold exactly the slices that match, and the records in them that pass the residual filter match."""
    in_ranges = [record for record, row in subject.rows if any(row in range_ for range_ in plan.ranges)]
    assert [record for record in subject.keys if matches(question, record)] == [
        record for record in in_ranges if matches({**plan.residual}, record)
    ]
    slices = widened(subject, question)
    assert in_ranges == [
        record
        for record in subject.keys
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
    return {
        row[: stream.prefix_bytes] for _record, row in subject.rows if any(row in range_ for range_ in stream.ranges)
    }


def assert_apart(ranges: Iterable[RowRange]) -> None:
    """No range is empty, and none overlaps another."""
    ordered = sorted(ranges, key=lambda range_: range_.start)
    assert all(range_.stop is None or range_.start < range_.stop for range_ in ordered)
    assert all(low.stop is not None and low.stop <= high.start for low, high in pairwise(ordered))


def assert_parts_are_common(subject: Subject, plan: Plan) -> None:
    """The parts of a range are what all its keys have in common, in the order of the key."""
    for range_ in plan.ranges:
        names = [name for name, _ in range_.parts]
        spread = [data for _, data in range_.parts[: len(subject.layout.spread)]] if plan.point is None else []
        assert [name for name in subject.kinds if name in names] == [name for name in names if name in subject.kinds]
        for record, row in subject.rows:
            if row in range_:
                key = subject.key_of(record)
                assert row.startswith(b"".join(spread))
                assert matches({name: condition for name, condition in range_.parts if name in subject.kinds}, key)
                periods = [condition for name, condition in range_.parts if name == "TimeBucket"]
                assert all(subject.time_bucket and getattr(key, subject.time_bucket.of) in period for period in periods)


def with_questions() -> st.SearchStrategy[tuple[Subject, dict[str, Any]]]:
    return subjects(slices=True).flatmap(lambda subject: st.tuples(st.just(subject), questions(subject, merged=True)))


@many
@given(with_questions())
def test_a_plan_holds_exactly_the_keys_that_match(case):
    """What it refuses is in `questions.toml`, beside questions that differ little and are answered."""
    subject, question = case
    try:
        plan = subject.layout.plan(**question)
    except InvalidQuestion:
        reject()
    assert question == plan.conditions
    assert plan == subject.layout.narrow(**question)
    assert_holds_exactly(subject, question, plan)
    assert_parts_are_common(subject, plan)
    singles = [condition for condition in question.values() if not hasattr(condition, "__attrs_attrs__")]
    assert (len(singles) == len(subject.kinds)) == (plan.point is not None)
    slices = widened(subject, question)
    cut = {
        name: condition
        for name, condition in question.items()
        if subject.kinds[name].every > 1 and not (isinstance(condition, Between) and condition == slices[name])
    }
    assert cut == plan.residual


@settings(many, max_examples=50)
@given(subjects(slices=True))
def test_the_whole_table_holds_every_key_once(subject):
    assert_holds_exactly(subject, {}, subject.layout.whole_table())


@pytest.mark.parametrize("kind", CASES, ids=str)
def test_intervals_and_prefixes_of_every_codec_hold_exactly_their_values(kind):
    alone, second = layout_of([kind]), layout_of([Kind(UInt8, (255,)), kind])
    subject = Subject(alone, {"a": kind}, {"a": list(kind.values)}, None)
    records = subject.keys if kind.every > 1 else [alone.key_class(value) for value in kind.values]
    rows = [(record, second.row_of(second.key_class(255, record.a))) for record in records]
    neighbours = [*pairwise(sorted(kind.values)), (kind.values[0], kind.values[-1])]
    conditions: list[Any] = [
        starting_with(value[:n]) for value in kind.values if kind.has_beginnings for n in range(len(value) + 1)
    ]
    conditions += [any_of(pair) for pair in neighbours if is_sound(kind, any_of(pair))]
    if kind.codec.ordered:
        ends = [pair for value in kind.values for pair in ((None, value), (value, None), (value, value))]
        ends += [(since, until) for since in (None, *kind.values) for until in kind.past_last]
        conditions += [between(), *(between(*pair) for pair in (*ends, *neighbours))]
    for condition in conditions:
        slices = widened(subject, {"a": condition})
        is_cut = slices["a"] != condition and asks_for_nothing({"a": condition})
        wanted = [record for record in records if matches(slices, subject.key_of(record)) and not is_cut]
        ranges = second.plan(a=255, b=condition).ranges
        assert wanted == [record for record, row in rows if any(row in range_ for range_ in ranges)], condition
        ranges = alone.plan(a=condition).ranges
        assert wanted == [record for record, row in rows if any(row[1:] in range_ for range_ in ranges)], condition


# ---- questions that are narrowed -------------------------------------------------------------------


@many
@given(with_questions())
def test_a_narrowed_question_binds_leading_parts_and_filters_the_rest(case):
    """What it refuses, and how few rows it reads, is in `questions.toml`."""
    subject, question = case
    try:
        plan = subject.layout.narrow(**question)
    except InvalidQuestion:
        with pytest.raises(InvalidQuestion):
            subject.layout.plan(**question)
        return
    assert question == plan.conditions
    assert_apart(plan.ranges)
    assert_parts_are_common(subject, plan)
    in_ranges = [record for record, row in subject.rows if any(row in range_ for range_ in plan.ranges)]
    assert [record for record in subject.keys if matches(question, record)] == [
        record for record in in_ranges if matches({**plan.residual}, record)
    ]
    names = [name for range_ in plan.ranges[:1] for name, _ in range_.parts if name in subject.kinds]
    assert names == [*subject.kinds][: len(names)]
    slices = widened(subject, question)
    for record in in_ranges:  # of the bound parts, only what matches
        assert matches({name: slices[name] for name in names}, subject.key_of(record))
    if names and subject.time_bucket is None:  # slices before the parts may bind a time themselves
        for name in [*subject.kinds][len(names) :][:1]:  # the first part that is not bound, and why
            is_open = isinstance(question[names[-1]], Between | StartingWith)
            assert is_open or name not in plan.residual or not is_sound(subject.kinds[name], question[name])
