"""The designs by name; each is imported when a command asks for it. `suite` has their names."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from ...designs import Design, Variant
from ...keys.errors import listed
from ..screen.wrong_usage import CommandFailed, WrongUsage, check_name
from .own_designs import own_design, own_names, why_unusable
from .own_settings import OPTION, are_given, given_settings
from .suite import suite


def why_missing(name: str) -> str:
    """Why a design cannot run, if a package that it needs is not installed; otherwise empty."""
    missing = [package for package in suite().extras.get(name, ()) if find_spec(package) is None]
    return f"{name}: needs {listed(missing)}: pip install 'rowbook[{name}]'" if missing else ""


def design_named(name: str) -> Design:
    """The design of one of these names. Raises CommandFailed if a package that it needs is not installed."""
    if why := why_missing(name):
        raise CommandFailed(why)
    place = f"{suite().package}.{name}"
    shown = find_spec(f"{place}.shown") and ".shown"  # a design in one file shows nothing more
    design: Design = import_module(f"{place}{shown or ''}.design").DESIGN
    return design


def installed_names() -> list[str]:
    """The names of the designs whose packages are installed."""
    return [name for name in suite().names if not why_missing(name)]


def all_designs() -> tuple[Design, ...]:
    """All designs of the suite whose packages are installed, in the order in which commands show them."""
    return tuple(map(design_named, installed_names()))


def reasons_to_leave_out() -> list[str]:
    """Why designs that a command without names should show cannot run."""
    return list(filter(None, [*map(why_unusable, own_names()), *map(why_missing, suite().names)]))


def _names_to_show() -> list[str]:
    """The names of the designs that a command without names shows: one's own, then those of the suite."""
    own = [name for name in own_names() if not why_unusable(name)]
    return list(dict.fromkeys([*own, *installed_names()]))


def full_name(design: Design, variant: Variant) -> str:
    """The name of a variant on the command line: `logs:salted`, or `logs` for the design itself."""
    return design.name if variant.name == design.name else f"{design.name}:{variant.name}"


def find_variants(name: str) -> tuple[Design, tuple[Variant, ...]]:
    """The design of that name with all its variants, or with one of them if the name is `logs:salted`.

    `logs:logs` is the design itself without its variants. If the command line gives settings, they are applied to the
    named variant, or else to the design itself, and it is the only one.
    """
    design, variants = _find_variants(name)
    if (given := given_settings(design)) and design.settings is not None:
        variants = (design.settings.applied(variants[0], given, None),)
    return design, variants


def _find_variants(name: str) -> tuple[Design, tuple[Variant, ...]]:
    design_name, colon, variant_name = name.partition(":")
    design = own_design(design_name)
    if design is None:
        design = design_named(check_name("design", design_name, dict.fromkeys([*own_names(), *suite().names])))
    if not colon:
        return design, design.variants
    variants = {variant.name: variant for variant in design.variants}
    return design, (variants[check_name(f"variant of {design.name}", variant_name, variants)],)


def group_by_design(names: Sequence[str]) -> list[tuple[Design, tuple[Variant, ...]]]:
    """The named designs, each once, with the variants that are named; without a name, all that are installed."""
    if are_given():
        raise WrongUsage(f"{OPTION}: leave it out, because this command makes tables of its own")
    by_design: dict[str, tuple[Design, set[str]]] = {}
    for name in names or _names_to_show():
        design, variants = find_variants(name)
        by_design.setdefault(design.name, (design, set()))[1].update(variant.name for variant in variants)
    return [
        (design, tuple(variant for variant in design.variants if variant.name in variant_names))
        for design, variant_names in by_design.values()
    ]
