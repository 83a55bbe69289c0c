"""What is recorded of growing data, when a cost counts as growing, and the charts that show it."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from shared.exhibit.growth import TIMES, Growth, growth_file, growth_text, recorded_growth
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
