"""What a login may hold, and the ties of logins in one millisecond."""

import re
from collections import Counter

import pytest

from domains.counters import DAY_MS, Login, Repeats
from domains.counters.design import DESIGN
from shared.records import LAST_MS

from .asking import DAY, login


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (("", 0), "Login.user: must be text, not empty (got '')"),
        (("ada", -1), f"Login.time_ms: must be 0..{LAST_MS} (got -1)"),
        (("ada", LAST_MS + 1), f"Login.time_ms: must be 0..{LAST_MS} (got {LAST_MS + 1})"),
        (("ada", True), f"Login.time_ms: must be 0..{LAST_MS} (got True)"),
        (("ada", 0, -1), f"Login.tie: must be 0..{2**64 - 1} (got -1)"),
        (("ada", 0, 2**64), f"Login.tie: must be 0..{2**64 - 1} (got {2**64})"),
    ],
)
def test_a_login_that_has_no_place_is_refused(values, reason):
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        Login(*values)


def test_logins_of_one_user_and_millisecond_are_numbered_from_0_beside_those_with_a_number_from_their_source():
    logins = [login(), login(), login(user="bob"), login(DAY + 1), login(tie=5), login(), login(tie=5)]
    for _ in range(2):
        assert [numbered.tie for numbered in map(Repeats(), logins)] == [0, 1, 0, 0, 5, 2, 5]


def test_the_samples_share_users_and_milliseconds_and_are_at_both_ends_of_a_day():
    logins = list(DESIGN.loads[0].sample_records())
    assert (len({*logins}), len({(login.user, login.time_ms) for login in logins})) == (1440, 1440 - 29)
    within = Counter(login.time_ms % DAY_MS for login in logins)
    assert (within[0], within[DAY_MS - 1]) >= (14, 14)
