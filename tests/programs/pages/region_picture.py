"""Numbers that count up under several row keys: where new rows go as regions split, and what a range of them reads."""

import textwrap
from collections.abc import Sequence

from shared.exhibit.pictures.drawing import BOLD, MARGIN, SANS_PX, WIDTH, Picture
from shared.exhibit.pictures.heat_picture import CELL_HEIGHT as CELL
from shared.exhibit.regions.simulation import TENTHS
from tests.programs.pages.numbered_keys import ASKED, ROWS, SpreadAndScan

WORDS = MARGIN + TENTHS * CELL + 18
"""Pixels from the left at which the words beside a grid start."""
LINE = 21
GAP = 18


def region_picture(keys: Sequence[SpreadAndScan]) -> Picture:
    """A grid of key ranges against time for each key, with its regions, and what reading costs."""
    plain = keys[0]
    picture = Picture(
        f"Heat maps of numbers that count up: a diagonal under {plain.form.name} keys, more even under "
        f"{' and '.join(one.form.name for one in keys[1:])} ones, with what reading costs.",
        f"Numbers that count up: {plain.simulation.busiest_region:.0%} of writes in one region",
        f"Simulated with {ROWS:,} rows, in regions that split as they grow.",
    )
    picture.y -= 8
    picture.scale("of the new rows at that time")
    picture.paragraph("Down: tenths of all keys. Across: tenths of the load.", "second")
    for one in keys:
        _draw(picture, one)
    return picture


def _words(one: SpreadAndScan) -> list[str]:
    simulation = one.simulation
    idle, regions = simulation.moments[-1].idle, len(simulation.table.regions)
    read = "the whole table" if one.reads_all else f"{one.ranges} range{'' if one.ranges == 1 else 's'}"
    return [
        f"{simulation.busiest_region:.0%} in one region, {simulation.busiest_server:.0%} on one server",
        f"{idle} of {regions} regions idle, {simulation.idle_fullness:.0%} full"
        if idle
        else f"{regions} regions, all busy",
        f"{ASKED[1] - ASKED[0]:,} numbers in a row: {read}",
    ]


def _draw(picture: Picture, one: SpreadAndScan) -> None:
    picture.y += GAP
    picture.named(MARGIN, one.form.name, one.form.key)
    picture.y += 10
    first, *others = _words(one)
    width = WIDTH - MARGIN - WORDS
    y = picture.y + 14
    for text, style in ((first, "bold"), *((other, "") for other in others)):
        for line in textwrap.wrap(text, int(width / (SANS_PX * (BOLD if style else 1)))):
            picture.words(WORDS, line, *filter(None, [style]), y=y)
            y += LINE
    picture.cells(MARGIN, CELL, CELL, one.simulation.heat.moment_shares)
    picture.y = max(picture.y + TENTHS * CELL, y) + 10
