"""Numbers that count up under several row keys: where new rows go as regions split, and what a range of them reads."""

from collections.abc import Sequence

from shared.exhibit.pictures.drawing import MARGIN, SANS_PX, WIDTH, Picture
from shared.exhibit.pictures.heat_picture import CELL_HEIGHT, CELL_WIDTH, wrapped
from shared.exhibit.regions.simulation import TENTHS
from tests.programs.pages.numbered_keys import ASKED, ROWS, SpreadAndScan

WORDS = MARGIN + TENTHS * CELL_WIDTH + 18
"""Pixels from the left at which the words beside a grid start."""
LINE = 21
GAP = 18


def region_picture(keys: Sequence[SpreadAndScan]) -> Picture:
    """A grid of key ranges against time for each key, with its regions, and what reading costs."""
    plain = keys[0]
    said = [f"{one.form.name}: {'; '.join(_words(one))}" for one in keys]
    picture = Picture(
        "Where numbers that count up go, under several row keys",
        f"{'. '.join(said)}.",
        f"Numbers that count up: {plain.simulation.busiest_region:.0%} of the writes in one region",
        f"Where {ROWS:,} rows go as regions split. {'. '.join(f'`{words}'.replace(':', '`:', 1) for words in said)}.",
    )
    picture.y -= 8
    legend = "Down: tenths of all keys. Across: tenths of the load. Empty: no new rows, solid: all."
    picture.paragraph(legend, "second")
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
        for line in wrapped(text, SANS_PX * (1.12 if style else 1), width):
            picture.words(WORDS, line, *filter(None, [style]), y=y)
            y += LINE
    picture.cells(MARGIN, CELL_WIDTH, CELL_HEIGHT, one.simulation.heat.moment_shares)
    picture.y = max(picture.y + TENTHS * CELL_HEIGHT, y) + 10
