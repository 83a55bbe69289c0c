"""The plain form: the order is put first, its lines after it, and repeating the call completes an interrupted write.

A shop whose clients always retry, and whose reader can live with a list that lacks an order, needs no more. What it can
lose: two orders placed under one number at the same moment, of which the second replaces the first; an order whose
writer died and whose client never retries stays missing from the lists; after two changes of status in one millisecond
a list may keep the one that lost. A list by status would show orders twice or not at all, so there is none.
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from shared.keys import between, shown, starting_with
from shared.queries import Query
from shared.sources import Table
from shared.tables import BoundTable
from shared.writes import CLOCK, WriterClock, refuse_expired

from ...keys import BY_BUYER, BY_SELLER, ORDERS, OrderByNumber
from ...records import BuyerLine, Order, SellerLine, Status
from ...repository import OrderConflict, after_change_status, after_place, check_status, of_status

if TYPE_CHECKING:
    import happybase

PLAIN = Table("orders_plain", OrderByNumber, Order, ORDERS.columns, holds="the order")
TABLES = (PLAIN.layout, BY_SELLER.layout, BY_BUYER.layout)


class Repository:
    """Places orders, changes their status, finds them by number, seller and buyer.

    Every write puts the order first and its lines after it, all with one explicit timestamp. So a crash leaves no line
    without its order, and repeating the call completes the write. Between the puts a list may lack a new order, or show
    its old status.
    """

    def __init__(self, connection: "happybase.Connection", clock: WriterClock = CLOCK) -> None:
        self._orders = PLAIN.on(connection)
        self._by_seller = BoundTable(connection, BY_SELLER.layout)
        self._by_buyer = BoundTable(connection, BY_BUYER.layout)
        self._clock = clock

    # ---- writes

    def place(self, order: Order) -> None:
        """Stores an order and its lines. Placing it again adds missing lines and changes nothing else.

        Raises `OrderConflict` if another order has this number, and `Expired` if a new one is older than a TTL.
        Costs: one get, three puts.
        """
        stored = self._stored(order.order_number)
        if stored is None:
            tables = self._orders, self._by_seller, self._by_buyer
            refuse_expired([order], *tables, time_of=attrgetter("placed_ms"))
            self._put(order, order.placed_ms)
        else:
            after_place(order, stored[0])
            self._put(*stored, only=["status"])

    def change_status(self, order_number: str, status: Status) -> Order:
        """Stores a new status; returns the order with it. Raises `UnknownOrder`, and `OrderConflict` if it may not.

        The order is read again after the puts; if another change won meanwhile, with a later time or as the second one
        of the same millisecond, that is an `OrderConflict` too. Costs: two gets, three puts.
        """
        before, written_ms = self._stored(order_number) or (None, 0)
        order = after_change_status(order_number, status, before)
        if order != before:
            written_ms = self._clock.now_ms(above_ms=written_ms)
        self._put(order, written_ms, only=["status"])
        stored = self._stored(order_number)
        if stored is None or stored[0].status != status:
            outcome = "gone" if stored is None else f"stored with {stored[0].status!r}"
            raise OrderConflict(
                f"Order.status: another change of order {shown(order_number)} won, it is {outcome} "
                f"(got {shown(status)})"
            )
        return stored[0]

    def cancel(self, order_number: str) -> Order:
        """Stores the status `cancelled`. Raises and costs what `change_status` does."""
        return self.change_status(order_number, "cancelled")

    # ---- questions

    def order(self, order_number: str) -> Order | None:
        """The order of that number, or None. Costs: one get."""
        stored = self._stored(order_number)
        return None if stored is None else stored[0]

    def of_seller(
        self, seller_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[SellerLine]:
        """A seller's orders placed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more. With a status, a page keeps reading until enough orders match, or
        ends after 10,000 rows with a shorter page and a cursor.
        """
        plan = self._by_seller.plan(seller_id=seller_id, placed_ms=between(since_ms, until_ms))
        return Query(self._by_seller, plan).where(**of_status(status)).newest_first()

    def of_buyer(
        self, buyer_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[BuyerLine]:
        """A buyer's orders placed from `since_ms` to `until_ms` (exclusive), newest first. Costs: as `of_seller`."""
        plan = self._by_buyer.plan(buyer_id=buyer_id, placed_ms=between(since_ms, until_ms))
        return Query(self._by_buyer, plan).where(**of_status(status)).newest_first()

    def numbered(self, number_prefix: str) -> Query[Order]:
        """The orders whose number starts with `number_prefix`. Costs: one scan of a page's rows and one more."""
        return self._orders.ask(order_number=starting_with(number_prefix))

    def with_status(self, status: Status) -> Query[Order]:
        """All orders with a status, by number. Costs: a full table scan with a server-side filter."""
        check_status(status)
        return self._orders.ask_all().on_server("status", status)

    def _stored(self, order_number: str) -> tuple[Order, int] | None:
        """The order, and the timestamp of its last write in milliseconds; None if no order has this number."""
        row = self._orders.row(OrderByNumber(order_number))
        cells = self._orders.rows.row(row, include_timestamp=True)
        orders = self._orders.layout.records(row, {column: value for column, (value, _) in cells.items()})
        if not orders:
            return None
        return orders[0], max(written_ms for _, written_ms in cells.values())  # an old order may lack the status

    def _put(self, order: Order, written_ms: int, only: Iterable[str] | None = None) -> None:
        """Puts the order, with all or `only` some attributes, then the lines of both lists with all of theirs.

        Encodes every row before the first put, so an invalid key stores nothing.
        """
        orders: Any = self._orders.layout.cells
        puts: list[tuple[happybase.Table, bytes, dict[bytes, bytes]]] = [
            (self._orders.rows, self._orders.row(order), orders.pack(order, only)),
            *((of.rows, of.row(order), of.layout.cells.pack(order)) for of in (self._by_seller, self._by_buyer)),
        ]
        for rows, row, cells in puts:
            rows.put(row, cells, timestamp=written_ms)
