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
from typing import TYPE_CHECKING

from shared.sources import Table
from shared.writes import refuse_expired

from .keys import NEWEST, SHOWN, TRIM_AT, RowOfUser
from .records import OrderSummary

if TYPE_CHECKING:
    import happybase


class NewestOrders:
    """Adds orders to the rows of their users, and finds the newest ones."""

    def __init__(self, connection: "happybase.Connection", newest: Table[OrderSummary] = NEWEST) -> None:
        self._orders = newest.on(connection)

    def add(self, order: OrderSummary) -> None:
        """Puts an order, unless the row has ten newer ones; before that, deletes what has become surplus.

        Costs: 1 get of at most 35 orders with 16 writers, 1 put; for one in ten orders, 1 delete.
        """
        refuse_expired([order], self._orders)
        row, cell = self._orders.row(order), self._orders.layout.cells.pack(order)
        (column,) = cell
        stored = self._orders.rows.row(row, columns=[*self._orders.layout.cells.columns], include_timestamp=True)
        newest_first = sorted(stored)
        if len(stored) >= SHOWN and column > newest_first[SHOWN - 1]:
            return
        if len(stored) >= TRIM_AT and column not in stored:
            surplus = newest_first[SHOWN:]
            self._orders.rows.delete(row, surplus, timestamp=max(stored[column][1] for column in surplus))
        self._orders.rows.put(row, cell, timestamp=order.time_ms)

    def newest(self, user_id: str) -> list[OrderSummary]:
        """The newest ten orders. Costs: one scan of the first eleven cells of the row."""
        return self._orders.ask(user_id=user_id).page(SHOWN).records

    def in_cells(self, user_id: str, cells: Mapping[bytes, bytes]) -> list[OrderSummary]:
        """The newest ten orders of these cells of the user's row. Costs: nothing more."""
        return self._orders.layout.records(self._orders.row(RowOfUser(user_id)), cells)[:SHOWN]
