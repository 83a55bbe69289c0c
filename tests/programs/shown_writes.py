"""The writes whose steps the pages show: what the crash tests of a design know of them, as a table and as a picture."""

from collections.abc import Callable

from shared.exhibit.pictures import Picture, Rung, ladder_picture
from tests.domains.by_design import by_design
from tests.engines import Engine
from tests.programs.write_steps import Steps

STEPS: dict[str, Callable[[Engine], Steps]] = by_design("shown_steps", "steps")
"""The designs whose pages show the steps of their writes."""
WITH_LADDER = {"feeds"}
"""The designs whose page draws them, too: after most of these calls, readers disagree."""


def ladder(steps: Steps) -> Picture:
    """The picture of the write with the most calls."""
    write = steps.longest
    rungs = [Rung(step.call, step.decides, step.seen) for step in steps.of(write)]
    return ladder_picture(write.name, steps.columns, rungs, is_recovered=write.is_recovered)
