"""Designs of one's own, which the options, the environment or an installed package name as `MODULE:NAME`.

`--design tickets.design:DESIGN` and the variable ROWBOOK_DESIGN, with blanks between several, import them at once, also
from the current folder. A package names its designs as entry points of the group `rowbook.designs`; these are imported
when a command names one. A design of one's own hides one of the suite that has its name.

This module imports others when it has to, because `rowbook list` asks it whether there are such designs.
"""

import os
import re
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...designs import Design

OPTION, VARIABLE, GROUP = "--design", "ROWBOOK_DESIGN", "rowbook.designs"
NAMEABLE = re.compile(r"\w[\w.-]*")
"""A name that a command line can hold: without `:`, which precedes a variant."""

_given: list[str] = []


def give(places: Iterable[str] = ()) -> None:
    """Sets what `--design` names in this command line."""
    _given[:] = places


def given_words() -> list[str]:
    """The words that name the same designs in another command line."""
    return [word for place in _given for word in (OPTION, place)]


def own_names() -> list[str]:
    """The names of all designs of one's own, those that are named first."""
    return list(dict.fromkeys([*_named(), *_entry_points()]))


def own_design(name: str) -> "Design | None":
    """The design of one's own that has this name. Raises CommandFailed if it cannot be imported.

    WrongUsage if the option or the variable names what is not a design.
    """
    if (design := _named().get(name)) is not None:
        return design
    place = _entry_points().get(name)
    if place is None:
        return None
    from ..screen.wrong_usage import CommandFailed, WrongUsage

    source = f"entry point {name} of {GROUP}"
    try:
        design = _design_at(source, place)
    except WrongUsage as error:  # by the package, not by the command line
        raise CommandFailed(str(error)) from None
    if design.name != name:
        raise CommandFailed(f"{source}: must have the name of its design (got {design.name})")
    return design


def why_unusable(name: str) -> str:
    """Why the design of one's own with this name cannot be imported; empty if it can."""
    from ..screen.wrong_usage import CommandFailed

    try:
        own_design(name)
    except CommandFailed as error:
        return str(error)
    return ""


def _named() -> dict[str, "Design"]:
    """The designs that the option and the variable name, by name."""
    sources = [(OPTION, place) for place in _given]
    sources += [(VARIABLE, place) for place in os.environ.get(VARIABLE, "").split()]
    designs: dict[str, Design] = {}
    for source, place in dict.fromkeys(sources):
        design = _design_at(source, place)
        if designs.setdefault(design.name, design) is not design:
            from ..screen.wrong_usage import WrongUsage

            raise WrongUsage(f"{source}: {place} has the name of another design, {design.name}")
    return designs


def _entry_points() -> dict[str, str]:
    """The places of the designs that installed packages have, by name.

    importlib.metadata, whose import takes longer than `rowbook list`, is left alone unless a package has some.
    """
    files = (file for folder in sys.path for file in Path(folder).glob("*.*-info/entry_points.txt"))
    if not any(GROUP in file.read_text(encoding="utf-8", errors="replace") for file in files):
        return {}
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=GROUP)}


def _design_at(source: str, place: str) -> "Design":
    from ...designs import Design
    from ...keys.errors import shown
    from ..screen.wrong_usage import CommandFailed, WrongUsage

    module_name, colon, name = place.partition(":")
    wanted = f"{source}: must be MODULE:NAME, such as tickets.design:DESIGN (got {shown(place)})"
    if not colon or not all(map(str.isidentifier, [*module_name.split("."), name])):
        raise WrongUsage(wanted)
    if (folder := os.getcwd()) not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = import_module(module_name)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}."):
            raise WrongUsage(f"{wanted}: {error}") from None
        raise CommandFailed(f"{source}: cannot import {module_name}: {_reason(error)}") from None
    if not hasattr(module, name):
        raise WrongUsage(f"{wanted}: {module_name} has no {name}")
    design: Any = getattr(module, name)
    if not isinstance(design, Design):
        kind = str(design.__class__.__name__)
        whose = f" of {design.__class__.__module__}" if kind == Design.__name__ else ""
        raise WrongUsage(f"{source}: {place} must be a Design of {Design.__module__} (got {kind}{whose})")
    if not NAMEABLE.fullmatch(design.name):
        raise WrongUsage(f"{source}: the name of {place} must be a word without a colon (got {shown(design.name)})")
    return design


def _reason(error: BaseException) -> str:
    """The error in one line; before it the last line of the user's code, if that was reached."""
    importing = ("<frozen importlib", import_module.__code__.co_filename, __file__)
    steps = [step for step in extract_tb(error.__traceback__) if not step.filename.startswith(importing)]
    place = f"{steps[-1].filename}:{steps[-1].lineno}: " if steps else ""
    return f"{place}{type(error).__name__}: {(str(error).splitlines() or ['no reason given'])[0]}"
