"""Orders in four tables; one method for each question and each write."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import attrs

from shared.keys import InvalidQuestion, between, shown, starting_with
from shared.queries import Query
from shared.sources import Source
from shared.upkeep import Upkeep
from shared.writes import CLOCK, WriterClock

from .keys import BY_BUYER, BY_SELLER, BY_STATUS, ORDERS, OrderByNumber
from .records import NEXT_STATUSES, STATUSES, BuyerLine, Order, SellerLine, Status

if TYPE_CHECKING:
    import happybase


class OrderConflict(ValueError):
    """Another order has this number, or the order's status does not allow this change."""


class UnknownOrder(ValueError):
    """No order is stored under this number."""


class OrderRepository:
    """Places orders, changes their status, finds them by number, seller, buyer and status.

    An order is decided in its own row; the lines of its lists are derived from it, see `shared.intents.writer`. A
    confirmed write is stored, and no two orders share a number. A seller's or a buyer's list may lack a new order, or
    show its old status, until the write is complete; the list by status never lacks an order and never shows a wrong
    one. If a writer dies, repeating the call or running `upkeep.recover` completes the write.

    Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self, connection: "happybase.Connection", orders: Source[Order] = ORDERS, clock: WriterClock = CLOCK
    ) -> None:
        self._orders = orders.on(connection, clock)
        self.writer = self._orders.writer
        self.upkeep: Upkeep = self._orders.upkeep

    # ---- writes

    def place(self, order: Order) -> None:
        """Stores an order and its lines. Placing it again adds missing lines and changes nothing else.

        Raises `OrderConflict` if another order has this number. Costs: 1 get, 5 puts, 1 checkAndPut.
        """
        self._orders.write(order, partial(after_place, order))

    def place_all(self, orders: Iterable[Order]) -> int:
        """Stores orders as `place` does, 1,000 at a time; returns their number.

        Raises NotAllStored, whose cause may be `OrderConflict`. Each of its unconfirmed orders is either placed or not:
        place them again, or let `upkeep.recover` complete them.
        Costs: 1 checkAndPut for each order; for each 1,000 orders 1 call that reads them, and 5 puts. An order that
        another writer changes meanwhile costs what `place` costs.
        """
        return self._orders.write_all(orders, after_place)

    def change_status(self, order_number: str, status: Status) -> Order:
        """Stores a new status; returns the order with it.

        Raises `UnknownOrder` if no order has this number, and `OrderConflict` if its present status, maybe from another
        writer just now, does not allow the change. Costs: 1 get, 5 puts, 1 checkAndPut, 1 delete.
        """
        return self._orders.write(OrderByNumber(order_number), partial(after_change_status, order_number, status))

    def cancel(self, order_number: str) -> Order:
        """Stores the status `cancelled`. Raises and costs what `change_status` does."""
        return self.change_status(order_number, "cancelled")

    # ---- questions

    def order(self, order_number: str) -> Order | None:
        """The order of that number, or None. Costs: one get."""
        return self._orders.get(OrderByNumber(order_number))

    def of_seller(
        self, seller_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[SellerLine]:
        """A seller's orders placed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more. With a status, the scan reads the list of that status, and one
        call gets the page's orders.
        """
        placed = between(since_ms, until_ms)
        if status is None:
            return self._orders.ask(BY_SELLER, seller_id=seller_id, placed_ms=placed).newest_first()
        check_status(status)
        orders = self._orders.ask(BY_STATUS, seller_id=seller_id, status=status, placed_ms=placed)
        return orders.newest_first().then(BY_SELLER.shown)

    def of_buyer(
        self, buyer_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[BuyerLine]:
        """A buyer's orders placed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more. With a status, a page keeps reading until enough orders match, or
        ends after 10,000 rows with a shorter page and a cursor.
        """
        lines = self._orders.ask(BY_BUYER, buyer_id=buyer_id, placed_ms=between(since_ms, until_ms))
        return lines.where(**of_status(status)).newest_first()

    def numbered(self, number_prefix: str) -> Query[Order]:
        """The orders whose number starts with `number_prefix`. Costs: one scan of a page's rows and one more."""
        return self._orders.ask(order_number=starting_with(number_prefix))

    def with_status(self, status: Status) -> Query[Order]:
        """All orders with a status, by seller.

        Costs: a full scan of the sellers' lists with a server-side filter, and one call that gets a page's orders. If
        you need this list often, give it a table of its own.
        """
        check_status(status)
        lines = self._orders.ask_all(BY_SELLER).on_server("status", status)
        return lines.then(self._orders.records_of(BY_SELLER)).then(partial(_orders_with_status, status))

    # ---- upkeep

    def erase(self, buyer_id: str) -> int:
        """Removes what names a buyer: the lines of the buyer's list, and the buyer in each order.

        Returns how many lines remain. Number, seller, time, item, amount and status of an order remain, because they
        are the seller's. Recovers pending writes first. After an error, or for orders placed meanwhile, call it again.
        If `verify` finds missing lines, run `repair` before. Raises InvalidRow, once all else is removed, for a line
        that no order has and that is dated in the future; `verify` says how to remove it.
        Costs: three scans of the buyer's list; for each order what a change costs.
        """
        return self._orders.erase(BY_BUYER, partial(after_erase, buyer_id), buyer_id=buyer_id)


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
