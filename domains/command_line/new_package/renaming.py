"""Renames in the syntax trees of a package what the package itself defines; of prose, names between backticks."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import libcst as cst
from libcst import matchers as m

from ..usage import WrongUsage
from .modules import Module, Package, is_text
from .prose import library_names
from .words import Renames

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
QUOTED = re.compile(r"`[^`\n]+`")
FILE = re.compile(r"([a-z_]+)\.([a-z]+)")


def rename_package(package: Package, renames: Renames) -> Package:
    """Renames names of classes, functions, fields, variables and modules, and strings that are such names."""
    defined = set[str]()
    for name, module in package.items():
        defined |= {name, *_defined(module)}
    changed = {name: renames.of(name) for name in defined if renames.of(name) != name}
    for old, _ in renames.pairs:
        if not any(_contains(name, old, renames) for name in defined):
            raise WrongUsage(f"--rename {'_'.join(old)}: no name of the package has these words")
    for name, new in sorted(changed.items()):
        if new in defined and new not in changed:
            raise WrongUsage(f"--rename: the package has {new} already, which {name} would become")
    objects = {name: _library_objects(module) for name, module in package.items()}
    attributes = frozenset[str]().union(*(of.attributes for of in objects.values()))
    library = {name: attrs.evolve(of, attributes=attributes) for name, of in objects.items()}
    return {renames.of(name): _renamed(module, defined, library[name], renames) for name, module in package.items()}


def _contains(name: str, old: tuple[str, ...], renames: Renames) -> bool:
    only = Renames(tuple(pair for pair in renames.pairs if pair[0] == old))
    return only.of(name) != name


class _Definitions(cst.CSTVisitor):
    """Collects the names that a module defines, also those of fields, parameters and attributes."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.found.add(node.name.value)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.found.add(node.name.value)

    def visit_Param(self, node: cst.Param) -> None:
        self.found.add(node.name.value)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._add(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._add(node.target)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._add(node.target)

    def visit_For(self, node: cst.For) -> None:
        self._add(node.target)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._add(node.target)

    def visit_AsName(self, node: cst.AsName) -> None:
        self._add(node.name)

    def _add(self, target: cst.BaseExpression) -> None:
        if isinstance(target, cst.Name):
            self.found.add(target.value)
        elif isinstance(target, cst.Attribute):
            self.found.add(target.attr.value)
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._add(element.value)
        elif isinstance(target, cst.StarredElement):
            self._add(target.value)


def _statements(module: Module) -> Iterator[cst.CSTNode]:
    return (statement for unit in module.units for statement in unit.statements)


def _defined(module: Module) -> set[str]:
    visitor = _Definitions()
    for statement in _statements(module):
        statement.visit(visitor)
    return visitor.found


def _of_library(module: Module) -> set[str]:
    """The local names that a module imports from other packages."""
    names = {name.rpartition(" as ")[2].partition(".")[0] for name in module.imports.modules | module.typing.modules}
    for imports in (module.imports, module.typing):
        names |= {local for local, (origin, _) in imports.names.items() if not origin.startswith(".")}
    return names


@attrs.frozen
class _Objects:
    """Variables of a module, and attributes of the package, that hold objects of other packages."""

    variables: frozenset[str]
    attributes: frozenset[str]

    def holds(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is one of them: its attributes have names of their own."""
        if isinstance(node, cst.Attribute):
            return node.attr.value in self.attributes
        return isinstance(node, cst.Name) and node.value in self.variables


def _library_objects(module: Module) -> _Objects:
    library = _of_library(module)
    variables, attributes = set[str](), set[str]()

    def add(target: cst.BaseExpression, *, is_field: bool = False) -> None:
        if isinstance(target, cst.Attribute):
            attributes.add(target.attr.value)
        elif isinstance(target, cst.Name):
            (attributes if is_field else variables).add(target.value)

    for statement in _statements(module):
        for node in m.findall(statement, m.Assign(value=m.Call(func=m.Name()))):
            assert isinstance(node, cst.Assign)
            if m.matches(node.value, m.Call(func=m.Name(m.MatchIfTrue(library.__contains__)))):
                for target in node.targets:
                    add(target.target)
        for node in m.findall(statement, m.Param(annotation=m.Annotation()) | m.AnnAssign()):
            assert isinstance(node, (cst.Param, cst.AnnAssign))
            of = node.annotation.annotation if node.annotation else None
            of = of.value if isinstance(of, cst.Subscript) else of
            if isinstance(of, cst.Name) and of.value in library - {"Any"}:
                if isinstance(node, cst.Param):
                    add(node.name)
                    attributes.add(f"_{node.name.value}")
                else:
                    add(node.target, is_field=True)
    return _Objects(frozenset(variables), frozenset(attributes))


class _Rename(cst.CSTTransformer):
    def __init__(self, defined: set[str], library: _Objects, imported: set[str], renames: Renames) -> None:
        self._defined, self._library, self._imported, self._renames = defined, library, imported, renames
        self._kept: set[int] = set()

    def visit_Attribute(self, node: cst.Attribute) -> None:
        is_imported = isinstance(node.value, cst.Name) and node.value.value in self._imported
        if is_imported or (self._library.holds(node.value) and node.attr.value in library_names()):
            self._kept.add(id(node.attr))

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Name) and node.func.value in self._imported:
            self._kept |= {id(arg.keyword) for arg in node.args if arg.keyword is not None}

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        name = updated_node.value
        is_kept = id(original_node) in self._kept or name in self._imported or name not in self._defined
        return updated_node if is_kept else updated_node.with_changes(value=self._renames.of(name))

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
        return not is_text(node)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        if not is_text(updated_node):
            return updated_node
        (expression,) = updated_node.body
        assert isinstance(expression, cst.Expr)
        if not isinstance(expression.value, cst.SimpleString):
            return updated_node
        value = expression.value.with_changes(value=self.quoted(expression.value.value))
        return updated_node.with_changes(body=[expression.with_changes(value=value)])

    def quoted(self, text: str) -> str:
        """A docstring with other names between its backticks."""
        return QUOTED.sub(lambda found: IDENTIFIER.sub(self._token, found[0]), text)

    def visit_Annotation(self, node: cst.Annotation) -> None:
        for text in m.findall(node, m.SimpleString()):
            self._kept.add(-id(text))

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.SimpleString:
        value = updated_node.evaluated_value
        if not isinstance(value, str) or updated_node.quote not in ('"', "'"):
            return updated_node
        if -id(original_node) in self._kept:
            new = IDENTIFIER.sub(self._token, value)
        elif IDENTIFIER.fullmatch(value):
            new = self._renames.of(value)
        elif (file := FILE.fullmatch(value)) is not None:
            new = f"{self._renames.of(file[1])}.{file[2]}"
        else:
            return updated_node
        return updated_node.with_changes(value=f'"{new}"') if new != value else updated_node

    def leave_FormattedStringText(
        self, original_node: cst.FormattedStringText, updated_node: cst.FormattedStringText
    ) -> cst.FormattedStringText:
        value = updated_node.value  # of a name, such as that of a table in f"{design}_by_seller"
        is_name = "_" in value and IDENTIFIER.fullmatch(value)
        return updated_node.with_changes(value=self._renames.of(value)) if is_name else updated_node

    def _token(self, found: re.Match[str]) -> str:
        return self._renames.of(found[0]) if found[0] in self._defined else found[0]


def _renamed(module: Module, defined: set[str], library: _Objects, renames: Renames) -> Module:
    rename = _Rename(defined, library, _of_library(module), renames)
    for imports in (module.imports, module.typing):
        for local, (origin, name) in [*imports.names.items()]:
            if origin.startswith("."):
                del imports.names[local]
                new = "." + renames.of(origin[1:]) if origin[1:] else origin
                imports.names[renames.of(local)] = (new, renames.of(name))
    module.description = rename.quoted(module.description)
    for unit in module.units:
        unit.statements = [_visited(statement, rename) for statement in unit.statements]
        unit.names = tuple(map(renames.of, unit.names))
    return module


def _visited(statement: Any, rename: _Rename) -> Any:
    return statement.visit(rename)


# ---- samples


def rename_sample(path: Path, renames: Renames) -> tuple[str, bytes]:
    """The name and the bytes of a sample file, with other names of fields."""
    file = FILE.fullmatch(path.name)
    new_name = f"{renames.of(file[1])}.{file[2]}" if file else path.name
    text = path.read_bytes().decode("utf-8")
    if path.suffix == ".csv":
        rows = list(csv.reader(io.StringIO(text, newline="")))
        out = io.StringIO(newline="")
        csv.writer(out, lineterminator="\r\n" if "\r\n" in text else "\n").writerows(
            [[_word(cell, renames) for cell in row] for row in rows]
        )
        text = out.getvalue()
    elif path.suffix == ".jsonl":
        text = re.sub(r'"([A-Za-z_][A-Za-z0-9_]*)"', lambda found: f'"{_word(found[1], renames)}"', text)
    return new_name, text.encode()


def rename_golden(golden: Mapping[str, Any], renames: Renames) -> dict[str, Any]:
    """Keys by hand with other names of tables, parts and codes; what a row holds as text stays as it is."""

    def value(given: object, row: str) -> object:
        if not isinstance(given, str):
            return given
        is_stored = any(text.encode() in bytes.fromhex(row) for text in (given, given[::-1]))
        return given if is_stored else _word(given, renames)

    return {
        renames.of(table): [
            {
                **example,
                "key": {renames.of(part): value(given, example["row"]) for part, given in example["key"].items()},
            }
            for example in examples
        ]
        for table, examples in golden.items()
    }


def _word(cell: str, renames: Renames) -> str:
    return renames.of(cell) if IDENTIFIER.fullmatch(cell) else cell


# ---- what is left


def prose_left(files: Mapping[str, bytes], renames: Renames) -> dict[str, int]:
    """How often each file of code still says the old words: in prose, which is for its owner to write."""
    if not renames.pairs:
        return {}
    found = {
        name: len(renames.left.findall(data.decode())) for name, data in files.items() if name.endswith((".py", ".md"))
    }
    return {name: count for name, count in found.items() if count}
