"""Drops from a package what nothing needs: statements, imports, and modules."""

import json
from collections.abc import Iterable
from typing import TypeAlias

import libcst as cst

from .formatting import laid_out
from .modules import Module, Package, Unit, order, uses

Place: TypeAlias = tuple[str, str]
"""A module, and a name in it."""


def prune(package: Package, roots: Iterable[Place], whole: Iterable[str] = ()) -> None:
    """Keeps these names, the modules `whole`, and what they need."""
    kept, needed_modules = _reached(package, [*roots], {*whole})
    for name, module in [*package.items()]:
        if name not in needed_modules:
            del package[name]
            continue
        module.units = [
            unit for unit in module.units if not unit.names or any((name, own) in kept for own in unit.names)
        ]
        drop_unused_imports(package, module)


def _reached(package: Package, waiting: list[Place], whole: set[str]) -> tuple[set[Place], set[str]]:
    reached = set[Place]()
    modules = set[str]()

    def enter(name: str) -> None:
        """A module that is needed needs what its statements without names use."""
        if name not in modules:
            modules.add(name)
            for unit in package[name].units:
                if name in whole or not unit.names:
                    waiting.extend(needs(package, name, unit))
                    waiting.extend((name, own) for own in unit.names)

    for name in whole:
        enter(name)
    while waiting:
        place = waiting.pop()
        name, own = place
        if place in reached or name not in package:
            continue
        reached.add(place)
        enter(name)
        module = package[name]
        if own in module.defined():
            waiting.extend(needs(package, name, module.unit(own)))
        else:
            waiting.extend(origin_of(package, module, own))
    return reached, modules


def needs(package: Package, name: str, unit: Unit) -> list[Place]:
    """What a statement uses, in its own module and in others."""
    module = package[name]
    names, attributes = uses(*unit.statements)
    found = [(name, used) for used in names if used in module.defined()]
    for used in names - module.defined():
        found += origin_of(package, module, used)
    for used, attribute in attributes:
        of_module = module.imports.names.get(used)
        if of_module and of_module[0].startswith("."):
            inner = _within(*of_module)
            found += [(inner, attribute)] if inner in package else []
    return found


def origin_of(package: Package, module: Module, used: str) -> list[Place]:
    """Where a name comes from that a module imports from the package; of a module, its tables."""
    for imports in (module.imports, module.typing):
        origin, name = imports.names.get(used, ("", ""))
        if origin.startswith("."):
            inner = _within(origin, name)
            return [(inner, "TABLES"), (inner, "Repository")] if inner in package else [(origin[1:], name)]
    return []


def _within(origin: str, name: str) -> str:
    return f"{origin[1:]}.{name}".strip(".")


def drop_unused_imports(package: Package, module: Module) -> None:
    """Drops imports that no statement uses, and those of names that are gone."""
    used, _ = uses(*(statement for unit in module.units for statement in unit.statements))
    if "__all__" in module.defined():
        return
    for imports in (module.imports, module.typing):
        imports.keep(used)
    for local in [*module.typing.names]:
        if local in module.imports.names:
            del module.typing.names[local]


def keep_what_is_there(front: Module, package: Package) -> None:
    """Drops from the public names of a package those whose module is left out or no longer has them."""
    for local, (origin, name) in [*front.imports.names.items()]:
        module = package.get(origin[1:])
        if origin.startswith(".") and (module is None or name not in module.defined()):
            del front.imports.names[local]
    front.unit("__all__").statements = [cst.parse_module(_all(sorted(front.imports.names, key=order))).body[0]]


def _all(names: list[str]) -> str:
    value = cst.parse_expression(f"[{', '.join(map(json.dumps, names))}]")
    return f"__all__ = {laid_out(value, before=len('__all__ = '))}"
