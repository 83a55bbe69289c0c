"""What remains in a table as more records are stored, measured at several sizes of a sample.

A record may overwrite rows that others wrote, such as the latest point of a host, or add cells to them. So rows, cells
and bytes are counted as they are stored, and a larger load is judged by what the later part of the sample added.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import pow
from typing import Literal, TypeAlias

import attrs

STEP, SIZES = 4, 3
"""A sample is stored in `SIZES` sizes, each `STEP` times the one before."""
STRAIGHT = 0.85, 1.5
"""Growth goes on if a later record of the sample adds between 0.85 and 1.5 times what an earlier one does."""
TRUSTED = 10
"""Growth that slows down is extrapolated to at most this many times the sample. Tests store as many and compare."""
EXPONENTS = -2.0, 1.0
"""The bounds between which bisection seeks the exponent of a curve: the number grows as a power of the records."""

Course: TypeAlias = Literal["goes on", "ends", "slows down", "is not seen"]
"""What further records add: equally many, nothing, fewer and fewer, or what the sample does not show."""


@attrs.frozen
class Held:
    """What a table holds after so many records."""

    records: int
    rows: int
    cells: int
    """Cells of all columns, with all versions of each."""
    cell_bytes: int
    """Bytes of the cells before compression."""


@attrs.frozen
class Trend:
    """How a number grows with the records that are stored."""

    points: tuple[tuple[int, int], ...]
    """Pairs of records and the number they make, smallest first; (0, 0) comes first if fewer sizes were counted."""

    @classmethod
    def of(cls, held: Iterable[Held], number: Callable[[Held], int]) -> "Trend":
        """The trend of a number of a table that was counted at several sizes."""
        counted = [(one.records, number(one)) for one in held]
        return cls(tuple(counted if len(counted) == SIZES else [(0, 0), *counted]))

    @property
    def _slopes(self) -> list[float]:
        return [(more - fewer) / (after - before) for (before, fewer), (after, more) in pairwise(self.points)]

    @property
    def added(self) -> float:
        """What each of the later records added."""
        return self._slopes[-1]

    @property
    def course(self) -> Course:
        """What further records add; "is not seen" if later ones add ever more, or if there is one record."""
        *_first, earlier, later = [0.0, *self._slopes]
        if later <= 0:
            return "ends"
        least, most = STRAIGHT
        if later < least * earlier:
            return "slows down"
        return "goes on" if later <= most * earlier else "is not seen"

    def at(self, records: float) -> float | None:
        """The number after so many records; None if the sample does not show it."""
        last, number = self.points[-1]
        if records <= last:
            return self._between(records)
        if self.course == "ends":
            return number
        if self.course == "goes on":
            return number + self.added * (records - last)
        return self._on_curve(records) if self.course == "slows down" and records <= TRUSTED * last else None

    def _between(self, records: float) -> float:
        """The number on straight lines between the measured sizes."""
        for (before, fewer), (after, more) in pairwise([(0, 0), *self.points]):
            if before < after and records <= after:
                return fewer + (more - fewer) * (records - before) / (after - before)
        return self.points[-1][1]

    def _on_curve(self, records: float) -> float:
        """The number on the curve a + b * records ** e through the three largest sizes; bisection finds e."""
        (first, few), (middle, more), (last, most) = [(records or 0.5, number) for records, number in self.points[-3:]]
        low, high = EXPONENTS
        exponent = 1.0
        for _ in range(50):
            exponent = (low + high) / 2 or 1e-9
            part = (pow(last, exponent) - pow(middle, exponent)) / (pow(middle, exponent) - pow(first, exponent))
            low, high = (exponent, high) if part * (more - few) < most - more else (low, exponent)
        part = (pow(records, exponent) - pow(last, exponent)) / (pow(last, exponent) - pow(middle, exponent))
        return most + (most - more) * part


@attrs.frozen
class StoredGrowth:
    """What a table holds at each size of a sample, and what this shows about larger loads."""

    held: Sequence[Held]
    """From the smallest size to the largest."""
    written: int
    """The rows that the largest size wrote, each as often as it was written."""

    @property
    def rows(self) -> Trend:
        """The trend of the rows."""
        return Trend.of(self.held, lambda held: held.rows)

    @property
    def cells(self) -> Trend:
        """The trend of the cells."""
        return Trend.of(self.held, lambda held: held.cells)

    @property
    def cell_bytes(self) -> Trend:
        """The trend of the bytes before compression."""
        return Trend.of(self.held, lambda held: held.cell_bytes)

    @property
    def rows_repeat(self) -> bool:
        """Whether rows are written again."""
        return self.held[-1].rows < self.written

    @property
    def words(self) -> str:
        """The grounds of an estimate of the rows, in words: `rows repeat: 18 in 1,380 sample records, ...`."""
        first, *others = self.held
        counted = [f"{first.rows:,} in {first.records:,} sample records"]
        counted += [f"{held.rows:,} in {held.records:,}" for held in others]
        return f"{'rows repeat: ' if self.rows_repeat else ''}{', '.join(counted)}, so {self._adds}"

    @property
    def _adds(self) -> str:
        rows = self.rows
        if rows.course == "goes on":
            added = f"{rows.added:.3g}"
            return f"each further record adds {added} row{'' if added == '1' else 's'}"
        if rows.course == "ends":
            return "further records of the same load add none"
        if rows.course == "slows down":
            return f"the samples do not show how many more than {TRUSTED} times as many records make"
        return "the samples do not show how many more records make"
