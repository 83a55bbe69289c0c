"""What a design's README says under "Adapt it": a walk-through that makes another design of it, or single edits."""

import re
from pathlib import Path

import attrs
import pytest

from tests.copies import ROOT, copied_modules, copy_design, run_example, walk_through


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
        (r"bob has not read:\nParcel\(sender='ada', receiver='bob'", "recovery continues the delivery:"),
        r"\b(?!(?:no|some|every)body\b)\w*(?:message|bod(?:y|ies)\b|unread|is_read)\w*",
    ),
    Adapted(
        "feeds",
        "podcasts",
        (
            "the queue of ada, newest first",
            r"Episode\(host='eve', published_ms=",
            r"recovery continues its fan-out: Recovery\(settled=1,",
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
