"""A design with what only the suite shows of it: published keys and mistakes, and measurements for its pages."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from ..designs import Design
from .crossing import Crossing
from .published import PublishedColumn, PublishedKey
from .traps import Trap


@attrs.frozen
class ShownDesign(Design):
    """A design as the suite shows it. Made by `ShownDesign.of(DESIGN, variants=..., traps=...)`."""

    traps: tuple[Trap, ...] = ()
    """Published mistakes that this design meets, each run next to the right way."""
    published: tuple[PublishedKey, ...] = ()
    """Published keys, byte for byte, each with the design's own key."""
    published_columns: tuple[PublishedColumn, ...] = ()
    """Published columns, byte for byte, each with the design's own column."""
    crossing: Callable[[Design], Crossing] | None = None
    """Measures where two ways to store the records cross, if the design compares some."""
    own_blocks: Callable[[Design], Mapping[str, str]] | None = None
    """Makes the generated blocks that only its README has, by name."""

    @classmethod
    def of(cls, design: Design, **shown: Any) -> "ShownDesign":
        """A design with its variants and all else that is shown of it; names are those of the attributes."""
        own: dict[str, Any] = {field.name: getattr(design, field.name) for field in attrs.fields(Design)}
        return cls(**{**own, **shown})


def traps_of(design: Design) -> tuple[Trap, ...]:
    """The published mistakes that a design meets; a design of one's own has none."""
    return design.traps if isinstance(design, ShownDesign) else ()
