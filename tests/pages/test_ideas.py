"""Every idea of the documents has an entry, a place that shows it, a test, and a defect that this test must notice."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.programs.mutants.planting import read_mutants
from tests.programs.pages.ideas import DESIGNS, DOCUMENTS, FILE, MissingIdea, read_ideas
from tests.programs.quotes import RECORDED, digest, is_in, quotes, recorded_of
from tests.readmes import ROOT

IDEAS = read_ideas()
SOURCES = ROOT.parent / "shared" / "seeds"
"""The documents themselves, which are not part of this repository."""


@cache
def section_of(page: Path, anchor: str) -> str:
    """The section of a page below the heading with this anchor; a whole file without one."""
    text = page.read_text(encoding="utf-8")
    if not anchor:
        return text
    without_comments = re.sub(
        r"^```.*?^```", lambda code: code[0].replace("\n# ", "\n"), text, flags=re.DOTALL | re.MULTILINE
    )
    parts = re.split(r"^(#+ .*)$", without_comments, flags=re.MULTILINE)
    for heading, section in zip(parts[1::2], parts[2::2], strict=True):
        if re.sub(r"[^\w\- ]", "", heading.lstrip("# ")).lower().replace(" ", "-") == anchor:
            return section
    return ""


def test_the_place_of_every_idea_shows_it():
    def is_shown(idea):
        page, _, anchor = idea.shown.partition("#")
        return " ".join(idea.look_for.split()) in " ".join(section_of(ROOT / "domains" / page, anchor).split())

    assert [f"{idea.mutant}: {idea.shown}" for idea in IDEAS if not is_shown(idea)] == []


def test_the_file_of_the_test_of_every_idea_defines_it():
    """But for tests that a class inherits."""
    named = [idea.test.partition("[")[0].partition("::") for idea in IDEAS]
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file, _, _name in named}
    assert [name for file, _, name in named if "::" not in name and f"def {name}(" not in texts[file]] == []


@pytest.mark.long
def test_the_test_of_every_idea_exists():
    files = sorted({idea.test.partition("::")[0] for idea in IDEAS})
    options = ("--collect-only", "-q", "-p", "no:cacheprovider", "-n", "0", "-m", "")  # also those that take long
    command = [sys.executable, "-m", "pytest", *options, *files]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    collected = {*printed, *(line.partition("[")[0] for line in printed)}
    assert [idea.test for idea in IDEAS if idea.test not in collected] == []


def test_every_idea_has_a_defect_in_the_product_that_its_test_alone_must_notice():
    mutants = {mutant.name: mutant for mutant in read_mutants()}
    assert [idea.mutant for idea in IDEAS if idea.mutant not in mutants] == []
    for idea in IDEAS:
        mutant = mutants[idea.mutant]
        assert mutant.tests == (idea.test,), idea.mutant
        assert mutant.file.startswith(("shared/", "domains/", "tests/programs/pages/")), idea.mutant


def test_every_quote_is_one_that_was_found_in_its_document():
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert recorded.keys() == DOCUMENTS.keys()
    found = [(name, quote) for name, quote in quotes() if digest(quote) in recorded[name]["quotes"]]
    assert [quote for quote in quotes() if quote not in found] == []
    assert sum(len(of["quotes"]) for of in recorded.values()) == len({(name, digest(quote)) for name, quote in found})


def test_a_quote_is_found_word_for_word_with_any_white_space_and_its_pieces_in_order():
    text = "The row key\n  is short.\nIt sorts\tas bytes."
    assert is_in(text, "row key is short. [...] as bytes")
    for quote in ("Row key", "rowkey", "is  short,", "as bytes [...] row key", "key is [...] key"):
        assert not is_in(text, quote), quote
    assert digest("a  b\n") == digest("a b") != digest("ab")


def test_every_design_of_the_documents_has_its_id():
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert {name: of["designs"] for name, of in recorded.items()} == DESIGNS


@pytest.mark.skipif(not SOURCES.exists(), reason="the documents are not beside this repository")
def test_the_recording_is_that_of_the_documents():
    assert json.loads(RECORDED.read_text(encoding="utf-8")) == recorded_of(SOURCES)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('[["S0.2"]]', "ideas.toml: S0.2 must have an entry"),
        ("right = ", "S0.1: must be right or wrong, and of one document"),
        ("defect = ", "S0.1: "),
    ],
)
def test_an_idea_without_an_entry_a_verdict_or_a_defect_is_refused(wrong, message, tmp_path):
    text = FILE.read_text(encoding="utf-8")
    replaced = {'[["S0.2"]]': '[["S9.1"]]', "right = ": "english = ", "defect = ": "# "}[wrong]
    broken = tmp_path / FILE.name
    broken.write_text(text.replace(wrong, replaced, 1), encoding="utf-8")
    with pytest.raises(MissingIdea, match=re.escape(message)):
        read_ideas(broken)
