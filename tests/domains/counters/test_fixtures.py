"""The sample file holds what breaks counts by name and day."""

from collections import Counter

from domains.counters import DAY_MS
from domains.counters.design import DESIGN
from fixtures.counters import make_samples

LOGINS = list(DESIGN.loads[0].sample_records())


def test_the_samples_are_two_weeks_of_24_users_the_last_day_a_busy_one_out_of_the_order_of_time():
    days = Counter(login.time_ms // DAY_MS for login in LOGINS)
    assert [count for _day, count in sorted(days.items())] == [80] * 13 + [400]
    assert len({login.user for login in LOGINS}) == 24
    times = [login.time_ms for login in LOGINS]
    assert times != sorted(times)


def test_logins_share_a_user_and_a_millisecond_and_are_at_both_ends_of_a_day():
    assert (len({*LOGINS}), len({(login.user, login.time_ms) for login in LOGINS})) == (1440, 1440 - 29)
    within = Counter(login.time_ms % DAY_MS for login in LOGINS)
    assert (within[0], within[DAY_MS - 1]) >= (14, 14)


def test_larger_samples_begin_with_the_same_logins_and_have_as_many_more_users():
    one, four = (make_samples.SAMPLES["logins"](times) for times in (1, 4))
    assert four[: len(one)] == one
    assert [len({login["user"] for login in logins}) for logins in (one, four)] == [24, 24 + 69]
