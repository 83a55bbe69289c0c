"""JSON lines: one JSON object in each line."""

import json
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, cast

from ..keys.errors import shown
from .formats import Format, FormatRows, ParsedRows
from .values import parse_json


def _read(lines: Iterable[str], _path: Path) -> ParsedRows:
    return ((number, number, _object(line)) for number, line in enumerate(lines, start=1) if line.strip())


def _object(line: str) -> dict[str, Any] | str:
    """The object of a line, or the reason why the line is not a JSON object."""
    try:
        value = parse_json(line.rstrip())
    except json.JSONDecodeError as error:
        return f"is not valid JSON: {error.msg} at character {error.pos + 1}"
    except (ValueError, RecursionError) as error:  # a name that occurs twice, a number too long, nesting too deep
        return f"is not valid JSON: {error}"
    return (
        cast("dict[str, Any]", value)
        if isinstance(value, dict)
        else f"must be a JSON object (got {shown(line.strip())})"
    )


JSONL = Format("jsonl", "JSON lines", lambda line: line.lstrip().startswith("{"), _read, line_ends=("\n", "\r"))

Read: TypeAlias = Callable[[Iterable[str], Path], FormatRows]
"""What reads the lines of a file, see `Format.read`."""


def json_or_other(as_json: Read, other: Read) -> Read:
    """What reads files of which the first line tells whether they have JSON lines or lines of another kind."""

    def read(lines: Iterable[str], path: Path) -> FormatRows:
        rest = iter(lines)
        start: list[str] = []
        for line in rest:
            start.append(line)
            if line.strip():
                break
        is_json = bool(start) and start[-1].lstrip().startswith("{")
        return (as_json if is_json else other)(chain(start, rest), path)

    return read
