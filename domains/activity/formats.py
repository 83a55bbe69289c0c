r"""The file format of activity: the log in which a Unix host records who logged in, and what they ran as root.

Jan  5 08:07:31 web-1 sshd[1361]: Accepted publickey for ada from 203.0.113.9 port 54259 ssh2
user ada, verb sshd accepted, object web-1, source 203.0.113.9, detail: the message

Jan  5 08:07:35 web-1 sudo:   ada : TTY=pts/0 ; PWD=/home/ada ; USER=root ; COMMAND=/usr/bin/id
user ada, verb sudo command, object web-1, detail: the message
"""

import re
from collections.abc import Iterable
from pathlib import Path

from shared.loading import Format, FormatRows, starts_as_syslog, syslog_messages, times_have_year

_FROM = r"(?P<user>.*) from (?P<source>[^ ]+)"  # up to the last ` from `: a client may name itself `x from y port 1`
_SESSION = r"(?P<verb>session opened|session closed) for user (?P<user>[^ ]+)"
_OLD_PAM = "(pam_unix)"
"""What an older PAM writes after the name of the process, instead of `pam_unix(...)` before the message."""
_FORMS = (
    ("sshd", re.compile(rf"(?P<verb>Accepted|Failed) [^ ]+ for (?:invalid user )?{_FROM} port")),
    ("sshd", re.compile(rf"(?P<verb>Invalid) user {_FROM}")),
    ("sudo", re.compile(r" *(?P<user>[^ ]+) : .*(?P<verb>COMMAND)=")),
    ("", re.compile(rf"pam_unix\([^)]*\): {_SESSION}")),
    (_OLD_PAM, re.compile(_SESSION)),
)
"""The messages that name a user, each with the process that writes them; empty for any process."""


def _auth_log(lines: Iterable[str], _path: Path) -> FormatRows:
    """The actions of each line: none, one, or as many as syslog says that the message was repeated."""
    for number, message in syslog_messages(lines):
        if isinstance(message, str):
            yield number, number, message
            continue
        process, old_pam, _ = message.process.partition(_OLD_PAM)
        for written_by, form in _FORMS:
            if process and written_by in ("", process, old_pam) and (match := form.match(message.text)):
                values = {
                    "source": "",
                    **match.groupdict(),
                    "verb": f"{process} {match['verb'].lower()}",
                    "time_ms": message.stamp,
                    "object": message.host,
                    "detail": message.text.strip(),
                }
                for _ in range(message.times):
                    yield number, number, values
                break
        else:
            yield number, number, None


AUTH_LOG = Format(
    "auth",
    "auth log",
    starts_as_syslog,
    _auth_log,
    has_year=False,
    tells_year=times_have_year,
    wanted="lines in which sshd, sudo or PAM names a user, such as `session opened for user ada`",
)
"""The log of sshd, sudo and PAM that syslog writes; times without a year. Lines without a user are ignored.

The object is the host, the source is the address, the detail is the whole message. The verb is the process and what it
reports: `sshd accepted`, `sshd failed`, `sshd invalid`, `sudo command`, `CRON session opened`.
"""

FORMATS = (AUTH_LOG,)
