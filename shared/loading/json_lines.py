"""JSON lines: one JSON object in each line."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from ..keys.errors import shown
from .formats import Format, ParsedRows
from .values import parse_int


def _read(lines: Iterable[str], _path: Path) -> ParsedRows:
    return ((number, number, _object(line)) for number, line in enumerate(lines, start=1) if line.strip())


def _object(line: str) -> dict[str, Any] | str:
    """The object of a line, or the reason why the line is not a JSON object."""
    try:
        value = json.loads(line.rstrip(), object_pairs_hook=_without_duplicates, parse_int=parse_int)
    except json.JSONDecodeError as error:
        return f"is not valid JSON: {error.msg} at character {error.pos + 1}"
    except (ValueError, RecursionError) as error:  # a name that occurs twice, a number too long, nesting too deep
        return f"is not valid JSON: {error}"
    return (
        cast("dict[str, Any]", value)
        if isinstance(value, dict)
        else f"must be a JSON object (got {shown(line.strip())})"
    )


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            raise ValueError(f"{shown(name)} occurs {count} times")
    return dict(pairs)


JSONL = Format("jsonl", "JSON lines", lambda line: line.lstrip().startswith("{"), _read, line_ends=("\n", "\r"))
