"""Draws the pictures of all designs anew, with those that tests know."""

from collections.abc import Mapping
from pathlib import Path

from shared.designs import Design
from shared.exhibit.pictures import Picture, pictures
from shared.exhibit.pictures.heat_picture import hero_picture
from tests.designs import all_designs, design_named
from tests.engines import Embedded
from tests.programs.pages.regions_page import drawn_regions
from tests.programs.shown_writes import STEPS, WITH_LADDER, ladder

DOMAINS = Path(__file__).parents[2] / "domains"
HERO = "logs", ("time-first", "salted")
"""The design and its variants that the first page shows."""
HERO_FILE = DOMAINS / "pictures" / "hero.svg"


def files(design: Design) -> Mapping[Path, str]:
    """Every picture of a design: its file, and the text that it should have."""
    drawn = dict(pictures(design))
    if design.name in WITH_LADDER:
        drawn["ladder"] = ladder(STEPS[design.name](Embedded()))
    folder = DOMAINS / design.name / "shown" / "pictures"
    return {folder / f"{name}.svg": picture.text() for name, picture in drawn.items()}


def hero() -> Picture:
    """The picture at the top of the first page: one key that starts with the time, and one with a salt before it."""
    design, variants = HERO
    return hero_picture(
        design_named(design),
        variants,
        "A key that starts with the time sends all new rows to one range; a bucket before it spreads them, and a "
        "question about all hosts then reads every bucket.",
    )


def of_suite() -> Mapping[Path, str]:
    """The pictures of several designs: that of the page about regions, and that of the first page."""
    return {DOMAINS / "pictures" / "regions.svg": drawn_regions().text(), HERO_FILE: hero().text()}


if __name__ == "__main__":
    for drawn in (*(files(design) for design in all_designs() if not design.in_one_file), of_suite()):
        for path, text in drawn.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
