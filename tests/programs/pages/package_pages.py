"""The generated blocks of the package's own pages: its extras, from `pyproject.toml`, and its names, from the rooms."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from shared.exhibit.markdown import filled, markdown_list
from tests.programs.pages.codec_entries import ENTRIES

ROOT = Path(__file__).parents[3]
ROOMS = (
    "keys",
    "records",
    "tables",
    "queries",
    "writes",
    "upkeep",
    "intents",
    "sources",
    "stores",
    "loading",
    "designs",
    "testing",
)
"""The rooms, each after those that it imports."""

CODECS = {re.split(r"\W", str(entry))[0] for entry in ENTRIES}
ON_KEYS_PAGE = "codecs and prefixes, which have [a page of their own](keys/README.md)."
ERRORS = "further errors, named after what they refuse."
NAMES_ALONE = ("loading", "designs", "testing")
"""The rooms for designs and tests of one's own, whose docstrings the page does not repeat."""
REPEATED = {"tables": {"InvalidRecord"}}
"""Names that an earlier room has listed."""

_ARRAY = re.compile(r"^(\w+) = \[\n(.*?)^\]", re.MULTILINE | re.DOTALL)
_DEPENDENCY = re.compile(r'^ *"([\w.-]+(?:\[\w+\])?)[^"]*", *# (.*)$', re.MULTILINE)


def extras_blocks() -> dict[str, str]:
    """The packages of each extra, with the reasons that `pyproject.toml` gives beside them."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("\n[project.scripts]")[0]
    packages = {name: _DEPENDENCY.findall(lines) for name, lines in _ARRAY.findall(text)}
    base = packages.pop("dependencies")
    del packages["classifiers"]
    items = [f"no extra: {_with_reasons(base)}"]
    items += [f"`rowbook[{extra}]`: {_with_reasons(of_extra)}" for extra, of_extra in sorted(packages.items())]
    return {"extras": markdown_list([*items, "`rowbook[all]`: all of these."])}


def _with_reasons(packages: list[tuple[str, str]]) -> str:
    return "; ".join(f"`{package}` ({reason})" for package, reason in packages) + "."


def names_blocks() -> dict[str, str]:
    """All public names of all rooms, most with the beginning of their docstrings."""
    return {"names": "\n\n".join("\n\n".join(_room(name)) for name in ROOMS)}


def _room(name: str) -> Iterator[str]:
    """A heading, what the room is, and its names; those with the same meaning share a line."""
    room = import_module(f"shared.{name}")
    yield f"## rowbook.{name}"
    yield _first_sentence(room.__doc__ or "")
    entries: dict[str, list[str]] = {}
    names = sorted({*room.__all__} - REPEATED.get(name, set()), key=lambda public: (public.lower(), public))
    if name in NAMES_ALONE:
        yield filled(f"{', '.join(f'`{public}`' for public in names)}.")
        return
    common = import_module("shared").__all__
    errors = [public for public in names if public not in common and _is_error(getattr(room, public))]
    for public in names:
        if len(errors) == 1 or public not in errors:
            docstring = _docstring(room, public, getattr(room, public))
            meaning = ON_KEYS_PAGE if public in CODECS else _meaning(docstring)
            entries.setdefault(meaning, []).append(f"**`{public}`**" if public in common else f"`{public}`")
    if len(errors) > 1:
        entries[ERRORS] = [f"`{public}`" for public in errors]
    yield markdown_list(f"{', '.join(shown)}: {meaning}" for meaning, shown in entries.items())


def _is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, Exception) and not issubclass(value, Warning)


def _meaning(docstring: str) -> str:
    """The first sentence up to its semicolon, without what it says in brackets."""
    meaning = re.sub(r" \([^()]*\)", "", _first_sentence(docstring).partition(";")[0])
    return f"{meaning.removesuffix('.')}."


def _docstring(room: ModuleType, name: str, value: Any) -> str:
    """The docstring of a name; that of its class, for a codec such as `Int64`."""
    if inspect.isclass(value) or inspect.isfunction(value):
        found = value.__doc__
    else:
        is_of_suite = type(value).__module__.startswith("shared.")
        found = _docstrings(room).get(name, type(value).__doc__ if is_of_suite else None)
    if not found:
        raise ValueError(f"{room.__name__}.{name}: must have a docstring")
    return found


def _first_sentence(docstring: str) -> str:
    text = " ".join(docstring.partition("\n\n")[0].split())
    return re.split(r"(?<=\.)\s(?=[A-Z`])", text)[0]


@cache
def _docstrings(room: ModuleType) -> dict[str, str]:
    """The docstrings of the constants of a room: the text below an assignment."""
    found: dict[str, str] = {}
    for path in sorted(Path(room.__file__ or "").parent.rglob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for statement, below in pairwise(body):
            if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(below, ast.Expr):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
                if isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
                    found |= dict.fromkeys(names, below.value.value)
    return found
