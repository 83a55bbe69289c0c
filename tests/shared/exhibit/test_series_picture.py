"""Series of numbers by time as a picture: any number of points, gaps, one point, many series."""

import math
import re

import pytest

from shared.exhibit.pictures.series_picture import HEIGHT, LEFT, NAMED, RIGHT, PlottedSeries, series_picture

T = 1_356_998_400_000
HOUR_MS = 3_600_000


def lines_of(text):
    """The points of each line that has no class of the grid."""
    paths = re.findall(r'<path class="line"[^>]*? d="([^"]+)"|<path [^>]*d="([^"]+)"[^>]*class="line"', text)
    return [
        [tuple(map(float, pair)) for pair in re.findall(r"[ML] ?(-?[\d.]+)[ ,](-?[\d.]+)", a or b)] for a, b in paths
    ]


def drawn(*series):
    return series_picture("requests", series).text()


def test_a_line_of_any_length_has_at_most_four_points_for_a_pixel_and_keeps_its_extremes():
    numbers = [math.sin(place / 500) for place in range(86_400)]
    numbers[40_000] = 9.0
    text = drawn(PlottedSeries("a", [T + place * 1000 for place in range(86_400)], numbers))
    (line, *_legend) = lines_of(text)
    assert 900 < len(line) <= 4 * (RIGHT - LEFT + 1)
    assert len(text) < 60_000
    heights = [y for _x, y in line]
    assert max(heights) - min(heights) == pytest.approx(HEIGHT, abs=0.2)


def test_a_number_that_is_not_finite_is_a_gap_and_a_single_number_a_dot():
    text = drawn(PlottedSeries("a", [T, T + 1000, T + 2000, T + 3000], [1, math.nan, 2, 3]))
    assert max(path.count("M") for path in re.findall(r' d="(M[^"]*)"', text)) == 2
    assert "<circle" in drawn(PlottedSeries("a", [T], [1]))
    assert drawn(PlottedSeries("a", [T], [1])) == drawn(PlottedSeries("a", [T], [1])), "the same bytes"


def test_axes_have_round_numbers_and_times_and_more_series_than_dashes_are_counted():
    hours = [PlottedSeries(f"host-{number}", [T, T + 6 * HOUR_MS], [0, 100 + number]) for number in range(NAMED + 3)]
    text = drawn(*hours)
    words = re.findall(r"<text[^>]*>([^<]+)</text>", text)
    assert {"0", "50", "100", "00:00", "02:00", "04:00", "06:00"} <= {*words}
    assert "and 3 other series, drawn thin" in words
    assert f"host-{NAMED - 1}" in words
    assert f"host-{NAMED}" not in words
