"""The names that a shell completes, and that help texts list."""

from ...designs.arguments import patterns_by_name
from ...loading import FORMATS
from .designs import all_designs, design_named
from .own_designs import own_design
from .suite import suite


def question_names(name: str) -> list[str]:
    """The questions of the design with this name, or with a variant of this name."""
    design_name = name.partition(":")[0]
    if (own := own_design(design_name)) is not None:
        return [*patterns_by_name(own)]
    return [*patterns_by_name(design_named(design_name))] if design_name in suite().names else []


def format_names() -> list[str]:
    """The names of all formats that a design reads."""
    own = [format.name for design in all_designs() for load in design.loads for format in load.formats]
    return list(dict.fromkeys([*(format.name for format in FORMATS), *own]))


def load_names() -> list[str]:
    """The names of all loads of the designs."""
    return list(dict.fromkeys(load.name for design in all_designs() for load in design.loads))
