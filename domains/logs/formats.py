r"""File formats of logs: access logs of web servers, and the files that log4j writes.

No character of an event is lost: text that has no field of its own becomes the message, unchanged.

    203.0.113.9 - - [12/Jan/2026:09:07:31 +0100] "GET / HTTP/1.1" 200 5120 "-" "curl/8.5.0"
    host 203.0.113.9, event 200, message: - - "GET / HTTP/1.1" 5120 "-" "curl/8.5.0"

    broker-1/server.log: [2026-01-12 08:07:31,042] ERROR No reply (kafka.server.KafkaApis)
                         java.io.IOException
    host broker-1, event and severity ERROR, message: No reply (kafka.server.KafkaApis)\njava.io.IOException
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shared.loading import ACCESS_LOG_TIME, Format, FormatRows, ParsedRows, layout_format, read_access_log_time

# Access logs: host identity user [day/month/year:time zone] "request" status bytes, then "referer" "agent" and others

_CLIENT = rf"([^ ]+) ([^ ]+ [^ ]+) \[({ACCESS_LOG_TIME.pattern})\] "
_QUOTED = r'"(?:[^"\\]++|\\.)*+"'  # which may hold \"
_ACCESS_STARTS = re.compile(_CLIENT)
_ACCESS = re.compile(rf'{_CLIENT}({_QUOTED}) ([0-9]{{3}}|-) ((?:[0-9]+|-)(?: (?:{_QUOTED}|[^ "]*+))*+)')


def _access_log(lines: Iterable[str], _path: Path) -> ParsedRows:
    return ((number, number, _access(_bare(line))) for number, line in enumerate(lines, start=1) if line.strip())


def _access(line: str) -> dict[str, Any] | str:
    match = _ACCESS.fullmatch(line)
    if not match:
        form = 'host identity user [day/month/year:time zone] "request" status bytes ...'
        return f"must be {form} (got {line!r:.100})"
    host, user, stamp, request, status, rest = match.groups()
    try:
        time_ms = read_access_log_time(stamp)
    except ValueError as error:
        return f"LogEvent.time_ms: {error}"
    message = f"{user} {request} {rest}"
    return {"host": host, "event": status, "time_ms": time_ms, "severity": "", "message": message}


# log4j: [date time,milliseconds] LEVEL message, and the lines that follow until the next one that starts with a [date

_LOG4J_LAYOUT = layout_format("log4j", "[%d] %p %m%n")


def _log4j(lines: Iterable[str], path: Path) -> FormatRows:
    host = _folder(path)
    for first, last, values in _LOG4J_LAYOUT.read(lines, path):
        yield first, last, _event(host, values) if isinstance(values, dict) else values


def _event(host: str, values: dict[str, Any]) -> dict[str, Any] | str:
    if not host:
        return "LogEvent.host: must be the name of the file's folder, and a pipe has none; load a file"
    level = values["level"]
    return {"host": host, "event": level, "time_ms": values["date"], "severity": level, "message": values["message"]}


def _folder(path: Path) -> str:
    """The name of a file's folder; empty for /dev/stdin and for /dev/fd/63, which a shell makes of <(zcat ...)."""
    folder = Path(os.path.abspath(path)).parent
    return "" if folder.parts[1:2] in (("dev",), ("proc",)) else folder.name


def _bare(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


COMBINED_LOG = Format(
    "combined", "combined log", lambda line: bool(_ACCESS_STARTS.match(line)), _access_log, has_milliseconds=True
)
"""Access logs of Apache and nginx: the common format, the combined one, and lines with more fields after it.

The client becomes the host, the status the event. The time's zone is applied, but not stored.
"""

LOG4J = Format("log4j", "log4j log", _LOG4J_LAYOUT.recognizes, _log4j)
"""Logs of Kafka and others that write `[%d] %p %m`. The folder becomes the host, the level the event.

An event of more than `MAX_LINE_CHARACTERS` characters is refused, and the rest of it is refused as another bad line.
"""

FORMATS = (COMBINED_LOG, LOG4J)
