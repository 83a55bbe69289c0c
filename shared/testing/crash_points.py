"""The ways to stop a write: at one of its calls, with some of its rows stored, by death or by a lost reply."""

import random
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import TypeVar

from .watched_connection import Call, Stop

ALL_SUBSETS_ROWS = 4
"""The largest batch, in rows, of which every subset is tried; of larger batches, only some are."""
SUBSETS_OF_LARGE = 14

T = TypeVar("T")


def crash_points(calls: Iterable[Call]) -> list[Stop]:
    """Every way to stop each of these calls."""
    return [
        Stop(number, stored, is_death)
        for number, call in enumerate(calls)
        for stored in subsets(len(call.rows))
        for is_death in (True, False)
    ]


def subsets(count: int) -> list[frozenset[int]]:
    """The subsets of `count` rows that a call may store if it is cut short; of many rows some, always the same."""
    rows = range(count)
    if count <= ALL_SUBSETS_ROWS:
        return [frozenset(subset) for size in range(count + 1) for subset in combinations(rows, size)]
    generator = random.Random(count)
    some = (frozenset(row for row in rows if generator.random() < 0.5) for _ in range(SUBSETS_OF_LARGE))
    return list(dict.fromkeys([frozenset[int](), *some, frozenset(rows)]))


def chosen(points: Iterable[T], at_most: int | None, group: Callable[[T], object] = lambda _point: None) -> list[T]:
    """At most `at_most` of the points, always the same ones, one of each group before a second one of any.

    All of them if `at_most` is None.
    """
    mixed = [*points]
    if at_most is None or len(mixed) <= at_most:
        return mixed
    random.Random(len(mixed)).shuffle(mixed)
    first = {group(mixed[number]): number for number in reversed(range(len(mixed)))}.values()
    later = [number for number in range(len(mixed)) if number not in first]
    return [mixed[number] for number in [*first, *later][:at_most]]
