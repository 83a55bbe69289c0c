"""Published mistakes as code: the wrong way and the right way, run on the same rows."""

from collections.abc import Callable

import attrs


@attrs.frozen
class Outcome:
    """What came of a trap, in words and numbers that were counted."""

    wanted: str
    wrong: str
    right: str


@attrs.frozen
class Trap:
    """A mistake that is published."""

    name: str
    published: str
    """As what it is found."""
    run: Callable[[], Outcome]
    """Both ways on an embedded store."""


TRAP_COLUMNS = ("trap", "published as", "asked for", "what it gives", "the right way gives")


def trap_row(trap: Trap) -> tuple[str, ...]:
    """One line of text, under `TRAP_COLUMNS`."""
    found = trap.run()
    return (trap.name, trap.published, found.wanted, found.wrong, found.right)
