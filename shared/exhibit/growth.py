"""What questions read as the data grows, recorded beside the samples: to measure the largest size takes minutes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import attrs
import cattrs

from ..designs.design import Design
from ..designs.metering import Measurement
from ..queries.pages import READ_AT_MOST, Page

TIMES = (1, 4, 16, 64)
"""The sizes of the data, in multiples of the samples. Each is four times the one before."""
GROWS_BY = 2.0
"""The least factor by which the reads of a growing question increase from the last size but one to the last."""

Course: TypeAlias = Literal["constant", "grows"]
"""What more data does to a cost."""
End: TypeAlias = Literal["", "refused", "ends early"]
"""What becomes of a page that would have to read too much; empty if that was not seen."""


@attrs.frozen
class Growth:
    """What one question reads at each size, up to the last one at which its page is whole."""

    unit: Literal["rows", "cells"]
    """What is counted: cells, if a row holds many records."""
    read: tuple[int, ...]
    """For each size, what was read to find the records."""
    returned: tuple[int, ...]
    """For each size, what was returned of it."""
    ends: End = ""
    """What becomes of the page at the next size."""

    @property
    def ratios(self) -> list[float]:
        """For each size, what was read for each record returned."""
        return [read / max(returned, 1) for read, returned in zip(self.read, self.returned, strict=True)]

    @property
    def factor(self) -> float:
        """How many times as much is read for each record at the last size as at the one before it."""
        return self.ratios[-1] / self.ratios[-2] if len(self.ratios) > 1 else 1.0

    @property
    def course(self) -> Course:
        """What more data does to the cost; if it ends the page, the cost grows."""
        return "grows" if self.ends or self.factor >= GROWS_BY else "constant"

    def up_to(self, sizes: int) -> "Growth":
        """The same, as seen at the first `sizes` sizes only."""
        ends = self.ends if len(self.read) < sizes else ""
        return Growth(self.unit, self.read[:sizes], self.returned[:sizes], ends)


@attrs.frozen
class RecordedGrowth:
    """What the questions of a design read at each of the `TIMES`."""

    records: tuple[int, ...]
    """The number of records at each size."""
    variants: Mapping[str, Mapping[str, Growth]]
    """By variant and question, without the questions that are refused at every size. The first is the design itself. A
    variant whose costs take the same courses is recorded up to the last size but one."""

    @property
    def own(self) -> Mapping[str, Growth]:
        """The growth of the design itself, by question."""
        return next(iter(self.variants.values()))

    @property
    def others(self) -> list[str]:
        """The other variants."""
        return [*self.variants][1:]

    def differing(self, variant: str) -> dict[Course, list[str]]:
        """The questions whose course under a variant is not that of the design itself, by their course there."""
        differing: dict[Course, list[str]] = {"constant": [], "grows": []}
        for question, growth in self.variants[variant].items():
            sizes = len(growth.read) + bool(growth.ends)
            if question not in self.own or self.own[question].up_to(sizes).course != growth.course:
                differing[growth.course].append(question)
        return differing


def growths(sizes: Sequence[Sequence[Measurement]]) -> dict[str, Growth]:
    """The growth of each question that is answered, from the measurements of all questions at each size."""
    measured = zip(*sizes, strict=True)
    return {of_sizes[0].pattern.question: _growth(of_sizes) for of_sizes in measured if not of_sizes[0].refused}


def _growth(sizes: Sequence[Measurement]) -> Growth:
    read: list[int] = []
    returned: list[int] = []
    ends: End = ""
    for measurement in sizes:
        ends = "refused" if measurement.refused else "ends early" if _ends_early(measurement) else ""
        if ends:
            break
        read_now, returned_now = measurement.read_and_returned
        read.append(read_now)
        returned.append(returned_now)
    return Growth("cells" if sizes[0].reads_cells else "rows", tuple(read), tuple(returned), ends)


def _ends_early(measurement: Measurement) -> bool:
    """Whether a page stopped because it had read too much, before it had as many records as it may have."""
    answer = measurement.answer
    return (
        isinstance(answer, Page)
        and answer.rows_read >= READ_AT_MOST
        and len(measurement.records) < measurement.pattern.limit
    )


def growth_file(design: Design) -> Path:
    """The file in which the growth of a design is recorded: beside its samples."""
    return design.loads[0].samples.with_name("growth.json")


def recorded_growth(design: Design) -> RecordedGrowth:
    """The growth of a design as it is recorded."""
    path = growth_file(design)
    if not path.exists():
        run = f"python -m tests.programs growth {design.name}"
        raise FileNotFoundError(f"{path}: must exist before a page is made (run {run})")
    return cattrs.structure(json.loads(path.read_text(encoding="utf-8")), RecordedGrowth)


def growth_text(recorded: RecordedGrowth) -> str:
    """The text of a `growth_file`, a question in a line."""
    variants = ",\n".join(
        f'"{name}": {{\n' + ",\n".join(f"  {json.dumps(question)}: {_text(of[question])}" for question in of) + "\n}"
        for name, of in recorded.variants.items()
    )
    return f'{{"records": {json.dumps(recorded.records)}, "variants": {{\n{variants}\n}}}}\n'


def _text(growth: Growth) -> str:
    return json.dumps(attrs.asdict(growth, filter=lambda _field, value: value != ""))
