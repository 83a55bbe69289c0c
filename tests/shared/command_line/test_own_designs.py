"""Designs of one's own: those that installed packages name, and what a shell completes."""

import re
import sys

import pytest

from shared.command_line.named.completing import question_names
from shared.command_line.named.own_designs import GROUP
from shared.exhibit.regions import sampling
from tests.readmes import ROOT
from tests.shared.command_line.test_readme_commands import make_files

README = ROOT / "shared" / "command_line" / "README.md"


@pytest.fixture
def package(folder, monkeypatch):
    """An installed package with the design that the README shows, and one that cannot be imported."""
    site = folder / "site"
    info = site / "mine-1.0.dist-info"
    info.mkdir(parents=True)
    make_files(README, site)
    make_files(README, folder)
    (site / "broken_tickets.py").write_text("import nowhere_at_all", encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
    points = "tickets = tickets:DESIGN\nbroken = broken_tickets:DESIGN\nrenamed = tickets:DESIGN\n"
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{points}", encoding="utf-8")
    monkeypatch.syspath_prepend(site)
    yield
    sys.modules.pop("tickets", None)


@pytest.mark.usefixtures("package")
def test_the_designs_of_installed_packages_are_like_those_of_the_suite(rowbook, ok, folder):
    code, out, err = rowbook("list")
    assert (code, out.splitlines()[0]) == (0, "tickets: How are the latest tickets of a customer found?")
    assert err.splitlines() == [
        f"left out: entry point broken of {GROUP}: cannot import broken_tickets: "
        f"{folder}/site/broken_tickets.py:1: ModuleNotFoundError: No module named 'nowhere_at_all'",
        f"left out: entry point renamed of {GROUP}: must have the name of its design (got tickets)",
    ]
    assert "t-2" in ok("ask tickets of-customer customer=acme")
    assert "n-42" in ok("ask orders order order_number=n-42")
    assert question_names("tickets") == ["of-customer"]


def test_the_command_for_the_next_page_names_the_design_again(ok, folder):
    make_files(README, folder)
    option = "--design tickets:DESIGN"
    *_lines, command = ok(f"ask tickets of-customer customer=acme --limit 1 {option}").splitlines()
    assert f" {option} " in command
    assert "t-1" in ok(command.removeprefix("next page: rowbook "))


SIMULATE = "review tickets --only simulate --records-a-day 1e6 --keep 100d --servers 2"
GENERATOR = """
SAMPLES = {
    "tickets": lambda times: [
        {"customer": f"c-{number % 7}", "time_ms": number, "ticket_id": f"t-{number}", "title": "the printer is wet"}
        for number in range(3 * times)
    ]
}
"""


@pytest.mark.usefixtures("package")
def test_one_is_simulated_if_its_samples_have_a_generator_and_its_size_needs_none(rowbook, ok, folder, monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 2_000)
    code, out, err = rowbook("review tickets --only simulate")
    assert (code, out) == (1, "")
    assert err.startswith(
        "tickets: no table can be simulated from 3 sample records (tickets: rows written to it by the sample must be "
        "20 or more (got 3)): add records to tickets.csv, or beside it a make_samples.py with SAMPLES = "
    )
    assert re.search(
        r"NONE \(plain\): 5,[0-9]+\.[0-9] GB; servers write",
        ok("review tickets --only size --records-a-day 1e9 --keep 90d"),
    )
    (folder / "make_samples.py").write_text(GENERATOR, encoding="utf-8")
    shown = ok(SIMULATE)
    assert f"tickets: even: the busiest of 2 servers takes {4 / 7:.0%} of the writes" in shown  # four of 7 customers


@pytest.mark.usefixtures("package")
def test_a_few_samples_are_simulated_too_and_the_output_says_how_wrong_they_may_be(ok, folder):
    lines = (f"c-{number % 7},2026-01-12T08:{number % 60:02}:00Z,t-{number},wet" for number in range(140))
    (folder / "tickets.csv").write_text("\n".join(["customer,time_ms,ticket_id,title", *lines]), encoding="utf-8")
    shown = " ".join(ok(SIMULATE).split())
    assert "140 records as in the samples, in the same time; as these are few, shares may be wrong by up to 11" in shown
    assert re.search("tickets: even: the busiest of 2 servers takes 5[0-9]% of the writes", shown)
    shown = " ".join(ok("review tickets --only size --records-a-day 1e6").split())
    assert "tickets NONE 365,000,000 " in shown


@pytest.mark.usefixtures("package")
def test_one_that_cannot_be_imported_fails_in_one_line(rowbook):
    code, out, err = rowbook("ask broken")
    assert (code, out, err.count("\n")) == (1, "", 1)
