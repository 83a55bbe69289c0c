"""The page about regions: its figures, and its picture."""

from xml.etree import ElementTree

import pytest

from shared.exhibit.pictures import MAX_BYTES
from tests.programs.pages.regions_page import KEY_BYTES, InATerabyte, drawn_regions
from tests.programs.pictures import of_suite

MOST_WORDS = 25


def test_a_longer_key_never_lets_a_table_hold_more():
    short, long = map(InATerabyte, KEY_BYTES)
    assert (short.cell_bytes, long.cell_bytes) == (132, 172)
    assert long.cells < short.cells
    assert long.key_share > 3 * short.key_share
    assert long.index_bytes > 2 * short.index_bytes
    assert short.regions == long.regions == 94


@pytest.mark.long
def test_the_pictures_of_several_designs_are_what_the_code_draws_and_the_alt_text_is_short():
    for path, text in of_suite().items():
        assert path.read_text(encoding="utf-8") == text
        assert len(text.encode()) < MAX_BYTES
        assert ElementTree.fromstring(text) is not None
    assert len(drawn_regions().alt.split()) <= MOST_WORDS
