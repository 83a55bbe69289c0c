"""Other keys and slices, edited into a package that `rowbook new` made, as the README of its design says."""

import re
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest

from shared.command_line.new_package.making import made_files
from tests.copies import story_of
from tests.few_designs import few_of


@attrs.frozen
class Edited:
    """A package made of a design, with other text in its files."""

    design: str
    name: str
    edits: dict[str, str]
    """What to replace, as a regular expression, and by what."""
    says: str = ""
    """A part of what its story then prints; if empty, it prints what it did before."""
    story: str = ""
    """Another story than the design's own."""


COUNTED_BY_THE_HOUR = """
from mine import TABLES, Login, LoginRepository
from rowbook.stores import connect
from rowbook.tables import create_tables

connection = connect("embedded:")
create_tables(connection, TABLES)
repository = LoginRepository(connection)
hour = 3_600_000
for time_ms in (0, 1, hour - 1, hour, 3 * hour):
    repository.store(Login("ada", time_ms))
print([(day.day_ms // hour, day.count) for day in repository.days("ada", 0, 3 * hour)], repository.day_total(0))
"""

EDITED = [
    Edited(
        "activity",
        "hash-prefix",
        {
            r'("activity",\s+)(\w+)': r'\1KeyLayout(\2, HashPrefix(of="user", bytes=4, hex=True))',
            "FixedBytes, Int64": "FixedBytes, HashPrefix, Int64, KeyLayout",
        },
    ),
    Edited(
        "catalog",
        "salted",
        {
            r'("catalog_products",\s+)(\w+)': r'\1KeyLayout(\2, Salt(of="product_id", buckets=8))',
            r'(moving_list\("\w+", )(\w+)': r'\1KeyLayout(\2, Salt(of="product_id", buckets=8))',
            "Int64, TrailingText": "Int64, KeyLayout, Salt, TrailingText",
        },
    ),
    Edited(
        "logs",
        "salted",
        {
            r'("logs",\s+)LogNewestFirst': r'\1KeyLayout(LogTimeFirst, Salt(of="host", buckets=8))',
            "KeyLayout, part": "KeyLayout, Salt, part",
        },
    ),
    Edited("monitoring", "rows of fifteen minutes", {r"HOUR_MS = 60 \* 60": "HOUR_MS = 15 * 60"}),
    Edited(
        "monitoring",
        "salted",
        {
            r'("points",\s+)(\w+)': r'\1KeyLayout(\2, Salt(of=("host", "metric"), buckets=8))',
            "Rest, Slice": "Rest, Salt, Slice",
        },
    ),
    Edited("counters", "hours", {r"DAY_MS = 24 \* 60": "DAY_MS = 60"}, "[(0, 3), (1, 1)] 3\n", COUNTED_BY_THE_HOUR),
]


@pytest.mark.parametrize("edited", few_of(EDITED, lambda edited: f"{edited.design}:{edited.name}"))
def test_a_package_that_is_edited_as_the_readme_says_tells_its_story(edited: Edited, tmp_path: Path) -> None:
    files, _old_words = made_files("mine", edited.design)
    modules = {name: data.decode() for name, data in files.items() if re.fullmatch(r"mine/\w+\.py", name)}
    before = story_of(encoded(modules), tmp_path / "before")
    for pattern, replacement in edited.edits.items():
        assert any(re.search(pattern, text) for text in modules.values()), pattern
        modules = {name: re.sub(pattern, replacement, text) for name, text in modules.items()}
    if edited.story:
        modules["mine/example.py"] = edited.story
    told = story_of(encoded(modules), tmp_path / "edited")
    assert edited.says in told
    assert edited.says or told == before


def encoded(modules: Mapping[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in modules.items()}
