"""Orders in four tables; one method for each question and each write."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import InvalidQuestion, between, shown, starting_with
from shared.queries import Query, equal
from shared.tables import BoundTable, InvalidRow, TableLayout
from shared.writes import (
    CLOCK,
    FUTURE_MS,
    Derived,
    IntentWriter,
    Upkeep,
    WriterClock,
    WriterUpkeep,
    dated_in_future,
    store_all,
    write_all,
)

from .keys import SELLER_CELLS, TABLES, OrderByNumber, OrderTables
from .records import NEXT_STATUSES, STATUSES, BuyerLine, Order, SellerLine, Status

if TYPE_CHECKING:
    import happybase


class OrderConflict(ValueError):
    """Another order has this number, or the order's status does not allow this change."""


class UnknownOrder(ValueError):
    """No order is stored under this number."""


class OrderRepository:
    """Places orders, changes their status, finds them by number, seller, buyer and status.

    An order is decided in its own row; the lines of its lists are derived from it, see `shared.writes.intents`. A
    confirmed write is stored, and no two orders share a number. A seller's or a buyer's list may lack a new order, or
    show its old status, until the write is complete; the list by status never lacks an order and never shows a wrong
    one. If a writer dies, repeating the call or running `upkeep.recover` completes the write. A variant with other
    lists passes `lists`, and `derive`, which returns the rows of an order in them.

    Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        tables: OrderTables = TABLES,
        clock: WriterClock = CLOCK,
        *,
        lists: Sequence[TableLayout[Any, Any]] | None = None,
        derive: Callable[[Order], Iterable[Derived]] | None = None,
    ) -> None:
        self._orders = BoundTable(connection, tables.orders)
        self._by_seller = BoundTable(connection, tables.by_seller)
        self._by_buyer = BoundTable(connection, tables.by_buyer)
        self._by_status = BoundTable(connection, tables.by_status)
        self.writer = IntentWriter(
            connection,
            tables.orders,
            tables.intents,
            lists or (tables.by_seller, tables.by_buyer, tables.by_status),
            derive or partial(lines_of, tables),
            moving=[tables.by_status],
            clock=clock,
        )
        self.upkeep: Upkeep = WriterUpkeep(self.writer)

    # ---- writes

    def place(self, order: Order) -> None:
        """Stores an order and its lines. Placing it again adds missing lines and changes nothing else.

        Raises `OrderConflict` if another order has this number. Costs: 1 get, 5 puts, 1 checkAndPut.
        """
        self.writer.write(OrderByNumber(order.order_number), partial(after_place, order))

    def place_all(self, orders: Iterable[Order]) -> int:
        """Stores orders as `place` does, 1,000 at a time; returns their number.

        Raises NotAllStored; its cause may be an OrderConflict. Each of its unconfirmed orders is either placed or not:
        place them again, or let `upkeep.recover` complete them.
        Costs: 1 checkAndPut for each order; for each 1,000 orders 1 call that reads them, and 5 puts. An order that
        another writer changes meanwhile costs what `place` costs.
        """
        return store_all(orders, self._place_batch)

    def _place_batch(self, orders: list[Order]) -> None:
        placing = ((OrderByNumber(order.order_number), partial(after_place, order)) for order in orders)
        write_all(self.writer, placing)

    def change_status(self, order_number: str, status: Status) -> Order:
        """Stores a new status; returns the order with it.

        Raises `UnknownOrder` if no order has this number, and `OrderConflict` if its present status, maybe from another
        writer just now, does not allow the change. Costs: 1 get, 5 puts, 1 checkAndPut, 1 delete.
        """
        decide = partial(after_change_status, order_number, status)
        return self.writer.write(OrderByNumber(order_number), decide)

    def cancel(self, order_number: str) -> Order:
        """Stores the status `cancelled`. Raises and costs what `change_status` does."""
        return self.change_status(order_number, "cancelled")

    # ---- questions

    def order(self, order_number: str) -> Order | None:
        """The order of that number, or None. Costs: one get."""
        return self.writer.reader.read(self._orders.row(OrderByNumber(order_number))).record

    def of_seller(
        self, seller_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[SellerLine]:
        """A seller's orders placed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more. With a status, the scan reads the list of that status, and one
        call gets the page's orders.
        """
        placed = between(since_ms, until_ms)
        if status is None:
            plan = self._by_seller.plan(seller_id=seller_id, placed_ms=placed)
            return Query(self._by_seller, plan).newest_first()
        check_status(status)
        plan = self._by_status.plan(seller_id=seller_id, status=status, placed_ms=placed)
        lines = Query(self._by_status, plan).newest_first()
        return lines.then(partial(self.writer.reader.agreeing, self._by_status.layout)).then(seller_lines)

    def of_buyer(
        self, buyer_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[BuyerLine]:
        """A buyer's orders placed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more. With a status, a page keeps reading until enough orders match, or
        ends after 10,000 rows with a shorter page and a cursor.
        """
        plan = self._by_buyer.plan(buyer_id=buyer_id, placed_ms=between(since_ms, until_ms))
        return Query(self._by_buyer, plan).where(**of_status(status)).newest_first()

    def numbered(self, number_prefix: str) -> Query[Order]:
        """The orders whose number starts with `number_prefix`. Costs: one scan of a page's rows and one more."""
        return Query(self._orders, self._orders.plan(order_number=starting_with(number_prefix)))

    def with_status(self, status: Status) -> Query[Order]:
        """All orders with a status, by seller.

        Costs: a full scan of the sellers' lists with a server-side filter, and one call that gets a page's orders. If
        you need this list often, give it a table of its own.
        """
        check_status(status)
        plan = self._by_seller.whole_table()
        lines = Query(self._by_seller, plan).filtered(equal(SELLER_CELLS, "status", status))
        orders = lines.then(partial(self.writer.reader.agreeing, self._by_seller.layout))
        return orders.then(partial(_orders_with_status, status))

    # ---- upkeep

    def erase(self, buyer_id: str) -> int:
        """Removes what names a buyer: the lines of the buyer's list, and the buyer in each order.

        Returns how many lines remain. Number, seller, time, item, amount and status of an order remain, because they
        are the seller's. Recovers pending writes first. After an error, or for orders placed meanwhile, call it again.
        If `verify` finds missing lines, run `repair` before. Raises InvalidRow, once all else is removed, for a line
        that no order has and that is dated in the future; `verify` says how to remove it.
        Costs: three scans of the buyer's list; for each order what a change costs.
        """
        self.upkeep.recover(older_than_ms=0)
        lines = self.of_buyer(buyer_id)
        for line in lines:
            self.writer.write(OrderByNumber(line.order_number), partial(after_erase, buyer_id))
        discard_strays(self.writer, self._by_buyer, lines)
        return lines.count()


def discard_strays(writer: IntentWriter[Order], by_buyer: BoundTable[Any, Any], lines: Iterable[Any]) -> None:
    """Deletes the lines of a buyer that their orders do not have; raises InvalidRow for the first one of the future.

    If the list moves, a line that no order has may be of an order that is being placed: only an old one is deleted.
    """
    kept = [*filter(None, (_discard_stray(writer, by_buyer, line) for line in lines))]
    if kept:
        raise kept[0]


def _discard_stray(writer: IntentWriter[Order], by_buyer: BoundTable[Any, Any], line: Any) -> InvalidRow | None:
    """Deletes a buyer's line that its order does not have, as left by a restored backup or a crash before a compaction.

    The delete spares what is dated later, and the order's row stays as it is: a new cell there would outlive it. A line
    that is dated in the future stays, because the delete would hide lines of a later order: returns why.
    """
    row, order_row, layout = by_buyer.row(line), writer.source.row(line), by_buyer.layout
    stored = by_buyer.rows.row(row, columns=[*layout.cells.columns], include_timestamp=True)
    order = writer.reader.read(order_row).record
    if stored and (order is None or order.buyer_id != line.buyer_id):
        newest_ms = max(written_ms for _, written_ms in stored.values())
        if newest_ms > writer.check_clock().wall_ms + FUTURE_MS:
            return dated_in_future(layout, row, newest_ms)
        cells = [(layout.name, row, column) for column in stored]
        if layout.name in writer.moving:
            writer.repair(order_row, cells, newest_ms)
        else:
            writer.delete(cells, newest_ms)
    return None


def lines_of(tables: OrderTables, order: Order) -> Iterator[Derived]:
    """The rows that are derived from an order: each a table, and the line there."""
    yield tables.by_seller, order
    yield tables.by_status, order
    if order.buyer_id is not None:
        yield tables.by_buyer, order


def after_place(order: Order, stored: Order | None) -> Order:
    """The order, if its number is free; the stored one, if it is the same except for a later status."""
    for field in attrs.fields(Order) if stored is not None else ():
        stored_value, value = getattr(stored, field.name), getattr(order, field.name)
        if stored_value != value and (field.name, value) != ("status", "placed"):
            raise OrderConflict(
                f"Order.{field.name}: order {shown(order.order_number)} is stored with {shown(stored_value)} "
                f"(got {shown(value)})" + ("; use change_status" if field.name == "status" else "")
            )
    return order if stored is None else stored


def after_change_status(order_number: str, status: Status, stored: Order | None) -> Order:
    """The order with a status that its own status allows next, or with its own."""
    if stored is None:
        raise UnknownOrder(f"Order.order_number: no order {shown(order_number)}")
    if status == stored.status:
        return stored
    if status not in NEXT_STATUSES[stored.status]:
        allowed = ", ".join(NEXT_STATUSES[stored.status]) or "no other status"
        raise OrderConflict(
            f"Order.status: order {shown(order_number)} is {stored.status}, which allows {allowed} "
            f"(got {shown(status)})"
        )
    return attrs.evolve(stored, status=status)


def after_erase(buyer_id: str, stored: Order | None) -> Order | None:
    """The order; without its buyer, if that is `buyer_id`."""
    return attrs.evolve(stored, buyer_id=None) if stored is not None and stored.buyer_id == buyer_id else stored


def seller_lines(orders: list[Order]) -> list[SellerLine]:
    """The orders as lines of their sellers."""
    return [SellerLine.of(order) for order in orders]


def _orders_with_status(status: Status, orders: list[Order]) -> list[Order | None]:
    """The orders that still have this status; None for the others: the seller's list may lag."""
    return [order if order.status == status else None for order in orders]


def of_status(status: Status | None) -> dict[str, str]:
    """The condition on an order's status; empty if `status` is None."""
    if status is None:
        return {}
    check_status(status)
    return {"status": status}


def check_status(status: Status) -> None:
    """Raises InvalidQuestion for a status that no order has."""
    if status not in STATUSES:
        raise InvalidQuestion(f"status: must be one of {', '.join(STATUSES)} (got {shown(status)})")
