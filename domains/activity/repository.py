"""Actions of users in one table; one method for each question, whatever the order of the table's key."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from shared.keys import between, starting_with
from shared.queries import Query
from shared.records import check_text
from shared.tables import BoundTable
from shared.writes import delete_all, put_all, store_all

from .keys import TABLES, ActivityTables
from .records import Action

if TYPE_CHECKING:
    import happybase


class ActivityRepository:
    """Stores actions, and finds them by user and time, in a table of any of its keys.

    The table's key binds as many conditions of a question as it can; the client compares the other fields.
    `Page.client_work` names that work. If the key cannot bind any condition, the question is refused with an
    InvalidQuestion that names the missing part. Costs are those of `TABLES`; the README compares them with the
    variants'.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, connection: "happybase.Connection", tables: ActivityTables = TABLES) -> None:
        self._activity = BoundTable(connection, tables.activity)

    # ---- writes

    def store(self, action: Action) -> None:
        """Stores an action. Storing it again writes the same row and timestamp. Costs: one put."""
        self._put_all([action])

    def store_all(self, actions: Iterable[Action]) -> int:
        """Stores actions as `store` does, but 1,000 in a call; returns their number.

        Raises NotAllStored. Costs: those of `put_all`: without Thrift2, one call for each different time.
        """
        return store_all(actions, self._put_all)

    def _put_all(self, actions: list[Action]) -> None:
        put_all(actions, self._activity)

    # ---- questions

    def of_user(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, verb: str | None = None
    ) -> Query[Action]:
        """A user's actions from `since_ms` to `until_ms` (exclusive), newest first; those with a verb if one is given.

        Costs: one scan of a page's rows and one more. No row key holds the verb: given one, a page reads on until
        enough actions match, and ends early, with a cursor, once it has read 10,000 rows.
        """
        plan = self._activity.narrow(user=user, time_ms=between(since_ms, until_ms))
        where = {} if verb is None else {"verb": verb}
        return Query(self._activity, plan).where(**where).newest_first()

    def of_all(self, since_ms: int | None = None, until_ms: int | None = None) -> Query[Action]:
        """The actions of all users from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: refused if the key has the user before the time.
        """
        plan = self._activity.narrow(time_ms=between(since_ms, until_ms))
        return Query(self._activity, plan).newest_first()

    def users_like(self, user_prefix: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Action]:
        """Actions of all users whose id starts with `user_prefix`, from `since_ms` to `until_ms` (exclusive).

        They come in row-key order.
        Costs: one scan of these users' rows of any time, until a page's actions of the period are read.
        """
        check_text("user_prefix", user_prefix, empty=False)
        plan = self._activity.narrow(user=starting_with(user_prefix), time_ms=between(since_ms, until_ms))
        return Query(self._activity, plan)

    def action(self, user: str, time_ms: int, tie: bytes) -> Action | None:
        """The action with this key, or None. Costs: one get."""
        return Query(self._activity, self._activity.narrow(user=user, time_ms=time_ms, tie=tie)).first()

    # ---- upkeep

    def erase(self, user: str) -> int:
        """Deletes every action of a user; returns how many rows of the user remain, see `delete_all`.

        Each action is one row, so if a call dies, the same call again finishes it. Actions of other users keep the
        name, for example as their `object`.
        Costs: two scans of the user's rows, and one call for each 1,000 rows to delete.
        """
        check_text("user", user)
        actions = Query(self._activity, self._activity.narrow(user=user, time_ms=between()))
        return delete_all(actions, self._activity)
