"""A chart on a logarithmic scale: lines of different dashes and colours, each with its words at its end."""

import math
import textwrap
from collections.abc import Sequence
from itertools import cycle

import attrs
import svg

from ..part_colours import Role
from .drawing import BOLD, MARGIN, WIDTH, Picture, width_of

LEFT = 70
"""Pixels at which the first place of the horizontal axis is."""
WORDS = 22
"""Pixels between the last place and the words of the lines."""
MOST_CHARACTERS = 37
"""Characters of a line of words; longer names are broken."""
DECADE = 52
"""Pixels of a factor of ten."""
LINE = 19
GAP = 8
"""Pixels between the words of two lines."""
FAINT = 0.4
"""Opacity of lines that show no data."""
DASHES = ((), (9, 4), (2, 4), (14, 4, 2, 4), (5, 5), (9, 3, 2, 3, 2, 3))
"""Dashes and gaps of each line, so that lines are told apart without colour."""


@attrs.frozen
class Line:
    """A line of a chart."""

    name: str
    """Its name, which stands at its end."""
    remark: str
    """A few words below its name."""
    values: Sequence[float]
    """One for each place of the horizontal axis, from the first one; each above 0."""
    role: Role
    """The role whose colour it has."""
    ends: bool = False
    """Whether a cross marks its end."""


@attrs.frozen
class Chart:
    """Lines in one unit."""

    counted: str
    """What the lines count."""
    along: str
    """What the places of the horizontal axis are."""
    lines: Sequence[Line]


def draw_chart(picture: Picture, chart: Chart, places: Sequence[str]) -> None:
    """Draws a chart below what is drawn, and goes on below it; `places` are those of its horizontal axis, by name."""
    lines = chart.lines
    widths = [width_of(text) for line in lines for text in _broken(line)[:-1]]
    widths += [width_of(line.remark) * BOLD for line in lines]
    right = WIDTH - MARGIN - max(widths) - WORDS
    values = [value for line in lines for value in line.values]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    blocks = list(map(_broken, lines))
    height = max(DECADE * (high - low), sum(LINE * len(block) + GAP for block in blocks) - GAP)
    picture.words(MARGIN, chart.counted, "second")
    top = picture.y + 16
    bottom = top + height

    def y_of(value: float) -> float:
        return bottom - height * (math.log10(value) - low) / (high - low)

    def x_of(place: int) -> float:
        return LEFT + (right - LEFT) * place / (len(places) - 1)

    for power in range(low, high + 1):
        y = y_of(10**power)
        picture.path([svg.M(LEFT, round(y, 1)), svg.H(round(right, 1))], "grid", opacity=FAINT)
        picture.words(LEFT - 8, f"{10**power:,g}", "end", y=y + 5)
    for place, name in enumerate(places):
        picture.words(round(x_of(place), 1), name, "middle", y=bottom + 22)
    ends = [(x_of(len(line.values) - 1), y_of(line.values[-1])) for line in lines]
    tops = _tops([y for _x, y in ends], [LINE * len(block) for block in blocks], top - 6, bottom + 6)
    for line, dashes, block, (x, y), words_top in zip(lines, cycle(DASHES), blocks, ends, tops, strict=False):
        points = [(x_of(place), y_of(value)) for place, value in enumerate(line.values)]
        data: list[svg.PathData] = [svg.M(*_point(*points[0])), *(svg.L(*_point(*point)) for point in points[1:])]
        picture.path(data, line.role, dashes=dashes)
        for point in points[: -1 if line.ends else None]:
            picture.dot(*point, line.role)
        if line.ends:
            _draw_cross(picture, x, y)
        middle = words_top + LINE * len(block) / 2
        leader: list[svg.PathData] = [svg.M(*_point(x + 7, y)), svg.H(round(right + 4, 1))]
        picture.path([*leader, svg.L(*_point(right + WORDS - 5, middle))], "grid", opacity=FAINT)
        for number, text in enumerate(block):
            bold = ["bold"] if text is line.remark else []
            picture.words(round(right + WORDS, 1), text, *bold, y=words_top + LINE * number + 14)
    picture.y = bottom + 44
    picture.words(LEFT, chart.along, "second")
    picture.y += 8


def _broken(line: Line) -> list[str]:
    """The lines of words at the end of a line, the remark last."""
    return [*textwrap.wrap(line.name, MOST_CHARACTERS), line.remark]


def _draw_cross(picture: Picture, x: float, y: float) -> None:
    strokes: list[svg.PathData] = []
    for lean in (1, -1):
        strokes += [svg.M(*_point(x - 5, y - 5 * lean)), svg.L(*_point(x + 5, y + 5 * lean))]
    picture.path(strokes, "decides")


def _point(x: float, y: float) -> tuple[float, float]:
    return round(x, 1), round(y, 1)


def _tops(middles: Sequence[float], heights: Sequence[float], top: float, bottom: float) -> list[float]:
    """Where blocks of these heights begin, each as near to its middle as the others let it, none over another one."""
    order = sorted(range(len(middles)), key=lambda number: middles[number])
    tops = [0.0] * len(middles)
    free = top
    for number in order:
        tops[number] = free = max(free, middles[number] - heights[number] / 2)
        free += heights[number] + GAP
    free = bottom
    for number in reversed(order):
        tops[number] = min(tops[number], free - heights[number])
        free = tops[number] - GAP
    return tops
