"""Access logs as requests of clients, logs of sshd as log-ins of users, and the numbers of equal logins."""

import pytest

from domains.counters import Login, Repeats
from domains.counters.formats import FORMATS
from shared.loading import read_lines
from shared.records import show_time

from .asking import DAY, login


def test_logins_of_one_user_and_millisecond_are_numbered_from_0_beside_those_with_a_number_from_their_source():
    logins = [login(), login(), login(user="bob"), login(DAY + 1), login(tie=5), login(), login(tie=5)]
    for _ in range(2):
        assert [numbered.tie for numbered in map(Repeats(), logins)] == [0, 1, 0, 0, 5, 2, 5]


SSHD = "Jan  5 08:07:31 web-1 sshd[1361]: "
FROM = "from 203.0.113.9 port 54259 ssh2"
FAILED = f"{SSHD}Failed password for {{}} {FROM}\n"
GOOD = 'a - - [12/Jan/2026:00:30:00 +0100] "GET /"\n'


def accepted(stamp, user="ada"):
    return f"{stamp} web-1 sshd[1]: Accepted password for {user} from 203.0.113.9 port 1 ssh2\n"


OTHERS = (
    f"{SSHD}pam_unix(sshd:session): session opened for user ada by (uid=0)\n"
    "Jan  5 08:07:31 web-1 CRON[9]: pam_unix(cron:session): session opened for user root by (uid=0)\n"
    f"Jan  5 08:07:31 web-1 sudo: Accepted password for ada {FROM}\n\n"
)
TWO_FAILED = FAILED.format("ada") + FAILED.format("invalid user admin")
REPEATED = f"{SSHD}message repeated 3 times: [ Failed password for root {FROM}]\n"
NO_USER = "Login.user: must be text, not empty (got '')"
NOT_A_TIME = "Login.time_ms: must be a time such as 17/May/2015:10:05:03 +0000 (got '30/Feb/2026:00:30:00 +0100')"
NO_HOST = "must start with a time and a host, such as Jan  5 08:07:31 web-1 (got '-- cut --')"
NO_LEAP_YEAR = "Login.time_ms: must be a time in 2023, counting years from the first line (got 'Feb 29 12:"
MONDAY = "2026-01-05T08:07:31.000Z"
NEW_YEAR = ["Dec 31 23:59:58", "Jan  1 00:00:01", "Dec 31 23:59:59", "Feb 28 00:00:00"]
LINES = [
    (GOOD, None, ["a 2026-01-11T23:30:00.000Z 0"]),
    (GOOD + "203.0.113.9 - -\n", None, ["a 2026", "must be client identity user [day/month/year:time zone] "]),
    (GOOD + GOOD.replace("12/Jan", "30/Feb"), None, ["a 2026", NOT_A_TIME]),
    (f"{SSHD}Accepted publickey for ada {FROM}: RSA SHA256:AbCd\n", 2026, [f"ada {MONDAY} 0"]),
    (f"{SSHD}Accepted password for x from 1.2.3.4 port 5 {FROM}\n", 2026, [f"x from 1.2.3.4 port 5 {MONDAY}"]),
    (OTHERS + FAILED.format("ada"), 2026, []),
    (accepted("Feb 29 12:00:00"), 2024, ["ada 2024-02-29T12:00:00.000Z"]),
    (accepted("Feb 28 12:00:00") + accepted("Feb 29 12:00:00"), 2023, ["ada 2023-02-28", NO_LEAP_YEAR]),
    ("".join(map(accepted, NEW_YEAR)), 2023, ["ada 2023-12-31", "ada 2024-01-01", "ada 2023-12-31", "ada 2024-02-28"]),
]
FAILED_LINES = [
    (FAILED.format("invalid user ") + "-- cut --\n", 2026, [NO_USER, NO_HOST]),
    (TWO_FAILED + accepted("Jan  5 08:07:31"), 2026, [f"ada {MONDAY} 0", f"admin {MONDAY} 0"]),
    (FAILED.format("root") + REPEATED, 2026, [f"root {MONDAY} {tie}" for tie in (0, 1, 2, 3)]),
]
CASES = [*(("auto", *case) for case in LINES), *(("sshd-failed", *case) for case in FAILED_LINES)]


@pytest.mark.parametrize(("format", "text", "year", "starts"), CASES)
def test_a_line_is_a_login_or_refused_or_skipped_or_as_many_logins_as_it_says(tmp_path, format, text, year, starts):
    path = tmp_path / "any.log"
    path.write_text(text, encoding="utf-8")
    repeats, shown = Repeats(), []
    for line in read_lines(path, Login, format=format, formats=FORMATS, year=year):
        numbered = line.record and repeats(line.record)
        shown.append(f"{numbered.user} {show_time(numbered.time_ms)} {numbered.tie}" if numbered else line.reason)
    assert [line[: len(start)] for line, start in zip(shown, starts, strict=True)] == starts
