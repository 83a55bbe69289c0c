"""The ways to stop a write: at one of its calls, with some of its rows stored, by death or by a lost reply."""

import random
from collections.abc import Iterable, Sequence
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


def chosen(points: Sequence[T], at_most: int | None) -> list[T]:
    """At most `at_most` of the points, always the same ones; all of them if it is None."""
    if at_most is None or len(points) <= at_most:
        return [*points]
    return random.Random(len(points)).sample(points, at_most)


def chosen_of_each(points: Sequence[tuple[object, T]], at_most: int | None) -> list[T]:
    """At most `at_most` of the points, each given with its group: one of each group before a second one of any."""
    mixed = [*points]
    if at_most is not None and len(mixed) > at_most:
        random.Random(len(mixed)).shuffle(mixed)
        first = {group: number for number, (group, _) in reversed([*enumerate(mixed)])}
        later = [number for number in range(len(mixed)) if number not in first.values()]
        mixed = [mixed[number] for number in [*first.values(), *later][:at_most]]
    return [point for _, point in mixed]
