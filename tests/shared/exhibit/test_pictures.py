"""The pictures of the pages are what the code draws, well-formed, and readable in light, in dark and on a phone."""

import re
from xml.etree import ElementTree

import pytest

from shared.exhibit.heat_recording import recorded_heat
from shared.exhibit.part_colours import DARK, LIGHT, roles_of
from shared.exhibit.pictures import MAX_BYTES
from shared.exhibit.pictures.drawing import BOLD, HEADLINE_PX, MONO_PX, SANS_PX, STYLE, TENTHS, WIDTH, Picture
from tests.copies import ROOT
from tests.designs import all_designs, design_named
from tests.programs.pictures import HERO, HERO_FILE, files, hero
from tests.programs.readmes import DESIGN_PAGES

SVG = "{http://www.w3.org/2000/svg}"
ON_A_PHONE = 358 / WIDTH
"""The scale of a picture on a screen of 390 pixels."""
MOST_WORDS = 25
"""The most words of an alt text."""

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


def estimated_width(text, of_parent=frozenset()):
    """The width of words without the tenth that the estimates have to spare."""
    classes = of_parent | {*text.get("class", "").split()}
    pixels = MONO_PX if "mono" in classes else HEADLINE_PX if "head" in classes else SANS_PX
    bold = BOLD if "bold" in classes and "mono" not in classes else 1
    return 0.9 * len((text.text or "").strip("\n")) * pixels * bold + sum(estimated_width(of, classes) for of in text)


def check_within_canvas(root):
    for box in root.iter(f"{SVG}rect"):
        assert float(box.get("x", 0)) >= 0
        assert float(box.get("x", 0)) + float(box.get("width")) <= WIDTH
        assert float(box.get("y", 0)) + float(box.get("height")) <= float(root.get("height"))
    for text in root.iter(f"{SVG}text"):
        classes, width = {*text.get("class", "").split()}, estimated_width(text)
        before = width if "end" in classes else width / 2 if "middle" in classes else 0
        words = "".join(text.itertext())
        assert 0 <= float(text.get("x")) - before <= WIDTH - width, words
        assert float(text.get("y")) < float(root.get("height")), words


@pytest.mark.parametrize("design", DRAWN, ids=lambda design: design.name)
def test_a_picture_is_on_a_page_within_its_canvas_and_its_alt_text_is_a_sentence_that_the_page_does_not_repeat(design):
    folder = ROOT / "domains" / design.name
    pages = "".join((folder / page).read_text(encoding="utf-8") for page in DESIGN_PAGES)
    for path in (folder / "shown" / "pictures").iterdir():
        assert path.stat().st_size < MAX_BYTES
        root = ElementTree.parse(path).getroot()
        alt = root.find(f"{SVG}title").text
        block = f"![{alt}](shown/pictures/{path.name})\n"
        assert block in pages
        assert not pages.partition(block)[2].lstrip("\n").startswith(alt)
        assert len(alt.split()) <= MOST_WORDS
        assert re.fullmatch(r"[^.]*(\d\.\d[^.]*)*\.", alt), alt
        check_within_canvas(root)


def test_the_picture_of_the_first_page_is_what_the_code_draws_with_the_shares_that_are_recorded():
    picture = hero()
    assert HERO_FILE.read_text(encoding="utf-8") == picture.text()
    assert len(picture.alt.split()) <= MOST_WORDS
    root = ElementTree.fromstring(picture.text())
    check_within_canvas(root)
    figures = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "figure"]
    design, variants = HERO
    assert figures == [f"{recorded_heat(design_named(design)).busiest(variant).heat.share:.0%}" for variant in variants]


def test_the_smallest_text_is_readable_on_a_phone():
    assert min(map(int, re.findall(r"(\d+)px", STYLE))) * ON_A_PHONE >= 9


def test_a_share_has_the_colour_of_its_tenth_and_nothing_has_none():
    picture = Picture("alt text", "headline", "sentence")
    picture.cells(0, 10, 10, [[0.0, 0.01, 0.125, 0.27, 1.0]])
    assert re.findall(r'class="share(\d+)"', picture.text()) == ["1", "3", f"{TENTHS}"]
    assert len(re.findall(r"\.share\d+\{", picture.text())) == 2 * TENTHS


def test_every_role_has_a_colour_in_light_and_in_dark():
    assert {*LIGHT} == {*DARK} >= {role for design in DRAWN for role in roles_of(design).values()}
