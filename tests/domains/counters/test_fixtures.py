"""The sample files hold what breaks counts by name and day."""

from collections import Counter

import pytest

from domains.counters import DAY_MS, Login
from domains.counters.formats import FORMATS
from fixtures.counters import make_samples
from shared.loading import read_lines
from tests.copies import ROOT

FIXTURES = ROOT / "fixtures" / "counters"


def test_the_samples_are_two_weeks_of_24_users(samples):
    days = {each.time_ms // DAY_MS for each in samples}
    assert (len(samples), len(days), len({each.user for each in samples})) == (1440, 14, 24)


def test_users_begin_alike_have_the_delimiter_and_are_outside_ascii(samples):
    users = {each.user for each in samples}
    assert {"u-1", "u-17", "u-171", "user_1", "user_1_b", "user_1_20260112", "a", "ada", "Ada"} < users
    assert len({user for user in users if not user.isascii()}) == 3


def test_logins_of_one_user_share_a_millisecond_and_none_is_lost(samples):
    moments = Counter((each.user, each.time_ms) for each in samples)
    assert (len(samples) - len(moments), len({*samples})) == (29, 1440)


def test_days_have_logins_in_their_first_and_in_their_last_millisecond(samples):
    within = Counter(each.time_ms % DAY_MS for each in samples)
    assert (within[0], within[DAY_MS - 1]) >= (14, 14)


def test_lines_are_out_of_the_order_of_time_and_the_last_day_is_a_busy_one(samples):
    times = [each.time_ms for each in samples]
    assert times != sorted(times)
    days = Counter(time_ms // DAY_MS for time_ms in times)
    assert [count for _day, count in sorted(days.items())] == [80] * 13 + [400]


def test_one_user_has_a_fifth_of_all(samples):
    ((user, count),) = Counter(each.user for each in samples).most_common(1)
    assert (user, round(count / len(samples), 1)) == (make_samples.BUSY, 0.2)


def test_larger_samples_begin_with_the_same_logins_and_have_as_many_more_users():
    made = {times: make_samples.SAMPLES["logins"](times) for times in (1, 4)}
    assert made[4][: len(made[1])] == made[1]
    assert (len({each["user"] for each in made[1]}), len({each["user"] for each in made[4]})) == (24, 24 + 69)


@pytest.mark.parametrize(
    ("name", "format", "year", "users"),
    [
        ("logins.csv", "csv", None, 24),
        ("access.log", "combined", None, 3),
        ("auth.log", "sshd", 2025, 2),
        ("auth.log", "sshd-failed", 2025, 2),
    ],
)
def test_every_file_is_read_whole(name, format, year, users):
    choice = format if format == "sshd-failed" else "auto"
    lines = read_lines(FIXTURES / name, Login, format=choice, formats=FORMATS, year=year)
    assert lines.format == format
    all_lines = list(lines)
    assert [line.reason for line in all_lines if line.reason] == []
    assert len({line.record.user for line in all_lines}) == users
