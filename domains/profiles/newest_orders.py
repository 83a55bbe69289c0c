"""The newest orders of each user, in cells of the user's row: always the newest ten, and never many more.

A writer reads the orders of the row, deletes surplus ones, then puts its own. Any number of writers may do so at once,
and any of them may die between two calls:

- **The newest ten are always there.** A writer deletes an order only if it has read ten newer ones in the row, and
  these are deleted only for ten that are newer still.
- **At most 19 orders and one for each write under way are stored**: 20 with one writer, 35 with 16. Of all writes
  whose put of a new order has arrived, take the one that read the row last. It read 19 orders or fewer; or it read
  more, and before its put it deleted all but ten. What has been put since is its own order, and those of writes that
  read the row before it and put after that: these were under way at that moment, and each puts one order.
- **A crash needs no repair**: a dead writer has put its order or has not, and it puts no other. The surplus that it did
  not delete is counted above, and the next write of the user deletes it.
- **A retry changes nothing**: an order is the same cell each time. If it was deleted as surplus, the tombstone hides
  it; after a major compaction a late call may put it again, and the next trim deletes it again.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from shared.queries import Query
from shared.tables import BoundTable, TableLayout
from shared.writes import refuse_expired

from .keys import SHOWN, TRIM_AT, RowOfUser
from .records import OrderSummary

if TYPE_CHECKING:
    import happybase


class OrdersOfUsers(Protocol):
    """A way to store the newest orders of users."""

    @property
    def families(self) -> tuple[bytes, ...]:
        """The families of the user's row to read for a page, besides those of the profile."""
        ...

    def add(self, order: OrderSummary) -> None:
        """Stores an order. Storing it again changes nothing."""
        ...

    def newest(self, user_id: str) -> list[OrderSummary]:
        """The newest `SHOWN` orders of a user, the newest first."""
        ...

    def of_page(self, user_id: str, cells: Mapping[bytes, bytes]) -> list[OrderSummary]:
        """The same, from the cells of these families in the user's row."""
        ...

    def erase(self, user_id: str) -> int:
        """Deletes the orders that are outside of the user's row; returns how many rows remain."""
        ...


class NewestOrders:
    """Adds orders to the rows of their users, and finds the newest ones."""

    def __init__(self, connection: "happybase.Connection", table: TableLayout[Any, OrderSummary]) -> None:
        self._orders = BoundTable(connection, table)

    @property
    def families(self) -> tuple[bytes, ...]:
        """The family of the orders."""
        return self._orders.layout.cells.columns

    def add(self, order: OrderSummary) -> None:
        """Puts an order, unless the row has ten newer ones; before that, deletes what has become surplus.

        Costs: 1 get of at most 35 orders with 16 writers, 1 put; for one in ten orders, 1 delete.
        """
        refuse_expired([order], self._orders)
        row, cell = self._orders.row(order), self._orders.layout.cells.pack(order)
        (column,) = cell
        stored = self._orders.rows.row(row, columns=[*self.families], include_timestamp=True)
        newest_first = sorted(stored)
        if len(stored) >= SHOWN and column > newest_first[SHOWN - 1]:
            return
        if len(stored) >= TRIM_AT and column not in stored:
            surplus = newest_first[SHOWN:]
            self._orders.rows.delete(row, surplus, timestamp=max(stored[column][1] for column in surplus))
        self._orders.rows.put(row, cell, timestamp=order.time_ms)

    def newest(self, user_id: str) -> list[OrderSummary]:
        """The newest ten orders. Costs: one scan of the first eleven cells of the row."""
        return Query(self._orders, self._orders.plan(user_id=user_id)).page(SHOWN).records

    def of_page(self, user_id: str, cells: Mapping[bytes, bytes]) -> list[OrderSummary]:
        """The newest ten orders of these cells. Costs: nothing more."""
        return self._orders.layout.records(self._orders.row(RowOfUser(user_id)), cells)[:SHOWN]

    def erase(self, user_id: str) -> int:
        """Nothing: all orders are in the user's row."""
        return 0
