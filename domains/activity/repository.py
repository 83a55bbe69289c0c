"""Actions of users in one table; one method for each question, whatever the order of the table's key."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from shared.keys import between, starting_with
from shared.queries import Query
from shared.records import check_text
from shared.sources import Table
from shared.writes import delete_all

from .keys import ACTIVITY
from .records import Action

if TYPE_CHECKING:
    import happybase


class ActivityRepository:
    """Stores actions, and finds them by user and time, in a table of any of its keys.

    The table's key binds as many conditions of a question as it can; the client compares the other fields.
    `Page.client_work` names that work. If the key cannot bind any condition, the question is refused with an
    InvalidQuestion that names the missing part.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, connection: "happybase.Connection", activity: Table[Action] = ACTIVITY) -> None:
        self._activity = activity.on(connection)

    # ---- writes

    def store(self, action: Action) -> None:
        """Stores an action. Storing it again writes the same row and timestamp. Costs: one put."""
        self._activity.put(action)

    def store_all(self, actions: Iterable[Action]) -> int:
        """Stores actions as `store` does, but 1,000 in a call; returns their number.

        Raises NotAllStored. Costs: those of `put_all`: without Thrift2, one call for each different time.
        """
        return self._activity.put_all(actions)

    # ---- questions

    def of_user(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, verb: str | None = None
    ) -> Query[Action]:
        """A user's actions from `since_ms` to `until_ms` (exclusive), newest first; those with a verb if one is given.

        Costs: one scan of a page's rows and one more. No row key holds the verb: given one, a page reads on until
        enough actions match, and ends early, with a cursor, once it has read 10,000 rows.
        """
        actions = self._activity.ask_more(user=user, time_ms=between(since_ms, until_ms)).newest_first()
        return actions if verb is None else actions.where(verb=verb)

    def of_all(self, since_ms: int | None = None, until_ms: int | None = None) -> Query[Action]:
        """The actions of all users from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: refused if the key has the user before the time.
        """
        return self._activity.ask_more(time_ms=between(since_ms, until_ms)).newest_first()

    def users_like(self, user_prefix: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Action]:
        """Actions of all users whose id starts with `user_prefix`, from `since_ms` to `until_ms` (exclusive).

        They come in row-key order.
        Costs: one scan of these users' rows of any time, until a page's actions of the period are read.
        """
        check_text("user_prefix", user_prefix, empty=False)
        return self._activity.ask_more(user=starting_with(user_prefix), time_ms=between(since_ms, until_ms))

    def action(self, user: str, time_ms: int, tie: bytes) -> Action | None:
        """The action with this key, or None. Costs: one get."""
        return self._activity.ask_more(user=user, time_ms=time_ms, tie=tie).first()

    # ---- upkeep

    def erase(self, user: str) -> int:
        """Deletes every action of a user; returns how many rows of the user remain, see `delete_all`.

        Each action is one row, so if a call dies, the same call again finishes it. Actions of other users keep the
        name, for example as their `object`.
        Costs: two scans of the user's rows, and one call for each 1,000 rows to delete.
        """
        check_text("user", user)
        return delete_all(self._activity.ask_more(user=user, time_ms=between()), self._activity)
