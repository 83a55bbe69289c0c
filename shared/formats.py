"""Forms of text files: CSV and JSON lines, which every design reads; a design's own are made in the same way.

What is not UTF-8, and a line without end, is no format's business: `loading.py` sees to that.
"""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, cast

import attrs

from .values import parse_int

Rows: TypeAlias = Iterator[tuple[int, dict[str, Any] | str]]
"""Line numbers, each with the values of the line by column, or the reason why it has none."""

LONGEST = 10 * 1024 * 1024
"""Characters of a line, and of an event of several lines. HBase takes no cell of more bytes, unless it is told
otherwise (hbase.client.keyvalue.maxsize)."""


@attrs.frozen
class Format:
    """A form of text files: how one begins, and how its lines become the values of records."""

    name: str
    """What tells it from all others: `csv`."""
    title: str
    """What messages call it: `CSV`."""
    starts: Callable[[str], bool]
    """Whether a file is of this form whose first line that is not blank is this one."""
    read: Callable[[Iterable[str], Path], Rows]
    """The rows of a file's lines. Lines come with their ends, and blank ones too.

    The number is that of a row's first line. A byte that is not UTF-8 comes as a lone surrogate, and values that hold
    one are not taken.
    """
    header: Callable[[str], list[str]] | None = None
    """The columns, where the first line names them; ValueError says why it does not."""
    line_ends: tuple[str, ...] = ("\n",)
    """In a log a lone carriage return is a character as any; in a CSV of old it ends a line."""


# CSV


def _csv(lines: Iterable[str], _path: Path) -> Rows:
    """A header, then records. A blank after a comma is dropped where the header has some too, and kept elsewhere."""
    numbered = enumerate(lines, start=1)
    header_at, first = next(((at, line) for at, line in numbered if line.strip()), (0, ""))
    header = _header(first)
    reader = csv.reader((line for _, line in numbered), strict=True, skipinitialspace=_has_blanks(first))
    while True:
        number = header_at + reader.line_num + 1
        try:
            cells: list[str] = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"is no CSV: {error} (read up to line {header_at + reader.line_num})"
            continue
        if not cells:  # an empty line
            continue
        if len(cells) != len(header):
            yield number, f"must have {len(header)} fields, as the header (got {len(cells)})"
        else:
            yield number, dict(zip(header, cells, strict=True))


def _header(line: str) -> list[str]:
    try:
        (cells,) = csv.reader([line], strict=True, skipinitialspace=_has_blanks(line))
    except csv.Error as error:
        raise ValueError(f"is no CSV: {error}") from None
    return [cell.strip() for cell in cells]


def _has_blanks(line: str) -> bool:
    (cells,) = csv.reader([line], strict=True)
    return any(cell.startswith(" ") for cell in cells[1:])


CSV = Format("csv", "CSV", lambda _: False, _csv, header=_header, line_ends=("\n", "\r"))
"""Any line may be a header, so this is what a file is taken for that starts no other format."""


# JSON lines


def _jsonl(lines: Iterable[str], _path: Path) -> Rows:
    """One object a line."""
    return ((number, _object(line)) for number, line in enumerate(lines, start=1) if line.strip())


def _object(line: str) -> dict[str, Any] | str:
    try:
        value = json.loads(line.rstrip(), object_pairs_hook=_once, parse_int=parse_int)
    except json.JSONDecodeError as error:
        return f"is no JSON: {error.msg} at character {error.pos + 1}"
    except (ValueError, RecursionError) as error:  # a name twice, a number or a nesting without end
        return f"is no JSON: {error}"
    return (
        cast("dict[str, Any]", value)
        if isinstance(value, dict)
        else f"must be a JSON object (got {line.strip()!r:.100})"
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            raise ValueError(f"{name!r} is there {count} times")
    return dict(pairs)


JSONL = Format("jsonl", "JSON lines", lambda line: line.lstrip().startswith("{"), _jsonl, line_ends=("\n", "\r"))

FORMATS = (CSV, JSONL)
"""Those that every design reads."""
