"""The modules of a package, as imports and syntax trees that one can take apart, and as text again."""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import libcst as cst
from libcst import matchers as m

Statement: TypeAlias = cst.BaseStatement
LINE_LENGTH = 120


@attrs.define
class Imports:
    """What a module imports. A module of the same package starts with a dot, whatever folder imports it."""

    modules: set[str] = attrs.field(factory=set[str])
    """`import attrs`; with `import libcst as cst`, `libcst as cst`."""
    names: dict[str, tuple[str, str]] = attrs.field(factory=dict[str, tuple[str, str]])
    """Local names, each with the module from which it comes and its name there."""

    def add(self, other: "Imports") -> None:
        """Adds what another module imports."""
        self.modules |= other.modules
        self.names |= other.names

    def keep(self, used: Iterable[str]) -> None:
        """Drops what is not used, by local name."""
        used = {*used}
        self.modules = {name for name in self.modules if _bound(name) in used}
        self.names = {local: of for local, of in self.names.items() if local in used}

    def lines(self, indent: str = "") -> list[str]:
        """The statements, as ruff sorts them, in groups that an empty line separates."""
        groups: dict[int, list[str]] = {}
        for name in sorted(self.modules):
            groups.setdefault(_group(name), []).append(f"import {name}")
        by_module: dict[str, list[tuple[str, str]]] = {}
        for local, (module, name) in self.names.items():
            by_module.setdefault(module, []).append((name, local))
        for module in sorted(by_module, key=lambda name: (name != ".", name)):
            pairs = sorted(by_module[module], key=lambda pair: order(pair[0]))
            names = [name if name == local else f"{name} as {local}" for name, local in pairs]
            groups.setdefault(_group(module), []).append(_from(module, names, indent))
        lines: list[str] = []
        for number in sorted(groups):
            lines += ["", *groups[number]] if lines else groups[number]
        return [indent + line if line else "" for line in lines]


def _bound(imported: str) -> str:
    return imported.rpartition(" as ")[2].partition(".")[0]


def _group(module: str) -> int:
    if module == "__future__":
        return 0
    if module.startswith("."):
        return 3
    return 1 if module.partition(".")[0] in sys.stdlib_module_names else 2


def order(name: str) -> tuple[int, str]:
    """Sorts names as ruff does: constants, classes, the rest."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2), name


def _from(module: str, names: list[str], indent: str) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(indent + line) <= LINE_LENGTH:
        return line
    inner = "".join(f"\n{indent}    {name}," for name in names)
    return f"from {module} import ({inner}\n{indent})"


@attrs.define
class Unit:
    """A statement of a module with the text that describes it, and the names that it defines."""

    statements: list[Statement]
    names: tuple[str, ...]

    @property
    def only(self) -> Statement:
        """The statement itself."""
        return self.statements[0]


@attrs.define
class Module:
    """A module: its description, its imports, and its other statements."""

    description: str
    """The docstring with its quotes, or an empty text."""
    imports: Imports
    typing: Imports
    """What it imports for type checkers only."""
    units: list[Unit]

    def defined(self) -> set[str]:
        """The names of its own statements."""
        return {name for unit in self.units for name in unit.names}

    def unit(self, name: str) -> Unit:
        """The statement that defines a name."""
        return next(unit for unit in self.units if name in unit.names)

    @property
    def code(self) -> str:
        """The text of the module."""
        if self.typing.modules or self.typing.names:
            self.imports.names["TYPE_CHECKING"] = ("typing", "TYPE_CHECKING")
        blocks = [self.description] if self.description else []
        if lines := self.imports.lines():
            blocks.append("\n".join(lines))
        if lines := self.typing.lines("    "):
            blocks.append("\n".join(["if TYPE_CHECKING:", *lines]))
        head = "\n\n".join(blocks)
        statements = _spaced(self.units)
        all_statements: Any = statements
        body = cst.Module(body=all_statements).code.lstrip("\n")
        if not body:
            return f"{head}\n"
        blank_lines = "\n\n\n" if isinstance(statements[0], (cst.ClassDef, cst.FunctionDef)) else "\n\n"
        return f"{head}{blank_lines}{body}" if head else body


def _spaced(units: Iterable[Unit]) -> list[Statement]:
    """The statements of a module, with two empty lines around functions and classes."""
    statements: list[Statement] = []
    was_code = False
    for unit in units:
        is_code = not isinstance(unit.only, cst.SimpleStatementLine)
        first: Any = unit.only
        lines = [*first.leading_lines]
        comments = next((number for number, line in enumerate(lines) if line.comment), len(lines))
        if was_code or is_code:
            empty = cst.EmptyLine(indent=False)
            lines = [empty, empty, *lines[comments:]]
        statements += [first.with_changes(leading_lines=lines), *unit.statements[1:]]
        was_code = is_code
    return statements


Package: TypeAlias = dict[str, Module]
"""The modules of a package by name; those of a folder within it as `variants.salted`."""


def read_module(path: Path, name: str) -> Module:
    """Reads a module of a package; `name` is its name there, such as `keys` or `variants.salted`."""
    return read_text(path.read_text(encoding="utf-8"), name)


def read_text(text: str, name: str) -> Module:
    """Reads the text of such a module."""
    tree = cst.parse_module(text)
    folder = name.split(".")[:-1]
    imports, typing = Imports(), Imports()
    description, units = "", list[Unit]()
    for number, statement in enumerate(tree.body):
        if number == 0 and is_text(statement):
            description = cst.Module(body=[statement]).code.strip()
        elif _is_import(statement):
            _read_imports(statement, folder, imports)
        elif m.matches(statement, m.If(test=m.Name("TYPE_CHECKING"))) and isinstance(statement, cst.If):
            for inner in statement.body.body:
                _read_imports(inner, folder, typing)
        elif units and is_text(statement):
            units[-1].statements.append(statement)
        else:
            units.append(Unit([statement], tuple(_defined(statement))))
    imports.names.pop("TYPE_CHECKING", None)
    return Module(description, imports, typing, units)


def is_text(statement: cst.CSTNode) -> bool:
    """Whether a statement is a text that describes something."""
    text = m.SimpleString() | m.ConcatenatedString()
    return m.matches(statement, m.SimpleStatementLine(body=[m.Expr(value=text)]))


def edit_text(
    statement: cst.SimpleStatementLine, edit: Callable[[str], str]
) -> cst.SimpleStatementLine | cst.RemovalSentinel:
    """A statement as it is, or with another text if it is one text, given with its quotes; removed if that is empty."""
    if not is_text(statement):
        return statement
    (expression,) = statement.body
    assert isinstance(expression, cst.Expr)
    if not isinstance(expression.value, cst.SimpleString):
        return statement
    text = edit(expression.value.value)
    if not text:
        return cst.RemoveFromParent()
    return statement.with_changes(body=[expression.with_changes(value=expression.value.with_changes(value=text))])


def docstrings(tree: ast.Module) -> Iterator[tuple[ast.Constant, str]]:
    """The texts of a module that stand alone: of the module, of classes, functions, fields and constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value, node.value.value


def _is_import(statement: cst.CSTNode) -> bool:
    return m.matches(statement, m.SimpleStatementLine(body=[m.Import() | m.ImportFrom()]))


def _read_imports(statement: cst.CSTNode, folder: list[str], into: Imports) -> None:
    assert isinstance(statement, cst.SimpleStatementLine)
    (node,) = statement.body
    if isinstance(node, cst.Import):
        into.modules |= {cst.Module(body=[]).code_for_node(alias).rstrip(", ") for alias in node.names}
    elif isinstance(node, cst.ImportFrom):
        assert not isinstance(node.names, cst.ImportStar)
        module = "" if node.module is None else cst.Module(body=[]).code_for_node(node.module)
        if node.relative:
            above = folder[: len(folder) - len(node.relative) + 1]
            module = "." + ".".join([*above, *filter(None, [module])])
        for alias in node.names:
            name = alias.evaluated_name
            into.names[alias.evaluated_alias or name] = (module, name)


def _defined(statement: Statement) -> Iterator[str]:
    if isinstance(statement, (cst.ClassDef, cst.FunctionDef)):
        yield statement.name.value
    elif isinstance(statement, cst.SimpleStatementLine):
        for small in statement.body:
            if isinstance(small, cst.Assign):
                for target in small.targets:
                    yield from (name.value for name in _names(target.target))
            elif isinstance(small, cst.AnnAssign):
                yield from (name.value for name in _names(small.target))


def _names(target: cst.CSTNode) -> Iterator[cst.Name]:
    return (node for node in m.findall(target, m.Name()) if isinstance(node, cst.Name))


class _Uses(cst.CSTVisitor):
    """Collects the names that some code uses, and which attributes of names."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self._annotations = 0

    def visit_Annotation(self, node: cst.Annotation) -> None:
        self._annotations += 1

    def leave_Annotation(self, original_node: cst.Annotation) -> None:
        self._annotations -= 1

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        if isinstance(node.value, cst.Name):
            self.attributes.add((node.value.value, node.attr.value))
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        if self._annotations:
            cst.parse_expression(str(node.evaluated_value)).visit(self)


def uses(*nodes: cst.CSTNode) -> tuple[set[str], set[tuple[str, str]]]:
    """The names that some code uses, and the pairs of a name and an attribute of it."""
    visitor = _Uses()
    for node in nodes:
        node.visit(visitor)
    return visitor.names, visitor.attributes


def read_package(folder: Path, names: Iterable[str]) -> Package:
    """Some modules of a folder, and all of the folder that they import."""
    package: Package = {}
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name in package:
            continue
        path = folder.joinpath(*name.split(".")).with_suffix(".py")
        package[name] = read_module(path, name)
        waiting += sorted(imported_modules(package[name], folder))
    return package


def imported_modules(module: Module, folder: Path) -> set[str]:
    """The modules of the same package from which a module imports."""
    found = set[str]()
    for imports in (module.imports, module.typing):
        for origin, name in imports.names.values():
            if not origin.startswith("."):
                continue
            inner = f"{origin}.{name}".strip(".").replace("..", ".")
            is_module = folder.joinpath(*inner.split(".")).with_suffix(".py").is_file()
            found.add(inner if is_module else origin.strip("."))
    return found


def texts(package: Mapping[str, Module]) -> dict[str, str]:
    """The files of a package, by name."""
    return {f"{name.replace('.', '/')}.py": module.code for name, module in package.items()}
