"""The README's walk-through makes another design out of this one."""

import re

import pytest

from tests.copies import walk_through


@pytest.fixture(scope="module")
def podcasts(tmp_path_factory):
    """The folder of the podcasts, what their story prints, and the lines of the walk-through that made them."""
    copy = tmp_path_factory.mktemp("copy")
    return copy / "domains" / "podcasts", *walk_through("feeds", copy)


def test_ten_lines_are_enough(podcasts):
    assert len(podcasts[2]) <= 10


def test_the_podcasts_tell_their_own_story(podcasts):
    assert "the queue of ada, newest first" in podcasts[1]
    assert "Episode(host='eve', published_ms=" in podcasts[1]
    assert "recovery goes on with its fan-out: Recovery(settled=1," in podcasts[1]


def test_only_what_is_copied_is_there(podcasts):
    files = {path.name for path in podcasts[0].iterdir() if path.name != "__pycache__"}
    modules = {"__init__", "records", "keys", "lines", "spreading", "verifying", "erasing", "repository", "example"}
    assert files == {f"{module}.py" for module in modules}


def test_no_word_of_feeds_is_left_in_the_code(podcasts):
    words_left = {}
    for path in podcasts[0].glob("*.py"):
        if words := re.findall(r"\w*(?:feed|post|author|reader|timeline)\w*", path.read_text(), re.I):
            words_left[path.name] = words
    assert words_left == {}
