"""The conditions of a question, by part: a value, an interval, a prefix, or any of several values.

The client uses a condition to check values that the ranges do not guarantee.
"""

from collections.abc import Callable, Iterable
from typing import Any

import attrs

from .errors import InvalidQuestion, shown


@attrs.frozen
class Between:
    """since <= value < until, in the order of the values; None means no bound.

    The value None of an optional attribute is not in any interval.
    """

    since: Any
    until: Any

    def __contains__(self, value: Any) -> bool:
        if value is None:
            return False
        return (self.since is None or self.since <= value) and (self.until is None or value < self.until)


@attrs.frozen
class StartingWith:
    """Text or bytes that start with `start`; None does not match."""

    start: Any

    def __contains__(self, value: Any) -> bool:
        return value is not None and bool(value.startswith(self.start))


@attrs.frozen
class AnyOf:
    """One of several values; `merged` if the rows of all values come merged in one order."""

    values: tuple[Any, ...]
    merged: bool = False

    def __contains__(self, value: Any) -> bool:
        return value in self.values


def between(since: Any = None, until: Any = None) -> Any:
    """The values from `since` up to, but not including, `until`; either may be None for no bound.

    Half-open in the order of the values, also if the part is descending: adjacent periods share no row. The end of the
    last one is one past the last int that the part holds: `between(0, 256)` for `UInt8`.
    """
    return Between(since, until)


def starting_with(start: str | bytes) -> Any:
    """Text that starts with `start`, which need not be a whole word."""
    return StartingWith(start)


def any_of(values: Iterable[Any], *, merged: bool = False) -> Any:
    """Any of these values; each is a range of its own. An empty list matches nothing.

    The ranges are read one after the other, in the order of the key: all rows of one value, then those of the next.
    With `merged` they are read side by side, in the order of the parts that come after this one: the latest rows of
    three authors by time. Parts after an `any_of` may have conditions, as after a single value.
    """
    try:
        if isinstance(values, str | bytes):
            raise TypeError
        return AnyOf(tuple(values), merged)
    except TypeError:
        raise InvalidQuestion(f"any_of: must be several values, such as a list (got {shown(values)})") from None


def is_one_value(condition: Any) -> bool:
    """Whether a condition allows a single value; the condition is then that value itself."""
    return not isinstance(condition, (Between, StartingWith, AnyOf))


def values_of(condition: Any) -> tuple[Any, ...]:
    """The values that a condition names."""
    if isinstance(condition, Between):
        return condition.since, condition.until
    if isinstance(condition, StartingWith):
        return (condition.start,)
    return condition.values if isinstance(condition, AnyOf) else (condition,)


def length(condition: Any) -> int:
    """The length of the longest text or bytes that a condition names; 0 if it names none."""
    return max((len(value) for value in values_of(condition) if isinstance(value, str | bytes)), default=0)


def is_range(condition: Any) -> bool:
    """Whether a condition allows a range of values, so that no later part of the key can be bound."""
    return isinstance(condition, (Between, StartingWith))


def matcher(condition: Any) -> Callable[[Any], bool]:
    """A function that tells whether a value meets a condition: equals it, or is one of the values that it allows."""
    return (lambda value: bool(value == condition)) if is_one_value(condition) else condition.__contains__
