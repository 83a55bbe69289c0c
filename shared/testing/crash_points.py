"""The ways in which a write can be stopped: one of its calls, the rows of it that are stored, death or a lost reply."""

import random
from collections.abc import Iterable
from itertools import combinations

from .watched_connection import Call, Stop

ALL_SUBSETS_ROWS = 4
"""The largest batch, in rows, of which every subset is stored; of larger ones some are."""
SUBSETS_OF_LARGE = 14
ONE_IN = 4
"""A sample of crash points has one in so many."""


def crash_points(calls: Iterable[Call]) -> list[Stop]:
    """Every way to stop each of these calls."""
    return [
        Stop(number, stored, is_death)
        for number, call in enumerate(calls)
        for stored in subsets(len(call.rows))
        for is_death in (True, False)
    ]


def subsets(count: int) -> list[frozenset[int]]:
    """The subsets of so many rows that may be stored if a call is cut short; of many rows, some, always the same."""
    rows = range(count)
    if count <= ALL_SUBSETS_ROWS:
        return [frozenset(subset) for size in range(count + 1) for subset in combinations(rows, size)]
    drawn = random.Random(count)
    some = (frozenset(row for row in rows if drawn.random() < 0.5) for _ in range(SUBSETS_OF_LARGE))
    return list(dict.fromkeys([frozenset[int](), *some, frozenset(rows)]))


def sample(points: Iterable[tuple[Stop, bool]]) -> list[tuple[Stop, bool]]:
    """One in four of the crash points of each call, and at least one."""
    by_call: dict[int, list[tuple[Stop, bool]]] = {}
    for stop, repairs_first in points:
        by_call.setdefault(stop.call, []).append((stop, repairs_first))
    drawn = random.Random(len(by_call))
    return [point for of_call in by_call.values() for point in drawn.sample(of_call, -(-len(of_call) // ONE_IN))]
