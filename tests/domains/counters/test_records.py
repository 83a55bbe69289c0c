"""What a login may hold, and the ties of logins in one millisecond."""

import re

import pytest

from domains.counters import Login, Repeats
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
