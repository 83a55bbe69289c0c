"""File formats of points: lines of OpenTSDB's import, Prometheus text, series in CSV files, status pages of nginx.

requests 1356998400 42 host=web-1 dc=lga
put cpu.load 1356998400.500 0.75 host=web-1

OpenTSDB's `import` reads the first line, its telnet interface the second. If the fourth word is a tag, as in
`put 1356998400 42 host=web-1`, the line is one of the import, and its metric is `put`. Times are whole seconds, seconds
with three digits after a point, or milliseconds from 4294967296 on.

api_http_requests_total{method="POST", handler="/messages"} 100 1356998400000

Prometheus text (S2.10): labels are tags, times are milliseconds, and `--at` is the time of a line without one. OpenTSDB
stores no point without a tag, so a metric without labels has the tag `source=prometheus`; a label without a value is
not a label, as in Prometheus. A number is an int if it is written without point and exponent. A line is refused if its
number is NaN or infinite. So is one without labels whose number is a time in seconds and whose time is before
1970-02-19, such as `load 1356998400 1`: it is an import line without its tags.

The host of a series or of a status page (`shared/loading/measurements.py`) is the tag `host`.

A character that OpenTSDB refuses becomes `_`, in every format; see `stored_names.py`.
"""

import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from shared.loading import NGINX_STATUS, SERIES, Format, FormatRows, ParsedRows
from shared.records.times import likely_unit

from .records import Point

# A point in a line, for OpenTSDB itself

_FIRST_IN_MS = 2**32
_TIME = re.compile(r"([0-9]{1,13})(?:\.([0-9]{3}))?")
_LINE = re.compile(r"(?:put )?[^ ={}\",]+ [^ ={}\",]+ [^ ={}\",]+(?: +[^ =]+=[^ =]+)+ *")
"""Only the tags tell such a line from others, so that a wrong time or number in the first line is named."""


def _import_lines(lines: Iterable[str], _path: Path) -> ParsedRows:
    return ((number, number, _point(line.rstrip("\r\n"))) for number, line in enumerate(lines, 1) if line.strip())


def _point(line: str) -> dict[str, Any] | str:
    words = line.split(" ")
    if words[0] == "put" and len(words) > 3 and words[3] and "=" not in words[3]:
        del words[0]
    if len(words) < 4:
        return f"must be metric time value tag=value ... (got {line!r:.100})"
    metric, time, value, *pairs = words
    pairs = [pair for pair in pairs if pair]  # OpenTSDB skips blanks that are doubled between tags, or at the end
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


def import_line(point: Point) -> str:
    """The line of a point, as `tsdb import` reads it: whole seconds in seconds, other times in milliseconds.

    A time in milliseconds before 1970-02-19 has its last three digits after a point: OpenTSDB would take the number for
    seconds, and cannot store it.
    """
    seconds, rest_ms = divmod(point.time_ms, 1000)
    time = seconds if not rest_ms else point.time_ms if point.time_ms >= _FIRST_IN_MS else f"{seconds}.{rest_ms:03}"
    return f"{point.metric} {time} {point.value!r} {' '.join(f'{tag}={value}' for tag, value in point.tags)}"


IMPORT_LINES = Format(
    "opentsdb",
    "OpenTSDB import",
    lambda line: bool(_LINE.fullmatch(line.rstrip("\r\n"))),
    _import_lines,
    has_milliseconds=True,
    write=import_line,
)
"""One point per line, as OpenTSDB's `tsdb import` reads it and, with `put ` before it, its telnet interface."""

# Prometheus text

WITHOUT_LABELS = ("source", "prometheus")
"""The tag of a metric without labels."""
_LABELS = r'\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\}'
_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?[Ii]nf|[Nn]a[Nn]"
_SAMPLE = re.compile(rf"(?:[a-zA-Z_:][a-zA-Z0-9_:]*)?(?:\s*{_LABELS}\s*|\s+)(?:{_NUMBER})(?:\s+(-?[0-9]{{1,18}}))?")
"""Stricter than the parser, which reads an exemplar of OpenMetrics as a time."""


def _prometheus_text(lines: Iterable[str], _path: Path) -> ParsedRows:
    for number, line in enumerate(lines, 1):
        if (bare := line.strip()) and not bare.startswith("#"):
            yield number, number, _sample(bare)


def _is_prometheus_text(line: str) -> bool:
    return line.startswith(("# HELP ", "# TYPE ")) or bool(_SAMPLE.fullmatch(line.strip()))


def _sample(line: str) -> dict[str, Any] | str:
    from prometheus_client.parser import text_string_to_metric_families  # 0.1 s that no other command has to spend

    match = _SAMPLE.fullmatch(line)
    try:
        families = text_string_to_metric_families(line) if match else ()
        samples = [sample for family in families for sample in family.samples]
    except ValueError:
        samples = []
    if match is None or len(samples) != 1:
        return f'must be metric{{label="value", ...}} number, and maybe milliseconds (got {line!r:.100})'
    metric, labels, value, *_ = samples[0]
    tags = [(label, text) for label, text in labels.items() if text] or [WITHOUT_LABELS]
    point = {"metric": metric, "value": value, "tags": tags}
    if match[1] is None:
        return point
    time_ms = int(match[1])
    if likely := likely_unit(time_ms):
        wanted = f"milliseconds since 1970 UTC, not {likely.name}, {likely.time}"
        return f"Point.time_ms: must be {wanted} (got {time_ms})"
    if not labels and time_ms < _FIRST_IN_MS and _is_time_in_seconds(value):
        return f"Point.tags: must be tag=value ... in a line of the import (got {line!r:.100})"
    return point | {"time_ms": time_ms}


def _is_time_in_seconds(value: float) -> bool:
    likely = likely_unit(int(value)) if math.isfinite(value) else None
    return likely is not None and likely.unit == "s"


PROMETHEUS = Format(
    "prometheus",
    "Prometheus text",
    _is_prometheus_text,
    _prometheus_text,
    has_milliseconds=True,
    may_lack_time=True,
)
"""One sample per line, as Prometheus reads them from the page of a program."""

# Measurements of hosts


def _of_hosts(format: Format) -> Format:
    """The same format, with the host as a tag."""

    def read(lines: Iterable[str], path: Path) -> FormatRows:
        for number, last_number, values in format.read(lines, path):
            if isinstance(values, dict):
                values |= {"tags": [("host", values.pop("host"))]}
            yield number, last_number, values

    return attrs.evolve(format, read=read)


FORMATS = (IMPORT_LINES, PROMETHEUS, *map(_of_hosts, (SERIES, NGINX_STATUS)))
