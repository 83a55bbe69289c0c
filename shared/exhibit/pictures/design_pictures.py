"""All pictures of a design, from its samples loaded into an empty store."""

from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from ...designs.scratch import scratch_store
from ..comparison import VariantCosts, measure_variant
from ..shown_design import ShownDesign
from .crossing_picture import crossing_picture
from .drawing import Picture
from .growth_picture import growth_picture
from .heat_picture import heat_picture
from .key_picture import key_picture
from .ribbon_picture import ribbon_picture
from .tables_picture import tables_picture

if TYPE_CHECKING:
    import happybase

MAX_BYTES = 20_000
"""The most bytes of a picture."""


def pictures(design: ShownDesign) -> Mapping[str, Picture]:
    """The pictures of a design by name; the same samples give the same bytes."""
    with closing(scratch_store(design.main.tables)) as connection:
        return pictures_of(design, measure_variant(connection, design, design.main), connection)


def pictures_of(design: ShownDesign, costs: VariantCosts, connection: "happybase.Connection") -> Mapping[str, Picture]:
    """The pictures of a design whose samples a store holds, with what its questions cost there."""
    drawn = {
        "tables": tables_picture(design, costs, connection),
        "key": key_picture(design, connection),
        "heat": heat_picture(design),
        "growth": growth_picture(design),
        "crossing": None if design.crossing is None else crossing_picture(design.crossing(design)),
        "ribbon": ribbon_picture(design, costs, connection),
    }
    return {name: picture for name, picture in drawn.items() if picture is not None}
