"""Parts of a module's text: what some names need of it, a class with fewer methods, other text in one place."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_IN_QUOTES = re.compile(r"[\w.\[\], |]+")


def spliced(text: str, places: Mapping[ast.AST, str]) -> str:
    """A text with other text in the place of these nodes, which do not overlap; nothing if it is empty."""
    lines = text.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    data = b"".join(lines)
    spans: list[tuple[int, int, str]] = []
    for node, new in places.items():
        at: Any = node  # of a class of nodes that have places
        begins, ends = (int(at.lineno), int(at.col_offset)), (int(at.end_lineno), int(at.end_col_offset))
        spans.append((starts[begins[0] - 1] + begins[1], starts[ends[0] - 1] + ends[1], new))
    for start, end, new in sorted(spans, reverse=True):
        data = data[:start] + new.encode() + data[end:]
    return data.decode()


def reached(text: str, wanted: Iterable[str]) -> str:
    """A module without the statements, and the imports, that these of its names do not need."""
    tree = ast.parse(text)
    statements = [*_with_docstrings(tree.body)]
    names = {*wanted}
    kept: set[ast.stmt] = set()
    while found := [node for node, _ in statements if node not in kept and _defined(node) & names]:
        kept |= {*found}
        names |= {name for node in found for name in names_in(node)}
    dropped: list[ast.stmt] = []
    edited: dict[ast.AST, str] = {}
    for node, docstring in statements:
        if isinstance(node, ast.Import | ast.ImportFrom):
            edited[node] = _import_of(node, names)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            needed = [line for line in (_import_of(inner, names) for inner in node.body) if line]
            edited[node] = "if TYPE_CHECKING:\n    " + "\n    ".join(needed) if needed else ""
            names |= {"TYPE_CHECKING"} if needed else set()
        elif node not in kept and not isinstance(node, ast.Expr):
            dropped += [node, *([docstring] if docstring else [])]
    for node, _ in statements:  # again, because TYPE_CHECKING is imported above its use
        if isinstance(node, ast.ImportFrom):
            edited[node] = _import_of(node, names)
    return _tidy(spliced(text, {**edited, **dict.fromkeys(map(_whole, dropped), "")}))


def with_methods(text: str, class_name: str, wanted: Collection[str]) -> str:
    """A module whose class has these methods, those that they need, and what their `__init__` needs."""
    (of_class,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name == class_name)
    methods = {node.name: node for node in of_class.body if isinstance(node, ast.FunctionDef)}
    kept = {*wanted} & methods.keys()
    while more := {name for of in kept for name in _attributes(methods[of]) & methods.keys()} - kept:
        kept |= more
    dropped: list[ast.stmt] = [node for name, node in methods.items() if name not in {*kept, "__init__"}]
    used = {name for of in kept for name in _attributes(methods[of])}
    body = methods["__init__"].body if "__init__" in methods else []
    for statement, described in reversed([*_with_docstrings([ast.Pass(), *body])][1:]):
        set_here = _set_by(statement)
        if set_here and not set_here & used:
            dropped += [statement, *([described] if described else [])]
        else:
            used |= _attributes(statement) | names_in(statement)
    return _tidy(spliced(text, dict.fromkeys(map(_whole, dropped), "")))


def _set_by(statement: ast.stmt) -> set[str]:
    """The attributes of `self`, and the variables, that a statement sets."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return set()
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    names = [name for of in targets for name in (of.elts if isinstance(of, ast.Tuple) else [of])]
    return {name.attr if isinstance(name, ast.Attribute) else name.id for name in names}  # type: ignore[attr-defined]


def names_in(node: ast.AST) -> set[str]:
    """The names that a statement uses, also those in quoted types."""
    found = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    quoted = (inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant))
    return found | {
        name
        for value in quoted
        if isinstance(value, str) and _IN_QUOTES.fullmatch(value)
        for name in _IDENTIFIER.findall(value)
    }


def _attributes(node: ast.AST) -> set[str]:
    """The attributes of `self` that a method uses."""
    return {
        inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "self"
    }


def _with_docstrings(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.stmt | None]]:
    """Each statement, with the text below it that describes it; the docstring of the module comes alone."""
    for number, node in enumerate(body):
        below = body[number + 1] if number + 1 < len(body) else None
        if number == 0 or not _is_text(node):
            yield node, below if below is not None and _is_text(below) and number else None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _defined(node: ast.stmt) -> set[str]:
    """The names that a statement defines, but for imports."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)}
    return set()


def _import_of(node: ast.stmt, names: Collection[str]) -> str:
    """An import of these names only; empty if it has none of them."""
    assert isinstance(node, ast.Import | ast.ImportFrom)
    kept = [alias for alias in node.names if (alias.asname or alias.name).partition(".")[0] in names]
    listed = ", ".join(f"{alias.name} as {alias.asname}" if alias.asname else alias.name for alias in kept)
    if not kept:
        return ""
    return (
        f"from {'.' * node.level}{node.module or ''} import {listed}"
        if isinstance(node, ast.ImportFrom)
        else f"import {listed}"
    )


def _whole(node: ast.stmt) -> ast.stmt:
    """A statement with its decorators."""
    decorators = getattr(node, "decorator_list", [])
    if decorators:
        node.lineno, node.col_offset = decorators[0].lineno, decorators[0].col_offset - 1
    return node


def _tidy(text: str) -> str:
    """A text without the empty lines, and the headings, that are left of what was taken out."""
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"(?m)^ *# ----.*\n(?=\s*(# ----|\Z))", "", text)
    text = re.sub(r"(?m)^ +# (?!----).*\n(?=\n)", "", text)  # above what was taken out
    text = re.sub(r"\n{3,}(?= )", "\n\n", text)
    text = re.sub(r"\n{4,}", "\n\n\n", text)
    text = re.sub(r"(?m)^((?:from|import) .*\n)\n+(?=(?:from|import) )", r"\1", text)
    return text.rstrip() + "\n"
