"""The picture of what scans read in vain: published scans above the right ones, and a question of the design itself."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import svg

from ...designs.design import Design
from ..comparison import VariantCosts
from ..scanned import ScannedTable, scanned_by
from ..shown_design import traps_of
from .drawing import MARGIN, WIDTH, Picture, width_of
from .ribbons import draw_ribbons

if TYPE_CHECKING:
    import happybase

MOST_PANELS = 3
WORTH_A_PANEL = 2
"""A question is shown if it reads at least so many rows for each that was asked for."""


@attrs.frozen
class Panel:
    """A published mistake with two scans, or a question of the design itself with one."""

    name: str
    task: str
    """What was asked for; empty if the name says it."""
    scans: Mapping[str, ScannedTable]
    """Each by what it is: `as published` and `right way`, or the table of a question."""

    @property
    def result(self) -> str:
        """How many rows were read, and how many would do."""
        first, *others = self.scans.values()
        if others:
            if first.read == others[0].read:
                found, right = (_found(scanned) for scanned in self.scans.values())
                return f"the published scan finds {found} of {first.wanted:,} {first.unit}s, the right one {right}"
            return f"the published scan reads {first.count}, the right one {others[0].read:,}"
        return f"the scan reads {first.count}, {first.wanted:,} of them asked for"

    @property
    def description(self) -> str:
        """What each scan read, with the labels of its rows."""
        return f"{self.name}: {'; '.join(f'{name}, {scanned.words}' for name, scanned in self.scans.items())}."

    @property
    def misses(self) -> bool:
        """Whether a scan did not read all that was asked for."""
        stretches = (stretch for scanned in self.scans.values() for stretch in scanned.stretches)
        return any(stretch.is_wanted and not stretch.is_read for stretch in stretches)


def _found(scanned: ScannedTable) -> int:
    """The rows that were asked for and read."""
    return sum(stretch.rows for stretch in scanned.stretches if stretch.is_wanted and stretch.is_read)


def ribbon_picture(design: Design, costs: VariantCosts, connection: "happybase.Connection") -> Picture | None:
    """The traps of the design that are scans, and one of its questions; None if none of them reads in vain."""
    questions = list(_questions(costs, connection))[:1]
    panels = [*list(_traps(design))[: MOST_PANELS - len(questions)], *questions]
    return draw_panels(f"What scans of {design.name} read in vain", panels) if panels else None


def _traps(design: Design) -> Iterator[Panel]:
    """The published mistakes that are scans."""
    for trap in traps_of(design):
        outcome = trap.run(design)
        if outcome.scans:
            wrong, right = outcome.scans
            yield Panel(trap.name, outcome.task, {"as published": wrong, "right way": right})


def _questions(costs: VariantCosts, connection: "happybase.Connection") -> Iterator[Panel]:
    """The questions of a variant that read many rows in vain."""
    for measurement in costs.measurements:
        scanned = scanned_by(connection, costs.variant.record_tables, measurement)
        if scanned is not None and scanned.read and scanned.read >= WORTH_A_PANEL * scanned.wanted:
            table = next(read.table.decode() for read in measurement.reads if not read.is_get)
            yield Panel(measurement.pattern.question, "", {table: scanned})


def draw_panels(title: str, panels: Sequence[Panel]) -> Picture:
    """The picture of some panels, below each other."""
    picture = Picture(
        title,
        " ".join(_capitalized(panel.description) for panel in panels),
        _capitalized(panels[0].result),
        " ".join(f"{_capitalized(panel.name)}: {panel.result}." for panel in panels),
    )
    picture.y -= 8
    missed = " Crossed: asked for, not read." if any(panel.misses for panel in panels) else ""
    picture.paragraph("Rows are in key order; the width is their number.", "second")
    picture.paragraph(f"Filled: asked for. Hatched: read in vain.{missed} Empty: not read.", "second")
    picture.y += 12
    for number, panel in enumerate(panels):
        if number:
            picture.path([svg.M(MARGIN, picture.y - 14), svg.H(WIDTH - MARGIN)], "grid")
            picture.y += 12
        _write_name(picture, panel)
        draw_ribbons(picture, panel.scans)
    picture.y -= 24
    return picture


def _write_name(picture: Picture, panel: Panel) -> None:
    """Writes the name of a panel and its task, as one line if both have room."""
    if panel.task and width_of(f"{panel.name}: {panel.task}") <= WIDTH - 2 * MARGIN:
        picture.phrase(MARGIN, (f"{panel.name}: ", "bold"), (panel.task, ""))
        picture.y += 22
        return
    picture.paragraph(panel.name, "bold")
    if panel.task:
        picture.paragraph(panel.task)


def _capitalized(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
