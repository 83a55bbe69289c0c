"""The rooms of `shared/`: which room may import which, and what a copied design never imports."""

import ast
import json
import subprocess
import sys
from collections.abc import Collection, Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED = ROOT / "shared"

PROTOCOL = ("upkeep", "intents", "sources")
_BELOW_DESIGNS = ("keys", "events", "records", "tables", "queries", "writes", *PROTOCOL, "loading", "stores")

MAY_IMPORT = {
    "shared.keys": set[str](),
    "shared.events": set[str](),
    "shared.records": {"keys"},
    "shared.tables": {"keys", "records"},
    "shared.queries": {"keys", "tables"},
    "shared.writes": {"keys", "tables", "queries", "events"},
    "shared.upkeep": {"keys", "tables", "queries", "writes", "events"},
    "shared.intents": {"keys", "records", "tables", "queries", "writes", "upkeep", "events"},
    "shared.sources": {"keys", "records", "tables", "queries", "writes", "upkeep", "intents"},
    "shared.loading": {"keys", "records"},
    "shared.stores": {"keys", "events"},
    "shared.service": {"keys", "records", "loading", "tables", "queries", "writes", "stores"},
    "shared.designs": {*_BELOW_DESIGNS},
    "shared.exhibit": {*_BELOW_DESIGNS, "designs"},
    "shared.command_line": {*_BELOW_DESIGNS, "designs", "exhibit"},
    "shared.testing": {*_BELOW_DESIGNS, "designs"} - {"events"},
    "shared.command_line.screen": set[str](),
    "shared.command_line.named": {"screen"},
    "shared.command_line.rows": {"screen", "named"},
    "shared.command_line.stored_records": {"screen", "named", "rows"},
    "shared.command_line.files": {"screen", "named", "rows"},
    "shared.command_line.measured": {"screen", "named", "rows", "files"},
    "shared.command_line.operations": {"screen", "named"},
    "shared.command_line.new_package": {"screen", "named"},
    "shared.command_line.commands": {
        "screen",
        "named",
        "rows",
        "stored_records",
        "files",
        "measured",
        "operations",
        "new_package",
    },
    "shared.stores.outcomes": set[str](),
    "shared.stores.thrift1": {"outcomes"},
    "shared.stores.thrift2": {"outcomes", "thrift1"},
    "shared.stores.filters": {"outcomes", "thrift1"},
    "shared.stores.embedded": {"outcomes", "thrift1", "thrift2", "filters"},
    "shared.stores.hbase": {"outcomes", "thrift1", "thrift2", "filters"},
    "shared.stores.server": {"outcomes", "thrift1", "thrift2", "embedded"},
}
"""The rooms beside it that each room may import; `shared.stores` and `shared.command_line` have rooms of their own."""
ROOMS = [
    path.parent
    for path in (
        *SHARED.glob("*/__init__.py"),
        *SHARED.glob("stores/*/__init__.py"),
        *SHARED.glob("command_line/*/__init__.py"),
    )
]
COPIED = ("keys", "records", "tables", "queries", "writes", "upkeep", "intents", "sources", "events")
"""The rooms that a copied design imports."""
LAZY = [*(room for room in COPIED if room != "events"), "loading", "designs", "exhibit"]
"""The rooms that import a name's module when the name is used."""
MODULES = ("__init__", "keys", "records", "repository", "example")
"""The modules of a design that everybody copies."""


@cache
def imports_of(path: Path) -> list[ast.Import | ast.ImportFrom]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def imported_modules(path: Path) -> Iterator[str]:
    """The modules that a file imports, by their full names."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def name_of(room: Path) -> str:
    return ".".join(room.relative_to(ROOT).parts)


def test_a_room_imports_only_the_rooms_that_it_may() -> None:
    assert {name_of(room) for room in ROOMS} == set(MAY_IMPORT)
    for room in ROOMS:
        beside = {other.name: f"{name_of(other)}." for other in ROOMS if other.parent == room.parent and other != room}
        imported = [f"{module}." for path in room.rglob("*.py") for module in imported_modules(path)]
        used = {name for name, start in beside.items() if any(module.startswith(start) for module in imported)}
        assert used <= MAY_IMPORT[name_of(room)], room


def test_no_module_lies_beside_the_rooms_and_every_room_says_what_it_may_import() -> None:
    assert [path.name for path in SHARED.glob("*.py")] == ["__init__.py"]
    assert [path.name for path in (SHARED / "stores").glob("*.py")] == ["__init__.py"]
    for room in ROOMS:
        docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
        assert "May import" in docstring, room


def test_imports_form_no_circle_those_for_types_included() -> None:
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for folder in (SHARED, ROOT / "domains")
        for path in folder.rglob("*.py")
    }
    imports = {name: set(imported_modules(path)) & names.keys() - {name} for name, path in names.items()}
    for name, path in names.items():
        if path.name == "__init__.py":  # a room imports its modules, which may import each other
            imports[name] -= {"shared"}  # whose function imports them when they are used
            continue
        imports[name] = {module for module in imports[name] if names[module].name != "__init__.py"}
    assert "shared.keys.reference" in imports["shared.keys.layout"]
    TopologicalSorter(imports).prepare()  # raises CycleError


def lists_of(package: Path) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The names that a package exports, by module: those for type checkers, and those for `lazy_names`."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    typed: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            assert all(alias.name == alias.asname for alias in node.names), "without it, a type checker hides the name"
            typed.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
    (call,) = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy_names"]
    lazy = {keyword.arg or "": {*ast.literal_eval(keyword.value).split()} for keyword in call.keywords}
    return typed, lazy


@pytest.mark.parametrize("package", [SHARED, *(SHARED / room for room in LAZY)], ids=lambda path: path.name)
def test_a_name_of_a_lazy_package_is_imported_when_it_is_used(package: Path) -> None:
    typed, lazy = lists_of(package)
    assert lazy == typed
    module = import_module(name_of(package))
    assert module.__all__ == sorted(name for names in lazy.values() for name in names)
    assert {*module.__all__} <= {*dir(module)}
    assert {*module.__all__} & {path.stem for path in package.iterdir()} == set(), "Python finds the module"
    for name in module.__all__:
        getattr(module, name)
    with pytest.raises(AttributeError, match=f"module '{name_of(package)}' has no attribute 'no_name'"):
        module.no_name  # noqa: B018


def test_no_design_imports_what_tests_it() -> None:
    importers = [
        path
        for path in (ROOT / "domains").rglob("*.py")
        if path.name != "demo.py"  # which stops a writer
        and any("testing" in module for module in imported_modules(path))
    ]
    assert importers == []


def imported_by(*modules: str) -> list[str]:
    """The modules that a new process imports for some modules, without what their names import when they are used."""
    code = f"import json, sys, {', '.join(modules)}; print(json.dumps(sorted(sys.modules)))"
    names: list[str] = json.loads(subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True))
    assert {*modules} <= {*names}
    return names


def within(modules: list[str], unwanted: Collection[str]) -> list[str]:
    """The modules that are one of these, or in one of them."""
    return [module for module in modules if f"{module}.".startswith(tuple(f"{name}." for name in unwanted))]


LIBRARIES = ("rich", "typer", "cattrs", "sqlite3", "pytest")
SHOW = (*LIBRARIES, "shared.stores", "shared.loading", "shared.designs", "shared.exhibit", "shared.testing")


def test_what_a_copied_design_imports_brings_no_store_and_no_library_of_the_show() -> None:
    modules = [
        f"shared.{path.parent.name}.{path.stem}" for room in COPIED for path in (SHARED / room).glob("[a-z]*.py")
    ]
    assert within(imported_by(*modules), SHOW) == []


def test_a_table_alone_imports_no_protocol_and_a_source_no_upkeep_of_it() -> None:
    protocol = ("shared.intents", "shared.upkeep", "shared.sources.source", "shared.tables.item_cells")
    assert within(imported_by("domains.logs.repository"), (*SHOW, *protocol)) == []
    modules = imported_by("domains.orders.repository")
    assert "shared.intents.writer" in modules
    assert within(modules, (*SHOW, "shared.intents.verifying", "shared.intents.erasing")) == []


def test_a_design_imports_only_what_a_room_makes_public() -> None:
    """Its keys, records and repository do: a room may move and rename everything else.

    What verifies and repairs, variants, and `tsdb`, which is a published format, also import from modules of rooms.
    """
    for path in (ROOT / "domains").glob("*/*.py"):
        is_in_one_file = not path.with_name("keys.py").exists()
        if path.parent.name == "tsdb" or not (is_in_one_file or path.stem in MODULES):
            continue
        for node in imports_of(path):
            if isinstance(node, ast.Import):
                assert not [alias.name for alias in node.names if "shared" in alias.name], path
            elif node.level == 0 and node.module and node.module.startswith("shared"):
                public = getattr(import_module(node.module), "__all__", ())
                assert [alias.name for alias in node.names if alias.name not in public] == [], path
