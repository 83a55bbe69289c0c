"""Orders in three tables; one method for each way in and each write."""

from collections.abc import Iterable
from typing import Any, TypeAlias, TypeVar

import attrs
import happybase

from shared.keys import InvalidQuestion, Plan, between, starting_with
from shared.keys.errors import shown
from shared.queries import Page, equal, page
from shared.tables import TableLayout
from shared.writes import CLOCK, WriterClock

from .keys import TABLES, OrderByNumber
from .records import STATUSES, BuyerLine, Order, SellerLine, Status

L = TypeVar("L")
OrderTables: TypeAlias = tuple[
    TableLayout[OrderByNumber, Order], TableLayout[Any, SellerLine], TableLayout[Any, BuyerLine]
]
"""The orders, the sellers' lists and the buyers' lists."""


class OrderConflict(ValueError):
    """Another order is stored under this number, or another change of its status won."""


class UnknownOrder(ValueError):
    """No order is stored under this number."""


class OrderRepository:
    """Places orders, changes their status, finds them by number, seller and buyer.

    The three rows of an order are not one transaction. Every write puts the order first and its list lines after it,
    all with one explicit timestamp, so that a crash leaves no line without its order, and the same call again mends
    what it left. Between the steps a list may lack a new order, or show its status from before.

    Costs are those of `TABLES`. A happybase connection serves one thread at a time, and so does a repository: make one
    for each.
    """

    def __init__(
        self, connection: happybase.Connection, tables: OrderTables = TABLES, clock: WriterClock = CLOCK
    ) -> None:
        self._orders, self._by_seller, self._by_buyer = tables
        self._order_rows, self._seller_rows, self._buyer_rows = (connection.table(table.name) for table in tables)
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

        The order is read again after the puts, and what is returned was stored at that moment. If another change won
        meanwhile, by a later time or as the second one of one millisecond, this one is an `OrderConflict`. Readers may
        have seen its status until then, and after two changes in one millisecond a list may keep it.
        Costs: two gets, three puts.
        """
        stored = self._stored(order_number)
        if stored is None:
            raise UnknownOrder(f"Order.order_number: no order {shown(order_number)}")
        order, written_ms = stored
        if order.status != status:
            order = attrs.evolve(order, status=status)
            written_ms = self._clock.now_ms(above_ms=written_ms)
        self._put(order, written_ms, only=["status"])
        stored = self._stored(order_number)
        if stored is None or stored[0].status != status:
            there = "gone" if stored is None else f"stored with {stored[0].status!r}"
            raise OrderConflict(
                f"Order.status: another change of order {order_number!r} won, it is {there} (got {status!r})"
            )
        return stored[0]

    def cancel(self, order_number: str) -> Order:
        """The order, cancelled; it stays in the lists. Raises and costs what `change_status` does."""
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
    ) -> Page[SellerLine]:
        """A seller's orders placed from `since_ms` up to but not at `until_ms`, newest first.

        Costs: one scan of `limit` + 1 rows; with a status, of as many rows as it takes to find `limit` of them, and
        after 10,000 rows a short page with a cursor.
        """
        period = between(since_ms, until_ms)
        plan = self._by_seller.layout.plan(seller_id=seller_id, placed_ms=period)
        return self._lines(self._seller_rows, self._by_seller, plan, status, limit, cursor)

    def of_buyer(
        self,
        buyer_id: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        status: Status | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[BuyerLine]:
        """A buyer's orders placed from `since_ms` up to but not at `until_ms`, newest first. Costs: as `of_seller`."""
        period = between(since_ms, until_ms)
        plan = self._by_buyer.layout.plan(buyer_id=buyer_id, placed_ms=period)
        return self._lines(self._buyer_rows, self._by_buyer, plan, status, limit, cursor)

    def numbered(self, number_prefix: str, limit: int = 100, cursor: str | None = None) -> Page[Order]:
        """The orders whose number starts with `number_prefix`, by number. Costs: one scan of `limit` + 1 rows."""
        plan = self._orders.layout.plan(order_number=starting_with(number_prefix))
        return page(self._order_rows, plan, self._orders.record, limit=limit, cursor=cursor)

    def with_status(self, status: Status, limit: int = 100, cursor: str | None = None) -> Page[Order]:
        """All orders of a status, in row-key order.

        Costs: a full table scan with a server-side filter, because no row key holds the status. A list that is asked
        for often needs a table of its own.
        """
        return orders_of_status(self._order_rows, self._orders, status, limit, cursor)

    def _lines(
        self,
        rows: happybase.Table,
        table: TableLayout[Any, L],
        plan: Plan,
        status: Status | None,
        limit: int,
        cursor: str | None,
    ) -> Page[L]:
        """One page of a list, newest first, which is how its rows are stored."""
        return page(rows, plan, table.record, limit=limit, cursor=cursor, where=of_status(status))

    def _stored(self, order_number: str) -> tuple[Order, int] | None:
        """The order, and the timestamp of its last write in milliseconds."""
        row = self._orders.row(OrderByNumber(order_number))
        return stored_order(self._orders, row, self._order_rows.row(row, include_timestamp=True))

    def _put(self, order: Order, written_ms: int, only: Iterable[str] | None = None) -> None:
        """The order, all of it or `only` some attributes, then both list lines whole.

        Every row is made before the first is put, so that what cannot be a key leaves nothing half stored.
        """
        seller_line, buyer_line = SellerLine.of(order), BuyerLine.of(order)
        puts = [
            (self._order_rows, self._orders.row(order), self._orders.cells.pack(order, only)),
            (self._seller_rows, self._by_seller.row(seller_line), self._by_seller.cells.pack(seller_line)),
            (self._buyer_rows, self._by_buyer.row(buyer_line), self._by_buyer.cells.pack(buyer_line)),
        ]
        for rows, row, cells in puts:
            rows.put(row, cells, timestamp=written_ms)


def stored_order(
    table: TableLayout[Any, Order], row: bytes, cells: dict[bytes, tuple[bytes, int]]
) -> tuple[Order, int] | None:
    """The order of a row whose cells have their timestamps, and that of its status; None if there are no cells.

    A row without a status was never changed: its time is that of the order.
    """
    if not cells:
        return None
    order = table.record(row, {column: value for column, (value, _) in cells.items()})
    status = cells.get(table.cells.column("status"))
    return order, order.placed_ms if status is None else status[1]


def orders_of_status(
    rows: happybase.Table, table: TableLayout[Any, Order], status: Status, limit: int, cursor: str | None
) -> Page[Order]:
    """The orders of a whole table that a server-side filter lets through."""
    _check_status(status)
    filter = equal(table.cells, "status", status)
    return page(rows, table.layout.whole_table(), table.record, limit=limit, cursor=cursor, filter=filter)


def of_status(status: Status | None) -> dict[str, str]:
    """The condition on an order's status; none for None."""
    if status is None:
        return {}
    _check_status(status)
    return {"status": status}


def _check_status(status: Status) -> None:
    if status not in STATUSES:
        raise InvalidQuestion(f"status: must be one of {', '.join(STATUSES)} (got {shown(status)})")


def _refuse_another(stored: Order, given: Order) -> None:
    """A number belongs to one order; its status may have moved on from `placed` since it was first given."""
    for field in attrs.fields(Order):
        there, here = getattr(stored, field.name), getattr(given, field.name)
        if there != here and (field.name, here) != ("status", "placed"):
            raise OrderConflict(
                f"Order.{field.name}: order {stored.order_number!r} is stored with {shown(there)} (got {shown(here)})"
                + ("; use change_status" if field.name == "status" else "")
            )
