"""Published mistakes come out on every engine as the design's reference says."""

from contextlib import ExitStack

import pytest

from shared.exhibit.markdown import quoted
from shared.exhibit.shown_design import traps_of
from tests.copies import ROOT
from tests.designs import all_designs

TRAPS = [
    pytest.param(design, trap, id=f"{design.name}: {trap.name}")
    for design in all_designs()
    for trap in traps_of(design)
]

COMPACTING = ("a delete dated by position",)
"""Traps that compact a table, for which Thrift has no call."""


@pytest.mark.parametrize(("design", "trap"), TRAPS)
def test_a_trap_gives_what_the_reference_says(engine, design, trap, monkeypatch):
    if trap.name in COMPACTING and not engine.compacts:
        pytest.skip("Thrift has no call that compacts")
    with ExitStack() as stores:
        monkeypatch.setattr("shared.stores.connect", lambda _url: stores.enter_context(engine.store()))
        outcome = trap.run(design)
    reference = (ROOT / "domains" / design.name / "REFERENCE.md").read_text(encoding="utf-8")
    both = f"for {outcome.task}: {outcome.wrong} - right way: {outcome.right}"
    assert in_words(f"- **{trap.name}**: {quoted(trap.published_as)} - {both}") in in_words(reference)


def in_words(text):
    """A text without its line breaks."""
    return f"{' '.join(text.split())} "
