"""Renames in the syntax trees of a package what the package itself defines, and what its messages say.

Of other prose it renames names between backticks.
"""

import ast
import csv
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import libcst as cst
from libcst import matchers as m

from ..usage import WrongUsage
from .modules import Module, Package, docstrings, edit_text, is_text
from .prose import library_names
from .words import Renames

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
QUOTED = re.compile(r"`[^`\n]+`")
FILE = re.compile(r"([a-z_]+)\.([a-z]+)")
COLUMN = re.compile(r"([a-z]+:)([A-Za-z_]\w*)")
OF_CLASS = re.compile(r"\b([A-Z]\w*)\.(\w*)")
"""What begins a message: `Order.status: `, or `Order.` before a field's name."""
SAID_BY = ("AccessPattern", "Design", "Exemption", "TableLayout", "View", "Write", "part", "print")
"""Calls whose arguments are said to users, if they are texts."""


def rename_package(package: Package, renames: Renames, samples: Iterable[Path] = ()) -> Package:
    """Renames names of classes, functions, fields, variables and modules, and strings that are such names.

    Raises WrongUsage with all renames that cannot be done; it names those of the `samples` to edit by hand instead.
    """
    defined = set[str]()
    for name, module in package.items():
        defined |= {name, *_defined(module)}
    values = frozenset[str]().union(*(_values(module) for module in package.values()))
    _check(defined, values, renames, package, samples)
    objects = {name: _library_objects(module) for name, module in package.items()}
    attributes = frozenset[str]().union(*(of.attributes for of in objects.values()))
    library = {name: attrs.evolve(of, attributes=attributes) for name, of in objects.items()}
    return {renames.of(name): _renamed(module, defined, library[name], renames) for name, module in package.items()}


def _check(
    defined: set[str], values: frozenset[str], renames: Renames, package: Package, samples: Iterable[Path]
) -> None:
    """Raises WrongUsage with all renames that cannot be done."""
    wrong: list[str] = []
    for old, _ in renames.pairs:
        only = Renames(tuple(pair for pair in renames.pairs if pair[0] == old))
        if all(only.of(name) == name for name in (*defined, *values)):
            where = [f"{name}.py" for name, module in package.items() if _lines_of_code(module.code, only.old_words)[0]]
            where += [
                f"samples/{path.name}" for path in samples if only.old_words.search(path.read_text(encoding="utf-8"))
            ]
            by_hand = f" (edit it by hand in {', '.join(where)})" if where else ""
            wrong.append(f"{'_'.join(old)}: no name or status of the package has these words{by_hand}")
    for names in (defined, values):
        became: dict[str, str] = {}
        for name in sorted(names, key=lambda name: (renames.of(name) != name, name)):  # those that stay come first
            other = became.setdefault(renames.of(name), name)
            if other == renames.of(name) != name:
                wrong.append(f"the package has {other} already, which {name} would become")
            elif other != name:
                wrong.append(f"{other} and {name} would both become {renames.of(name)}")
    if wrong:
        raise WrongUsage(f"--rename: {'; '.join(wrong)}")


def _values(module: Module) -> set[str]:
    """The values of a field that has few of them: members of a `Literal`, and names with a `Code`."""
    chosen = m.Subscript(value=m.Name("Literal")) | m.Call(func=m.Name("Code"))
    texts = (
        text for statement in _statements(module) for of in m.findall(statement, chosen) for text in _texts_within(of)
    )
    return {text for text in texts if IDENTIFIER.fullmatch(text)}


def _texts_within(node: cst.CSTNode) -> Iterator[str]:
    for text in m.findall(node, m.SimpleString()):
        assert isinstance(text, cst.SimpleString)
        if isinstance(text.evaluated_value, str):
            yield text.evaluated_value


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
        self._said: set[int] = set()
        """The texts that are said to users."""

    def visit_Raise(self, node: cst.Raise) -> None:
        self._say(node)

    def visit_Assert(self, node: cst.Assert) -> None:
        if node.msg is not None:
            self._say(node.msg)

    def _say(self, node: cst.CSTNode) -> None:
        self._said |= {id(text) for text in m.findall(node, m.SimpleString() | m.FormattedStringText())}

    def visit_Attribute(self, node: cst.Attribute) -> None:
        is_imported = isinstance(node.value, cst.Name) and node.value.value in self._imported
        if is_imported or (self._library.holds(node.value) and node.attr.value in library_names()):
            self._kept.add(id(node.attr))

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Name) and node.func.value in self._imported:
            self._kept |= {id(arg.keyword) for arg in node.args if arg.keyword is not None}
        if isinstance(node.func, cst.Name) and node.func.value in SAID_BY:
            for arg in node.args:
                if isinstance(arg.value, (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString)):
                    self._say(arg.value)
            if node.func.value == "Exemption":
                self._kept.add(id(node.args[0].value))  # a fact, such as "order"

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        name = updated_node.value
        is_kept = id(original_node) in self._kept or name in self._imported or name not in self._defined
        return updated_node if is_kept else updated_node.with_changes(value=self._renames.of(name))

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
        return not is_text(node)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return edit_text(updated_node, self.quoted)

    def quoted(self, text: str) -> str:
        """A docstring with other names between its backticks."""
        return QUOTED.sub(lambda found: IDENTIFIER.sub(self._token, found[0]), text)

    def visit_Annotation(self, node: cst.Annotation) -> None:
        for text in m.findall(node, m.SimpleString()):
            self._kept.add(-id(text))

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.SimpleString:
        value = updated_node.evaluated_value
        if not isinstance(value, str) or updated_node.quote not in ('"', "'") or id(original_node) in self._kept:
            return updated_node
        if -id(original_node) in self._kept:
            new = IDENTIFIER.sub(self._token, value)
        elif IDENTIFIER.fullmatch(value):
            new = self._renames.of(value)
        elif (file := FILE.fullmatch(value)) is not None:
            new = f"{self._renames.of(file[1])}.{file[2]}"
        elif (column := COLUMN.fullmatch(value)) is not None:
            new = f"{column[1]}{self._renames.of(column[2])}"
        else:
            said = self._message(updated_node.raw_value, is_said=id(original_node) in self._said)
            quote = updated_node.quote
            return updated_node.with_changes(value=f"{updated_node.prefix}{quote}{said}{quote}")
        return updated_node.with_changes(value=f'"{new}"') if new != value else updated_node

    def leave_FormattedStringText(
        self, original_node: cst.FormattedStringText, updated_node: cst.FormattedStringText
    ) -> cst.FormattedStringText:
        value = updated_node.value  # of a name, such as that of a table in f"{design}_by_seller"
        is_name = "_" in value and IDENTIFIER.fullmatch(value)
        message = self._message(value, is_said=id(original_node) in self._said)
        return updated_node.with_changes(value=self._renames.of(value) if is_name else message)

    def _message(self, text: str, *, is_said: bool) -> str:
        """A text with other names of classes and fields; if it is said to users, with other words."""
        text = OF_CLASS.sub(self._of_class, self.quoted(text))
        return self._renames.in_prose(text) if is_said else text

    def _of_class(self, found: re.Match[str]) -> str:
        if found[1] not in self._defined:
            return found[0]
        return f"{self._renames.of(found[1])}.{self._renames.of(found[2]) if found[2] else ''}"

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
        text = _json_words(text, renames)
    return new_name, text.encode()


def rename_golden(golden: Mapping[str, Any], renames: Renames) -> dict[str, Any]:
    """Keys by hand with other names of tables, parts and codes; what a row holds as text stays as it is."""

    def renamed(example: Mapping[str, Any]) -> dict[str, Any]:
        row = bytes.fromhex(example["row"])

        def value(of_part: object) -> object:
            if not isinstance(of_part, str):
                return of_part
            is_stored = any(text.encode() in row for text in (of_part, of_part[::-1]))
            return of_part if is_stored else _word(of_part, renames)

        return {**example, "key": {renames.of(part): value(of_part) for part, of_part in example["key"].items()}}

    return {renames.of(table): [renamed(example) for example in examples] for table, examples in golden.items()}


def rename_answers(answers: Mapping[str, Any], renames: Renames) -> dict[str, Any]:
    """Golden answers with the new words in questions and values, as the package has them."""
    return {
        renames.in_prose(question): {
            "records": answer["records"],
            "first": json.loads(_json_words(json.dumps(answer["first"]), renames)),
        }
        for question, answer in answers.items()
    }


def rename_words(text: str, renames: Renames) -> str:
    """A text with the new name for each whole word that has one."""
    return IDENTIFIER.sub(lambda found: renames.of(found[0]), text)


def _json_words(text: str, renames: Renames) -> str:
    return re.sub(f'"({IDENTIFIER.pattern})"', lambda found: f'"{_word(found[1], renames)}"', text)


def _word(cell: str, renames: Renames) -> str:
    return renames.of(cell) if IDENTIFIER.fullmatch(cell) else cell


# ---- what is left


@attrs.frozen
class OldWords:
    """The files that still say old words, each with its lines."""

    at_run_time: dict[str, list[int]]
    """Texts of the code, such as messages."""
    in_prose: dict[str, list[int]]
    """Docstrings, comments, and the README."""


def find_old_words(files: Mapping[str, bytes], renames: Renames) -> OldWords:
    """Where files of code and of prose still say the old words, which is for their owner to write."""
    old_words = OldWords({}, {})
    for name, data in files.items() if renames.pairs else ():
        if name.endswith(".md"):
            at_run_time, in_prose = set[int](), _lines_of_page(data.decode(), renames.old_words)
        elif name.endswith(".py"):
            at_run_time, in_prose = _lines_of_code(data.decode(), renames.old_words)
        else:
            continue
        if at_run_time:
            old_words.at_run_time[name] = sorted(at_run_time)
        if in_prose:
            old_words.in_prose[name] = sorted(in_prose)
    return old_words


def _lines_of_page(text: str, words: re.Pattern[str]) -> set[int]:
    """The lines of a page that have some words, but not those of commands, which keep the old names."""
    lines = enumerate(text.splitlines(), 1)
    return {number for number, line in lines if words.search(line) and "rowbook new" not in line}


def _lines_of_code(code: str, words: re.Pattern[str]) -> tuple[set[int], set[int]]:
    """The lines of code that have some words: in texts that are said at run time; in docstrings and comments."""
    described = {
        number
        for node, _text in docstrings(ast.parse(code))
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    at_run_time, in_prose = set[int](), set[int]()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE", "COMMENT"):
            for number, line in enumerate(token.string.splitlines(), token.start[0]):
                if words.search(line):
                    is_prose = number in described or token.type == tokenize.COMMENT
                    (in_prose if is_prose else at_run_time).add(number)
    return at_run_time, in_prose
