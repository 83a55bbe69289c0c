"""The walk-through of a design's README, which makes another design of it in ten lines."""

import re
from pathlib import Path

import attrs
import pytest

from tests.copies import copied_modules, walk_through


@attrs.frozen
class Adapted:
    """What a walk-through makes of a design."""

    design: str
    name: str
    says: tuple[str, ...]
    """Parts of what its story prints, as regular expressions, in this order."""
    forgotten: str
    """The words of the design that its code no longer has, as a regular expression."""


ADAPTED = [
    Adapted(
        "orders",
        "tickets",
        (
            "the tickets of assignee s-1, newest first, and none of s-12:",
            r"status='closed'.*status='waiting'",
            r"recovery completes the write: Recovery\(settled=1,",
        ),
        r"\b\w*(?:seller|buyer|order(?!s? of rows)(?<!\bOrder)|placed|shipped|cancel)\w*",
    ),
    Adapted(
        "messages",
        "parcels",
        (r"bob has not read:\nParcel\(sender='ada', receiver='bob'", "recovery goes on with the delivery:"),
        r"\b(?!(?:no|some|every)body\b)\w*(?:message|bod(?:y|ies)\b|unread|is_read)\w*",
    ),
    Adapted(
        "feeds",
        "podcasts",
        (
            "the queue of ada, newest first",
            r"Episode\(host='eve', published_ms=",
            r"recovery goes on with its fan-out: Recovery\(settled=1,",
        ),
        r"\w*(?:feed|post|author|(?<!writer\.)reader|timeline)\w*",
    ),
]


@pytest.mark.parametrize("adapted", ADAPTED, ids=lambda adapted: adapted.name)
def test_ten_lines_make_another_design_that_tells_its_own_story(adapted: Adapted, tmp_path: Path) -> None:
    printed, lines = walk_through(adapted.design, tmp_path)
    assert len(lines) <= 10
    assert re.search(".*".join(adapted.says), printed, re.DOTALL), printed
    files = [path for path in (tmp_path / "domains" / adapted.name).iterdir() if path.name != "__pycache__"]
    assert {path.stem for path in files} == {*copied_modules(adapted.design)}
    assert {path.name: re.findall(adapted.forgotten, path.read_text(), re.IGNORECASE) for path in files} == {
        path.name: [] for path in files
    }
