"""The pictures of the pages are what the code draws, well-formed, and readable in light and in dark."""

from xml.etree import ElementTree

import pytest

from shared.exhibit.part_colours import DARK, LIGHT, roles_of
from shared.exhibit.pictures import MAX_BYTES
from shared.exhibit.pictures.drawing import WIDTH
from tests.copies import ROOT
from tests.designs import all_designs
from tests.programs.pictures import files
from tests.programs.readmes import DESIGN_PAGES

SVG = "{http://www.w3.org/2000/svg}"


DRAWN = [design for design in all_designs() if not design.in_one_file]
ONE_DRAWN = [
    pytest.param(design, marks=() if design.name == "orders" else pytest.mark.long, id=design.name) for design in DRAWN
]


@pytest.mark.parametrize("design", ONE_DRAWN)
def test_the_pictures_of_a_design_are_what_the_code_draws(design):
    drawn = files(design)
    assert {*drawn} == {*next(iter(drawn)).parent.iterdir()}
    assert {path.name: path.read_text(encoding="utf-8") for path in drawn} == {
        path.name: text for path, text in drawn.items()
    }


@pytest.mark.parametrize("design", DRAWN, ids=lambda design: design.name)
def test_a_picture_is_on_a_page_and_within_its_canvas_and_has_words_that_are_soon_read_aloud(design):
    folder = ROOT / "domains" / design.name
    pages = "".join((folder / page).read_text(encoding="utf-8") for page in DESIGN_PAGES)
    for path in (folder / "shown" / "pictures").iterdir():
        assert path.stat().st_size < MAX_BYTES
        assert f"](shown/pictures/{path.name})" in pages
        root = ElementTree.parse(path).getroot()
        assert root.find(f"{SVG}title").text
        longest = 600 if path.stem in ("key", "tables", "ribbon", "ladder") else 400
        assert 0 < len(root.find(f"{SVG}desc").text) < longest
        for box in root.iter(f"{SVG}rect"):
            assert float(box.get("x", 0)) >= 0
            assert float(box.get("x", 0)) + float(box.get("width")) <= WIDTH
            assert float(box.get("y", 0)) + float(box.get("height")) <= float(root.get("height"))


def test_every_role_has_a_colour_in_light_and_in_dark():
    assert {*LIGHT} == {*DARK} >= {role for design in DRAWN for role in roles_of(design).values()}
