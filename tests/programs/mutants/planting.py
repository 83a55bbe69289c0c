"""Mutants: wrong behaviours that the tests must notice, from the TOML files in `tests/mutants`.

A table has mutants of one file that the same tests must notice; the name of each says what is wrong:

    [["shared/keys/codecs.py"]]
    tests = ["tests/shared/keys/test_codecs_by_hand.py"]
    "-0.0 is a float like any other" = ["_Float64.encode", 'value != value or bits == _SIGN_BIT', 'value != value']
    "a bool is an int to the codecs" = ["check_type", "lambda *_: None"]

First stands the function, class or assigned name in the file, as pytest names a test; a method is `Class.method`. With
two texts, the second one is what this name has instead, an expression in which `right` is what it should have: such a
mutant stays as it is whatever the code inside looks like. With three, the second text occurs once there and becomes the
third. Then one of `tests` must fail; without any, the test that `domains/ideas.toml` names for this idea.
"""

import ast
import re
import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import attrs

from tests.programs.pages.ideas import read_ideas

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "tests" / "mutants"


@attrs.frozen
class Mutant:
    """One wrong behaviour: in `file`, `old` becomes `new`, and one of `tests` must fail.

    `definition` is the dotted name in which `old` occurs once. If `old` is empty, `new` takes its place.
    """

    name: str
    file: str
    definition: str
    old: str
    new: str
    tests: tuple[str, ...]

    def planted(self, code: str) -> str:
        """The code of the file with this mutant; LookupError unless it has one place.

        If the definition does not have `old`, because it was renamed or the line was moved out of it, that place may be
        anywhere in the file.
        """
        spans = [(start, end) for name, start, end in _definitions(code) if name == self.definition]
        if not self.old:
            if not spans:
                raise LookupError(f"{self.file}: must define {self.definition}")
            return f"{code}\n\nright = {self.definition}\n{self.definition} = {self.new}\n"
        places = [found.start() for found in re.finditer(re.escape(self.old), code)]
        inside = [at for at in places if any(start <= at and at + len(self.old) <= end for start, end in spans)]
        if len(inside or places) != 1:
            where = f"{self.file}::{self.definition}" if inside else self.file
            raise LookupError(f"{where}: {self.old!r} must occur once (occurs {len(inside or places)} times)")
        (at,) = inside or places
        return code[:at] + self.new + code[at + len(self.old) :]


def read_mutants(folder: Path = FOLDER, names: Collection[str] | None = None) -> tuple[Mutant, ...]:
    """The mutants of the named TOML files of a folder, of all without names.

    Raises ValueError if one is not complete or two have one name.
    """
    mutants: dict[str, Mutant] = {}
    for path in sorted(folder.glob("*.toml")):
        if names is not None and path.stem not in names:
            continue
        for file, tables in tomllib.loads(path.read_text(encoding="utf-8")).items():
            for mutant in chain.from_iterable(_mutants_of(file, table, path.name) for table in tables):
                if mutant.name in mutants:
                    raise ValueError(f"{path.name}: {mutant.name!r} must name one mutant (names two)")
                mutants[mutant.name] = mutant
    return tuple(mutants.values())


def _mutants_of(file: str, table: Any, where: str) -> Iterator[Mutant]:
    """The mutants of a table of this file."""
    if not isinstance(table, dict):
        raise ValueError(f'{where}: {file!r} must be tables [["{file}"]] (got {table!r})')
    for name, texts in table.items():
        if name != "tests":
            if not isinstance(texts, list) or len(texts) not in (2, 3):
                raise ValueError(f"{where}: {name!r} must be [definition, old text, new text] (got {texts!r})")
            tests = table.get("tests") or _tests_of_ideas().get(name)
            if not tests:
                raise ValueError(f"{where}: {name!r} must be below tests, or a defect of an idea")
            yield Mutant(name, file, texts[0], texts[1] if texts[2:] else "", texts[-1], tuple(tests))


@cache
def _tests_of_ideas() -> dict[str, tuple[str, ...]]:
    return {idea.mutant: (idea.test,) for idea in read_ideas()}


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
