"""Logins in two tables; one method for each question and each write."""

import heapq
from collections.abc import Iterable, Iterator, Set
from functools import partial
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING

from shared.intents import Erasures, ErasuresTable, WriterUpkeep
from shared.keys import InvalidQuestion, between, shown
from shared.queries import Query
from shared.records import check_text, show_time
from shared.sources import Source, Table
from shared.upkeep import CombinedUpkeep, Upkeep
from shared.writes import CLOCK, WriterClock, put_all, store_all

from .erasing import delete_logins, remaining
from .folding import DayFolder, LoginTable
from .keys import ERASURES, LOGIN_DAYS, LOGINS, LOGINS_BY_DAY, LoginDay
from .records import DAY_MS, DayCount, DayState, Login
from .verifying import LoginUpkeep

if TYPE_CHECKING:
    import happybase

USERS_AT_ONCE = 1000
"""Number of users of a day whose logins are counted before their sums are read."""


class DayClosed(ValueError):
    """The login's day was folded, or is being folded, and takes no more logins."""


class LoginRepository:
    """Stores logins, and counts them by user and day.

    The two rows of a login are not one transaction. `store` puts the day's row first, then the user's, both with the
    login's own time as timestamp. So a crash may leave a login that the user's day lacks; repeating the call adds it.

    Logins are counted as they are read: the client needs the memory of one page, however many logins there are. A day
    that is over can be folded: each user's count becomes a sum in another family of the row, in both tables, and only
    then are the logins deleted. A row that has a sum counts as its sum. Readers read the logins first and the sums
    after them, so a fold under way changes no count.
    Days are days of UTC; a period starts and ends with one.

    Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        by_user: Table[Login] = LOGINS,
        by_day: Table[Login] = LOGINS_BY_DAY,
        days: Source[DayState] = LOGIN_DAYS,
        erasures: ErasuresTable = ERASURES,
        clock: WriterClock = CLOCK,
    ) -> None:
        self._by_user = LoginTable.of(connection, by_user)
        self._by_day = LoginTable.of(connection, by_day)
        self._days = days.on(connection, clock)
        self.writer = self._days.writer
        self._folder = DayFolder(self._by_user, self._by_day, self._days, clock)
        delete, count = partial(delete_logins, self._folder), partial(remaining, self._folder)
        self._erasures = Erasures(
            connection, erasures, (), delete, count, "counters", ends_dead=True, clock=self.writer
        )
        of_days, of_logins = WriterUpkeep(self.writer, source="day"), LoginUpkeep(self._folder)
        # `repair` would put again what an erasure has deleted from one table, so erasures come before logins.
        self.upkeep: Upkeep = CombinedUpkeep(of_days, self._erasures, of_logins)
        self._closed: set[int] = set()
        """Days that were closed when they were read, and stay closed. Any process may close an open day at any time."""

    # ---- writes

    def store(self, login: Login) -> None:
        """Stores a login. Storing it again writes the same two cells, with the same timestamp.

        Raises DayClosed if its day was folded. If the day was closed during the call, the login may be counted or not;
        after any other error too, but then repeating the call counts it. Once the call has returned, it is counted.
        Costs: two puts and two gets.
        """
        self._store_batch([login])

    def store_all(self, logins: Iterable[Login]) -> int:
        """Stores logins as `store` does, but 1,000 at a time; returns their number.

        Raises NotAllStored, also because of DayClosed: then leave out the logins of that day.
        Costs: for each 1,000 logins, two calls (without Thrift2, for each different time), and two that read their
        days.
        """
        return store_all(logins, self._store_batch)

    def _store_batch(self, logins: list[Login]) -> None:
        # In each call, because what an earlier one read is old: so a day that is closed takes no login of a later call.
        days = {_start_of_day(login.time_ms) for login in logins}
        self._check_open(days, "takes no more logins")
        put_all(
            logins,
            self._by_day.logins,  # first, because a fold lists its users
            self._by_user.logins,
        )
        # A fold closes the day before it reads any login. So if the day is open after the puts, no fold misses them.
        self._check_open(days, "was closed meanwhile, so the login may not be counted")

    def _check_open(self, days: Set[int], what: str) -> None:
        unread = {self.writer.source.row(LoginDay(day)): day for day in days - self._closed}
        sources = self.writer.reader.read_all(unread).items()
        self._closed.update(unread[row] for row, source in sources if source.record is not None)
        if closed := days & self._closed:
            raise DayClosed(f"Login.time_ms: day {show_time(min(closed))} {what}")

    def fold(self, day_ms: int) -> int:
        """Replaces the logins of a day that is over by a sum for each user; returns the number of users folded.

        From the start of the call, the day takes no more logins, for ever: only a `store` that is under way may still
        be counted. So a day is refused until it has been over for a minute, the most that a clock may be off. If the
        call dies, repeating it or running `upkeep.recover` completes it; any number of folds may run at once. Counts
        are right at every moment.
        Costs: 2 gets, 2 checkAndPuts and 4 puts for the day; for each user two scans of the logins, 2 checkAndPuts, and
        for each 1,000 logins two calls that delete them. If a row has more logins, each is read twice.
        """
        check_day(day_ms)
        return self._folder.fold(day_ms)

    # ---- questions

    def logins(self, user: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Login]:
        """A user's logins from `since_ms` to `until_ms` (exclusive; any times), newest first.

        Logins of folded days are gone; of a day that is being folded, some are.
        Costs: one reverse scan of a page's logins; a row with many more than that is read from its start.
        """
        return self._of_user(user, since_ms, until_ms).newest_first()

    def day_count(self, user: str, day_ms: int) -> int:
        """How often a user logged in on one day. Costs: one scan of the day's logins, none if folded, and one get."""
        check_day(day_ms)
        count = self._of_user(user, day_ms, day_ms + DAY_MS).count()
        sum_ = self._by_user.sums.ask(user=user, time_ms=day_ms).first()
        return count if sum_ is None else sum_.count

    def days(self, user: str, since_ms: int | None = None, until_ms: int | None = None) -> list[DayCount]:
        """A user's days from `since_ms` to `until_ms` (exclusive), oldest first; days without logins are left out.

        Costs: one scan of the logins of these days, and one of their sums, a row for each folded day.
        """
        check_period(since_ms, until_ms)
        counts = {count.day_ms: count for count in _counts(self._of_user(user, since_ms, until_ms))}
        sums = self._by_user.sums.ask(user=user, time_ms=between(since_ms, until_ms))
        counts |= {folded.day_ms: folded for folded in sums}
        return [counts[day_ms] for day_ms in sorted(counts)]

    def day_total(self, day_ms: int) -> int:
        """How often all users together logged in on one day.

        Costs: for each 1,000 users one scan of their logins and one of their sums; for a folded day one scan of a row
        for each user.
        """
        return sum(count.count for count in self._of_day(day_ms))

    def top_users(self, day_ms: int, at_most: int = 10) -> list[DayCount]:
        """The users with the most logins of one day; equal counts come by name.

        Costs: those of `day_total`.
        """
        return most_frequent(self._of_day(day_ms), at_most)

    def _of_user(self, user: str, since_ms: int | None, until_ms: int | None) -> Query[Login]:
        return self._by_user.logins.ask(user=user, time_ms=between(since_ms, until_ms))

    def _of_day(self, day_ms: int) -> Iterator[DayCount]:
        """The counts of a day's users, in memory for `USERS_AT_ONCE`; in any order."""
        check_day(day_ms)
        counts = _counts(self._by_day.logins.ask(time_ms=between(day_ms, day_ms + DAY_MS)))
        first: str | None = None
        while True:
            counted = {count.user: count for count in islice(counts, USERS_AT_ONCE)}
            following = next(counts, None)
            end = None if following is None else following.user
            for folded in self._by_day.sums.ask(time_ms=day_ms, user=between(first, end)):
                counted.pop(folded.user, None)
                yield folded
            yield from counted.values()
            if following is None:
                return
            first, counts = end, chain([following], counts)

    # ---- upkeep

    def erase(self, user: str) -> int:
        """Removes every login and every sum of a user from both tables; returns how many rows of the user remain.

        So totals of days lose the user's logins; the user's sums of folded days are removed whole. A row remains if it
        cannot be read, or if it was put meanwhile. For logins that are stored and days that are folded meanwhile, call
        it again. If it returns 0, a full scan has found no row of the user. A login that was erased is hidden if it is
        stored again, until a major compaction.

        The erasure is stored while it is under way. If `erase` dies, `upkeep.recover` completes it ten minutes later,
        or repeating the call does so at once; `recover` spares logins that are two minutes later than the erasure, and
        deletes earlier ones even if the user came back. `erase` first recovers what is pending. Raises ClockSkew before
        anything is deleted.
        Costs: those of `upkeep.recover`; two scans of the list of days and of the user's rows; for each row a scan, a
        get, and for each 1,000 logins a call that deletes them.
        """
        check_text("user", user)
        self.upkeep.recover(older_than_ms=0)
        return self._erasures.erase(user)


def _start_of_day(time_ms: int) -> int:
    return time_ms - time_ms % DAY_MS


def check_day(day_ms: int, name: str = "day") -> None:
    """Raises InvalidQuestion for a time that is not the start of a UTC day."""
    if type(day_ms) is not int or day_ms % DAY_MS:
        given = show_time(day_ms) if type(day_ms) is int else shown(day_ms)
        raise InvalidQuestion(f"{name}: must be the start of a UTC day (got {given})")


def check_period(since_ms: int | None, until_ms: int | None) -> None:
    """Raises InvalidQuestion for an end that is not the start of a UTC day; None means no bound."""
    for name, end_ms in (("since", since_ms), ("until", until_ms)):
        if end_ms is not None:
            check_day(end_ms, name)


def most_frequent(counts: Iterable[DayCount], at_most: int) -> list[DayCount]:
    """The `at_most` largest counts, equal ones by user; memory for as many."""
    if type(at_most) is not int or at_most < 1:
        raise InvalidQuestion(f"at_most: must be 1 or more (got {shown(at_most)})")
    return heapq.nsmallest(at_most, counts, key=lambda count: (-count.count, count.user))


def _counts(logins: Iterable[Login]) -> Iterator[DayCount]:
    """The counts of logins that come by user and day."""
    for (user, day), same in groupby(logins, key=lambda login: (login.user, login.time_ms // DAY_MS)):
        yield DayCount(user, day * DAY_MS, sum(1 for _ in same))
