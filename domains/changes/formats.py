r"""The file format of changes: JSON lines as tools for change data capture write them, one change in each line.

{"seq": 7, "table": "crm.people", "key": "p-1", "op": "u", "commit": "c-2", "commit_ts": "2026-01-12T09:00:00+01:00",
 "before": {"city": "Bern"}, "after": {"city": "Thun"}}       (in one line)

source crm, table people, position 7, key p-1, kind UPDATE, transaction c-2, values {"city": "Thun"}; those of a
DELETE are `before`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from shared.loading import Format, ParsedRows

from .records import Kind

_STARTS = re.compile(r'\s*\{\s*"seq"\s*:')
_KINDS: dict[Any, Kind] = {"c": "INSERT", "u": "UPDATE", "d": "DELETE"}
_NAMES = ("seq", "table", "key", "op", "commit", "commit_ts", "before", "after")

_Line = tuple[int, dict[str, Any] | str]
"""The number of a line, and the object in it or the reason why there is none."""


def _changes(lines: Iterable[str], _path: Path) -> ParsedRows:
    objects = ((number, _object(line)) for number, line in enumerate(lines, start=1) if line.strip())
    for _commit, of_commit in groupby(objects, key=_commit_of):
        yield from ((number, number, values) for number, values in _in_order([*of_commit]))


def _object(line: str) -> dict[str, Any] | str:
    try:
        values: Any = json.loads(line)
        of_line = {name: values[name] for name in _NAMES}
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"must be a JSON object with {', '.join(_NAMES)} (got {line.strip()!r:.100})"
    if type(of_line["seq"]) is not int:
        return f"seq: must be an int (got {of_line['seq']!r:.100})"
    return of_line


def _commit_of(line: _Line) -> object:
    _number, values = line
    return values["commit"] if isinstance(values, dict) else None


def _in_order(of_commit: list[_Line]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The changes of one commit, those that delete first.

    A file that moves to another folder is deleted and created in one commit, which lists both in any order. The
    positions of the commit stay; only which change has which differs.
    """
    positions = iter(sorted(values["seq"] for _, values in of_commit if isinstance(values, dict)))
    for number, values in sorted(of_commit, key=_is_no_delete):
        yield number, values if isinstance(values, str) else _change(values, next(positions))


def _is_no_delete(line: _Line) -> bool:
    _number, values = line
    return not (isinstance(values, dict) and values["op"] == "d")


def _change(values: dict[str, Any], position: int) -> dict[str, Any] | str:
    """The fields of a change, or the reason why the line has none."""
    source, dot, table = values["table"].partition(".") if type(values["table"]) is str else ("", "", "")
    if not (source and dot and table):
        return f"table: must be a database and a table, such as crm.people (got {values['table']!r:.100})"
    if type(values["op"]) is not str or values["op"] not in _KINDS:
        return f"op: must be one of {', '.join(_KINDS)} (got {values['op']!r:.100})"
    return {
        "source": source,
        "position": position,
        "table": table,
        "key": values["key"],
        "kind": _KINDS[values["op"]],
        "time_ms": values["commit_ts"],
        "transaction": values["commit"],
        "values": (values["before"] if values["op"] == "d" else values["after"]) or {},
    }


CDC = Format("cdc", "change data capture", lambda line: bool(_STARTS.match(line)), _changes)
"""One change in each line, in the order of `seq`; in a commit, those that delete come first."""

FORMATS = (CDC,)
