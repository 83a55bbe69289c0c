"""The five things to remember of a design: figures that a generated block of its pages has, too."""

import re

import pytest

from tests.readmes import READMES, named

FIVE = re.compile(r"^If you remember five things:\n\n((?:- .*\n(?:  .*\n)*)+)", re.MULTILINE)
BLOCK = re.compile(r"<!-- generated: \S+ -->\n(.*?)\n<!-- end -->", re.DOTALL)
FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*")


def figures(text):
    """The numbers of a text, but for those in code and in links."""
    return FIGURE.findall(re.sub(r"`.*?`|\]\(.*?\)", "", text))


def remembered(path):
    """The items of the list at the top of a page; empty if it has none."""
    found = FIVE.search(path.read_text(encoding="utf-8"))
    return found[1] if found else ""


PAGES = [path for path in READMES if remembered(path) and (path.parent / "REFERENCE.md").exists()]


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_a_page_has_at_most_five_things_to_remember(path):
    assert 1 < len(re.findall(r"^- ", remembered(path), re.MULTILINE)) <= 5


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_a_figure_to_remember_is_one_that_a_generated_block_shows(path):
    texts = [page.read_text(encoding="utf-8") for page in (path, path.parent / "REFERENCE.md")]
    shown = {figure for text in texts for block in BLOCK.findall(text) for figure in FIGURE.findall(block)}
    assert [figure for figure in figures(remembered(path)) if figure not in shown] == []
