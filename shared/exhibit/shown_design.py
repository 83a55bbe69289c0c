"""A design with what only the suite shows of it: published keys and mistakes, and measurements for its pages."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from ..designs import Design

if TYPE_CHECKING:
    from .crossing import Crossing
    from .published_keys import PublishedColumn, PublishedKey
    from .traps import Trap

T = TypeVar("T")


@attrs.frozen
class ShownDesign(Design):
    """A design as the suite shows it. Made by `ShownDesign.of(DESIGN, __package__, variants=...)`.

    Two modules of that package are imported when they are asked for: `published`, with `TRAPS`, `PUBLISHED` and maybe
    `COLUMNS`, and `measured`, which may have `crossing`, `CONTRAST` and `own_blocks`.
    """

    shown_in: str = ""
    """The package of the two modules."""

    @classmethod
    def of(cls, design: Design, shown_in: str | None, **shown: Any) -> "ShownDesign":
        """A design with its variants and all else that is shown of it; names are those of the attributes."""
        return cls(**attrs.asdict(design, recurse=False) | shown, shown_in=str(shown_in))

    @property
    def traps(self) -> "tuple[Trap, ...]":
        """Published mistakes that this design meets, each run next to the right way."""
        return self._shown("published", "TRAPS", ())

    @property
    def published(self) -> "tuple[PublishedKey, ...]":
        """Published keys, byte for byte, each with the design's own key."""
        return self._shown("published", "PUBLISHED", ())

    @property
    def published_columns(self) -> "tuple[PublishedColumn, ...]":
        """Published columns, byte for byte, each with the design's own column."""
        return self._shown("published", "COLUMNS", ())

    @property
    def crossing(self) -> "Callable[[Design], Crossing] | None":
        """Measures where two ways to store the records cross, if the design compares some."""
        return self._shown("measured", "crossing", None)

    @property
    def contrast(self) -> tuple[str, ...]:
        """The variants whose maps of new rows are shown side by side; empty if that of the design itself says it."""
        return self._shown("measured", "CONTRAST", ())

    @property
    def own_blocks(self) -> Callable[[Design], Mapping[str, str]] | None:
        """Makes the generated blocks that only its README has, by name."""
        return self._shown("measured", "own_blocks", None)

    def _shown(self, module: str, name: str, otherwise: T) -> T:
        place = f"{self.shown_in}.{module}"
        shown: T = otherwise if find_spec(place) is None else getattr(import_module(place), name, otherwise)
        return shown


def traps_of(design: Design) -> "tuple[Trap, ...]":
    """The published mistakes that a design meets; a design of one's own has none."""
    return design.traps if isinstance(design, ShownDesign) else ()


def contrast_of(design: Design) -> tuple[str, ...]:
    """The variants whose maps of new rows are shown side by side; a design of one's own has none."""
    return design.contrast if isinstance(design, ShownDesign) else ()
