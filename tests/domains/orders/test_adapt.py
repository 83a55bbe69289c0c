"""The README's walk-through makes another design out of this one."""

import re

import pytest

from tests.copies import walk_through


@pytest.fixture(scope="module")
def tickets(tmp_path_factory):
    """The folder of the tickets, what their story prints, and the lines of the walk-through that made them."""
    copy = tmp_path_factory.mktemp("copy")
    return copy / "domains" / "tickets", *walk_through("orders", copy)


def test_ten_lines_are_enough(tickets):
    assert len(tickets[2]) <= 10


def test_the_tickets_tell_their_own_story(tickets):
    assert "the tickets of assignee s-1, newest first, and none of s-12:" in tickets[1]
    assert re.findall(r"status='(\w+)'", tickets[1])[-2:] == ["closed", "waiting"]
    assert "recovery completes the write: Recovery(settled=1," in tickets[1]


def test_only_what_is_copied_is_there(tickets):
    files = {path.name for path in tickets[0].iterdir() if path.name != "__pycache__"}
    assert files == {"__init__.py", "records.py", "keys.py", "repository.py", "example.py"}


def test_no_word_of_the_shop_is_left_in_the_code(tickets):
    words_left = {}
    for path in tickets[0].glob("*.py"):
        words = re.findall(
            r"\b\w*(?:seller|buyer|order(?!s? of rows)|placed|shipped|cancel)\w*", path.read_text(), re.I
        )
        if words := [word for word in words if word != "Order"]:
            words_left[path.name] = words
    assert words_left == {}
