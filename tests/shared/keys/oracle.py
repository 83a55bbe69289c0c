"""Questions answered from values alone: the keys that match, and their order.

Nothing here looks at bytes.
"""

from functools import total_ordering
from typing import Any

import attrs
from hypothesis import strategies as st

from shared.keys import InvalidQuestion, Plan, any_of, between, starting_with
from shared.keys.conditions import AnyOf, Between, StartingWith
from tests.shared.keys.strategies import Draw, Kind, Subject, around_slices

# ---- the meaning of a question -------------------------------------------------------------------------


def matches(question: dict[str, Any], key: Any) -> bool:
    return all(_fits(condition, getattr(key, name)) for name, condition in question.items())


def _fits(condition: Any, value: Any) -> bool:
    if isinstance(condition, Between):
        return (condition.since is None or condition.since <= value) and (
            condition.until is None or value < condition.until
        )
    if isinstance(condition, StartingWith):
        return bool(value.startswith(condition.start))
    if isinstance(condition, AnyOf):
        return any(value == one for one in condition.values)
    return bool(value == condition)


def widened(subject: Subject, question: dict[str, Any]) -> dict[str, Any]:
    """The question in whole slices: the values that the keys of its records can have."""
    return {name: _widened(subject.kinds[name], condition) for name, condition in question.items()}


def _widened(kind: Kind, condition: Any) -> Any:
    if kind.every == 1 or isinstance(condition, StartingWith):
        return condition
    if isinstance(condition, AnyOf):
        return any_of(map(kind.share, condition.values), merged=condition.merged)
    if not isinstance(condition, Between):
        return kind.share(condition)
    since, until = condition.since, condition.until
    if since is not None:
        since = kind.share(since) if kind.share(since) >= kind.lowest else None
    if until is not None:
        until = -(-until // kind.every) * kind.every
        until = until if until <= kind.highest else None
    return between(since, until)


def asks_for_nothing(question: dict[str, Any]) -> bool:
    """Whether a condition is an interval without values, or any of no values."""
    return any(_is_empty(condition) for condition in question.values())


def _is_empty(condition: Any) -> bool:
    if isinstance(condition, AnyOf):
        return not condition.values
    return isinstance(condition, Between) and condition.since is not None and condition.since == condition.until


def is_sound(kind: Kind, condition: Any) -> bool:
    """Whether the order of a part can answer its condition."""
    if isinstance(condition, Between):
        return kind.codec.ordered and (None in (condition.since, condition.until) or condition.since <= condition.until)
    if isinstance(condition, StartingWith):
        return kind.has_beginnings
    values = condition.values if isinstance(condition, AnyOf) else (condition,)
    return kind.every == 1 or all(kind.share(value) >= kind.lowest for value in values)


@total_ordering
@attrs.frozen(order=False)
class _Down:
    value: Any

    def __lt__(self, other: "_Down") -> bool:
        return bool(other.value < self.value)


def plan_of(subject: Subject, question: dict[str, Any]) -> tuple[Plan, dict[str, Any]]:
    """The plan of a question and its conditions; the plan of the whole table if the question cannot be answered."""
    try:
        return subject.layout.plan(**question), question
    except InvalidQuestion:
        return subject.layout.whole_table(), {}


def in_order(subject: Subject, keys: list[Any]) -> list[Any]:
    """The keys as their values sort: time slices first, then part by part, each in its direction."""
    return sorted(keys, key=lambda key: place(subject, key))


def place(subject: Subject, record: Any, after: str | None = None) -> list[Any]:
    """What a record sorts by: its time slice, then its parts; or only the parts after one."""
    names = list(subject.kinds)
    values = {name: kind.share(getattr(record, name)) for name, kind in subject.kinds.items()}
    is_descending = {name: kind.codec.descending for name, kind in subject.kinds.items()}
    place = [(values[name], is_descending[name]) for name in names[names.index(after) + 1 if after else 0 :]]
    if subject.time_bucket is not None and after is None:
        bucket = subject.time_bucket
        place.insert(0, (values[bucket.of] // bucket.every_ms, is_descending[bucket.of]))
    return [_Down(value) if descending else value for value, descending in place]


def merged_part(subject: Subject, question: dict[str, Any]) -> str | None:
    """The last part with a merged `any_of`: rows come in the order of the parts after it."""
    merged = [name for name in subject.kinds if getattr(question.get(name), "merged", False) is True]
    return merged[-1] if merged else None


# ---- strategies ----------------------------------------------------------------------------------


_WAYS = ("value", "value", "between", "since", "until", "all", "wrong way round", "starting", "any of")


@st.composite
def questions(hypothesis_draw: st.DrawFn, subject: Subject, merged: bool = False) -> dict[str, Any]:
    """Equality or `any_of` on some leading parts, often an interval after them; one question in four binds any parts.

    A third of the `any_of` are merged if `merged`.
    """
    draw = Draw(hypothesis_draw)
    names = list(subject.kinds)
    question: dict[str, Any] = {}
    bucket = subject.time_bucket
    if bucket is not None and draw.below(4):
        # Most questions give both ends of the time: whole slices need no other part.
        pool = around_slices(bucket, subject.kinds[bucket.of])
        if draw.below(3):
            pool = tuple(time for time in pool if time % bucket.every_ms == 0)
            names.remove(bucket.of)
        question[bucket.of] = between(*sorted((draw.choice(pool), draw.choice(pool))))
    if draw.below(4) == 3:
        ways = [(name, draw.choice(_WAYS)) for name in names if draw.below(2)]
        return {name: _condition(draw, subject, name, way, merged) for name, way in ways} | question
    singles = draw.below(len(names) + 1)
    ways = [(name, draw.choice(("value", "value", "any of"))) for name in names[:singles]]
    question = {name: _condition(draw, subject, name, way, merged) for name, way in ways} | question
    for name in names[singles : singles + 1]:
        if name not in question and draw.below(4):
            question[name] = _condition(draw, subject, name, draw.choice(_WAYS), merged)
    return question


def _condition(draw: Draw, subject: Subject, name: str, way: str, merged: bool) -> Any:
    values = (*subject.values[name] * 3, *subject.kinds[name].values)
    end = draw.choice((*values[-63:], *subject.kinds[name].past_last))
    if way == "any of":  # with values that occur twice, now and then without any
        several = [draw.choice(values[-63:]) for _ in range(draw.choice((2, 1, 3, 4, 0)))]
        return any_of(several, merged=merged and draw.below(3) == 0)
    value = draw.choice(values[-63:])
    if way == "starting" and isinstance(value, str | bytes):
        return starting_with(value[: draw.below(len(value) + 1)])
    if way in ("value", "starting"):
        return value
    if way in ("since", "until", "all"):
        return between(value if way == "since" else None, end if way == "until" else None)
    return between(*sorted((value, end), reverse=way == "wrong way round"))
