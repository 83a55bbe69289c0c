"""The picture of ways that cross: a chart for each unit, all over the same places."""

from ..crossing import Crossing, Series
from .chart import Chart, Line, draw_charts
from .drawing import Picture


def crossing_picture(crossing: Crossing) -> Picture:
    """The picture of a crossing that was measured."""
    places = list(map(str, crossing.places))
    charts = [Chart(panel.counted, panel.along, list(map(_line, panel.series))) for panel in crossing.panels]
    described = (
        f"{chart.counted[0].upper()}{chart.counted[1:]}, for {places[0]} to {places[-1]} {chart.along}: "
        f"{', '.join(f'{line.name} {line.remark}' for line in chart.lines)}."
        for chart in charts
    )
    picture = Picture(crossing.title, " ".join(described), crossing.headline, crossing.sentence)
    draw_charts(picture, charts, places)
    return picture


def _line(series: Series) -> Line:
    """A series with its first and its last value in words."""
    first, last = (_shown(series.values[at]) for at in (0, -1))
    return Line(series.name, first if first == last else f"{first} to {last}", series.values)


def _shown(value: float) -> str:
    """`3`, `24.6`, `1,024`."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
