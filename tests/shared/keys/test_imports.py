"""Imports inside `shared/keys/` form no circle, those under TYPE_CHECKING included."""

import ast
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import shared.keys

PACKAGE = "shared.keys"
MODULES = {
    PACKAGE if path.stem == "__init__" else f"{PACKAGE}.{path.stem}": ast.parse(path.read_text(encoding="utf-8"))
    for path in Path(shared.keys.__path__[0]).glob("*.py")
}


def imported(tree: ast.Module) -> set[str]:
    """The modules of the package that a module imports anywhere in its code."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), PACKAGE)
            names |= {f"{module}.{alias.name}" for alias in node.names} & MODULES.keys() or {module}
    return names & MODULES.keys()


def test_imports_form_no_circle() -> None:
    imports = {name: imported(tree) for name, tree in MODULES.items()}
    assert {f"{PACKAGE}.compiled", f"{PACKAGE}.questions", f"{PACKAGE}.reference"} <= imports[f"{PACKAGE}.layout"]
    TopologicalSorter(imports).prepare()  # raises CycleError
