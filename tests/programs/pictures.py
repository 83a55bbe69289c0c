"""Draws the pictures of all designs anew, with those that tests know."""

from collections.abc import Mapping
from pathlib import Path

from shared.designs import Design
from shared.exhibit.pictures import pictures
from tests.designs import all_designs
from tests.engines import Embedded
from tests.programs.pages.regions_page import drawn_regions
from tests.programs.shown_writes import STEPS, ladder

DOMAINS = Path(__file__).parents[2] / "domains"


def files(design: Design) -> Mapping[Path, str]:
    """Every picture of a design: its file, and the text that it should have."""
    drawn = dict(pictures(design))
    if design.name in STEPS:
        drawn["ladder"] = ladder(STEPS[design.name](Embedded()))
    folder = DOMAINS / design.name / "shown" / "pictures"
    return {folder / f"{name}.svg": picture.text() for name, picture in drawn.items()}


def of_regions() -> Mapping[Path, str]:
    """The picture of the page about regions."""
    return {DOMAINS / "pictures" / "regions.svg": drawn_regions().text()}


if __name__ == "__main__":
    for drawn in (*(files(design) for design in all_designs() if not design.in_one_file), of_regions()):
        for path, text in drawn.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
