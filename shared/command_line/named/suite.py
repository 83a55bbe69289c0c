"""The suite of designs that the command line shows: who starts it hands it over."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console


class Suite(NamedTuple):
    """Designs by name, and what the command line knows of them before it imports one."""

    package: str
    """The package in which each design has a package of its name: `domains`, or `rowbook.domains` in the wheel."""
    folder: Path
    """The folder of that package."""
    names: tuple[str, ...]
    """The names of the designs, in the order in which commands show them."""
    extras: Mapping[str, tuple[str, ...]]
    """The designs that need an extra of their name besides `cli`, and its packages."""
    smallest: str
    """The design of which `rowbook new` makes a package if none is named."""
    notes: Mapping[str, str]
    """What `rowbook new` says of a design that somebody takes."""
    demo: "Callable[[Console], None]"
    """Writes the screen of `rowbook demo`."""

    @property
    def listing(self) -> Path:
        """What `rowbook list` shows, as JSON."""
        return self.folder / "listing.json"


_given: list[Suite] = []


def give(suite: Suite) -> None:
    """Hands over the suite that this process shows."""
    _given[:] = [suite]


def suite() -> Suite:
    """The suite that this process shows."""
    (given,) = _given
    return given
