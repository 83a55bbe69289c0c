"""The laws of plans, on generated layouts and questions, against an oracle that looks at values alone."""

from collections.abc import Iterable
from itertools import pairwise
from math import prod
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.keys import Int64, InvalidQuestion, KeyLayout, Plan, RowRange, Stream, UInt8, any_of, between, starting_with
from shared.keys.conditions import AnyOf, Between, StartingWith
from shared.queries import scan
from tests.engines import examples
from tests.shared.keys.oracle import (
    asks_for_nothing,
    buckets_of,
    is_answerable,
    is_sound,
    loose_questions,
    matches,
    merged_part,
    place,
    questions,
    widened,
)
from tests.shared.keys.strategies import CASES, Kind, Subject, layout_of, subjects
from tests.shared.stocked import stocked_table

many = settings(max_examples=150, derandomize=True, database=None)

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


def with_questions(**options: Any) -> st.SearchStrategy[tuple[Subject, dict[str, Any]]]:
    return subjects(slices=True, **options).flatmap(
        lambda subject: st.tuples(st.just(subject), questions(subject, merged=True))
    )


@many
@given(with_questions())
def test_a_plan_holds_exactly_the_keys_that_match_and_refuses_only_questions_that_the_order_cannot_answer(case):
    subject, question = case
    if not is_answerable(subject, question):
        with pytest.raises(InvalidQuestion, match=r"^Key[.:]"):
            subject.layout.plan(**question)
        return
    plan = subject.layout.plan(**question)
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


@settings(many, max_examples=100)
@given(with_questions(ordered=True))
def test_after_the_prefixes_of_their_streams_rows_are_in_the_order_of_their_values(case):
    subject, question = case
    if is_answerable(subject, question):
        plan = subject.layout.plan(**question)
    else:
        plan, question = subject.layout.whole_table(), {}
        if subject.layout.spread and not plan.streams[0].prefix_bytes:
            return  # the buckets of the whole table cannot be listed
    after = merged_part(subject, question)
    rests: list[tuple[bytes, Any]] = []
    for record, row in subject.rows:
        streams = [stream for stream in plan.streams if any(row in range_ for range_ in stream.ranges)]
        rests += [(row[stream.prefix_bytes :], place(subject, record, after)) for stream in streams]
    merged = [values for _rest, values in sorted(rests, key=lambda rest_and_values: rest_and_values[0])]
    assert sorted(merged) == merged


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
        if isinstance(question[name], Between) and not subject.kinds[name].codec.ordered:
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
        kinds[bucket.of] = attrs.evolve(kinds[bucket.of], codec=Int64)
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


def subjects_with_questions(**options: Any) -> Any:
    wide = subjects(slices=True, **options).filter(lambda subject: len(subject.kinds) > 1)
    return wide.flatmap(lambda subject: st.tuples(st.just(subject), loose_questions(subject)))


@many
@given(subjects_with_questions())
def test_a_narrowed_question_reads_the_ranges_of_its_bound_parts_and_filters_the_rest(case):
    subject, question = case
    layout = subject.layout
    if not is_narrowable(subject, question):
        with pytest.raises(InvalidQuestion, match=r"^Key[.:]"):
            layout.narrow(**question)
        return
    plan = layout.narrow(**question)
    assert question == plan.conditions
    candidates = [record for record, row in subject.rows if sum(row in range_ for range_ in plan.ranges) == 1]
    assert [record for record in subject.keys if matches(question, record)] == [
        record for record in candidates if matches({**plan.residual}, record)
    ]
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
    for record, row in subject.rows:
        there = any(row in range_ for range_ in plan.ranges)
        is_planned = matches(cut.planned, subject.key_of(record))
        assert there or empty or not (is_planned and matches(singles, record))
        assert is_planned or not there
    if merged_part(subject, cut.bound) is None:
        buckets = [buckets_of(prefix) for prefix in layout.spread if not {*prefix.of} <= {*singles}]
        assert len(plan.streams) <= prod(buckets)


@settings(many, max_examples=examples(60))
@given(subjects_with_questions(ordered=True))
def test_rows_come_in_the_order_of_the_parts_after_those_bound_to_one_value(engine, case):
    subject, question = case
    layout = subject.layout
    if not is_narrowable(subject, question):
        return
    plan = layout.narrow(**question)
    if len(plan.streams) > 20:
        return  # too slow
    with stocked_table(engine, {row for _record, row in subject.rows}) as table:
        read = [layout.decode(row) for row, _cells in scan(table, plan)]
    bound = cut_of(subject, question).bound
    for name in {*bound} & {*singles_of(question)}:
        assert [bound[name]] * len(read) == [getattr(key, name) for key in read]
    # Time slices come before all parts, a merged part is not sorted by, and nothing else comes before the others.
    places = [place(subject, key, merged_part(subject, bound)) for key in read]
    assert sorted(places) == places
