"""Old names of commands do what their new names do, and say so in one line on stderr."""

import pytest

from shared.command_line.commands.old_names import OLD
from shared.exhibit.regions import sampling

LOGS = "fixtures/logs/logs.jsonl"
KEYS = "\n".join(f"host{number % 5}\\x00{number}" for number in range(32))
NEW = {
    "heat logs": "review logs --only heat",
    "heat --keys keys": "review --keys keys --form shell",
    "heat --keys=keys --splits 3": "review --keys=keys --splits 3 --form shell",
    "simulate logs --rows 1e7 --servers 4": "review logs --rows 1e7 --servers 4 --only simulate",
    "size logs --records-a-day 1e6 --servers 4": "review logs --records-a-day 1e6 --servers 4 --only size --keep 90d",
    "size logs --keep=9d": "review logs --keep=9d --only size",
    f"compare logs:salted {LOGS} --limit 24": f"run logs:salted --file {LOGS} --limit 24",
    f"compare --limit=24 --set message=m logs {LOGS} {LOGS} --json": (
        f"run --limit=24 --set message=m logs --file {LOGS} --file {LOGS} --json"
    ),
    "--plain export tsdb m=cpu --format csv --store embedded:a.db": (
        "--plain scan tsdb m=cpu --format csv --store embedded:a.db --lines"
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
@pytest.mark.parametrize(
    "old", [pytest.param(old, marks=pytest.mark.long if old.startswith(("size", "simulate")) else ()) for old in NEW]
)
def test_an_old_name_does_what_the_new_one_does_and_names_it_first(rowbook, ok, old):
    code, out, err = rowbook(old)
    assert (code, out) == (0, ok(NEW[old]))
    assert err == f"this command is now: rowbook {NEW[old]}\n"


@pytest.mark.long
def test_simulate_has_as_many_rows_as_a_day_of_records_writes(ok, monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 2_000)
    of_records = "review logs --only simulate --records-a-day 1e6 --keep 10d"
    assert ok("review logs --only simulate --rows 1e7") == ok(of_records)


def test_every_old_name_is_tried_and_none_is_suggested(rowbook):
    assert {word for old in NEW for word in old.split()[:2]} >= {*OLD}
    assert rowbook("heatt logs") == (2, "", "No such command 'heatt'; see rowbook --help\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "heat",
            "review --only heat",
            "review: give one of these: a design (NAME), or a file of row keys (--keys FILE)",
        ),
        ("heat logs --splits 3", "review logs --splits 3 --only heat", "--splits: needs --keys FILE"),
        ("heat logs --rows 999", "review logs --rows 999 --only heat", "--rows: must be 1000..1000000 (got 999)"),
        (
            "heat --keys few --hex --splits 48",
            "review --keys few --splits 48 --form hex",
            "--splits: must be 1..47 (got 48)",
        ),
        (
            "simulate logs --rows 0",
            "review logs --rows 0 --only simulate",
            "--rows: must be 1000..1000000000000 (got 0)",
        ),
        (
            "compare orders a.csv --limit 1",
            "run orders --file a.csv --limit 1",
            "--limit: must be 16..100000 (got 1)",
        ),
        (
            "export orders",
            "scan orders --lines",
            "Missing option '--store': embedded:FILE or hbase://HOST:PORT, with the tables of the design; "
            "see rowbook scan --help",
        ),
    ],
)
def test_an_old_name_that_is_refused_names_the_new_one_before_the_reason(rowbook, old, new, message):
    assert rowbook(old) == (2, "", f"this command is now: rowbook {new}\n{message}\n")
