"""The picture of two ways that cross."""

from ..crossing import Crossing, Series
from ..part_colours import Role
from .chart import Chart, Line, draw_chart
from .drawing import Picture

ROLES: tuple[Role, Role] = ("owner", "state")
"""The colours of the two lines."""


def crossing_picture(crossing: Crossing) -> Picture:
    """The picture of a crossing that was measured."""
    places = list(map(str, crossing.places))
    one, other = crossing.ways
    picture = Picture(
        f"Two lines that cross, {one.name} and {other.name}: {crossing.counted}, by {crossing.along}.",
        crossing.headline,
        crossing.sentence,
    )
    lines = [_line(series, role) for series, role in zip(crossing.ways, ROLES, strict=True)]
    draw_chart(picture, Chart(crossing.counted, crossing.along, lines), places)
    return picture


def _line(series: Series, role: Role) -> Line:
    """A series with its first and its last value in words."""
    first, last = (_shown(series.values[at]) for at in (0, -1))
    return Line(series.name, first if first == last else f"{first} to {last}", series.values, role)


def _shown(value: float) -> str:
    """`3`, `24.6`, `1,024`."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
