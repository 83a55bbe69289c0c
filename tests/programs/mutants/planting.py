"""Mutants: wrong behaviours that the tests must notice, from the TOML files in `tests/mutants`.

A table is one mutant, and its name says what is wrong:

    ["an unknown escape is decoded"]
    in = "shared/keys/codecs.py::unescape"
    old = 'if _escape(plain) != body:'
    new = 'if False:'
    tests = ["tests/shared/keys/test_codecs_by_hand.py"]

`in` is the file and the function, class or assigned name in it, as pytest names a test; a method is `Class.method`.
There `old` occurs once and becomes `new`, and then one of `tests` must fail.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[3]
KEYS = {"in", "old", "new", "tests"}


@attrs.frozen
class Mutant:
    """One wrong behaviour: in `file`, `old` becomes `new`, and one of `tests` must fail.

    `definition` is the dotted name in which `old` occurs once; without one it occurs once in the file.
    """

    name: str
    file: str
    definition: str
    old: str
    new: str
    tests: tuple[str, ...]

    def planted(self, code: str) -> str:
        """The code of the file with this mutant; LookupError unless `old` has one place.

        If the definition does not have `old`, because it was renamed or the line was moved out of it, that place may be
        anywhere in the file.
        """
        places = [found.start() for found in re.finditer(re.escape(self.old), code)]
        spans = [(start, end) for name, start, end in _definitions(code) if name == self.definition]
        inside = [at for at in places if any(start <= at and at + len(self.old) <= end for start, end in spans)]
        if len(inside or places) != 1:
            where = f"{self.file}::{self.definition}" if inside else self.file
            raise LookupError(f"{where}: {self.old!r} must occur once (occurs {len(inside or places)} times)")
        (at,) = inside or places
        return code[:at] + self.new + code[at + len(self.old) :]


def read_mutants(folder: Path = ROOT / "tests" / "mutants") -> tuple[Mutant, ...]:
    """The mutants of all TOML files of a folder; ValueError if one is not complete or two have one name."""
    mutants: dict[str, Mutant] = {}
    for path in sorted(folder.glob("*.toml")):
        for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if table.keys() != KEYS:
                raise ValueError(f"{path.name}: {name!r} must have {', '.join(sorted(KEYS))} (has {', '.join(table)})")
            if name in mutants:
                raise ValueError(f"{path.name}: {name!r} must name one mutant (names two)")
            file, _, definition = table["in"].partition("::")
            mutants[name] = Mutant(name, file, definition, table["old"], table["new"], tuple(table["tests"]))
    return tuple(mutants.values())


@cache
def _definitions(code: str) -> tuple[tuple[str, int, int], ...]:
    """The dotted name, the start and the end of each function, class and assigned name, with its decorators."""
    line_starts = [0, *(found.end() for found in re.finditer("\n", code)), len(code)]

    def within(scope: ast.AST, dotted: str) -> Iterator[tuple[str, int, int]]:
        for node in ast.iter_child_nodes(scope):
            decorators = getattr(node, "decorator_list", ())
            for name in _names(node):
                first = min(begin.lineno for begin in (node, *decorators))
                yield dotted + name, line_starts[first - 1], line_starts[node.end_lineno]
            is_scope = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            yield from within(node, f"{dotted}{node.name}." if is_scope else dotted)

    return tuple(within(ast.parse(code), ""))


def _names(node: ast.AST) -> list[str]:
    """The names that a statement defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []
