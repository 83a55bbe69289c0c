"""Other names in the files of a package: of classes, functions, fields and tables, not of stored values."""

import ast
import csv
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import chain
from typing import Any

import attrs

from ..screen.wrong_usage import WrongUsage
from .copying import PACKAGE
from .name_words import Renames, words_of

_NAMED = re.compile(r"`[^`\n]+`|\b[A-Z]\w*\.(?:[a-z]\w*\b|(?=\{))|\b(?:[A-Z][a-z0-9]+){2,}\b|\b[a-z]+(?:_[a-z]+)+\b")
_IN_BRACES = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")  # maybe with an f-string within
_QUOTED = re.compile(r"([a-zA-Z]*)(\"\"\"|'''|\"|')(.*)\2", re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_IMPORTED = re.compile(rf"\s*from (?!{PACKAGE})\w[.\w]* (?=import )")


def _is_of_library(token: tokenize.TokenInfo) -> bool:
    """Whether a name is in the path of another package's module, after `from`."""
    path = _IMPORTED.match(token.line)
    return path is not None and token.start[1] < path.end()


@attrs.frozen
class NewNames:
    """The names of a package, each with the one in its place."""

    names: Mapping[str, str]
    """Of everything that the package defines."""
    told: Mapping[str, str]
    """Those that a text names too: of fields, functions, their arguments, classes and tables."""

    def of(self, name: str) -> str:
        """The name in the place of another one; the same, if it stays."""
        return self.names.get(name, name)

    def module(self, path: str) -> str:
        """The path of a module, whose parts change as they do where others import it."""
        return "/".join(map(self.of, path.split("/")))

    def code(self, text: str) -> str:
        """A module with these names, also in f-strings, and in strings that are one of them."""
        lines = text.splitlines(keepends=True)
        for token in reversed([*tokenize.generate_tokens(io.StringIO(text).readline)]):
            new = token.string
            if token.type == tokenize.NAME and not _is_of_library(token):
                new = self.of(new)
            elif token.type in (tokenize.STRING, tokenize.COMMENT):
                new = self._string(new) if token.type == tokenize.STRING else self._in_prose(new)
            (row, start), (last, end) = token.start, token.end
            if new != token.string:
                lines[row - 1 : last] = [lines[row - 1][:start] + new + lines[last - 1][end:]]
        return "".join(lines)

    def _string(self, text: str) -> str:
        found = _QUOTED.fullmatch(text)
        assert found is not None
        prefix, quote, inner = found.groups()
        if "f" in prefix.lower():
            inner = _IN_BRACES.sub(lambda found: _IDENTIFIER.sub(lambda name: self.of(name[0]), found[0]), inner)
        return f"{prefix}{quote}{self.told.get(inner, self._in_prose(inner))}{quote}"

    def _in_prose(self, text: str) -> str:
        """A text with new names: between backticks, of several words, and in `Class.field`, as errors begin."""
        return _NAMED.sub(lambda found: _IDENTIFIER.sub(self._told, found[0]), text)

    def _told(self, found: re.Match[str]) -> str:
        return self.told.get(found[0], found[0])

    def words(self, text: str) -> str:
        """A text of names, such as `layout.txt`; a name after a colon is that of a column, which stays."""
        return re.sub(r"(?<!:)\b[A-Za-z_]\w*", self._told, text)

    def data(self, value: Any) -> Any:
        """A value of JSON with these names as keys."""
        found: Any = value  # whose type a check below would hide
        if isinstance(value, dict):
            return {self.told.get(name, name): self.data(inner) for name, inner in found.items()}
        return [self.data(inner) for inner in found] if isinstance(value, list) else value

    def sample(self, name: str, text: str) -> str:
        """A file of samples: the header of CSV, the first names of each line of JSON."""
        if name.endswith(".csv"):
            header, newline, rest = text.partition("\n")
            columns = next(csv.reader([header]))
            return ",".join(self.told.get(column, column) for column in columns) + newline + rest
        if name.endswith(".jsonl"):
            return "".join(f"{self._line(line)}\n" for line in text.rstrip("\n").split("\n"))
        return text

    def _line(self, line: str) -> str:
        return json.dumps(
            {self.told.get(name, name): value for name, value in json.loads(line).items()}, ensure_ascii=False
        )


def new_names(texts: Iterable[str], tables: Iterable[str], renames: Renames) -> NewNames:
    """The names that the modules of a package define, and those of its tables, with other words.

    Raises WrongUsage if a word is in no name, if two names become one, or if a name is already there.
    """
    everywhere = {*chain.from_iterable(map(_defined, texts))}
    told = {*chain.from_iterable(map(_described, texts)), *tables}
    names = {name: new for name in sorted({*everywhere, *told}) if (new := renames.of(name)) != name}
    wrong = [
        _unknown("_".join(old), told)
        for old, _ in renames.pairs
        if not any(_contains(words_of(name), old) for name in {*everywhere, *told})
    ]
    for name, new in names.items():
        if new in everywhere - names.keys() and name in told:
            wrong.append(f"the package has {new} already, which {name} would become")
        same = [other for other, of_other in names.items() if of_other == new and other < name]
        wrong += [f"{other} and {name} would both become {new}" for other in same]
    if wrong:
        raise WrongUsage(f"--record, --rename: {'; '.join(wrong)}")
    return NewNames(names, {name: new for name, new in names.items() if name in told})


def _unknown(old: str, told: Iterable[str]) -> str:
    """That no name has these words, and the words or the name that they may be meant for."""
    names = [words_of(name) for name in sorted(told)]
    near = get_close_matches(old, [*chain.from_iterable(names), *map("_".join, names)], n=1, cutoff=0.8)
    return f"{old}: no name of the package has these words{f'; did you mean {near[0]}?' if near else ''}"


def _contains(words: tuple[str, ...], old: tuple[str, ...]) -> bool:
    renamed = Renames(((old, ("",)),))
    return renamed.of("_".join(words)) != "_".join(words)


def _defined(text: str) -> Iterator[str]:
    """Every name that a module defines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _described(text: str) -> Iterator[str]:
    """The names of a module's classes, fields, functions, and of their arguments."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.FunctionDef):
            yield from (argument.arg for argument in [*node.args.args, *node.args.kwonlyargs])
        if isinstance(node, ast.ClassDef):
            fields = (inner.target for inner in node.body if isinstance(inner, ast.AnnAssign))
            yield from (field.id for field in fields if isinstance(field, ast.Name))


def old_words(files: Mapping[str, str], renames: Renames) -> dict[str, list[int]]:
    """The lines of each file that still have the old words."""
    if not renames.pairs:
        return {}
    lines = {
        name: [number for number, line in enumerate(text.splitlines(), 1) if renames.old_words.search(line)]
        for name, text in files.items()
        if name.endswith((".py", ".md"))
    }
    return {name: found for name, found in lines.items() if found}
