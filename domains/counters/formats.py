r"""File formats of what is counted: requests in the access logs of web servers, and log-ins in the logs of sshd.

203.0.113.9 - - [12/Jan/2026:09:07:31 +0100] "GET / HTTP/1.1" 200 5120 "-" "curl/8.5.0"
user 203.0.113.9

Jan  5 08:07:31 web-1 sshd[1361]: Accepted publickey for ada from 203.0.113.9 port 54259 ssh2
user ada

Jan  5 08:07:35 web-1 sshd[1362]: Failed password for invalid user admin from 203.0.113.7 port 40022 ssh2
user admin, only in the format of failed log-ins
"""

import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from shared.loading import (
    Format,
    FormatRows,
    ParsedRows,
    read_access_log_time,
    starts_as_syslog,
    syslog_messages,
    times_have_year,
)

# Access logs: client identity user [day/month/year:time zone] "request" ...; each line is a request of its client

_REQUEST = re.compile(r'([^ ]+) [^ ]+ [^ ]+ \[([^\]]*)\] "')


def _access_log(lines: Iterable[str], _path: Path) -> ParsedRows:
    return ((number, number, _request(line)) for number, line in enumerate(lines, start=1) if line.strip())


def _request(line: str) -> dict[str, Any] | str:
    match = _REQUEST.match(line)
    if not match:
        return f'must be client identity user [day/month/year:time zone] "request" ... (got {line.rstrip()!r:.100})'
    try:
        return {"user": match[1], "time_ms": read_access_log_time(match[2])}
    except ValueError as error:
        return f"Login.time_ms: {error}"


# Logs of sshd as syslog writes them; most lines are not log-ins, and are ignored

_FROM = r"(.*) from [^ ]+ port [0-9]+\b"  # up to the last one, because a client may name itself `x from y port 1`
_ACCEPTED = re.compile(rf"Accepted [^ ]+ for {_FROM}")
_FAILED = re.compile(rf"Failed [^ ]+ for (?:invalid user )?{_FROM}")


def _sshd_log(login: "re.Pattern[str]", lines: Iterable[str], _path: Path) -> FormatRows:
    """The log-ins of each line: none, one, or as many as syslog says that the message was repeated."""
    for number, message in syslog_messages(lines):
        if isinstance(message, str):
            yield number, number, message
        elif message.process == "sshd" and (match := login.match(message.text)):
            for _ in range(message.times):
                yield number, number, {"user": match[1], "time_ms": message.stamp}
        else:
            yield number, number, None


COMBINED_LOG = Format(
    "combined", "combined log", lambda line: bool(_REQUEST.match(line)), _access_log, has_milliseconds=True
)
"""Access logs of Apache and nginx: every line is one request of its client."""

SSHD = Format(
    "sshd",
    "sshd log",
    starts_as_syslog,
    partial(_sshd_log, _ACCEPTED),
    has_year=False,
    tells_year=times_have_year,
    wanted="lines of sshd that start with Accepted; --format sshd-failed counts those that start with Failed",
)
"""The log-ins that sshd accepted, in a log of syslog; times without a year. Other lines are ignored."""

SSHD_FAILED = Format(
    "sshd-failed",
    "sshd log of failed log-ins",
    lambda line: False,
    partial(_sshd_log, _FAILED),
    has_year=False,
    tells_year=times_have_year,
    wanted="lines of sshd that start with Failed; --format sshd counts those that start with Accepted",
)
"""The log-ins that sshd refused; recognizes no line, so it must be chosen by name."""

FORMATS = (COMBINED_LOG, SSHD, SSHD_FAILED)
