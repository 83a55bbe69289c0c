"""The sample files hold what breaks counts by name and day."""

from collections import Counter

from domains.counters import DAY_MS
from fixtures.counters import make_samples
from tests.copies import ROOT

FIXTURES = ROOT / "fixtures" / "counters"


def test_the_samples_are_two_weeks_of_24_users(samples):
    days = {each.time_ms // DAY_MS for each in samples}
    assert (len(samples), len(days), len({each.user for each in samples})) == (1440, 14, 24)


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


def test_larger_samples_begin_with_the_same_logins_and_have_as_many_more_users():
    made = {times: make_samples.SAMPLES["logins"](times) for times in (1, 4)}
    assert made[4][: len(made[1])] == made[1]
    assert (len({each["user"] for each in made[1]}), len({each["user"] for each in made[4]})) == (24, 24 + 69)
