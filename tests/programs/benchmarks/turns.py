"""Several ways to do the same, timed in turns: a slow moment of the machine hits all of them."""

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

import attrs

from tests.programs.benchmarks.measuring import seconds


class Unlike(Exception):
    """The sides of a comparison do not do the same."""


@attrs.frozen
class Turns:
    """The seconds that each side took, round by round."""

    took_s: tuple[list[float], ...]

    def median_ms(self, side: int) -> float:
        return statistics.median(self.took_s[side]) * 1000

    def ratio(self, one: int = 0, other: int = 1) -> float:
        """The time of one side over that of another: the median of the rounds."""
        return statistics.median(self._ratios(one, other))

    def of_fastest(self, one: int = 0, other: int = 1) -> float:
        """The same of the fastest round of each side, which other work on the machine disturbs least."""
        return min(self.took_s[one]) / min(self.took_s[other])

    def spread(self, one: int = 0, other: int = 1) -> str:
        """The two ratios between which half of the rounds lie, and how many rounds there were."""
        ratios = self._ratios(one, other)
        low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        return f"{low:.2f} to {high:.2f} of {len(ratios)}"

    def _ratios(self, one: int, other: int) -> list[float]:
        return [a / b for a, b in zip(self.took_s[one], self.took_s[other], strict=True)]


def in_turns(*sides: Callable[[], Any], rounds: int, at_least_s: float) -> Turns:
    """Runs all sides at least so many rounds and so long; who begins changes from round to round.

    Their garbage collections leave out what was there before the first round.
    """
    took_s = tuple[list[float], ...]([] for _ in sides)
    order = list(zip(sides, took_s, strict=True))
    gc.collect()
    gc.freeze()
    end_s = time.perf_counter() + at_least_s
    try:
        while len(took_s[0]) < rounds or time.perf_counter() < end_s:
            for action, times in order:
                times.append(seconds(action))
            order.append(order.pop(0))
    finally:
        gc.unfreeze()
    return Turns(took_s)
