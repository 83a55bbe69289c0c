"""What to remember of a design: its figures are those that are generated, printed or in a table on its pages."""

import re

import pytest

from tests.readmes import READMES, named

LIST = re.compile(r"^If you remember \w+ things?:\n\n((?:- .*\n(?:  .*\n)*)+)", re.MULTILINE)
GENERATED = re.compile(r"^<!-- generated: .*?^<!-- end -->|^```.*?^```|^\|.*?$", re.DOTALL | re.MULTILINE)
"""A generated block, a block of code or of what it prints, a line of a table."""
FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*")


def figures(text):
    """The numbers of a text, but for those in code and in links, and those that are said to be rounded."""
    return FIGURE.findall(re.sub(r"`.*?`|\]\(.*?\)|\babout\s+[\d,.]+", "", text))


def remembered(path):
    """The items of the list at the top of a page; empty if it has none."""
    found = LIST.search(path.read_text(encoding="utf-8"))
    return found[1] if found else ""


PAGES = [path for path in READMES if remembered(path) and (path.parent / "REFERENCE.md").exists()]


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_a_page_has_at_most_five_things_to_remember(path):
    assert 1 < len(re.findall(r"^- ", remembered(path), re.MULTILINE)) <= 5


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_a_figure_to_remember_is_one_that_the_page_shows(path):
    texts = [page.read_text(encoding="utf-8") for page in (path, path.parent / "REFERENCE.md")]
    shown = {figure for text in texts for block in GENERATED.findall(text) for figure in FIGURE.findall(block)}
    assert [figure for figure in figures(remembered(path)) if figure not in shown] == []
