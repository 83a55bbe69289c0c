"""Orders in three tables; one method for each question and each write."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import attrs
import happybase

from shared.keys import InvalidQuestion, between, starting_with
from shared.keys.errors import shown
from shared.queries import Query, equal
from shared.tables import TableLayout
from shared.writes import CLOCK, WriterClock

from .keys import ORDER_CELLS, TABLES, OrderByNumber
from .records import STATUSES, BuyerLine, Order, SellerLine, Status

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
    all with one explicit timestamp. So a crash leaves no line without its order, and the same call again completes the
    write. Between the puts a list may lack a new order, or show its old status.

    Costs are those of `TABLES`. A happybase connection serves one thread at a time, and so does a repository: make one
    per thread.
    """

    def __init__(
        self, connection: happybase.Connection, tables: OrderTables = TABLES, clock: WriterClock = CLOCK
    ) -> None:
        self._orders, self._by_seller, self._by_buyer = tables
        self._order_rows, self._seller_rows, self._buyer_rows = (connection.table(table.name) for table in tables)
        self._clock = clock

    def place(self, order: Order) -> None:
        """Stores an order and its two list lines. The same order again adds missing lines and changes nothing else.

        Raises `OrderConflict` if another order has this number. Costs: one get, three puts.
        """
        stored = self._stored(order.order_number)
        if stored is None:
            self._put(order, order.placed_ms)
        else:
            _refuse_another(stored[0], order)
            self._put(*stored, only=["status"])

    def change_status(self, order_number: str, status: Status) -> Order:
        """Stores a new status; returns the order with it. Raises `UnknownOrder` if no order has this number.

        The order is read again after the puts, and that is what is returned. Raises `OrderConflict` if another change
        won meanwhile, with a later time or as the second one of the same millisecond. Until then readers may see the
        losing status, and after two changes in one millisecond a list may keep it.
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
            outcome = "gone" if stored is None else f"stored with {stored[0].status!r}"
            raise OrderConflict(
                f"Order.status: another change of order {order_number!r} won, it is {outcome} (got {status!r})"
            )
        return stored[0]

    def cancel(self, order_number: str) -> Order:
        """Stores the status `cancelled`; the order stays in the lists. Raises and costs what `change_status` does."""
        return self.change_status(order_number, "cancelled")

    def order(self, order_number: str) -> Order | None:
        """The order of that number, or None. Costs: one get."""
        stored = self._stored(order_number)
        return None if stored is None else stored[0]

    def of_seller(
        self, seller_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[SellerLine]:
        """A seller's orders placed from `since_ms` up to but not at `until_ms`, newest first.

        Costs: one scan of a page's rows and one more. With a status a page reads on until enough orders match, or ends
        after 10,000 rows with a shorter page and a cursor.
        """
        plan = self._by_seller.plan(seller_id=seller_id, placed_ms=between(since_ms, until_ms))
        return Query(self._seller_rows, self._by_seller, plan, where=of_status(status), newest_first=True)

    def of_buyer(
        self, buyer_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[BuyerLine]:
        """A buyer's orders placed from `since_ms` up to but not at `until_ms`, newest first. Costs: as `of_seller`."""
        plan = self._by_buyer.plan(buyer_id=buyer_id, placed_ms=between(since_ms, until_ms))
        return Query(self._buyer_rows, self._by_buyer, plan, where=of_status(status), newest_first=True)

    def numbered(self, number_prefix: str) -> Query[Order]:
        """The orders whose number starts with `number_prefix`, by number. Costs: one scan of a page's rows and one."""
        return Query(self._order_rows, self._orders, self._orders.plan(order_number=starting_with(number_prefix)))

    def with_status(self, status: Status) -> Query[Order]:
        """All orders of a status, in row-key order.

        Costs: a full table scan with a server-side filter, because no row key holds the status. If you need this list
        often, give it a table of its own.
        """
        return orders_of_status(self._order_rows, self._orders, status)

    def _stored(self, order_number: str) -> tuple[Order, int] | None:
        """The order, and the timestamp of its last write in milliseconds; None if no order has this number."""
        row = self._orders.row(OrderByNumber(order_number))
        return stored_order(self._orders, row, self._order_rows.row(row, include_timestamp=True))

    def _put(self, order: Order, written_ms: int, only: Iterable[str] | None = None) -> None:
        """Puts the order, with all or `only` some attributes, then both list lines with all of theirs.

        Makes every row before it puts the first, so that an invalid key leaves nothing half stored.
        """
        seller_line, buyer_line = SellerLine.of(order), BuyerLine.of(order)
        puts = [
            (self._order_rows, self._orders.row(order), ORDER_CELLS.pack(order, only)),
            (self._seller_rows, self._by_seller.row(seller_line), self._by_seller.cells.pack(seller_line)),
            (self._buyer_rows, self._by_buyer.row(buyer_line), self._by_buyer.cells.pack(buyer_line)),
        ]
        for rows, row, cells in puts:
            rows.put(row, cells, timestamp=written_ms)


def stored_order(
    table: TableLayout[Any, Order], row: bytes, cells: dict[bytes, tuple[bytes, int]]
) -> tuple[Order, int] | None:
    """The order of a row whose cells have timestamps, and the timestamp of its status; None if there are no cells.

    An order without a status cell was never changed: its timestamp is `placed_ms`.
    """
    if not cells:
        return None
    order = table.record(row, {column: value for column, (value, _) in cells.items()})
    status = cells.get(ORDER_CELLS.column("status"))
    return order, order.placed_ms if status is None else status[1]


def orders_of_status(rows: happybase.Table, table: TableLayout[Any, Order], status: Status) -> Query[Order]:
    """The orders with this status, from a full table scan with a server-side filter."""
    _check_status(status)
    return Query(rows, table, table.layout.whole_table(), server=equal(ORDER_CELLS, "status", status))


def of_status(status: Status | None) -> dict[str, str]:
    """The condition on an order's status; empty if `status` is None."""
    if status is None:
        return {}
    _check_status(status)
    return {"status": status}


def _check_status(status: Status) -> None:
    if status not in STATUSES:
        raise InvalidQuestion(f"status: must be one of {', '.join(STATUSES)} (got {shown(status)})")


def _refuse_another(stored: Order, order: Order) -> None:
    """Refuses an order that differs from the stored one; only the stored status may have changed from `placed`."""
    for field in attrs.fields(Order):
        stored_value, value = getattr(stored, field.name), getattr(order, field.name)
        if stored_value != value and (field.name, value) != ("status", "placed"):
            raise OrderConflict(
                f"Order.{field.name}: order {stored.order_number!r} is stored with {shown(stored_value)} "
                f"(got {shown(value)})" + ("; use change_status" if field.name == "status" else "")
            )
