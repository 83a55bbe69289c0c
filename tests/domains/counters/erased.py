"""A user who is erased, for the tests of erasures."""

from collections.abc import Callable
from operator import methodcaller

from domains.counters import DAY_MS, DayCount, Login, LoginRepository, Repeats
from domains.counters.shown.design import DESIGN
from shared.testing import ErasedPerson

DAY = 1_768_176_000_000  # 2026-01-12T00:00:00.000Z
LOGINS = [
    *(Login(user, DAY + at) for at, user in enumerate(["ada", "ada", "bob", "ada_2"])),
    *(Login("ada", DAY + at) for at in (DAY_MS - 1, -1, DAY_MS)),
]


def three_users(open_repository: Callable[..., LoginRepository]) -> None:
    """Logins of three users on three days; the day before DAY is folded."""
    logins = open_repository()
    number = Repeats()
    for login in LOGINS:
        logins.store(number(login))
    logins.fold(DAY - DAY_MS)


def come_back(logins: LoginRepository, time_ms: int) -> list[Login | DayCount]:
    back = Login("ada", time_ms)
    logins.store(back)
    return [back, DayCount("ada", time_ms - time_ms % DAY_MS, 1)]


ERASED = ErasedPerson(
    "ada",
    variants=DESIGN.variants[:2],
    before=three_users,
    seen=lambda logins: [*logins.logins("ada"), *logins.days("ada")],
    others=lambda logins: [*logins.top_users(DAY), logins.day_total(DAY), logins.day_total(DAY - DAY_MS)],
    kept=[DayCount("ada_2", DAY, 1), DayCount("bob", DAY, 1), 2, 0],
    comes_back=come_back,
    rivals=(
        methodcaller("store", Login("ada", DAY + 77)),
        methodcaller("fold", DAY),
        lambda logins: [*logins.upkeep.repair()],
    ),
    texts=("ada_2",),
    erasures="logins_erasures",
)
