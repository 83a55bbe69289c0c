"""The README's walk-through makes another design out of this one."""

import re

import pytest

from tests.copies import walk_through


@pytest.fixture(scope="module")
def parcels(tmp_path_factory):
    """The folder of the parcels, what their story prints, and the lines of the walk-through that made them."""
    copy = tmp_path_factory.mktemp("copy")
    return copy / "domains" / "parcels", *walk_through("messages", copy)


def test_ten_lines_are_enough(parcels):
    assert len(parcels[2]) <= 10


def test_the_parcels_tell_their_own_story(parcels):
    assert "bob has not read:\nParcel(sender='ada', receiver='bob'" in parcels[1]
    assert "recovery goes on with the delivery:" in parcels[1]


def test_only_what_is_copied_is_there(parcels):
    files = {path.name for path in parcels[0].iterdir() if path.name != "__pycache__"}
    own = {"delivering.py", "erasing.py"}
    assert files == {"__init__.py", "records.py", "keys.py", "repository.py", "example.py", *own}


def test_no_word_of_messages_is_left_in_the_code(parcels):
    words_left = {}
    for path in parcels[0].glob("*.py"):
        words = re.findall(r"\b\w*(?:message|bod(?:y|ies)\b|unread|is_read)\w*", path.read_text(), re.I)
        if words := [word for word in words if word not in ("nobody", "somebody", "everybody")]:
            words_left[path.name] = words
    assert words_left == {}
