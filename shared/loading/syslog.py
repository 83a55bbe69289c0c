"""Lines of syslog (RFC 3164): a time without year and zone, a host, a process, a message.

    Jan  5 08:07:31 web-1 sshd[1361]: Accepted publickey for ada from 203.0.113.9 port 54259 ssh2
    Jan  5 08:07:35 web-1 sudo:   ada : TTY=pts/0 ; PWD=/home/ada ; USER=root ; COMMAND=/usr/bin/id

Times stay text: the caller of `read_lines` gives the year, see `SyslogTimes`.
"""

import re
from collections.abc import Iterable, Iterator

import attrs

from .log_times import SYSLOG_TIME

_STARTS = re.compile(rf"({SYSLOG_TIME.pattern}) ([^ ]+) ")
_PROCESS = re.compile(r"([^ :\[]+)(?:\[[0-9]+\])?: (?:message repeated ([0-9]{1,4}) times: \[ )?")


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
    """Whether a line starts with a time and a host."""
    return bool(_STARTS.match(line))


def syslog_messages(lines: Iterable[str]) -> Iterator[tuple[int, SyslogMessage | str]]:
    """The number of each line with its message, or with the reason why it has none.

    Blank lines are passed over.
    """
    for number, line in enumerate(lines, start=1):
        start = _STARTS.match(line)
        if start is None:
            if line.strip():
                shown = f"{line.rstrip()!r:.100}"
                yield number, f"must start with a time and a host, such as Jan  5 08:07:31 web-1 (got {shown})"
            continue
        process = _PROCESS.match(line, start.end())
        name, times, end = (process[1], process[2], process.end()) if process else ("", None, start.end())
        text = line[end:].rstrip("\r\n").removesuffix("]" if times else "")
        yield number, SyslogMessage(start[1], start[2], name, text, int(times or 1))
