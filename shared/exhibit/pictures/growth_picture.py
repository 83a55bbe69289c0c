"""The picture of what questions read as the data grows, from what is recorded beside the samples."""

from collections.abc import Iterator, Mapping, Sequence

from ...designs.design import Design
from ..cost_tables import listed
from ..growth import TIMES, Course, Growth, RecordedGrowth, recorded_growth
from ..growth_words import growth_sentence, how_many_grow
from .chart import MOST_LINES, Chart, Line, draw_charts
from .drawing import MARGIN, Picture

ALIKE = 10
"""The costs of one line of constant costs differ by at most this factor."""
COURSES: tuple[Course, ...] = ("constant", "grows")


def growth_picture(design: Design) -> Picture:
    """The picture of the design itself, and of variants whose costs grow otherwise, if there is room for them."""
    recorded = recorded_growth(design)
    lines = [*_lines(recorded.own), *_lines_of_variants(recorded)][:MOST_LINES]
    counts_cells = any(growth.unit == "cells" for of in recorded.variants.values() for growth in of.values())
    counted = "rows or cells read for each record returned" if counts_cells else "rows read for each row returned"
    picture = Picture(
        f"What the questions of {design.name} read as the data grows",
        f"{counted.capitalize()}. {'. '.join(f'{line.name}: {line.remark}' for line in lines)}.",
        f"With more data, {how_many_grow(design, recorded)}",
        growth_sentence(design, recorded),
    )
    if any(line.ends for line in lines):
        picture.y -= 8
        picture.words(MARGIN, "A cross: with more data, the page would read too much", "second")
        picture.y += 28
    of = listed(load.name for load in design.loads)
    places = [f"{times}x" for times in TIMES]
    along = f"{places[0]}: {recorded.records[0]:,} {of}; {places[-1]}: {recorded.records[-1]:,}"
    draw_charts(picture, [Chart(counted, along, lines)], places)
    return picture


def _lines(growths: Mapping[str, Growth], of: str = "") -> Iterator[Line]:
    """A line for the constant costs, or several if they differ a lot; then one for each cost that grows."""
    constant = {question: growth for question, growth in growths.items() if growth.course == "constant"}
    alike: list[str] = []
    for question in sorted(constant, key=lambda question: constant[question].ratios[-1]):
        if alike and constant[question].ratios[-1] > ALIKE * constant[alike[0]].ratios[-1]:
            yield _constant_line(alike, constant, of)
            alike = []
        alike.append(question)
    if alike:
        yield _constant_line(alike, constant, of)
    for question, growth in growths.items():
        if growth.course == "grows":
            last = f", then {growth.ends}" if growth.ends else ""
            remark = f"{_times(growth.ratios[0])} to {_times(growth.ratios[-1])}{last}"
            yield Line(f"{of}{question}", remark, growth.ratios, bool(growth.ends))


def _constant_line(questions: Sequence[str], growths: Mapping[str, Growth], of: str) -> Line:
    """The highest cost of these questions at each size."""
    highest = [max(ratios) for ratios in zip(*(growths[question].ratios for question in questions), strict=True)]
    named = questions[0] if len(questions) == 1 else f"{len(questions)} questions"
    at_most = "at most " if len(questions) > 1 or len({*highest}) > 1 else ""
    return Line(f"{of}{named}", f"constant, {at_most}{_times(max(highest))}", highest)


def _lines_of_variants(recorded: RecordedGrowth) -> Iterator[Line]:
    """What differs from the design itself: first what stays constant there, and first what the design answers."""
    for course in COURSES:
        for is_answered in (True, False):
            for variant in recorded.others:
                questions = recorded.differing(variant)[course]
                chosen = [question for question in questions if (question in recorded.own) is is_answered]
                growths = recorded.variants[variant]
                yield from _lines({question: growths[question] for question in chosen}, f"{variant}: ")


def _times(ratio: float) -> str:
    """`6.2x`, `3,032x`."""
    return f"{ratio:,.1f}".removesuffix(".0") + "x" if ratio < 100 else f"{ratio:,.0f}x"
