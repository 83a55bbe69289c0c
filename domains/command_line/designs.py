"""The designs by name; each is imported when a command asks for it. A new design is one name in `NAMES`."""

from collections.abc import Sequence
from importlib import import_module

from shared.designs import Design, Variant
from shared.keys.errors import shown

from .usage import WrongUsage, check_name

NAMES = (
    "orders",
    "logs",
    "monitoring",
    "counters",
    "messages",
    "feeds",
    "tsdb",
    "activity",
    "profiles",
    "changes",
    "catalog",
    "documents",
)
"""All designs of the suite, in the order in which commands show them."""


def design_named(name: str) -> Design:
    """The design of one of these names."""
    design: Design = import_module(f"..{name}.design", __package__).DESIGN
    return design


def all_designs() -> tuple[Design, ...]:
    """All designs, in the order in which commands show them."""
    return tuple(map(design_named, NAMES))


def full_name(design: Design, variant: Variant) -> str:
    """The name of a variant on the command line: `logs:salted`, or `logs` for the design itself."""
    return design.name if variant is design.main else f"{design.name}:{variant.name}"


def find_variants(name: str) -> tuple[Design, tuple[Variant, ...]]:
    """The design of that name with all its variants, or with one of them if the name is `logs:salted`.

    `logs:logs` is the design itself without its variants.
    """
    design_name, colon, variant_name = name.partition(":")
    design = design_named(check_name("design", design_name, NAMES))
    if not colon:
        return design, design.variants
    variants = {variant.name: variant for variant in design.variants}
    if variant_name not in variants:
        names = ", ".join(variant.name for variant in design.variants[1:])
        advice = f"one of {names}; {design.name} is the design itself"
        raise WrongUsage(f"unknown variant of {design.name} {shown(variant_name)}: {advice}")
    return design, (variants[variant_name],)


def group_by_design(names: Sequence[str]) -> list[tuple[Design, tuple[Variant, ...]]]:
    """The named designs, each once, with the variants that are named; all designs without a name."""
    by_design: dict[str, tuple[Design, set[str]]] = {}
    for name in names or NAMES:
        design, variants = find_variants(name)
        by_design.setdefault(design.name, (design, set()))[1].update(variant.name for variant in variants)
    return [
        (design, tuple(variant for variant in design.variants if variant.name in variant_names))
        for design, variant_names in by_design.values()
    ]
