"""The writes of counters over several rows, and what their readers see, for the crash tests."""

from collections.abc import Iterable
from operator import attrgetter, methodcaller
from typing import Any

from domains.counters import DAY_MS, DayClosed, Login, LoginRepository, Repeats
from domains.counters.keys import LoginDay
from domains.counters.shown.design import DESIGN
from shared.tables import TableLayout
from shared.testing import Contents, ReplyLost, StoppedWrites, Store, View, Write, sources

DAY = 1_768_176_000_000  # 2026-01-12T00:00:00.000Z
USERS = ("ada", "ada_2", "bob", "zoe")


def login(time_ms: int = DAY, user: str = "ada", tie: int = 0) -> Login:
    return Login(user, time_ms, tie)


LATE = [login(DAY + 7), login(DAY + 7, "zoe")]
"""A login of a user whose day has others, and one of a user whose day has none."""


def logins_of_three() -> list[Login]:
    """Logins of three users on one day, and of one of them on the days beside it."""
    return [
        *(login(DAY + at, user) for at, user in enumerate(["ada", "ada", "bob", "ada_2"])),
        login(DAY + DAY_MS - 1),
        login(DAY - 1),
        login(DAY + DAY_MS),
    ]


def stored(repository: LoginRepository, *logins: Login) -> list[Login]:
    """Stores logins, those of one user and millisecond with ties of their own, and returns them."""
    repeats = Repeats()
    numbered = [repeats(new) for new in logins]
    for new in numbered:
        repository.store(new)
    return numbered


def put(connection: Any, table: TableLayout[Any, Any], *logins: Login) -> None:
    """Puts logins into one table only."""
    for new in logins:
        connection.table(table.name).put(table.row(new), table.cells.pack(new), timestamp=new.time_ms)


store_of_old_user, store_of_new_user = (methodcaller("store", late) for late in LATE)


def fold(logins: LoginRepository) -> None:
    logins.fold(DAY)  # how many users it folds depends on the other folders


def recover(logins: LoginRepository) -> None:
    if logins.upkeep.recover(older_than_ms=0).failed:
        raise ReplyLost


def three_users(store: Store) -> None:
    stored(store.repository(), *logins_of_three())


def closed_day(store: Store) -> None:
    """Leaves the day closed, with no user folded."""
    three_users(store)
    store.die(fold, before=lambda call: call.table.startswith("logins_by_day"))


WRITES = (
    Write(
        "fold", fold, three_users, {"fold": fold, "store": store_of_old_user, "new user": store_of_new_user}, calls=19
    ),
    Write("recover", recover, closed_day, {"fold": fold, "recover": recover}, calls=16),
    Write("store", store_of_old_user, three_users, is_recovered=False, calls=2),
    Write("store, of a new user", store_of_new_user, three_users, is_recovered=False, calls=2),
)


# ---- what readers see

user_and_day = attrgetter("user", "day_ms")


def open_days(logins: LoginRepository) -> list[int]:
    """The days that take logins."""
    days = (DAY - DAY_MS, DAY, DAY + DAY_MS)
    return [day for day in days if logins.writer.reader.read(logins.writer.source.row(LoginDay(day))).record is None]


VIEWS = (
    View("open days", open_days),
    View("total of the day", lambda logins: [logins.day_total(DAY)]),
    View("users of the day", lambda logins: logins.top_users(DAY, 9), user_and_day),
    View(
        "days of each user",
        lambda logins: [day for user in USERS for day in logins.days(user)],
        user_and_day,
        lags=True,
    ),
    View("each user on the day", lambda logins: [(user, logins.day_count(user, DAY)) for user in USERS], lags=True),
)


def rows_and_days(logins: LoginRepository, tables: Iterable[TableLayout[Any, Any]]) -> Contents:
    """All rows of both tables of logins, and the state of each day."""
    writer = logins.writer
    return {table.name: dict(writer.rows(table.name).scan()) for table in [*tables][:2]} | {"days": sources(writer)}


STOPPED = StoppedWrites(WRITES, VIEWS, variants=DESIGN.variants[:2], refusals=(DayClosed,), contents=rows_and_days)
