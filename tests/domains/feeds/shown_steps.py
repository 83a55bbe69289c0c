"""The steps of the writes that the page shows, and what readers see after each."""

from typing import Any

from domains.feeds import Follow, Post
from shared.testing.crash_tests import crash_tests
from shared.testing.engines import Engine
from tests.programs.write_steps import Steps

from .stopped_writes import SOUP, STOPPED, WRITES


def words(values: tuple[Any, ...]) -> str:
    """Whether a view shows the post that is written, and to whom; or who follows."""
    if any(isinstance(value, Post) for value in values):
        return "yes" if SOUP in values else "-"
    names = [value.reader if isinstance(value, Follow) else value[0] for value in values if shows(value)]
    return ", ".join(names) or "-"


def shows(value: Any) -> bool:
    return isinstance(value, Follow) or value[1] == SOUP


def steps(engine: Engine) -> Steps:
    """The writes whose posts are pushed, step by step, two followers at a time."""
    shown = ("post", "delete_post", "follow", "unfollow")
    return Steps(
        crash_tests(engine, STOPPED, STOPPED.variants[0]), WRITES, shown, ("posts", "followers", "timelines"), words
    )
