"""The modules of a package, copied from a design or from one of its variants, with imports that fit the package."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple, TypeAlias

from ...designs import AccessPattern, Design, Exemption, Variant
from ...designs.accepted import Accepted
from ..named.suite import suite
from .parts import reached, spliced, with_methods
from .templates import filled

Size: TypeAlias = Literal["keys", "questions", "all"]

_BESIDE = re.compile(r"^ *from (\.+)([\w.]*) import ([\w, ]*)", re.MULTILINE)
_LIBRARY = re.compile(r"\b(?:shared|rowbook)(?=[./][a-z])")


def repository_class(design: Design) -> type[Any]:
    """The class of a design's repository."""
    of: Any = design.repository
    found: type[Any] = getattr(of, "func", of)
    return found


def copied_modules(design: Design, variant: Variant, refused: Iterable[AccessPattern] = ()) -> dict[str, str]:
    """The modules by name: what `design.py` and the story of the design import of its folder, with both."""
    folder = suite().folder / design.name
    modules = {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in ("__init__", "design")}
    story = folder / "example.py"
    is_main = variant is design.main
    modules["example"] = (
        story.read_text(encoding="utf-8")
        if is_main and story.exists()
        else filled("example.py", {"name": f"{suite().package}.{design.name}"})
    )
    if not is_main:
        modules |= _of_variant(modules, folder, design, variant, [*refused])
    _take_imported(modules, partial(_module, folder))
    modules["design"] = re.sub(r"(?m)^SAMPLES = .*", 'SAMPLES = Path(__file__).parent / "samples"', modules["design"])
    return modules


def _take_imported(modules: dict[str, str], text_of: Callable[[str], str]) -> None:
    """Adds the modules that these, and those added, import from their package, if `text_of` has a text of them."""
    waiting = [*modules]
    while waiting:
        module = waiting.pop()
        for name in _imported_beside(module, modules[module]):
            if name not in modules and (text := text_of(name)):
                modules[name] = text
                waiting.append(name)


def _imported_beside(module: str, text: str) -> Iterator[str]:
    """The modules of its package that a module may import, each as `folder/name`, and the folders that they are in."""
    inside = module.split("/")[:-1]
    for dots, path, names in _BESIDE.findall(text):
        if len(dots) > len(inside) + 1:
            continue
        folder = [*inside[: len(inside) + 1 - len(dots)], *filter(None, path.split("."))]
        yield "/".join(folder)
        yield from ("/".join([*folder, name]) for name in re.findall(r"\w+", names))
        yield from ("/".join([*folder[:depth], "__init__"]) for depth in range(1, len(folder)))


def _module(folder: Path, name: str) -> str:
    """The text of a module of a design, or of a variant, from which another one takes something; empty if none is."""
    of_variant = folder / "shown" / "variants" / f"{name}.py"
    if of_variant.exists():
        return re.sub(r"(?m)^( *from )\.\.\.(\w*)", r"\1.\2", of_variant.read_text(encoding="utf-8"))
    file = folder / f"{name}.py"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _of_variant(
    modules: dict[str, str], folder: Path, design: Design, variant: Variant, refused: list[AccessPattern]
) -> dict[str, str]:
    """The module of a variant, and the others as it makes them."""
    assert variant.module is not None
    name = variant.module.__name__.rpartition(".")[2]
    main, repository = repository_class(design).__name__, variant.module.Repository
    instead = {"TABLES": f"from .{name} import TABLES"}
    if isinstance(repository, type):
        instead[main] = f"from .{name} import Repository as {main}"
    shown = (folder / "shown" / "design.py").read_text(encoding="utf-8")
    return {
        name: _module(folder, name),
        "__init__": _imported_from(modules["__init__"], instead),
        "design": _imported_from(_design_of(modules["design"], shown, design, variant, refused, name), instead),
    }


def _design_of(own: str, shown: str, design: Design, variant: Variant, refused: list[AccessPattern], name: str) -> str:
    """`design.py` of a variant: its own declaration, which the suite shows, is that of the design itself."""
    modules = [import_module(f"{suite().package}.{design.name}.{place}design") for place in ("", "shown.")]
    imports, statements = _statements(shown, own)
    merged = re.sub(r"(?m)^(?=from \.)", f"{imports}from . import {name}\n", own, count=1) + "\n\n" + statements
    (declared,) = (node for node in ast.walk(ast.parse(merged)) if isinstance(node, ast.Call) and _makes_design(node))
    keywords = {keyword.arg: keyword.value for keyword in declared.keywords}
    patterns = [pattern for pattern in design.patterns if pattern not in refused]
    listed = ", ".join(_name_of(pattern, modules) for pattern in patterns)
    places: dict[ast.AST, str] = {
        keywords["variants"]: f"({_variant_text(variant, name, modules)},)",
        keywords["patterns"]: f"({listed},)",
        keywords["repository"]: f"{name}.Repository",
    }
    of = type_of(design, variant)
    main = repository_class(design).__name__
    for node in ast.walk(keywords["loads"]):  # such as store_all, which a variant may not have
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == main:
            places |= {} if hasattr(of, node.attr) else {node: "None"}
    text = spliced(merged, places)
    (last,) = (node for node in ast.parse(text).body if _is_design(node))
    lines = text.splitlines(keepends=True)
    declaration = "".join(lines[last.lineno - 1 : last.end_lineno])
    text = "".join(lines[: last.lineno - 1] + lines[last.end_lineno :]) + "\n\n" + declaration
    return reached(text, ["DESIGN"])


def _statements(shown: str, own: str) -> tuple[str, str]:
    """What only the suite's `design.py` has: its imports of the library, and its statements but for the design."""
    tree = ast.parse(shown)
    known = {alias.name for node in ast.parse(own).body if isinstance(node, ast.ImportFrom) for alias in node.names}
    places: dict[ast.AST, str] = {tree.body[0]: ""}
    imports = ""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and not node.level:
            new = [alias.name for alias in node.names if alias.name not in known]
            imports += f"from {node.module} import {', '.join(new)}\n" if new else ""
        if _is_design(node) or isinstance(node, ast.Import | ast.ImportFrom):
            places[node] = ""
    return imports, spliced(shown, places)


def _makes_design(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "Design"


def _is_design(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "DESIGN"


def _name_of(value: object, modules: Iterable[ModuleType]) -> str:
    """The name of a value in one of these modules."""
    return next(name for module in modules for name, defined in vars(module).items() if defined is value)


def _variant_text(variant: Variant, name: str, modules: list[ModuleType]) -> str:
    """The declaration of a variant as the design itself."""

    def named(patterns: Iterable[AccessPattern]) -> str:
        return "".join(f"{_name_of(pattern, modules)}, " for pattern in patterns)

    def exempt(one: Exemption) -> str:
        return f'Exemption("{one.fact}", {one.reason!r}, ({named(one.patterns)}))'

    def accepted(one: Accepted) -> str:
        return f"Accepted({one.rule!r}, {one.reason!r}, {one.tables!r})"

    words = [name, '"the design itself"']
    if variant.exemptions:
        words.append("(" + "".join(f"{exempt(one)}, " for one in variant.exemptions) + ")")
    if variant.unfilled:
        unfilled = [table.name for table in variant.unfilled]
        words.append(f"unfilled=tuple(table for table in {name}.TABLES if table.name in {unfilled!r})")
    if variant.without_upkeep:
        words.append(f"without_upkeep={variant.without_upkeep!r}")
    if variant.accepted:
        words.append("accepted=(" + "".join(f"{accepted(one)}, " for one in variant.accepted) + ")")
    return f"Variant({', '.join(words)})"


def _imported_from(text: str, instead: dict[str, str]) -> str:
    """A module that imports some names by other statements."""
    places: dict[ast.AST, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            new = [instead[alias.name] for alias in node.names if alias.name in instead]
            kept = [alias.name for alias in node.names if alias.name not in instead]
            if new:
                rest = [f"from {'.' * node.level}{node.module or ''} import {', '.join(kept)}"] if kept else []
                places[node] = "\n".join([*rest, *new])
    return spliced(text, places)


# ---- smaller packages


def smaller(modules: dict[str, str], design: Design, variant: Variant, size: Size) -> dict[str, str]:
    """The modules of a package that has keys alone, or keys and questions."""
    if size == "keys":
        return {"__init__": f'"""The row keys of {design.name}."""\n', "keys": _keys_alone(modules, variant)}
    of = type_of(design, variant)
    home = next(name for name, text in modules.items() if re.search(rf"^class {of.__name__}\b", text, re.MULTILINE))
    asked = {pattern.method.__name__ for pattern in design.patterns}
    questions = reached(with_methods(modules[home], of.__name__, asked), [of.__name__, "TABLES"])
    kept = {home: questions}
    _take_imported(kept, lambda name: modules.get(name, ""))
    return {"__init__": _SAYS.match(modules["__init__"])[0] + "\n", **kept}  # type: ignore[index]


_SAYS = re.compile(r'""".*?"""', re.DOTALL)


def type_of(design: Design, variant: Variant) -> type[Any]:
    """The class of a variant's repository."""
    own: Any = getattr(variant.module, "Repository", None)
    return own if isinstance(own, type) else repository_class(design)


def _keys_alone(modules: dict[str, str], variant: Variant) -> str:
    """The key classes of a variant's tables, and their layouts."""
    own = "\n".join(modules.values())  # tables of erasures have a key of the library
    layouts = {
        table.name: table.key
        for table in variant.record_tables
        if re.search(rf"^class {table.key.key_class.__name__}\b", own, re.MULTILINE)
    }
    classes = dict.fromkeys(layout.key_class.__name__ for layout in layouts.values())
    texts: list[str] = []
    for text in modules.values():
        here = [name for name in classes if re.search(rf"^class {name}\b", text, re.MULTILINE)]
        if here:
            texts.append(_with_constants(reached(text, here), modules))
    made = [f"from shared.keys import {', '.join(sorted({'KeyLayout', *_prefixes(layouts.values())}))}"]
    lines = [f"{_constant(name)} = {_layout_text(layout)}" for name, layout in layouts.items()]
    listed = "".join(f'    "{name}": {_constant(name)},\n' for name in layouts)
    tables = f'LAYOUTS: dict[str, KeyLayout[Any]] = {{\n{listed}}}\n"""The key of each table, by its name."""\n'
    imports = ["from typing import Any", *made]
    body: list[str] = []
    for text in texts:
        tree = ast.parse(text)
        found = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        imports += [ast.unparse(node) for node in found]
        body.append(spliced(text, {tree.body[0]: "", **dict.fromkeys(found, "")}).strip())
    return (
        "\n\n".join(['"""The keys of the tables."""', "\n".join(_sorted(imports))])
        + "\n\n\n"
        + "\n\n\n".join([*body, "\n".join(lines), tables])
    )


def _with_constants(text: str, modules: dict[str, str]) -> str:
    """A text with the numbers that it imports from modules beside it, or from other rooms than that of keys."""
    places: dict[ast.AST, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            of_names = [reached(modules[node.module.replace(".", "/")], [alias.name]) for alias in node.names]
            places[node] = "\n".join(of_name.split('"""', 2)[2].strip() for of_name in of_names)
        elif isinstance(node, ast.ImportFrom) and re.fullmatch(r"(?:shared|rowbook)\.(?!keys).*", node.module or ""):
            room = import_module(str(node.module))
            places[node] = "\n".join(f"{alias.name} = {getattr(room, alias.name)!r}" for alias in node.names)
    return spliced(text, places)


def _sorted(imports: list[str]) -> Iterator[str]:
    names: dict[str, dict[str, None]] = {}
    for line in imports:
        module, _, listed = line.removeprefix("from ").partition(" import ")
        names.setdefault(module, {}).update(dict.fromkeys(listed.split(", ")))
    yield from (f"from {module} import {', '.join(sorted(names[module]))}" for module in sorted(names, reverse=True))


def _prefixes(layouts: Iterable[Any]) -> Iterator[str]:
    return (type(prefix).__name__ for layout in layouts for prefix in layout.prefixes)


def _layout_text(layout: Any) -> str:
    return f"KeyLayout({', '.join([layout.key_class.__name__, *map(str, layout.prefixes)])})"


def _constant(table: str) -> str:
    return re.sub(r"\W", "_", table).upper()


# ---- tests, and names of other packages


class _CopiedTests(NamedTuple):
    """A module among the tests of a design that comes along, with a class of tests below it."""

    source: str
    module: str
    """Its name in the package."""
    value: str
    """What it describes, by its name in the module."""
    contract: str
    class_name: str
    attribute: str
    """The attribute in which the contract has the value."""


_TESTS = (
    _CopiedTests("stopped_writes", "test_crashes", "STOPPED", "CrashContract", "TestCrashes", "stopped"),
    _CopiedTests("erased", "test_erasures", "ERASED", "ErasureContract", "TestErasures", "person"),
)


def copied_tests(design: Design, variant: Variant) -> dict[str, str]:
    """The tests of stopped writes and of erasures, as modules of the package's tests, if they are of this variant."""
    tests: dict[str, str] = {}
    for copied in _TESTS:
        source = _source(copied.source, design.name)
        if source is None:
            continue
        names: set[str] = {of.name for of in getattr(source, copied.value).variants}
        if copied.source == "stopped_writes":  # a design may name each way in which its writes are called
            names.add(design.name)
        if variant.name not in names:
            continue
        text = Path(str(source.__file__)).read_text(encoding="utf-8")
        after = ":" if variant is design.main else ""  # its name may also be that of a table
        text = text.replace(f'"{variant.name}"{after}', f'"{PACKAGE}"{after}')
        imports = f"from shared.testing import {copied.contract}\n"
        text = re.sub(r"(?m)^(?=from (?:shared|rowbook)\.testing import)", imports, text, count=1)
        of_class = f"class {copied.class_name}({copied.contract}):\n    {copied.attribute} = {copied.value}\n"
        tests[copied.module] = f"{text.rstrip()}\n\n\n{of_class}"
    return tests


PACKAGE = "zzpackagezz"
"""Stands for the name of the package until all other names are changed."""


def _source(module: str, design: str) -> Any:
    """A module among the tests of a design: beside them in the repository, beside the design's code in the wheel."""
    for name in (f"{suite().package}.{design}.{module}", f"tests.domains.{design}.{module}"):
        try:
            if find_spec(name) is not None:
                return import_module(name)
        except ModuleNotFoundError:
            continue
    return None


def named_anew(text: str, design: str, library: str) -> str:
    """The text of a module that names its package `PACKAGE`, and the library as it is called there."""
    text = re.sub(rf"\b(?:rowbook\.)?domains\.{design}(?:\.shown)?\b", PACKAGE, text)
    text = re.sub(rf'(?m)^(    name=)"{design}"', rf'\1"{PACKAGE}"', text)
    return _LIBRARY.sub(library, text)
