"""The picture of what questions read as the data grows, from what is recorded beside the samples."""

from collections.abc import Iterator, Mapping

from ...designs.design import Design
from ..cost_tables import listed
from ..growth import TIMES, Growth, recorded_growth
from ..growth_words import growth_sentence
from .chart import Chart, Line, draw_chart
from .drawing import MARGIN, Picture


def growth_picture(design: Design) -> Picture | None:
    """The picture of a design whose costs grow, or some of them; None if all are constant."""
    recorded = recorded_growth(design)
    growing = sum(growth.course == "grows" for growth in recorded.own.values())
    if not growing:
        return None
    lines = [*_lines(recorded.own)]
    counts_cells = any(growth.unit == "cells" for growth in recorded.own.values())
    counted = "rows or cells read for each record returned" if counts_cells else "rows read for each row returned"
    which = f"{growing} of {len(recorded.own)}" if growing < len(recorded.own) else f"All {growing}"
    title = f"{which} questions read{'s' if growing == 1 else ''} more as the data grows"
    picture = Picture(
        f"Lines of what the questions of {design.name} read for each answer, in up to {TIMES[-1]} times the samples.",
        title,
        growth_sentence(design, recorded),
    )
    if any(line.ends for line in lines):
        picture.y -= 8
        picture.words(MARGIN, "A cross: with more data, the page would read too much", "second")
        picture.y += 28
    of = listed(load.name for load in design.loads)
    places = [f"{times}x" for times in TIMES]
    along = f"{places[0]}: {recorded.records[0]:,} {of}; {places[-1]}: {recorded.records[-1]:,}"
    draw_chart(picture, Chart(counted, along, lines), places)
    return picture


def _lines(growths: Mapping[str, Growth]) -> Iterator[Line]:
    """A line for each cost that grows, and one for the highest of those that are constant."""
    for question, growth in growths.items():
        if growth.course == "grows":
            last = f", then {growth.ends}" if growth.ends else ""
            remark = f"{_times(growth.ratios[0])} to {_times(growth.ratios[-1])}{last}"
            yield Line(question, remark, growth.ratios, "state", bool(growth.ends))
    constant = [growth.ratios for growth in growths.values() if growth.course == "constant"]
    if constant:
        highest = [max(ratios) for ratios in zip(*constant, strict=True)]
        name = f"{len(constant)} other questions" if len(constant) > 1 else "the other question"
        yield Line(name, f"constant, at most {_times(max(highest))}", highest, "none")


def _times(ratio: float) -> str:
    """`6.2x`, `3,032x`."""
    return f"{ratio:,.1f}".removesuffix(".0") + "x" if ratio < 100 else f"{ratio:,.0f}x"
