"""The share of the busiest range of a variant: one figure, of one sample, wherever a person reads it."""

import json
import re
from xml.etree import ElementTree

import pytest

from domains import demo
from shared.exhibit.heat_recording import ROWS, measured_heat, recorded_heat
from shared.exhibit.heat_tables import that_matter
from shared.exhibit.shown_design import contrast_of
from tests.copies import ROOT
from tests.designs import all_designs, design_named
from tests.few_designs import few_of

WITH_PICTURE = [design for design in all_designs() if not design.in_one_file]
few_designs = pytest.mark.parametrize("design", few_of(all_designs(), lambda design: design.name))


def block(page, name):
    """A generated block of a page, on one line."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return text.partition(f"<!-- generated: {name} -->")[2].partition("<!-- end -->")[0]


def busiest(shown):
    """The shares that the screen of `rowbook demo` shows, by variant, and the text below them."""
    shares, below = re.search(r"new rows in the busiest of 8 ranges(.*)\n(.*)", shown).groups()
    return dict(zip(demo.COMPARED, re.findall(r"\d+%", shares), strict=True)), below


def shares_of(design):
    recording = recorded_heat(design)
    return {variant.name: f"{recording.busiest(variant.name).heat.share:.0%}" for variant in design.variants}


@pytest.mark.long
def test_the_demo_shows_the_recorded_shares_and_of_what(ok):
    logs = design_named("logs")
    shares, below = busiest(ok("demo"))
    assert shares == {name: shares_of(logs)[name] for name in demo.COMPARED}
    assert recorded_heat(logs).sample in below


def test_the_first_page_shows_the_recorded_shares_and_of_what():
    logs = design_named("logs")
    shown = block("README.md", "hero-picture")
    picture = text_of(ROOT / "domains" / "pictures" / "hero.svg")
    assert recorded_heat(logs).sample in shown
    assert recorded_heat(logs).sample in picture
    for name in contrast_of(logs):
        assert shares_of(logs)[name] in picture


def text_of(picture):
    """The words of a picture."""
    return " ".join(" ".join(ElementTree.parse(picture).getroot().itertext()).split())


@few_designs
def test_run_shows_the_recorded_shares_and_of_what(ok, few_samples, design):
    recording, shares = recorded_heat(design), shares_of(design)
    shown = ok(f"run {design.name}")
    columns = shown[shown.index("storing one record") :]
    for variant in design.variants:
        if variant.is_to_copy:
            busiest = recording.busiest(variant.name)
            hot = "hot " if "hot spot" in busiest.verdict else ""
            in_table = rf"  {busiest.table}\b" if len(variant.record_tables) > 1 else ""
            line = rf"\n{re.escape(variant.marked_name)} .*  {hot}{shares[variant.name]}{in_table}\s"
            assert re.search(line, columns)
    assert f"of {recording.sample}." in " ".join(columns.split())
    (measured,) = json.loads(ok(f"run {design.name} --json"))["designs"]
    for variant in measured["variants"]:
        heats = recording.of(variant["name"])
        assert variant["busiest_shares"] == {heat.table: heat.heat.share for heat in heats}
        assert variant["busiest_of"] == recording.sample


@few_designs
def test_heat_shows_the_recorded_shares_and_of_what(ok, design):
    recording = recorded_heat(design)
    shown = json.loads(ok(f"review {design.name} --only heat --json"))
    assert (shown["records"], shown["sample"]) == (recording.records, recording.sample)
    for variant in shown["variants"]:
        assert [(table["table"], table["shares"]) for table in variant["tables"]] == [
            (heat.table, [*heat.heat.shares]) for heat in recording.of(variant["name"])
        ]
    assert ok(f"review {design.name} --only heat").startswith(f"{recording.sample}, stored")


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_a_page_shows_the_recorded_shares_of_all_tables_and_of_what(design):
    recording = recorded_heat(design)
    shown = block(f"domains/{design.name}/{'README' if design.in_one_file else 'REFERENCE'}.md", "heat")
    assert recording.sample in " ".join(shown.split())
    lines = [" ".join(line.split()) for line in shown.split("\n- ")]
    for table in that_matter(recording.tables):
        verdict = table.verdict.replace(": ", ", ")
        assert any(f"`{table.table}`" in line and verdict in line for line in lines), table


@pytest.mark.parametrize("design", WITH_PICTURE, ids=lambda design: design.name)
def test_a_picture_shows_the_recorded_shares_and_the_sentence_below_it_of_what(design):
    recording = recorded_heat(design)
    text = text_of(ROOT / "domains" / design.name / "shown" / "pictures" / "heat.svg")
    for name in contrast_of(design) or [design.name]:
        assert f"{recording.busiest(name).heat.share:.0%}" in text
    assert recording.sample in " ".join(block(f"domains/{design.name}/README.md", "heat-picture").split())


@pytest.mark.long
def test_measuring_now_gives_what_is_recorded():
    """The recording of a design whose records are stored in seconds."""
    links = design_named("links")
    recording, measured = recorded_heat(links), measured_heat(links, links.variants, ROWS)
    assert (measured.records, measured.sample) == (recording.records, recording.sample)
    assert [(table.table, table.heat) for table in measured.tables] == [
        (table.table, table.heat) for table in recording.tables
    ]
