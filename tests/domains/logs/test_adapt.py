"""What the README says under "Adapt it", process to a copy."""

import re

import pytest

from domains.logs import LogEvent
from domains.logs.formats import FORMATS
from shared.loading import Format, read_lines
from shared.queries import scan
from tests.copies import ROOT, copy_design, run_example

from .asking import BY_NAME, dump, event, expected, query_of, stored


@pytest.fixture
def copy(tmp_path):
    """A copy of what one copies, and nothing else of the project."""
    copy_design("logs", tmp_path)
    return tmp_path


def test_five_files_and_shared_are_enough_also_with_a_field_of_another_name(copy):
    for path in copy.glob("domains/logs/*.py"):
        path.write_text(re.sub(r"\bhost\b", "device", path.read_text(encoding="utf-8")), encoding="utf-8")
    process = run_example("logs", copy)
    assert process.returncode == 0, process.stderr
    assert "LogEvent(device='web-1', event='ERROR'" in process.stdout


def test_the_story_is_the_same_under_the_key_of_another_variant(copy):
    keys = copy / "domains" / "logs" / "keys.py"
    change(keys, (r"KeyLayout\(LogNewestFirst\)", 'KeyLayout(LogTimeFirst, Salt(of="host", buckets=8))'))
    change(keys, (r"KeyLayout, part", "KeyLayout, Salt, part"))
    before, after = (run_example("logs", folder) for folder in (ROOT, copy))
    assert after.returncode == 0, after.stderr
    assert after.stdout == before.stdout


def change(path, *edits):
    """Replaces the first match of each pattern in a file."""
    text = path.read_text(encoding="utf-8")
    for pattern, instead in edits:
        text, count = re.subn(pattern, lambda _, instead=instead: instead, text, count=1)
        assert count == 1, pattern
    path.write_text(text, encoding="utf-8")


def _pairs(lines, _path):
    for number, line in enumerate(lines, start=1):
        yield number, number, dict(pair.split("=", 1) for pair in line.split())


PAIRS = Format("pairs", "pairs", lambda line: line.startswith("host="), _pairs)


def test_another_file_format_is_one_format(tmp_path):
    path = tmp_path / "any.log"
    path.write_text("host=web-1 event=GET time_ms=5\nhost=web-1 event=GET time_ms=never\n", encoding="utf-8")
    first, second = read_lines(path, LogEvent, formats=(*FORMATS, PAIRS))
    assert first.record == LogEvent("web-1", "GET", 5)
    assert second.reason.startswith("LogEvent.time_ms: ")


@pytest.mark.parametrize("new_key", ["host-first", "time-first", "modulo", "salted", "slices"])
def test_from_one_key_to_another_both_tables_are_written_and_the_old_rows_loaded_again(opened, new_key):
    old_connection, old = opened("logs")
    new_connection, new = opened(new_key)
    before = stored(old, event(5), event(5), event(6, "host12"))
    for logs in (old, new):
        for new_event in (event(7), before[0]):
            logs.store(new_event)

    (table,) = BY_NAME["logs"].tables
    for row, cells in scan(old_connection.table(table.name), table.key.whole_table()):
        new.store(table.record(row, cells))

    question = ("window", "host1", None, [0, 9])
    assert list(query_of(new, question)) == expected([*before, event(7)], question)
    assert [*map(len, dump(new_connection, BY_NAME[new_key]).values())] == [4]
