"""Old names of commands do what their new names do, and say so in one line on stderr."""

import pytest

from shared.command_line.commands.app import OLD
from shared.exhibit.regions import sampling

LOGS = "fixtures/logs/logs.jsonl"
KEYS = "\n".join(f"host{number % 5}\\x00{number}" for number in range(32))
NEW = {
    "heat logs": ("review logs --only heat", "review logs --only heat"),
    "heat --keys keys": ("review --keys keys --form shell", "review --keys FILE"),
    "simulate logs --rows 1e7 --servers 4": (
        "review logs --only simulate --records-a-day 1e6 --keep 10d --servers 4",
        "review logs --only simulate --records-a-day N --keep LENGTH",
    ),
    "size logs --records-a-day 1e6 --servers 4": (
        "review logs --only size --records-a-day 1e6 --keep 90d --servers 4",
        "review logs --only size --records-a-day 1e6 --keep 90d",
    ),
    f"compare logs:salted {LOGS} --limit 24": (
        f"run logs:salted --file {LOGS} --limit 24",
        f"run logs:salted --file {LOGS}",
    ),
    "export tsdb m=cpu --format csv --store embedded:a.db": (
        "scan tsdb m=cpu --lines --format csv --store embedded:a.db",
        "scan tsdb --lines",
    ),
}


@pytest.fixture
def files(folder, fixtures, ok, monkeypatch):
    """Keys, a store with points, and samples of a fifth of their rows."""
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 2_000)
    (folder / "keys").write_text(KEYS, encoding="utf-8")
    (folder / "points.txt").write_text("put cpu 1356998400 1 host=a\n", encoding="utf-8")
    ok("load tsdb points.txt --store embedded:a.db")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("old", NEW)
def test_an_old_name_runs_with_its_old_options_and_names_the_new_one(rowbook, ok, old):
    new, named = NEW[old]
    code, out, err = rowbook(old)
    assert (code, out) == (0, ok(new))
    assert err == f"rowbook {old.split()[0]} is now: rowbook {named}\n"


def test_every_old_name_is_tried_and_none_is_suggested(rowbook):
    assert {old.split()[0] for old in NEW} == {*OLD}
    assert rowbook("heatt logs") == (2, "", "No such command 'heatt'; see rowbook --help\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("heat", "heat: give a design (NAME), or a file of row keys (--keys FILE)"),
        ("heat logs --hex", "--hex: needs --keys FILE"),
        ("heat logs --splits 3", "--splits: needs --keys FILE"),
        ("heat --keys few.txt --rows 1000", "--rows: needs a design (NAME); --keys takes all lines of the file"),
        ("heat --keys few.txt --splits 48", "--splits: must be 1..47 (got 48)"),
        ("heat logs --rows 999", "--rows: must be 1000..1000000 (got 999)"),
        ("simulate logs --rows 0", "--rows: must be 1000..1000000000000 (got 0)"),
        ("compare orders a.csv --limit 1", "--limit: must be 16..100000 (got 1)"),
    ],
)
def test_an_old_name_is_refused_in_one_line(rowbook, line, message):
    assert rowbook(line) == (2, "", f"{message}\n")
