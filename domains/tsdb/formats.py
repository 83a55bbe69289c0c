"""File formats of points: lines of OpenTSDB's import, Prometheus text, series in CSV files, status pages of nginx.

requests 1356998400 42 host=web-1 dc=lga
put cpu.load 1356998400.500 0.75 host=web-1

OpenTSDB's `import` reads the first line, its telnet interface the second. Times are whole seconds, seconds with three
digits after a point, or milliseconds from 4294967296 on.

api_http_requests_total{method="POST", handler="/messages"} 100 1356998400000

Prometheus text (S2.10): labels are tags, times are milliseconds, and `--at` is the time of a line without one. OpenTSDB
stores no point without a tag, so a metric without labels has the tag `source=prometheus`; a label without a value is
not a label, as in Prometheus. A number is an int if it is written without point and exponent. A line is refused if its
number is NaN or infinite, or if a name has letters that OpenTSDB does not store. So is the bucket le="+Inf" of every
histogram: its number is that of the histogram's `_count`, so skipping the line loses nothing.

The host of a series or of a status page (`shared/loading/measurements.py`) is the tag `host`. There, every letter that
OpenTSDB does not store becomes `_`: `peers.10.0.0.1:8080.id` is the metric `peers.10.0.0.1_8080.id`. A line is refused
if two names of its file would become one.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from shared.keys import InvalidKey
from shared.loading import NGINX_STATUS, SERIES, Format, ParsedRows
from shared.records import likely_unit

from .uids import check_name, is_safe

# A point in a line, for OpenTSDB itself

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
    try:
        check_name("Point.metric", metric)
        for label, text in tags:
            check_name("Point.tags", label)
            check_name(f"Point.tags, {label}", text)
    except InvalidKey as error:
        is_last_bucket = metric.endswith("_bucket") and labels.get("le") == "+Inf"
        count = f"{metric.removesuffix('_bucket')}_count"
        return f"{error}; {count} has the number of this bucket" if is_last_bucket else str(error)
    point = {"metric": metric, "value": value, "tags": tags}
    if match[1] is None:
        return point
    time_ms = int(match[1])
    if likely := likely_unit(time_ms):
        wanted = f"milliseconds since 1970 UTC, not {likely.name}, {likely.time}"
        return f"Point.time_ms: must be {wanted} (got {time_ms})"
    return point | {"time_ms": time_ms}


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

    def read(lines: Iterable[str], path: Path) -> ParsedRows:
        hosts: dict[str, str] = {}
        metrics: dict[str, str] = {}
        for number, last_number, values in format.read(lines, path):
            if not isinstance(values, str):
                try:
                    tags = [("host", _safe_name("Point.tags, host", values.pop("host"), hosts))]
                    values |= {"tags": tags, "metric": _safe_name("Point.metric", values["metric"], metrics)}
                except ValueError as error:
                    values = str(error)
            yield number, last_number, values

    return attrs.evolve(format, read=read)


def _safe_name(field: str, name: str, names: dict[str, str]) -> str:
    """A name with `_` for each letter that is not safe; `names` maps each stored name to that in the file."""
    safe = "".join(letter if is_safe(letter) else "_" for letter in name)
    other = names.setdefault(safe, name)
    if other != name:
        raise ValueError(f"{field}: must be stored under a name of its own (got {name!r:.100}, as {other!r:.100} was)")
    return safe


FORMATS = (IMPORT_LINES, PROMETHEUS, *map(_of_hosts, (SERIES, NGINX_STATUS)))
