"""File formats of measurements: one CSV file for each series, and snapshots of nginx's status page.

Their rows have the columns host, metric, time_ms and value.

ec2_cpu_utilization_24ae8d.csv: 2014-02-14 14:30:00,0.132
host 24ae8d, metric ec2_cpu_utilization

{"nginx_version": "1.9.4", "address": "203.0.113.9", "timestamp": 1446249499322, "requests": {"total": 18}}
host 203.0.113.9, metrics timestamp and requests.total
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..keys.errors import shown
from .compression import without_suffix
from .formats import Format, ParsedRows

# A series in a file of its own: a header, and the names of metric and host in the file's name

_HEADER = "timestamp,value"

_SERIES_NAME = re.compile(r"(?P<metric>.+)_(?P<host>[0-9a-f]{6,})|.+_(?P<id>i-[0-9a-f]+)_(?P<last>\w+)")


def _series(lines: Iterable[str], path: Path) -> ParsedRows:
    name = without_suffix(os.path.abspath(path).rsplit("/", 1)[-1]).removesuffix(".csv")
    match = _SERIES_NAME.fullmatch(name)
    is_first = True
    for number, line in enumerate(lines, start=1):
        bare = line.removesuffix("\n").removesuffix("\r")
        if bare.strip():
            if not (is_first and bare.strip() == _HEADER):
                yield number, number, _series_point(bare, name, match)
            is_first = False


def _series_point(line: str, name: str, match: "re.Match[str] | None") -> dict[str, Any] | str:
    if match is None:
        forms = "METRIC_HOST.csv, with a host of hex digits, or ..._i-HOST_METRIC.csv"
        advice = "otherwise use --format csv --map time_ms=timestamp --set metric=NAME, and give the host"
        return f"the file's name must be {forms} (got {name}); {advice}"
    stamp, comma, value = line.partition(",")
    if not comma:
        return f"must be time,value (got {shown(line)})"
    return {
        "host": match["host"] or match["id"],
        "metric": match["metric"] or match["last"],
        "time_ms": stamp,
        "value": value,
    }


# Snapshots of nginx's status page, one JSON object in a line; each of its ints is a point


def _snapshots(lines: Iterable[str], _path: Path) -> ParsedRows:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            for point in _snapshot_points(line):
                yield number, number, point


def _snapshot_points(line: str) -> Iterable[dict[str, Any] | str]:
    try:
        snapshot = json.loads(line)
        host, time_ms = snapshot["address"], snapshot["timestamp"]
        metrics = [leaf for name, part in snapshot.items() for leaf in _leaves(part, name)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return [f"must be a JSON object with address and timestamp (got {shown(line.strip())})"]
    if type(host) is not str:
        return [f"host: must be text (got {shown(host)})"]
    if type(time_ms) is not int:
        return [f"time_ms: must be milliseconds since 1970 UTC (got {shown(time_ms)})"]
    return ({"host": host, "metric": metric, "time_ms": time_ms, "value": value} for metric, value in metrics)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, int]]:
    """The ints below a part of a snapshot, each with its path; an element of a list is named by its `server`."""
    elements: Any = ()
    if type(value) is int:
        yield path, value
    elif hasattr(value, "items"):
        elements = value.items()
    elif value.__class__ is list:
        elements = ((_name_of(element, number), element) for number, element in enumerate(value))
    for name, below in elements:
        yield from _leaves(below, f"{path}.{name}")


def _name_of(element: Any, number: int) -> Any:
    return element.get("server", number) if hasattr(element, "get") else number


SERIES = Format("series", "series", lambda line: line.strip() == _HEADER, _series)
"""A CSV file of one series: `timestamp,value`. The file's name has metric and host."""

NGINX_STATUS = Format(
    "nginx-status",
    "nginx status",
    lambda line: line.startswith("{") and '"nginx_version"' in line,
    _snapshots,
    has_milliseconds=True,
)
"""Snapshots of nginx's status page, one JSON object in a line: every int in it is a point, a boolean is not.

The address of the server is the host, the path to the int the metric.
"""
