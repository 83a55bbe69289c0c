r"""Lines of syslog: RFC 3164, whose times have no year, RFC 5424, and files in which rsyslog writes times with a year.

    Jan  5 08:07:31 web-1 sshd[1361]: Accepted publickey for ada from 203.0.113.9 port 54259 ssh2
    <86>Jan  5 08:07:31 web-1 sshd[1361]: Accepted publickey for ada from 203.0.113.9 port 54259 ssh2
    2026-01-05T08:07:31.042817+01:00 web-1 sshd[1361]: Accepted publickey for ada from 203.0.113.9 port 54259 ssh2
    <165>1 2026-01-05T08:07:31.003Z web-1 evntslog - ID47 [exampleSDID@32473 iut="3"] An event

Each line tells its kind. Times stay text: for those without a year the caller of `read_lines` gives it, see
`SyslogTimes`.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from .formats import Format, ParsedRows
from .log_times import SYSLOG_TIME

_PRIORITY = r"(?:<(?P<priority>[0-9]{1,3})>)"
_ISO_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
_LINE = re.compile(
    rf"{_PRIORITY}?(?P<time>{SYSLOG_TIME.pattern}|{_ISO_TIME}) (?P<host>[^ ]+) "
    r"(?:(?P<process>[^ :\[]+)(?:\[(?P<pid>[0-9]+)\])?: )?"
)
_ELEMENT = r'\[[^ =\]"]+(?: [^ =\]"]+="(?:[^"\\\]]++|\\.)*+")*+\]'
_RFC_5424 = re.compile(
    rf"{_PRIORITY}[1-9][0-9]{{0,2}} (?P<time>{_ISO_TIME}|-) (?P<host>[^ ]+) (?P<process>[^ ]+) (?P<pid>[^ ]+)"
    rf" (?P<message_id>[^ ]+) (?P<data>-|(?:{_ELEMENT})++)(?: |\s*\Z)"
)
_ELEMENTS = re.compile(r'\[([^ =\]"]+)((?: [^ =\]"]+="(?:[^"\\\]]++|\\.)*+")*+)\]')
_PARAMETERS = re.compile(r' ([^ =\]"]+)="((?:[^"\\\]]++|\\.)*+)"')
_REPEATED = re.compile(r"message repeated ([0-9]{1,4}) times: \[ ")
_LEVEL = re.compile(r"TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE")
"""What is no host after a time, but the level of a log that is no syslog."""

SEVERITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
"""Severities by their numbers, as syslog.conf names them."""
_FACILITIES = (
    *("kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp"),
    *("ntp", "audit", "alert", "clock"),
    *(f"local{number}" for number in range(8)),
)
_WANTED = "must start with a time and a host, such as Jan  5 08:07:31 web-1"


@attrs.frozen
class SyslogMessage:
    """A message of a process."""

    stamp: str
    """The time as it is written: `Jan  5 08:07:31`."""
    host: str
    process: str
    """The name without the number: `sshd`; empty if the line names none."""
    text: str
    times: int
    """How often it came at that time."""


def starts_as_syslog(line: str) -> bool:
    """Whether a line starts with a time and a host; after a time with a year, a process must follow."""
    match = _match(line)
    if match is None or match["time"] == "-":
        return False
    return not times_have_year(line) or (match["process"] is not None and not _LEVEL.fullmatch(match["host"]))


def times_have_year(line: str) -> bool:
    """Whether the time of a line has a year."""
    match = _match(line)
    return match is not None and not SYSLOG_TIME.fullmatch(match["time"])


def syslog_messages(lines: Iterable[str]) -> Iterator[tuple[int, SyslogMessage | str]]:
    """The number of each line with its message, or with the reason why it has none.

    Blank lines are passed over.
    """
    for number, line in enumerate(lines, start=1):
        match = _match(line)
        if match is None or match["time"] == "-":
            if line.strip():
                yield number, _reason(line)
            continue
        text = line[match.end() :].rstrip("\r\n")
        repeated = _REPEATED.match(text) if match["process"] else None
        if repeated:
            text = text[repeated.end() :].removesuffix("]")
        process, times = match["process"] or "", int(repeated[1]) if repeated else 1
        yield number, SyslogMessage(match["time"], match["host"], process, text, times)


def _match(line: str) -> "re.Match[str] | None":
    return _LINE.match(line) or _RFC_5424.match(line)


def _reason(line: str) -> str:
    return f"{_WANTED} (got {line.rstrip()!r:.100})"


def _rows(lines: Iterable[str], _path: Path) -> ParsedRows:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            match = _match(line)
            yield number, number, _reason(line) if match is None else _values(match, line[match.end() :].rstrip("\r\n"))


def _values(match: "re.Match[str]", text: str) -> dict[str, Any] | str:
    """The columns that a line has."""
    values: dict[str, Any] = {name: value for name, value in match.groupdict().items() if value not in (None, "-")}
    if "time" not in values:
        return f"must have a time, not - (got {match.string.rstrip()!r:.100})"
    if "priority" in values:
        facility, severity = divmod(int(values.pop("priority")), len(SEVERITIES))
        if facility >= len(_FACILITIES):
            return f"must start with <0> to <191>, facility and severity (got {match.string.rstrip()!r:.100})"
        values |= {"facility": _FACILITIES[facility], "severity": SEVERITIES[severity]}
    if "data" in values:
        values["data"] = {
            name: {parameter: re.sub(r'\\(["\\\]])', r"\1", value) for parameter, value in _PARAMETERS.findall(rest)}
            for name, rest in _ELEMENTS.findall(values["data"])
        }
    values["message"] = text.removeprefix("\ufeff")
    return values


SYSLOG = Format(
    "syslog",
    "syslog",
    starts_as_syslog,
    _rows,
    has_year=False,
    tells_year=times_have_year,
    time_column="time",
)
"""Files of syslog: time, host, process, pid, message; facility and severity in words, if a line starts with <PRI>; and
message_id and data (`data.exampleSDID@32473.iut`) of RFC 5424. A line has only the columns of which it says something.
"""
