"""`rowbook review`: one verdict, chapters that agree with it, and the exit code of lint; help in four panels."""

import json
import re

import pytest
import typer

from shared.command_line.commands.app import PANELS, app
from shared.command_line.named.without_pydantic import WIDEST
from shared.command_line.screen.terminal import count
from shared.exhibit.regions import sampling
from tests.designs import NAMES
from tests.readmes import ROOT
from tests.shared.command_line.test_readme_commands import make_files

CHAPTERS = ("lint", "heat", "simulate", "size")


@pytest.fixture
def small_sample(monkeypatch):
    """A sample of a load has a tenth of its rows."""
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 1_000)


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize(
    "name", ["profiles", *(pytest.param(name, marks=pytest.mark.long) for name in NAMES if name != "profiles")]
)
def test_the_page_fits_a_screen_and_its_verdict_is_that_of_its_chapters(rowbook, name):
    code, out, err = rowbook(f"review {name}")
    lines = out.splitlines()
    page = json.loads(rowbook(f"review {name} --json")[1])
    assert (code, err) == (int(bool(page["lint"]["findings"])), "")
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert " ".join(out.split()).startswith(f"{name}: {page['verdict']} load: 1,000,000 records a day, ")
    assert page["load"]["assumed"] == ["--records-a-day", "--keep", "--servers"]
    assert [line.split()[0] for line in lines if line.split(" ")[0] in CHAPTERS] == [*CHAPTERS]
    assert page["verdict"].endswith(f"; lint has {count(len(page['lint']['findings']), 'finding')}")
    if page["not_measured"]:
        assert page["verdict"].startswith("regions unknown; ")
        return
    first, later, busiest = re.fullmatch(
        r"(\d+) regions? at first, ([\d,]+) a year from now; the busiest server takes (\d+)% of the writes.*",
        page["verdict"],
    ).groups()
    tables = page["simulate"]["tables"]
    assert int(later.replace(",", "")) == sum(table["regions"] for table in tables)
    assert int(first) == sum(table["regions"] - table["splits"] for table in tables)
    assert int(busiest) in [round(100 * table["busiest_server"]) for table in tables]


@pytest.mark.usefixtures("small_sample")
def test_findings_that_are_not_accepted_make_the_exit_code_of_the_page_and_of_lint_only(rowbook):
    code, out, _err = rowbook("review logs:modulo --records-a-day 1e7 --keep 30d --servers 5")
    assert code == 1
    assert "few-buckets: logs_modulo: " in out
    assert "load: 10,000,000 records a day, each kept for 30 days, on 5 servers\n" in out
    assert " after 30 days; " in out
    assert rowbook("review logs:modulo --only lint") == rowbook("lint logs:modulo")
    assert rowbook("review logs:modulo --only size")[0] == 0


def test_a_chapter_that_cannot_be_measured_says_why_and_the_others_are_shown(rowbook, folder):
    make_files(ROOT / "shared" / "command_line" / "README.md", folder)
    code, out, err = rowbook("review tickets --design tickets:DESIGN")
    shown = " ".join(out.split())
    assert (code, err) == (0, "")
    assert shown.startswith("tickets: regions unknown; lint has 0 findings load: ")
    assert " heat not measured: tickets: 3 tickets write too few rows for a verdict; " in shown
    assert " simulate not measured: tickets: no table can be simulated from 3 sample records " in shown
    assert " 11.6 RPCs a second to store records one by one" in shown
    page = json.loads(rowbook("review tickets --design tickets:DESIGN --json")[1])
    assert [*page["not_measured"]] == ["heat", "simulate"]


def test_the_help_has_every_command_in_its_panel_on_one_screen(ok, environment):
    environment["COLUMNS"] = "80"
    lines = ok("--help").splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) <= 80
    commands = typer.main.get_command(app([])).commands
    assert [*commands] == [name for of_panel in PANELS.values() for name in of_panel]
    panels, (first, *_others) = iter(PANELS), (line for line in lines if line.endswith(":"))
    assert first == f"{next(panels)}:"
    for name, command in commands.items():
        sentence = command.help.splitlines()[0]
        assert len(sentence) <= WIDEST, name
        assert f"  {name:7}  {sentence}" in lines
    assert [line[:-1] for line in lines if line.endswith(":")] == [*PANELS, "Options"]
