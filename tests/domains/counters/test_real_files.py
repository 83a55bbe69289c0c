"""Real logs, one of Apache and one of sshd: counts compared with those that plain Python makes of their lines."""

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from domains.counters import DAY_MS, DayCount, Login, Repeats
from domains.counters.design import DESIGN
from domains.counters.formats import FORMATS
from shared.loading import read_lines
from shared.records import parse_time

from .asking import BY_NAME, COUNTING, KEEPING, dump

REAL = Path(__file__).parents[4] / "shared" / "data"
APACHE = REAL / "logs" / "apache_access.log"
AUTH = REAL / "audit" / "auth_first5000.log"
YEAR = 2017
"""Assumed: the file does not say it."""

pytestmark = pytest.mark.skipif(not REAL.exists(), reason="the real logs are not on this machine")


def read(path, format="auto", year=None):
    """The records of a file, told apart as `load` does; every line must be good."""
    lines = list(read_lines(path, Login, format=format, formats=FORMATS, year=year))
    assert [line.reason for line in lines if line.reason] == []
    return [*map(Repeats(), (line.record for line in lines))]


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def requests_by_hand():
    """Client and day of every line, without the code of the design."""
    for line in lines_of(APACHE):
        stamp = line.split("[")[1].split("]")[0]
        time = datetime.strptime(stamp, "%d/%b/%Y:%H:%M:%S %z").astimezone(UTC)
        yield line.split(" ")[0], time.date()


def auth_by_hand(word):
    """User and day of every log-in that was `Accepted` or `Failed`, repeated messages as often as they say."""
    for line in lines_of(AUTH):
        if match := re.search(rf"{word} \w+ for (?:invalid user )?(\S+) from", line):
            time = datetime.strptime(f"{YEAR} {line[:15]}", "%Y %b %d %H:%M:%S")
            repeated = re.search(r"message repeated (\d+) times", line)
            for _ in range(int(repeated[1]) if repeated else 1):
                yield match[1], time.date()


FILES = {
    "requests": (lambda: read(APACHE), requests_by_hand, 3500),
    "accepted": (lambda: read(AUTH, year=YEAR), lambda: auth_by_hand("Accepted"), 218),
    "failed": (lambda: read(AUTH, "sshd-failed", YEAR), lambda: auth_by_hand("Failed"), 518),
}


def marks(name, file):
    """The requests, 3,500 calls or more, are stored in the design itself; in its variants by the long tests."""
    return [pytest.mark.long] if file == "requests" and name != DESIGN.main.name else []


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((name, file), id=f"{name} {file}", marks=marks(name, file)) for name in BY_NAME for file in FILES
    ],
)
def loaded(request, engine):
    """Variant, connection and repository with the records of a file, these records, and the plain counts."""
    name, file = request.param
    read_file, by_hand, _count = FILES[file]
    records = read_file()
    variant = BY_NAME[name]
    with engine.store(*variant.tables) as connection:
        repository = variant.open(connection)
        for record in records:
            repository.store(record)
        yield name, connection, repository, records, Counter(by_hand())


@pytest.mark.parametrize("file", FILES)
def test_the_files_hold_as_many_records_as_plain_python_finds(file):
    read_file, by_hand, count = FILES[file]
    assert len(read_file()) == len(list(by_hand())) == count


def test_3328_lines_of_the_log_of_sshd_share_a_second_and_five_log_ins_are_repeated_exactly():
    lines = lines_of(AUTH)
    assert (len(lines), len(lines) - len({line[:15] for line in lines})) == (5000, 3328)
    repeated = [line for line, count in Counter(lines).items() if count > 1]
    assert (len(repeated), all("Failed password" in line for line in repeated)) == (5, True)


def test_logins_of_one_user_and_second_would_be_lost_without_ties():
    failed, requests = (FILES[file][0]() for file in ("failed", "requests"))
    lost = [len(records) - len({(each.user, each.time_ms) for each in records}) for records in (failed, requests)]
    assert lost == [146, 268]
    assert [len({*records}) for records in (failed, requests)] == [518, 3500]


def test_every_user_and_day_has_the_plain_count(loaded):
    _name, _connection, repository, _records, counts = loaded
    for user in {user for user, _day in counts}:
        of_user = sorted((day, count) for (each, day), count in counts.items() if each == user)
        assert repository.days(user) == [DayCount(user, day_ms(day), count) for day, count in of_user]


def test_every_day_has_the_plain_total_and_the_plain_top_users(loaded):
    _name, _connection, repository, records, counts = loaded
    days = {day for _user, day in counts}
    assert len(days) > 1
    for day in days:
        of_day = Counter({user: count for (user, each), count in counts.items() if each == day})
        ranked = sorted(of_day.items(), key=lambda item: (-item[1], item[0]))
        assert repository.day_total(day_ms(day)) == of_day.total()
        assert [(top.user, top.count) for top in repository.top_users(day_ms(day), 5)] == ranked[:5]
    assert sum(counts.values()) == len(records)


def test_a_name_that_begins_another_is_somebody_else(loaded):
    _name, _connection, repository, records, counts = loaded
    users = {each.user for each in records}
    alike = {user for user in users for other in users if other != user and other.startswith(user)}
    for user in alike:
        of_user = sum(count for (each, _day), count in counts.items() if each == user)
        assert sum(day.count for day in repository.days(user)) == of_user
    assert len(alike) == {3500: 4, 218: 0, 518: 0}[len(records)]


def test_to_load_the_file_again_changes_nothing_unless_it_is_increments(loaded):
    name, connection, repository, records, _counts = loaded
    before, day = dump(connection, BY_NAME[name]), records[0].time_ms // DAY_MS * DAY_MS
    total = repository.day_total(day)
    for record in records:
        repository.store(record)
    if name in KEEPING:
        assert dump(connection, BY_NAME[name]) == before
    assert repository.day_total(day) == (2 * total if name in COUNTING else total)


def day_ms(day):
    return parse_time(day.isoformat())
