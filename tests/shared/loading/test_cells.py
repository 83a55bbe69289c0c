"""None and text in cells of CSV: each has a cell of its own."""

from typing import Any, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.loading.cells import may_be_empty, read_cell, write_cell
from tests.shared.loading.sales import HEADER, LINE, SALE, lines

TEXTS = st.text('"a,', max_size=8) | st.text()


@given(TEXTS)
def test_each_text_is_read_from_its_cell_and_none_of_them_from_an_empty_one(text):
    cell = write_cell(str | None, text)
    assert cell
    assert read_cell(cell) == text
    assert read_cell("") is None


@given(TEXTS)
def test_a_field_that_is_never_none_or_never_text_has_its_text_as_its_cell(text):
    for wanted in (str, int | None, Any, None):
        assert write_cell(wanted, text) == text


@pytest.mark.parametrize(
    ("wanted", "may_be"),
    [(str | None, True), (int | None, True), (Literal["a"] | None, True), (str, False), (int, False), (Any, False)],
)
def test_a_cell_may_be_empty_if_the_field_may_be_none(wanted, may_be):
    assert may_be_empty(wanted) is may_be


def test_a_file_has_none_and_empty_text_in_one_column(written):
    header, line = HEADER.replace("\n", ",note\n"), LINE.replace("\n", ",")
    notes = {"": None, '""': None, '""""""': "", '""""""""""': '""', '"""hi"""': '"hi"'}
    path = written(header + "".join(f"{line}{cell}\n" for cell in notes))
    assert [record for _, record in lines(path)] == [attrs.evolve(SALE, note=note) for note in notes.values()]
