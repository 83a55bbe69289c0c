"""Access logs as requests of clients, and logs of sshd as log-ins of users."""

import pytest

from domains.counters import Login, Repeats
from domains.counters.formats import FORMATS
from shared.loading import UnneededYear, UnreadableFile, read_lines
from shared.records import parse_time

SSHD = "Jan  5 08:07:31 web-1 sshd[1361]: "


@pytest.fixture
def read(tmp_path):
    """The lines of a file of this text, as records or reasons."""

    def read(text, format="auto", year=2026):
        path = tmp_path / "any.log"
        path.write_text(text, encoding="utf-8")
        return [line.record or line.reason for line in lines_of(path, format, year)]

    return read


def lines_of(path, format="auto", year=None):
    return read_lines(path, Login, format=format, formats=FORMATS, year=year)


def at(text):
    return parse_time(text)


# ---- access logs ------------------------------------------------------------------------------------


def test_a_line_of_an_access_log_is_a_request_of_its_client(read):
    line = '203.0.113.9 - ada [12/Jan/2026:00:30:00 +0100] "GET / HTTP/1.1" 200 5120 "-" "curl"\n'
    assert read(line, year=None) == [Login("203.0.113.9", at("2026-01-11T23:30Z"))]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("203.0.113.9 - -\n", "must be client identity user [day/month/year:time zone] "),
        (
            '203.0.113.9 - - [30/Feb/2026:00:30:00 +0100] "GET',
            "Login.time_ms: must be a time such as 17/May/2015:10:05:03 +0000 (got '30/Feb/2026:00:30:00 +0100')",
        ),
    ],
)
def test_a_line_that_is_not_a_request_is_refused(read, line, reason):
    (_good, refused) = read('a - - [12/Jan/2026:00:30:00 +0100] "GET /"\n' + line, year=None)
    assert refused.startswith(reason)


# ---- logs of sshd -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "user"),
    [
        ("Accepted publickey for ada from 203.0.113.9 port 54259 ssh2: RSA SHA256:AbCd", "ada"),
        ("Accepted password for ada_2 from 2001:db8::1 port 1 ssh2", "ada_2"),
        ("Accepted password for x from 1.2.3.4 port 5 from 203.0.113.9 port 54259 ssh2", "x from 1.2.3.4 port 5"),
    ],
)
def test_an_accepted_log_in_counts_for_its_user(read, message, user):
    assert read(SSHD + message + "\n") == [Login(user, at("2026-01-05T08:07:31Z"))]


def test_what_is_not_a_log_in_is_passed_over(read):
    others = [
        SSHD + "pam_unix(sshd:session): session opened for user ada by (uid=0)",
        SSHD + "Failed password for ada from 203.0.113.9 port 54259 ssh2",
        "Jan  5 08:07:31 web-1 CRON[9]: pam_unix(cron:session): session opened for user root by (uid=0)",
        "Jan  5 08:07:31 web-1 sudo: Accepted password for ada from 203.0.113.9 port 54259 ssh2",
        "",
    ]
    assert read("\n".join(others)) == []


def test_failed_log_ins_are_a_format_of_their_own_with_as_many_as_the_message_says(read):
    failed = "Failed password for {} from 203.0.113.9 port 54259 ssh2"
    text = "\n".join(
        SSHD + message
        for message in (
            failed.format("ada"),
            failed.format("invalid user admin"),
            f"message repeated 3 times: [ {failed.format('root')}]",
            "Accepted password for ada from 203.0.113.9 port 54259 ssh2",
        )
    )
    assert [record.user for record in read(text, "sshd-failed")] == ["ada", "admin", "root", "root", "root"]
    repeats = Repeats()
    assert [repeats(record).tie for record in read(text, "sshd-failed")] == [0, 0, 0, 1, 2]


def test_a_log_in_without_a_user_is_refused_and_a_line_without_a_time_too(read):
    text = f"{SSHD}Failed password for invalid user  from 203.0.113.9 port 54259 ssh2\n-- cut --\n"
    no_user, no_time = read(text, "sshd-failed")
    assert no_user == "Login.user: must be text, not empty (got '')"
    assert no_time.startswith("must start with a time and a host, such as Jan  5 08:07:31 web-1 (got '-- cut --')")


# ---- the year ---------------------------------------------------------------------------------------


def accepted(*stamps):
    return "".join(
        f"{stamp} web-1 sshd[1]: Accepted password for ada from 203.0.113.9 port 1 ssh2\n" for stamp in stamps
    )


def test_a_log_that_runs_over_new_year_goes_on_in_the_next_year_and_late_lines_in_the_old_one(read):
    text = accepted("Dec 31 23:59:58", "Jan  1 00:00:01", "Dec 31 23:59:59", "Jan  1 00:00:02", "Feb 28 00:00:00")
    assert [record.time_ms for record in read(text, year=2023)] == [
        at("2023-12-31T23:59:58Z"),
        at("2024-01-01T00:00:01Z"),
        at("2023-12-31T23:59:59Z"),
        at("2024-01-01T00:00:02Z"),
        at("2024-02-28T00:00:00Z"),
    ]


def test_the_twenty_ninth_of_february_is_a_day_of_leap_years_only(read):
    assert read(accepted("Feb 29 12:00:00"), year=2024) == [Login("ada", at("2024-02-29T12:00Z"))]
    assert read(accepted("Feb 28 12:00:00", "Feb 29 12:00:00"), year=2023)[1] == (
        "Login.time_ms: must be a time of 2023, the year counted from that of the first line (got 'Feb 29 12:00:00')"
    )


def test_without_a_year_the_file_is_refused_as_a_whole(tmp_path):
    path = tmp_path / "auth.log"
    path.write_text(accepted("Apr  6 14:19:16"), encoding="utf-8")
    with pytest.raises(UnreadableFile) as refused:
        lines_of(path)
    assert str(refused.value) == (
        f"{path}: is read as sshd log, whose times have no year: give --year, that of its first line"
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('a - - [12/Jan/2026:00:30:00 +0100] "GET /"\n', "combined log"),
        ("user,time_ms\na,5\n", "CSV"),
        ('{"user": "a", "time_ms": 5}\n', "JSON lines"),
    ],
)
def test_a_year_for_a_file_whose_times_have_one_is_refused(tmp_path, text, title):
    path = tmp_path / "any.log"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnneededYear) as refused:
        lines_of(path, year=2026)
    assert str(refused.value) == f"{path}: is read as {title}, whose times have a year: leave out --year (got 2026)"
