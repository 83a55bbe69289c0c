"""A user who is erased, for the tests of erasures."""

from operator import methodcaller

from domains.counters import DAY_MS, DayCount
from shared.testing import ErasedPerson

from .asking import BY_NAME, DAY, KEEPING, login, logins_of_three, stored


def three_users(opened):
    """Logins of three users on three days; the day before DAY is folded."""
    logins = opened()
    stored(logins, *logins_of_three())
    logins.fold(DAY - DAY_MS)


def come_back(logins, time_ms):
    back = login(time_ms)
    logins.store(back)
    return [back, DayCount("ada", time_ms - time_ms % DAY_MS, 1)]


def repair(logins):
    list(logins.upkeep.repair())


ERASED = ErasedPerson(
    "ada",
    variants=[BY_NAME[name] for name in KEEPING],
    before=three_users,
    seen=lambda logins: [*logins.logins("ada"), *logins.days("ada")],
    others=lambda logins: [*logins.top_users(DAY), logins.day_total(DAY), logins.day_total(DAY - DAY_MS)],
    kept=[DayCount("ada_2", DAY, 1), DayCount("bob", DAY, 1), 2, 0],
    comes_back=come_back,
    rivals=(
        methodcaller("store", login(DAY + 77)),
        methodcaller("fold", DAY),
        lambda logins: [*logins.upkeep.repair()],
    ),
    texts=("ada_2",),
    erasures="logins_erasures",
)
