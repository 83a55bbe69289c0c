"""The picture of what a scan reads in vain: a published scan above the right one, or a question of a design."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

import attrs

from ...designs.design import Design
from ..comparison import VariantCosts
from ..scanned import ScannedTable, scanned_by
from ..shown_design import traps_of
from .drawing import MARGIN, WIDTH, Picture, width_of
from .ribbons import draw_ribbons

if TYPE_CHECKING:
    import happybase

WORTH_A_PICTURE = 2
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
    def sentence(self) -> str:
        """What a scan of a question read, with the labels of its rows; the list of mistakes says that of a mistake."""
        first, *others = (scanned.words.replace("; ", ", ") for scanned in self.scans.values())
        return "" if others else f"{_capitalized(self.name)}: the scan reads {first}."

    @property
    def misses(self) -> bool:
        """Whether a scan did not read all that was asked for."""
        stretches = (stretch for scanned in self.scans.values() for stretch in scanned.stretches)
        return any(stretch.is_wanted and not stretch.is_read for stretch in stretches)


def _found(scanned: ScannedTable) -> int:
    """The rows that were asked for and read."""
    return sum(stretch.rows for stretch in scanned.stretches if stretch.is_wanted and stretch.is_read)


def ribbon_picture(design: Design, costs: VariantCosts, connection: "happybase.Connection") -> Picture | None:
    """The first trap of the design that is a scan, or else its first question that reads in vain; None without any."""
    panel = next(chain(_traps(design), _questions(costs, connection)), None)
    return None if panel is None else _draw(panel)


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
        if scanned is not None and scanned.read and scanned.read >= WORTH_A_PICTURE * scanned.wanted:
            table = next(read.table.decode() for read in measurement.reads if not read.is_get)
            yield Panel(measurement.pattern.question, "", {table: scanned})


def _draw(panel: Panel) -> Picture:
    who_reads = "the published scan and the right one read" if len(panel.scans) > 1 else "a scan reads"
    picture = Picture(
        f"Rows in key order: what {who_reads}, and what was asked for.",
        _capitalized(panel.result),
        panel.sentence,
    )
    picture.y -= 8
    missed = " Crossed: asked for, not read." if panel.misses else ""
    picture.paragraph("Rows are in key order; the width is their number.", "second")
    picture.paragraph(f"Filled: asked for. Hatched: read in vain.{missed} Empty: not read.", "second")
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
