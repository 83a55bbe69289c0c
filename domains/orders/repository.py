"""Orders in three tables; one method for each way in and each write."""

from collections.abc import Iterable

import attrs
import happybase

from shared.clock import CLOCK, WriterClock
from shared.keys import InvalidQuestion, between
from shared.scanning import Page, page

from .keys import LISTED_CELLS, ORDER_CELLS, ORDERS, ORDERS_BY_BUYER, ORDERS_BY_SELLER, OrderByNumber
from .records import STATUSES, ListedOrder, Order, Status


class OrderConflict(ValueError):
    """Another order is stored under this number."""


class UnknownOrder(ValueError):
    """No order is stored under this number."""


class OrderRepository:
    """Places orders, changes their status, finds them by number, seller and buyer.

    The three rows of an order are not one transaction. Every write puts the order first and its list lines after it,
    all with one explicit timestamp, so that a crash leaves no line without its order, and the same call again mends
    what it left. Between the steps a list may lack a new order, or show its status from before.

    A happybase connection serves one thread at a time, and so does a repository: make one for each.
    """

    def __init__(self, connection: happybase.Connection, clock: WriterClock = CLOCK) -> None:
        self._orders = connection.table(ORDERS.name)
        self._by_seller = connection.table(ORDERS_BY_SELLER.name)
        self._by_buyer = connection.table(ORDERS_BY_BUYER.name)
        self._clock = clock

    def place(self, order: Order) -> None:
        """Stores an order and its two list lines. The same order again changes nothing and mends missing lines.

        Another order under a number that is taken is an `OrderConflict`. Costs: one get, three puts.
        """
        stored = self._stored(order.order_number)
        if stored is None:
            self._put(order, order.placed_ms)
        else:
            _refuse_another(stored[0], order)
            self._put(*stored, only=["status"])

    def change_status(self, order_number: str, status: Status) -> Order:
        """The order with its new status, which wins over the one it had; `UnknownOrder` if there is none.

        Costs: one get, three puts.
        """
        stored = self._stored(order_number)
        if stored is None:
            raise UnknownOrder(f"Order.order_number: no order {order_number!r}")
        order, written_ms = stored
        if order.status != status:
            order = attrs.evolve(order, status=status)
            written_ms = self._clock.now_ms(above_ms=written_ms)
        self._put(order, written_ms, only=["status"])
        return order

    def cancel(self, order_number: str) -> Order:
        """The order, cancelled; it stays in the lists. Costs: one get, three puts."""
        return self.change_status(order_number, "cancelled")

    def order(self, order_number: str) -> Order | None:
        """The order of that number, or None. Costs: one get."""
        stored = self._stored(order_number)
        return None if stored is None else stored[0]

    def of_seller(
        self,
        seller_id: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        status: Status | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[ListedOrder]:
        """A seller's orders placed from `since_ms` up to but not at `until_ms`, newest first.

        Costs: one scan of `limit` + 1 rows; with a status, of as many rows as it takes to find `limit` of them, and
        after 10,000 rows a short page with a cursor.
        """
        plan = ORDERS_BY_SELLER.layout.plan(seller_id=seller_id, placed_ms=between(since_ms, until_ms))
        return page(self._by_seller, plan, ORDERS_BY_SELLER.record, limit=limit, cursor=cursor, where=_where(status))

    def of_buyer(
        self,
        buyer_id: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        status: Status | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[ListedOrder]:
        """A buyer's orders placed from `since_ms` up to but not at `until_ms`, newest first. Costs: as `of_seller`."""
        plan = ORDERS_BY_BUYER.layout.plan(buyer_id=buyer_id, placed_ms=between(since_ms, until_ms))
        return page(self._by_buyer, plan, ORDERS_BY_BUYER.record, limit=limit, cursor=cursor, where=_where(status))

    def _stored(self, order_number: str) -> tuple[Order, int] | None:
        """The order, and the timestamp of its last write in milliseconds."""
        row = ORDERS.row(OrderByNumber(order_number))
        cells = self._orders.row(row, include_timestamp=True)
        if not cells:
            return None
        order = ORDERS.record(row, {column: value for column, (value, _) in cells.items()})
        return order, cells[ORDER_CELLS.column("status")][1]

    def _put(self, order: Order, written_ms: int, only: Iterable[str] | None = None) -> None:
        """The order, all of it or `only` some attributes, then both list lines whole.

        Every row is made before the first is put, so that what cannot be a key leaves nothing half stored.
        """
        line = LISTED_CELLS.pack(ListedOrder.of(order))
        puts = [
            (self._orders, ORDERS.row(order), ORDER_CELLS.pack(order, only)),
            (self._by_seller, ORDERS_BY_SELLER.row(order), line),
            (self._by_buyer, ORDERS_BY_BUYER.row(order), line),
        ]
        for table, row, cells in puts:
            table.put(row, cells, timestamp=written_ms)


def _where(status: Status | None) -> dict[str, str]:
    if status is None:
        return {}
    if status not in STATUSES:
        raise InvalidQuestion(f"status: must be one of {', '.join(STATUSES)} (got {status!r})")
    return {"status": status}


def _refuse_another(stored: Order, given: Order) -> None:
    """A number belongs to one order; its status may have moved on from `placed` since it was first given."""
    for field in attrs.fields(Order):
        there, here = getattr(stored, field.name), getattr(given, field.name)
        if there != here and (field.name, here) != ("status", "placed"):
            raise OrderConflict(
                f"Order.{field.name}: order {stored.order_number!r} is stored with {there!r} (got {here!r})"
                + ("; use change_status" if field.name == "status" else "")
            )
