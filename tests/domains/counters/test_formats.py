"""What a login may hold; access logs as requests of clients, and logs of sshd as log-ins of users."""

import re

import pytest

from domains.counters import Login, Repeats
from domains.counters.formats import FORMATS
from shared.loading import UnneededYear, UnreadableFile, read_lines
from shared.records import LAST_MS, show_time

from .asking import DAY, login


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (("", 0), "user: must be text, not empty (got '')"),
        (("ada", -1), f"time_ms: must be 0..{LAST_MS} (got -1)"),
        (("ada", LAST_MS + 1), f"time_ms: must be 0..{LAST_MS} (got {LAST_MS + 1})"),
        (("ada", 0, -1), f"tie: must be 0..{2**64 - 1} (got -1)"),
        (("ada", 0, 2**64), f"tie: must be 0..{2**64 - 1} (got {2**64})"),
    ],
)
def test_a_login_that_has_no_place_is_refused(values, reason):
    with pytest.raises(ValueError, match=rf"^Login\.{re.escape(reason)}$"):
        Login(*values)


def test_logins_of_one_user_and_millisecond_are_numbered_from_0_beside_those_with_a_number_from_their_source():
    logins = [login(), login(), login(user="bob"), login(DAY + 1), login(tie=5), login(), login(tie=5)]
    for _ in range(2):
        assert [numbered.tie for numbered in map(Repeats(), logins)] == [0, 1, 0, 0, 5, 2, 5]


# ---- files

SSHD = "Jan  5 08:07:31 web-1 sshd[1361]: "
FROM = "from 203.0.113.9 port 54259 ssh2"
FAILED = f"{SSHD}Failed password for {{}} {FROM}\n"
GOOD = 'a - - [12/Jan/2026:00:30:00 +0100] "GET /"\n'


def accepted(stamp, user="ada"):
    return f"{stamp} web-1 sshd[1]: Accepted password for {user} from 203.0.113.9 port 1 ssh2\n"


@pytest.fixture
def read(tmp_path):
    """The records of a file of this text; a line that is not a record as its reason."""

    def read(text, format="auto", year=2026):
        path = tmp_path / "any.log"
        path.write_text(text, encoding="utf-8")
        lines = read_lines(path, Login, format=format, formats=FORMATS, year=year)
        return [line.record or line.reason for line in lines]

    return read


OTHERS = (
    f"{SSHD}pam_unix(sshd:session): session opened for user ada by (uid=0)\n"
    "Jan  5 08:07:31 web-1 CRON[9]: pam_unix(cron:session): session opened for user root by (uid=0)\n"
    f"Jan  5 08:07:31 web-1 sudo: Accepted password for ada {FROM}\n\n"
)
NOT_A_TIME = "Login.time_ms: must be a time such as 17/May/2015:10:05:03 +0000 (got '30/Feb/2026:00:30:00 +0100')"
NO_HOST = "must start with a time and a host, such as Jan  5 08:07:31 web-1 (got '-- cut --')"
NO_LEAP_YEAR = "Login.time_ms: must be a time of 2023, the year counted from that of the first line (got 'Feb 29 12:"
MONDAY = "2026-01-05T08:07:31.000Z"
NEW_YEAR = ["Dec 31 23:59:58", "Jan  1 00:00:01", "Dec 31 23:59:59", "Feb 28 00:00:00"]
LINES = [
    (GOOD, None, ["a 2026-01-11T23:30:00.000Z"]),
    (GOOD + "203.0.113.9 - -\n", None, ["a 2026", "must be client identity user [day/month/year:time zone] "]),
    (GOOD + GOOD.replace("12/Jan", "30/Feb"), None, ["a 2026", NOT_A_TIME]),
    (f"{SSHD}Accepted publickey for ada {FROM}: RSA SHA256:AbCd\n", 2026, [f"ada {MONDAY}"]),
    (f"{SSHD}Accepted password for x from 1.2.3.4 port 5 {FROM}\n", 2026, [f"x from 1.2.3.4 port 5 {MONDAY}"]),
    (OTHERS + FAILED.format("ada"), 2026, []),
    (accepted("Feb 29 12:00:00"), 2024, ["ada 2024-02-29T12:00:00.000Z"]),
    (accepted("Feb 28 12:00:00") + accepted("Feb 29 12:00:00"), 2023, ["ada 2023-02-28", NO_LEAP_YEAR]),
    ("".join(map(accepted, NEW_YEAR)), 2023, ["ada 2023-12-31", "ada 2024-01-01", "ada 2023-12-31", "ada 2024-02-28"]),
]


@pytest.mark.parametrize(("text", "year", "starts"), LINES)
def test_a_line_is_a_login_or_refused_or_skipped(read, text, year, starts):
    lines = read(text, year=year)
    shown = [line if isinstance(line, str) else f"{line.user} {show_time(line.time_ms)}" for line in lines]
    assert [line[: len(start)] for line, start in zip(shown, starts, strict=True)] == starts


def test_a_failed_log_in_without_a_user_or_a_time_is_refused(read):
    no_user, no_time = read(FAILED.format("invalid user ") + "-- cut --\n", "sshd-failed")
    assert no_user == "Login.user: must be text, not empty (got '')"
    assert no_time.startswith(NO_HOST)


def test_failed_log_ins_are_a_format_of_their_own_with_as_many_as_the_message_says(read):
    repeated = f"{SSHD}message repeated 3 times: [ Failed password for root {FROM}]\n"
    text = FAILED.format("ada") + FAILED.format("invalid user admin") + repeated + accepted("Jan  5 08:07:31")
    logins = [*map(Repeats(), read(text, "sshd-failed"))]
    assert [login.user for login in logins] == ["ada", "admin", "root", "root", "root"]
    assert [login.tie for login in logins] == [0, 0, 0, 1, 2]


@pytest.mark.parametrize(
    ("text", "year", "error", "reason"),
    [
        (accepted("Apr  6 14:19:16"), None, UnreadableFile, "sshd log, whose times have no year: give --year, that of"),
        (GOOD, 2026, UnneededYear, "combined log, whose times have a year: leave out --year (got 2026)"),
        ("user,time_ms\na,5\n", 2026, UnneededYear, "CSV, whose times have a year: leave out --year (got 2026)"),
        ('{"user": "a", "time_ms": 5}\n', 2026, UnneededYear, "JSON lines, whose times have a year: leave out --year "),
    ],
)
def test_a_year_is_needed_exactly_if_the_times_of_a_file_have_none(read, tmp_path, text, year, error, reason):
    with pytest.raises(error) as refused:
        read(text, year=year)
    assert str(refused.value).startswith(f"{tmp_path / 'any.log'}: is read as {reason}")
