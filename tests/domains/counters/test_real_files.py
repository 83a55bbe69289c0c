"""Whole real logs, one of Apache and one of sshd: counts compared with those that plain Python makes of their lines."""

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from domains.counters import DayCount, Login, LoginRepository, Repeats
from domains.counters.formats import FORMATS
from domains.counters.keys import TABLES
from shared.loading import read_lines
from shared.records import parse_time

REAL = Path(__file__).parents[4] / "shared" / "data"
APACHE, AUTH = REAL / "logs" / "apache_access.log", REAL / "audit" / "auth_first5000.log"
YEAR = 2017
"""Assumed: the file does not say it."""


def requests_by_hand(line):
    """Client and day of a request, without the code of the design."""
    time = datetime.strptime(re.search(r"\[(.*?)\]", line)[1], "%d/%b/%Y:%H:%M:%S %z").astimezone(UTC)
    return [(line.split(" ")[0], time.date())]


def log_ins_by_hand(word, line):
    """User and day of a log-in that was `Accepted` or `Failed`, as often as the message says."""
    match = re.search(rf"(?:repeated (\d+) times.*)?{word} \w+ for (?:invalid user )?(\S+) from", line)
    day = datetime.strptime(f"{YEAR} {line[:15]}", "%Y %b %d %H:%M:%S").date()
    return [(match[2], day)] * int(match[1] or 1) if match else []


@pytest.mark.skipif(not REAL.exists(), reason="the real logs are not on this machine")
@pytest.mark.parametrize(
    ("path", "format", "year", "by_hand", "count", "tied"),
    [
        (APACHE, "auto", None, requests_by_hand, 3500, 268),
        (AUTH, "auto", YEAR, lambda line: log_ins_by_hand("Accepted", line), 218, 0),
        (AUTH, "sshd-failed", YEAR, lambda line: log_ins_by_hand("Failed", line), 518, 146),
    ],
    ids=["requests", "accepted", "failed"],
)
def test_every_user_and_day_of_a_file_has_the_plain_count(engine, path, format, year, by_hand, count, tied):
    lines = read_lines(path, Login, format=format, formats=FORMATS, year=year)
    logins = [*map(Repeats(), (line.record for line in lines))]
    assert (len(logins), len(logins) - len({(login.user, login.time_ms) for login in logins})) == (count, tied)
    days = Counter(day for line in path.read_text(encoding="utf-8").splitlines() for day in by_hand(line))
    with engine.store(*TABLES) as connection:
        repository = LoginRepository(connection)
        for _ in range(2):  # the same file again changes nothing
            assert repository.store_all(logins) == count
        counted = [day for user in {user for user, _day in days} for day in repository.days(user)]
    assert {*counted} == {DayCount(user, parse_time(day.isoformat()), times) for (user, day), times in days.items()}
