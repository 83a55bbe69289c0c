"""Where the new rows of a design's tables land: key ranges against time, and beside it what reading costs."""

import textwrap
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import attrs

from ...designs.design import Design, Variant
from ...designs.scratch import scratch_store
from ...tables import TableLayout
from ..comparison import VariantCosts, measure_variant
from ..cost_tables import listed
from ..heat import RANGES
from ..heat_recording import recorded_heat
from ..heat_tables import TableHeat, contrasting
from ..verdicts import price
from .drawing import MARGIN, SANS_PX, WIDTH, Picture, width_of
from .roles import key_boxes, roles_of

CELL_WIDTH, CELL_HEIGHT = 16, 17
BOX_HEIGHT, LINE = 30, 21
BY_HBASE, SHARES, WORDS = 152, 288, 342
"""Pixels from the left: the grid that HBase counted, the shares of the ranges, what they mean."""
BOLD_PX = 9.2
"""Pixels that a bold character takes on average."""
REFUSED_SHOWN = 2
"""Refused questions that are named; of others their number."""
LEGEND = (
    f"Down: key ranges. Across: time. Empty: no new rows, solid: all, even: {1 / RANGES:.1%}. "
    "Exact: a question reads only what it returns."
)


@attrs.frozen
class _Panel:
    """A table of the picture, with what reading costs in its variant."""

    heat: TableHeat
    layout: TableLayout[Any, Any]
    variant: str
    """Empty for the design itself; with its mark if the variant is not to be copied."""
    costs: VariantCosts

    @property
    def verdict(self) -> str:
        return self.heat.verdict.replace(": ", ", ")

    @property
    def reading(self) -> list[str]:
        """What the questions cost, and which are refused."""
        refused = [one.pattern.question for one in self.costs.measurements if one.refused]
        if not self.costs.answers:
            return ["every question refused"]
        if len(refused) > REFUSED_SHOWN:
            refused[REFUSED_SHOWN - 1 :] = [f"{len(refused) - REFUSED_SHOWN + 1} more"]
        words = [price(self.costs.measurements)]
        return [*words, f"refused: {listed(refused)}"] if refused else words


def heat_picture(design: Design, costs: VariantCosts) -> Picture:
    """The design's own hottest table, and tables of other variants that differ from it most, as they were recorded."""
    recording = recorded_heat(design)
    panels = [_panel(design, costs, heat) for heat in contrasting(design, recording.tables)]
    first, *_others = panels
    said = [f"{_named(panel, '')}: {panel.verdict}{_said_of_reading(panel, panels)}." for panel in panels]
    picture = Picture(
        f"Where new rows of {design.name} land, and what reading costs",
        " ".join(said),
        f"New rows of {first.heat.table}: {_headline(first)}",
        f"New rows of {'; of '.join(f'{_named(panel)}: {panel.verdict}' for panel in panels)}.",
    )
    picture.y -= 8
    picture.paragraph(f"{LEGEND} Counted on {recording.sample}.", "second")
    for panel in panels:
        _draw(picture, design, panel, is_counted=bool(recording.hbase))
    return picture


def _said_of_reading(panel: _Panel, panels: Sequence[_Panel]) -> str:
    """What the questions cost, unless that of an earlier panel is the same."""
    earlier = next(other for other in panels if other.reading[0] == panel.reading[0])
    return f"; {panel.reading[0]}" if earlier is panel else ""


def _panel(design: Design, own_costs: VariantCosts, heat: TableHeat) -> _Panel:
    variant = next(variant for variant in design.variants if variant.name == heat.variant)
    layout = next(table for table in variant.record_tables if table.name == heat.table)
    if variant is design.main:
        return _Panel(heat, layout, "", own_costs)
    return _Panel(heat, layout, variant.marked_name, _costs(design, variant))


def _costs(design: Design, variant: Variant) -> VariantCosts:
    with closing(scratch_store(variant.tables)) as connection:
        return measure_variant(connection, design, variant)


def _named(panel: _Panel, mark: str = "`") -> str:
    """The table, and its variant if that is not the design itself."""
    return f"{mark}{panel.heat.table}{mark}{panel.variant and f' in {panel.variant}'}"


def _headline(panel: _Panel) -> str:
    """The verdict as far as it fits in a headline."""
    heat = panel.heat.heat
    short = {"hot": heat.places, "steady": heat.places, "moving": "a moving hot spot", "uneven": "uneven"}
    return short.get(heat.kind, panel.verdict)


def _draw(picture: Picture, design: Design, panel: _Panel, *, is_counted: bool) -> None:
    """Draws the name, the key, and the grids with their shares; beside them what they mean and what reading costs.

    The grid of what HBase counted is there if `is_counted`.
    """
    picture.y += 18
    picture.named(MARGIN, panel.heat.table, panel.variant)
    picture.y += 10
    x: float = MARGIN
    for label, role in key_boxes(panel.layout, roles_of(design)):
        width = round(width_of(label)) + 18
        if x > MARGIN and x + width > WIDTH - MARGIN:
            picture.y += BOX_HEIGHT + 4
            x = MARGIN
        picture.box(x, width, BOX_HEIGHT, label, role)
        x += width
    picture.y += BOX_HEIGHT + 20
    picture.words(MARGIN, "from the keys", "second")
    if is_counted:
        picture.words(BY_HBASE, "counted by HBase", "second")
    moved = 0 if is_counted else SHARES - BY_HBASE
    width = WIDTH - MARGIN - WORDS
    verdict = wrapped(panel.verdict, BOLD_PX, width)
    lines = [*verdict, *(line for words in panel.reading for line in wrapped(words, SANS_PX, width))]
    for number, line in enumerate(lines):
        classes = ("bold",) if number < len(verdict) else ()
        picture.words(WORDS - moved, line, *classes, y=picture.y + number * LINE)
    foot = picture.y + len(lines) * LINE - 6
    picture.y += 7
    heat, counted = panel.heat.heat, panel.heat.counted or panel.heat.heat
    picture.cells(MARGIN, CELL_WIDTH, CELL_HEIGHT, heat.moment_shares)
    if is_counted:
        picture.cells(BY_HBASE, CELL_WIDTH, CELL_HEIGHT, counted.moment_shares)
    for number, share in enumerate(heat.shares):
        style = "bold" if share == heat.share else "second"
        picture.words(SHARES - moved, f"{share:.0%}", style, y=picture.y + number * CELL_HEIGHT + 14)
    picture.y = max(picture.y + heat.ranges * CELL_HEIGHT, foot) + 16


def wrapped(text: str, character_px: float, width: float) -> list[str]:
    """The lines of a text that fits into so many pixels."""
    return textwrap.wrap(text, int(width / character_px), break_on_hyphens=False)
