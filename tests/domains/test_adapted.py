"""What a design's README says under "Adapt it", edited into a copy; `make test-copies` checks `rowbook new`."""

import re
from pathlib import Path

import attrs
import pytest

from tests.copies import ROOT, copy_design, run_example


@attrs.frozen
class Edited:
    """A copy of a design with other text in its files."""

    design: str
    name: str
    edits: dict[str, str]
    """What to replace, as a regular expression, and by what."""
    says: str = ""
    """A part of what its story then prints; if empty, it prints what it did before."""
    story: str = ""
    """Another story than the design's own."""


COUNTED_BY_THE_HOUR = """
from domains.counters import TABLES, Login, LoginRepository
from shared.stores import connect
from shared.tables import create_tables

connection = connect("embedded:")
create_tables(connection, TABLES)
repository = LoginRepository(connection)
hour = 3_600_000
for time_ms in (0, 1, hour - 1, hour, 3 * hour):
    repository.store(Login("ada", time_ms))
print([(day.day_ms // hour, day.count) for day in repository.days("ada", 0, 3 * hour)], repository.day_total(0))
"""

EDITED = [
    Edited("activity", "devices", {r"\buser\b": "device"}, "Action(device='u-1', verb='read'"),
    Edited(
        "activity",
        "hash-prefix",
        {
            r"KeyLayout\(ActionOfUser\)": 'KeyLayout(ActionOfUser, HashPrefix(of="user", bytes=4, hex=True))',
            "FixedBytes, Int64": "FixedBytes, HashPrefix, Int64",
        },
    ),
    Edited("catalog", "tenants", {r"\bshop\b": "tenant"}, "Product(tenant='Taobao', region='EU'"),
    Edited(
        "catalog",
        "salted",
        {
            r"KeyLayout\((\w+)\)": r'KeyLayout(\1, Salt(of="product_id", buckets=8))',
            "KeyLayout, TrailingText": "KeyLayout, Salt, TrailingText",
        },
    ),
    Edited("logs", "devices", {r"\bhost\b": "device"}, "LogEvent(device='web-1', event='ERROR'"),
    Edited(
        "logs",
        "salted",
        {
            r"KeyLayout\(LogNewestFirst\)": 'KeyLayout(LogTimeFirst, Salt(of="host", buckets=8))',
            "KeyLayout, part": "KeyLayout, Salt, part",
        },
    ),
    Edited("monitoring", "devices", {r"\bhost\b": "device"}, "Point(device='web-1', metric='cpu'"),
    Edited("monitoring", "rows of fifteen minutes", {r"HOUR_MS = 60 \* 60": "HOUR_MS = 15 * 60"}),
    Edited(
        "monitoring",
        "salted",
        {
            r"KeyLayout\(HourOfMetric\)": 'KeyLayout(HourOfMetric, Salt(of=("host", "metric"), buckets=8))',
            "Rest, Slice": "Rest, Salt, Slice",
        },
    ),
    Edited(
        "counters",
        "requests of clients",
        {r"\bLogin\b": "Request", r"\buser\b": "client"},
        "her latest login: Request(client='ada', time_ms=1768262400000, tie=0)",
    ),
    Edited("counters", "hours", {r"DAY_MS = 24 \* 60": "DAY_MS = 60"}, "[(0, 3), (1, 1)] 3\n", COUNTED_BY_THE_HOUR),
]


@pytest.mark.parametrize("edited", EDITED, ids=lambda edited: f"{edited.design}: {edited.name}")
def test_a_copy_that_is_edited_as_the_readme_says_tells_its_story(edited: Edited, tmp_path: Path) -> None:
    copy_design(edited.design, tmp_path)
    folder = tmp_path / "domains" / edited.design
    for pattern, replacement in edited.edits.items():
        texts = {path: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
        assert any(re.search(pattern, text) for text in texts.values()), pattern
        for path, text in texts.items():
            path.write_text(re.sub(pattern, replacement, text), encoding="utf-8")
    if edited.story:
        (folder / "example.py").write_text(edited.story, encoding="utf-8")
    done = run_example(edited.design, tmp_path)
    assert done.returncode == 0, done.stderr
    assert edited.says in done.stdout
    assert edited.says or done.stdout == run_example(edited.design, ROOT).stdout
