"""What is recorded of growing data, when a cost counts as growing, and the charts that show it."""

import re
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from shared.exhibit.growth import TIMES, Growth, RecordedGrowth, growth_file, growth_text, recorded_growth
from shared.exhibit.growth_words import how_many_grow
from shared.exhibit.pictures.chart import LINE, Chart, Line, draw_chart
from shared.exhibit.pictures.drawing import WIDTH, Picture, width_of
from tests.designs import all_designs

SVG = "{http://www.w3.org/2000/svg}"

of_each_design = pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)


@of_each_design
def test_growth_is_recorded_of_every_variant_to_copy_and_of_no_other_as_the_program_writes_it(design):
    recorded = recorded_growth(design)
    assert [*recorded.variants] == [variant.name for variant in design.variants if variant.is_to_copy]
    assert len(recorded.records) == len(TIMES)
    assert growth_file(design).read_text(encoding="utf-8") == growth_text(recorded)


@pytest.mark.parametrize(
    ("growth", "course"),
    [
        (Growth("rows", (11, 11, 11, 11), (10, 10, 10, 10)), "constant"),
        (Growth("rows", (25, 100, 190, 370), (10, 10, 10, 10)), "constant"),
        (Growth("rows", (25, 100, 200, 400), (10, 10, 10, 10)), "grows"),
        (Growth("rows", (11, 44, 176, 704), (10, 40, 160, 640)), "constant"),
        (Growth("rows", (6, 9, 9), (1, 1, 1), "refused"), "grows"),
        (Growth("cells", (6,), (1,), "ends early"), "grows"),
        (Growth("rows", (3, 12), (0, 0)), "grows"),
    ],
)
def test_a_cost_grows_if_four_times_the_data_double_it_or_end_its_page(growth, course):
    assert growth.course == course


def test_what_a_question_reads_at_the_first_sizes_does_not_know_what_happens_later():
    growth = Growth("rows", (6, 9, 36), (1, 1, 1), "refused")
    assert growth.up_to(2) == Growth("rows", (6, 9), (1, 1))
    assert (growth.up_to(2).course, growth.up_to(3).course, growth.up_to(4)) == ("constant", "grows", growth)


@of_each_design
def test_the_words_about_growth_name_every_variant_whose_costs_grow_where_those_of_the_design_do_not(design):
    recorded = recorded_growth(design)
    words = how_many_grow(design, recorded)
    own = sum(growth.course == "grows" for growth in recorded.own.values())
    assert words.startswith(
        f"no cost of {design.name}"
        if not own
        else (f"{own} of {len(recorded.own)} costs", f"every cost of {design.name}")
    )
    growing = {name: len(recorded.differing(name)["grows"]) for name in recorded.others}
    assert re.findall(r"(\d+) of (\S+?)(?=,| do| and|$)", words) == [
        (str(number), name) for name, number in growing.items() if number
    ]


def test_the_words_about_growth_tell_the_design_from_its_variants():
    constant, rising = Growth("rows", (1, 1, 1, 1), (1, 1, 1, 1)), Growth("rows", (1, 4, 16, 64), (1, 1, 1, 1))

    def words(**variants):
        design = SimpleNamespace(name="own")
        return how_many_grow(design, RecordedGrowth((1, 4, 16, 64), variants), "`")

    assert words(own={"a": constant, "b": constant}) == "no cost of `own` grows"
    assert words(own={"a": constant, "b": rising}, v={"a": constant, "b": rising}) == "1 of 2 costs of `own` grows"
    assert words(own={"a": constant}, v={"a": rising, "b": rising}) == "no cost of `own` grows, but 2 of `v` do"
    assert words(own={"a": rising}, v={"a": constant}) == "every cost of `own` grows"
    assert words(own={"a": rising}, v={"b": rising}) == "every cost of `own` grows, and so does 1 of `v`"


def words_of(picture):
    """The height of the picture, and the heights of the words at the ends of its lines, from above."""
    root = ElementTree.fromstring(picture.text())
    texts = [text for text in root.iter(f"{SVG}text") if "middle" not in text.get("class", "")]
    right = max(float(text.get("x")) for text in texts)
    assert right + max(width_of(text.text) for text in texts if float(text.get("x")) == right) <= WIDTH
    return float(root.get("height")), sorted(float(text.get("y")) for text in texts if float(text.get("x")) == right)


@pytest.mark.parametrize("value", [1, 30, 1000])
def test_the_words_of_six_lines_that_end_at_one_point_are_below_each_other_within_the_picture(value):
    picture = Picture("alt text", "headline", "sentence")
    name = "a name that is broken into two lines of words"
    lines = [Line(name, "remark", (1, 1000, value), "state") for _ in range(6)]
    draw_chart(picture, Chart("rows", "sizes", lines), ["1", "2", "3"])
    height, words = words_of(picture)
    assert len(words) == 6 * 3
    assert all(below - above >= LINE for above, below in pairwise(words))
    assert 0 < words[0] < words[-1] < height
