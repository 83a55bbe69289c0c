"""Series of numbers by time: lines on linear axes, for any number of points."""

import math
import textwrap
from collections.abc import Sequence

import attrs
import svg

from ...records import show_time
from .chart import DASHES, FAINT, LINE
from .drawing import MARGIN, WIDTH, Picture

LEFT, RIGHT = 84, WIDTH - 16
"""Pixels at which the axis of times begins and ends."""
HEIGHT = 260
TICKS = 5
"""About how many numbers are named beside the vertical axis; at most this many times below the horizontal one."""
NAMED = len(DASHES)
"""At most this many series have names; the lines of all others are thin."""
MOST_CHARACTERS = 56
"""Longer names of series are cut."""
MOST_IN_HEADLINE = 48
"""A question is broken before each `&`, and within longer parts."""
_TIMES_MS = [
    *(count * 1000 for count in (1, 2, 5, 10, 15, 30)),
    *(count * 60_000 for count in (1, 2, 5, 10, 15, 30)),
    *(count * 3_600_000 for count in (1, 2, 3, 6, 12)),
    *(count * 86_400_000 for count in (1, 2, 7, 14, 28, 91, 182, 365, 3650, 36_500)),
]
"""Distances between named times."""
_DAY_MS, _MINUTE_MS = 86_400_000, 60_000


@attrs.frozen
class PlottedSeries:
    """The numbers of one series by time; NaN is a gap in its line."""

    name: str
    times_ms: Sequence[int]
    numbers: Sequence[float]


def series_picture(headline: str, series: Sequence[PlottedSeries]) -> Picture:
    """The picture of some series, at least one of which has a finite number."""
    finite = [number for one in series for number in one.numbers if math.isfinite(number)]
    times_ms = [time_ms for one in series for time_ms in one.times_ms]
    low, high = min(finite), max(finite)
    first_ms, last_ms = min(times_ms), max(times_ms)
    period = f"{show_time(first_ms)} to {show_time(last_ms)}"
    sentence = f"{len(series)} series, {len(times_ms)} numbers from {low:,g} to {high:,g}, {period}."
    parts = " ".join(textwrap.wrap(headline.replace("&", " &"), MOST_IN_HEADLINE))
    picture = Picture(headline, parts, sentence)
    axes = _Axes(first_ms, last_ms if last_ms > first_ms else first_ms + 1000, low, high, picture.y)
    axes.draw(picture)
    for number, one in reversed([*enumerate(series)]):
        is_named = number < NAMED
        picture.path(axes.line(one), dashes=DASHES[number] if is_named else (), opacity=None if is_named else FAINT)
        if len(one.times_ms) == 1:
            picture.dot(*axes.point(one.times_ms[0], one.numbers[0]))
    picture.y = axes.top + HEIGHT + 46
    picture.words(MARGIN, f"{period}, UTC", "second")
    picture.y += LINE + 6
    for one, dashes in zip(series, DASHES, strict=False):
        picture.path([svg.M(MARGIN, picture.y - 5), svg.H(LEFT - 12)], dashes=dashes)
        name = one.name if len(one.name) <= MOST_CHARACTERS else f"{one.name[: MOST_CHARACTERS - 3]}..."
        picture.words(LEFT, name)
        picture.y += LINE + 4
    if len(series) > NAMED:
        picture.words(MARGIN, f"and {len(series) - NAMED} other series, drawn thin", "second")
        picture.y += LINE
    picture.y -= 12
    return picture


@attrs.frozen
class _Axes:
    """A period and a range of numbers on the picture."""

    first_ms: int
    last_ms: int
    low: float
    high: float
    top: float

    def x_of(self, time_ms: int) -> float:
        return LEFT + (RIGHT - LEFT) * (time_ms - self.first_ms) / (self.last_ms - self.first_ms)

    def y_of(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.top + HEIGHT * (1 - share)

    def point(self, time_ms: int, number: float) -> tuple[float, float]:
        return round(self.x_of(time_ms), 1), round(self.y_of(number), 1)

    def draw(self, picture: Picture) -> None:
        """Draws lines at round numbers and at round times, with their names."""
        step = _round_step((self.high - self.low) / TICKS) if self.high > self.low else 1.0
        for count in range(math.ceil(self.low / step), math.floor(self.high / step) + 1):
            y = round(self.y_of(count * step), 1)
            picture.path([svg.M(LEFT, y), svg.H(RIGHT)], "grid", opacity=FAINT)
            picture.words(LEFT - 8, f"{count * step:,.6g}", "end", y=y + 5)
        span_ms = self.last_ms - self.first_ms
        every_ms = next((every for every in _TIMES_MS if span_ms // every < TICKS), _TIMES_MS[-1])
        foot = self.top + HEIGHT
        for time_ms in range(-(-self.first_ms // every_ms) * every_ms, self.last_ms + 1, every_ms):
            x = round(self.x_of(time_ms), 1)
            picture.path([svg.M(x, self.top), svg.V(foot)], "grid", opacity=FAINT)
            picture.words(min(max(x, LEFT), RIGHT - 24), _time_name(time_ms, every_ms), "middle", y=foot + 22)

    def line(self, series: PlottedSeries) -> list[svg.PathData]:
        """The line of a series: in each column of pixels the first, the least, the largest and the last number.

        It looks as it would with all numbers, but has at most four points for each column, however long it is.
        """
        data: list[svg.PathData] = []
        column: list[tuple[int, float]] = []
        is_open = False
        for time_ms, number in [*zip(series.times_ms, series.numbers, strict=True), (None, math.nan)]:
            is_gap = time_ms is None or not math.isfinite(number)
            if column and (is_gap or int(self.x_of(time_ms or 0)) != int(self.x_of(column[0][0]))):
                for point in _kept(column):
                    data.append((svg.L if is_open else svg.M)(*self.point(*point)))
                    is_open = True
                column = []
            if is_gap:
                is_open = False
            elif time_ms is not None:
                column.append((time_ms, number))
        return data


def _kept(column: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """The points of a column of pixels that its line needs, by time."""
    if len(column) <= 4:
        return column
    least, largest = (choose(range(len(column)), key=lambda place: column[place][1]) for choose in (min, max))
    return [column[place] for place in sorted({0, least, largest, len(column) - 1})]


def _round_step(least: float) -> float:
    """The smallest number, of 1, 2 and 5 times the powers of ten, that is not less than `least`."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)


def _time_name(time_ms: int, every_ms: int) -> str:
    """A time as precise as the distance between named times: its day, its minute or its second."""
    text = show_time(time_ms)
    if every_ms >= _DAY_MS:
        return text[:10]
    return text[11:16] if every_ms >= _MINUTE_MS else text[11:19]
