"""`rowbook ask --plot`: the records of an answer as lines by time, in an SVG file."""

import math
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import attrs
from rich.console import Console

from ...keys import shown
from ...stores.outcomes.connection_errors import first_line
from ..screen.terminal import count, line
from ..screen.wrong_usage import CommandFailed, WrongUsage


def check_plot(path: str | None, *, as_json: bool, explains: bool) -> None:
    """Refuses a file that is not SVG, another form of the output beside it, and a missing package."""
    if path is None:
        return
    if not path.lower().endswith(".svg"):
        raise WrongUsage(f"--plot: must be the name of a file that ends in .svg (got {shown(path)})")
    if as_json or explains:
        raise WrongUsage(f"--plot and {'--json' if as_json else '--explain'}: choose one of them")
    if find_spec("svg") is None:
        raise CommandFailed("--plot: needs svg.py: pip install 'rowbook[pictures]'")


def draw_plot(out: Console, headline: str, records: Sequence[Any], path: str, unknown: Sequence[str]) -> None:
    """Draws records with one time and one number each; records that agree in all other values are one series."""
    if not records:
        raise CommandFailed(f"--plot: nothing found{': ' if unknown else ''}{', '.join(unknown)}, so nothing is drawn")
    from ...exhibit.pictures.series_picture import PlottedSeries, series_picture

    time, number, others = _fields(records[0])
    series: dict[tuple[Any, ...], list[tuple[int, float]]] = {}
    for record in records:
        name = tuple(getattr(record, other) for other in others)
        series.setdefault(name, []).append((getattr(record, time), float(getattr(record, number))))
    plotted = [
        PlottedSeries(" ".join(str(value) for value in name if value != ""), *zip(*sorted(points), strict=True))
        for name, points in series.items()
    ]
    if not any(math.isfinite(number) for one in plotted for number in one.numbers):
        raise CommandFailed("--plot: no number of the answer is finite, so nothing is drawn")
    picture = series_picture(headline, plotted)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(picture.text())
    except OSError as error:
        raise CommandFailed(f"{path}: {first_line(error)}") from None
    line(out, f"{path}: {count(len(records), 'number')}, {len(plotted)} series")


def _fields(record: Any) -> tuple[str, str, list[str]]:
    """The names of a record's time, of its number, and of its other attributes."""
    kind: type[Any] = record.__class__
    names = [field.name for field in attrs.fields(kind)] if attrs.has(kind) else []
    times = [name for name in names if name.endswith("_ms")]
    numbers = [name for name in names if name not in times and type(getattr(record, name)) in (int, float)]
    if len(times) != 1 or len(numbers) != 1:
        has = f"{count(len(times), 'time')} and {count(len(numbers), 'number')}"
        raise WrongUsage(f"--plot: needs records with one time and one number (got {has})")
    return times[0], numbers[0], [name for name in names if name not in (times[0], numbers[0])]
