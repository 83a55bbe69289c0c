"""No stored byte changes: what every variant of every design stores is what it stored when it was recorded."""

from difflib import unified_diff
from operator import attrgetter

import pytest

from tests.few_designs import FEW
from tests.stored_bytes import FOLDER, Recorded, all_recorded, recording

RECORDED = [*all_recorded()]
MAIN = {f"{name}.{name}" for name in (*FEW, "feeds")}
"""Those that are compared at every run; the longer tests compare the others."""


def check(recorded: Recorded) -> None:
    changed = [*unified_diff(recorded.read(), recording(recorded), "recorded", "now", lineterm="")]
    assert not changed, "\n".join([*changed[:60], f"{len(changed)} lines; python -m tests.programs stored_bytes"])


@pytest.mark.store
@pytest.mark.parametrize("recorded", [of for of in RECORDED if of.name in MAIN], ids=attrgetter("name"))
def test_a_design_stores_the_bytes_that_were_recorded(recorded: Recorded) -> None:
    check(recorded)


@pytest.mark.store
@pytest.mark.long
@pytest.mark.parametrize("recorded", [of for of in RECORDED if of.name not in MAIN], ids=attrgetter("name"))
def test_a_variant_stores_the_bytes_that_were_recorded(recorded: Recorded) -> None:
    check(recorded)


def test_every_variant_is_recorded() -> None:
    assert {file.stem for file in FOLDER.glob("*.xz")} == {of.name for of in RECORDED}
