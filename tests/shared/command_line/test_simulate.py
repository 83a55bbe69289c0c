"""The chapters simulate and size of `rowbook review`: what they show, and what they refuse."""

import json
import resource
import subprocess

import pytest

from shared.command_line.measured.expected_load import large_number, size_in_bytes
from shared.command_line.screen.wrong_usage import WrongUsage
from shared.exhibit.regions import sampling
from tests.designs import NAMES
from tests.shared.command_line.running import ROWBOOK, without_terminal

SIMULATE = "review {} --only simulate"


@pytest.mark.long
def test_the_verdict_and_every_moment_of_a_load_are_shown_and_are_json(ok):
    words = f"{SIMULATE.format('logs:time-first')} --records-a-day 1e7 --keep 10d --servers 4 --max-filesize 500M"
    (table,) = json.loads(ok(f"{words} --json"))["tables"]
    shown = ok(words)
    assert f"logs_time_first: {table['verdict']}" in shown
    assert table["regions"] == table["splits"] + 1 == table["moments"][-1]["regions"]
    assert table["idle_fullness"] == pytest.approx(0.5, abs=0.08)
    for moment in table["moments"]:
        assert f"{moment['rows']:,}" in shown
    assert [moment["rows"] for moment in table["moments"]] == [10**7 * tenth for tenth in range(1, 11)]


@pytest.fixture
def small_sample(monkeypatch):
    """A sample of a load has a fifth of its rows."""
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 2_000)


@pytest.mark.long
@pytest.mark.usefixtures("small_sample")
def test_the_questions_of_a_load_say_what_they_read_and_whether_that_grows(ok):
    shown = json.loads(ok(f"{SIMULATE.format('logs:salted')} --records-a-day 1e6 --keep 10d --servers 4 --json"))
    questions = {one["question"]: one for one in shown["questions"]}
    assert questions["a host's latest errors"]["ranges"] == 1
    assert questions["the latest events of all hosts"]["ranges"] == 8
    assert not any(one["grows"] for one in questions.values())
    refused = json.loads(ok(f"{SIMULATE.format('logs')} --records-a-day 1e6 --keep 10d --json"))["questions"]
    assert [one["question"] for one in refused if one["refused"]] == [
        "the latest events of all hosts",
        "all hosts, ten minutes",
    ]


@pytest.mark.long
@pytest.mark.usefixtures("small_sample")
def test_sizes_grow_with_records_and_days_and_encodings_make_them_smaller(ok):
    needed = json.loads(ok("review logs --only size --records-a-day 2e6 --keep 60d --json"))
    assert [table["encoding"] for table in needed["tables"]] == ["NONE", "FAST_DIFF", "GZ"]
    plain, fast_diff, gz = (table["file_bytes"] for table in needed["tables"])
    assert gz < fast_diff < plain == pytest.approx(120e6 * 123, rel=0.02)
    assert needed["rpcs_a_second"] == pytest.approx(2e6 / 86_400, rel=0.01)
    assert all(table["rewrites"] > 3 for table in needed["tables"])


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_design_has_the_same_size_each_time(ok, monkeypatch, name):
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 400)
    assert ok(f"review {name} --only size") == ok(f"review {name} --only size")


@pytest.mark.parametrize(
    ("name", "rows", "tables"),
    [("logs", 1_000, []), pytest.param("counters:increment", 10_000, ["login_totals"], marks=pytest.mark.long)],
)
def test_only_tables_whose_rows_do_not_grow_with_the_records_are_explained(ok, monkeypatch, name, rows, tables):
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", rows)
    shown = ok(f"review {name} --only size")
    assert [line.partition(":")[0] for line in shown.splitlines() if " sample records, " in line] == tables
    assert "NONE: plain; FAST_DIFF: with that DATA_BLOCK_ENCODING" in " ".join(shown.split())


def test_numbers_may_have_an_exponent_and_sizes_a_unit():
    for text in ("1.5e9", "15e8", "1500000000"):
        assert large_number("--rows", text, 10**10) == 1_500_000_000
    assert size_in_bytes("--max-filesize", "2G") == size_in_bytes("--max-filesize", "2048M") == 2**31
    for number in ("1.55e1", "2e10", "-3"):
        with pytest.raises(WrongUsage):
            large_number("--rows", number, 10**10)
    for text in ("", "G", "1.5G", "-1G", "1e9"):
        with pytest.raises(WrongUsage):
            size_in_bytes("--max-filesize", text)


@pytest.mark.long
def test_a_billion_rows_in_a_thousand_regions_take_less_than_a_minute_and_two_gigabytes():
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9, 2 * 10**9))

    for name in ("logs", "logs:time-first", "logs:random"):
        words = f"{SIMULATE.format(name)} --records-a-day 1e7 --keep 100d --max-filesize 200M --json"
        ended = subprocess.run(
            [*ROWBOOK, *words.split()], capture_output=True, text=True, preexec_fn=limit, env=without_terminal()
        )
        assert ended.returncode == 0, ended.stderr
        (table,) = json.loads(ended.stdout)["tables"]
        assert table["regions"] >= 800, name
