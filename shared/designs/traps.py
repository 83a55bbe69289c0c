"""Published mistakes as code: the wrong way and the right way, run on the same rows."""

from collections.abc import Callable

import attrs


@attrs.frozen
class Outcome:
    """What both ways of a trap returned, in words and numbers that were counted."""

    task: str
    """What both ways had to do."""
    wrong: str
    """What the wrong way returned or stored."""
    right: str
    """What the right way returned or stored."""


@attrs.frozen
class Trap:
    """A mistake that is published."""

    name: str
    published_as: str
    """The key or the code, as its source has it."""
    run: Callable[[], Outcome]
    """Runs both ways on an embedded store."""


TRAP_COLUMNS = ("trap", "published as", "asked for", "what it gives", "the right way gives")


def trap_row(trap: Trap) -> tuple[str, ...]:
    """A trap and its outcome as one row of text, under `TRAP_COLUMNS`."""
    outcome = trap.run()
    return (trap.name, trap.published_as, outcome.task, outcome.wrong, outcome.right)
