"""The generated blocks of the package's own pages: its extras, from `pyproject.toml`, and its names, from the rooms."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from shared.exhibit.markdown import markdown_list

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
    """All public names of all rooms, each with its arguments and the first sentence of its docstring."""
    return {"names": "\n\n".join("\n\n".join(_room(name)) for name in ROOMS)}


def _room(name: str) -> Iterator[str]:
    room = import_module(f"shared.{name}")
    yield f"## rowbook.{name}"
    yield _first_sentence(room.__doc__ or "")
    names = sorted(room.__all__, key=lambda public: (public.lower(), public))
    yield markdown_list(_entry(room, public) for public in names)


def _entry(room: ModuleType, name: str) -> str:
    value = getattr(room, name)
    shown = f"`{name}{_arguments(value)}`"
    meaning = _first_sentence(_docstring(room, name, value))
    return f"**{shown}**: {meaning}" if name in import_module("shared").__all__ else f"{shown}: {meaning}"


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


def _arguments(value: Any) -> str:
    """The names of the arguments of a function, or of a class that attrs or the suite gave an `__init__`."""
    is_made = (
        inspect.isclass(value) and inspect.isfunction(value.__init__) and not getattr(value, "_is_protocol", False)
    )
    if not (inspect.isfunction(value) or is_made):
        return ""
    signature = inspect.signature(value)
    bare = [
        parameter.replace(
            annotation=Parameter.empty, default=_Default() if _has_default(parameter) else Parameter.empty
        )
        for parameter in signature.parameters.values()
        if not parameter.name.startswith("_")
    ]
    return str(Signature(bare))


class _Default:
    """Any default."""

    def __repr__(self) -> str:
        return "..."


def _has_default(parameter: Parameter) -> bool:
    return parameter.default is not Parameter.empty


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
