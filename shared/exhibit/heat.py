"""Where the writes of a table go: key ranges against time, and what that means in words.

The older half of the writes cuts the table into ranges, as if HBase had split it by then. The newer half is counted:
in each eighth of it, in order of time, how many writes each range takes.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

import attrs

RANGES = 8
"""Key ranges into which a table is cut, unless the caller wants another number."""
MOMENTS = 8
"""Parts of equal size into which the newer writes are divided, in order of time."""
EVEN = 1.5
"""Writes are even if no range takes more than this many times an equal share."""
HOT = 0.5
"""The share of the writes in one range from which that range is a hot spot, if that is more than an even share."""
STEADY = 0.75
"""A range takes its share at every moment if it takes at least this part of it in each moment."""
NEARLY = 0.9
"""Ranges are as busy as the busiest one if they take at least this part of its share."""
FEWEST = 16
"""Newer writes for each range, below which chance alone makes a range busy: there is no verdict."""
LEGEND = (
    f"A moment is an eighth of these writes. Even: no range takes more than {EVEN} times an equal share. At every "
    f"moment: the range takes at least {STEADY:.0%} of its share in each. A hot spot: at every moment, one range takes "
    f"{HOT:.0%} or more; it moves if that is not always the same one."
)
"""What the words of a verdict mean."""

Kind = Literal["few", "hot", "moving", "even", "steady", "uneven"]
"""The kinds of verdicts; `few` is none, because the writes are too few."""

EQUAL_PARTS, OWN_POINTS = "equal parts", "its own points"


class TooFewWrites(ValueError):
    """The writes are too few to cut a table into ranges, and to count in them."""


@attrs.frozen
class Heat:
    """The writes that each range of a table took, moment by moment."""

    cut: str
    """`OWN_POINTS` of the table, such as its buckets, or `EQUAL_PARTS` of its older writes."""
    moments: tuple[tuple[int, ...], ...]
    """For each moment, in order of time, the writes of each range, in the order of keys."""

    @property
    def ranges(self) -> int:
        """The number of ranges."""
        return len(self.moments[0])

    @property
    def writes(self) -> int:
        """The writes that were counted."""
        return sum(map(sum, self.moments))

    @property
    def shares(self) -> tuple[float, ...]:
        """For each range, its share of all writes."""
        return _shares(tuple(map(sum, zip(*self.moments, strict=True))))

    @property
    def moment_shares(self) -> tuple[tuple[float, ...], ...]:
        """For each moment, the share that each range took of its writes."""
        return tuple(map(_shares, self.moments))

    @property
    def share(self) -> float:
        """The share of the busiest range, 0 to 1."""
        return max(self.shares)

    @property
    def busiest(self) -> tuple[int, ...]:
        """The indices of the ranges with the most writes: of those that are nearly as busy as the busiest one."""
        return tuple(number for number, share in enumerate(self.shares) if share >= NEARLY * self.share)

    @property
    def peaks(self) -> tuple[float, ...]:
        """For each moment, the share of the range that was then the busiest."""
        return tuple(map(max, self.moment_shares))

    @property
    def kind(self) -> Kind:
        """The kind of the verdict."""
        if self.writes < FEWEST * self.ranges:
            return "few"
        hot = hot_share(self.ranges)
        shares = self.moment_shares
        is_steady = all(moment[number] >= STEADY * self.share for moment in shares for number in self.busiest)
        if is_steady and _percent(self.share) >= 100 * hot:
            return "hot"
        if _percent(min(self.peaks)) >= 100 * hot:
            return "moving"
        if self.share <= EVEN / self.ranges and sum(self.peaks) < hot * MOMENTS:
            return "even"
        return "steady" if is_steady else "uneven"

    @property
    def verdict(self) -> str:
        """What the counts mean, in words: `even: 11% to 14%`."""
        always = f"{self.places} at every moment"
        least = f"{min(self.peaks):.0%}"
        return {
            "few": f"too few writes for a verdict: {self.writes}",
            "hot": f"{always}: a hot spot",
            "moving": f"a moving hot spot: {self.share:.0%} in one range, at every moment {least} or more",
            "even": f"even: {min(self.shares):.0%} to {self.share:.0%}",
            "steady": always,
            "uneven": f"uneven: {self.share:.0%} in one range, at one moment {max(self.peaks):.0%}",
        }[self.kind]

    @property
    def is_hot_spot(self) -> bool:
        """Whether one range takes most writes at every moment."""
        return self.kind in ("hot", "moving")

    @property
    def places(self) -> str:
        """The share of the busiest ranges, and where they are: `100% in the last range`."""
        (number, *others), last = self.busiest, self.ranges - 1
        ends = {0: "the first range", last: "the last range"}
        where = f"each of {1 + len(others)} ranges" if others else ends.get(number, f"range {number + 1} of {last + 1}")
        return f"{self.share:.0%} in {where if last else 'the only range'}"


def hot_share(places: int) -> float:
    """The share of the writes from which one of so many places, such as ranges or servers, is a hot spot."""
    return min(1, max(HOT, EVEN / places))


def _percent(share: float) -> int:
    """A share as it is shown: what reads as 50% is 50%."""
    return round(100 * share)


def _shares(counts: Sequence[int]) -> tuple[float, ...]:
    return tuple(count / sum(counts) if any(counts) else 0.0 for count in counts)


@attrs.frozen(slots=False)
class Writes:
    """The writes of a table: the row of each, in order of time. Raises TooFewWrites."""

    rows: Sequence[bytes]
    own_points: tuple[bytes, ...] = ()
    """The split points of the table itself; it is cut there if they make as many ranges as are wanted."""
    wanted: int = RANGES
    """The ranges that are wanted."""

    def __attrs_post_init__(self) -> None:
        if len(self.rows) < 2 * self.wanted:
            raise TooFewWrites(
                f"must have at least {2 * self.wanted} writes for {self.wanted} ranges (got {len(self.rows)})"
            )

    @property
    def older(self) -> Sequence[bytes]:
        """The half that cuts the table."""
        return self.rows[: len(self.rows) // 2]

    @property
    def moments(self) -> list[Sequence[bytes]]:
        """The half that is counted, moment by moment."""
        newer = self.rows[len(self.rows) // 2 :]
        return [newer[len(newer) * part // MOMENTS : len(newer) * (part + 1) // MOMENTS] for part in range(MOMENTS)]

    @cached_property
    def points(self) -> tuple[bytes, ...]:
        """The first row of each range but the first one.

        If one row takes several parts of the older writes, there are fewer ranges than are wanted.
        """
        if self._has_own_points:
            return self.own_points
        rows = sorted(self.older)
        firsts = {rows[len(rows) * part // self.wanted] for part in range(1, self.wanted)}
        return tuple(sorted(firsts - {rows[0]}))

    @property
    def _has_own_points(self) -> bool:
        return len(self.own_points) == self.wanted - 1

    def range_of(self, row: bytes) -> int:
        """The index of the range that a row falls into."""
        return bisect_right(self.points, row)

    @cached_property
    def heat(self) -> Heat:
        """How many of the newer writes each range takes, moment by moment."""
        cut = OWN_POINTS if self._has_own_points else EQUAL_PARTS
        return Heat(cut, tuple(map(self._counts, self.moments)))

    def _counts(self, rows: Iterable[bytes]) -> tuple[int, ...]:
        counts = [0] * (len(self.points) + 1)
        for row in rows:
            counts[self.range_of(row)] += 1
        return tuple(counts)
