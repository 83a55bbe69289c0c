"""File formats of points: the lines that OpenTSDB's `import` reads, and those of its telnet interface.

requests 1356998400 42 host=web-1 dc=lga
put cpu.load 1356998400.500 0.75 host=web-1

Times are whole seconds, seconds with three digits behind a point, or milliseconds from 4294967296 on.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from shared.loading import Format, ParsedRows

_FIRST_IN_MS = 2**32
_TIME = re.compile(r"([0-9]{1,13})(?:\.([0-9]{3}))?")
_LINE = re.compile(r"(?:put )?[^ ={}\"]+ [0-9]{1,13}(?:\.[0-9]{3})? [-+.0-9eE]+(?: [^ =]+=[^ =]+)+")


def _import_lines(lines: Iterable[str], _path: Path) -> ParsedRows:
    return ((number, number, _point(line.rstrip("\r\n"))) for number, line in enumerate(lines, 1) if line.strip())


def _point(line: str) -> dict[str, Any] | str:
    words = line.removeprefix("put ").split(" ")
    if len(words) < 4:
        return f"must be metric time value tag=value ... (got {line!r:.100})"
    metric, time, value, *pairs = words
    match = _TIME.fullmatch(time)
    if not match:
        return f"Point.time_ms: must be seconds or milliseconds since 1970 UTC (got {time!r:.100})"
    number = int(match[1])
    time_ms = number * 1000 + int(match[2]) if match[2] else number if number >= _FIRST_IN_MS else number * 1000
    tags: dict[str, str] = {}
    for tag, equals, tag_value in _pairs(pairs):
        if not (tag and equals and tag_value) or tag in tags:
            return f"Point.tags: must be tag=value, each tag once (got {' '.join(pairs)!r:.100})"
        tags[tag] = tag_value
    return {"metric": metric, "time_ms": time_ms, "value": value, "tags": list(tags.items())}


def _pairs(words: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    return (word.partition("=") for word in words)


IMPORT_LINES = Format(
    "opentsdb",
    "OpenTSDB import",
    lambda line: bool(_LINE.fullmatch(line.rstrip("\r\n"))),
    _import_lines,
    has_milliseconds=True,
)
"""A point in a line, as OpenTSDB's `tsdb import` and, with `put ` before it, its telnet interface take them."""

FORMATS = (IMPORT_LINES,)
