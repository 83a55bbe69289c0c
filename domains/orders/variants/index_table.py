"""Two copies instead of three: the seller's list holds the whole order; an index maps the order number to that row."""

from collections.abc import Iterable

import attrs
import happybase

from shared.keys import KeyLayout, starting_with
from shared.queries import BATCH_ROWS, Query
from shared.records import show_time
from shared.tables import BIG_INT, Column, RecordCells, TableLayout
from shared.writes import CLOCK, WriterClock

from ..keys import BY_BUYER, BY_SELLER, SELLER_CELLS, OrderByNumber
from ..records import BuyerLine, Order, Status
from ..repository import OrderConflict, OrderRepository, orders_of_status, stored_order


@attrs.frozen
class IndexEntry:
    """The row in which an order is stored."""

    order_number: str
    seller_row: bytes
    """The key of the order's row in its seller's list."""


WHOLE_CELLS = RecordCells(
    Order,
    {"buyer_id": Column("o:b"), "item": Column("o:i"), "amount": Column("o:a", BIG_INT), "status": Column("o:st")},
)

INDEX = TableLayout(
    "orders_index",
    "the row key of the order in its seller's list",
    KeyLayout(OrderByNumber),
    RecordCells(IndexEntry, {"seller_row": Column("o:k")}),
)
"""S0.13's index table, [order number]; it does not hold the order."""
OF_SELLER = TableLayout("orders_of_seller", "the order, in its seller's list", BY_SELLER.layout, WHOLE_CELLS)
SELLER_LINES = TableLayout(OF_SELLER.name, OF_SELLER.holds, BY_SELLER.layout, SELLER_CELLS)
"""The same rows, read as lines of a list without the buyer."""

TABLES = (INDEX, OF_SELLER, BY_BUYER)


class IndexedOrderRepository(OrderRepository):
    """`OrderRepository` on these tables.

    Finding an order by its number costs two gets; placing one two gets and three puts; changing its status four gets
    and three puts.
    Every write puts the index entry, then the seller's row, which holds the order, then the buyer's line. A crash
    leaves an entry without its order, which readers skip, or an order without its buyer's line; placing the same order
    again completes both. Until then another order with this number is an `OrderConflict`.
    """

    def __init__(self, connection: happybase.Connection, clock: WriterClock = CLOCK) -> None:
        self._by_seller, self._by_buyer = SELLER_LINES, BY_BUYER
        self._index_rows, self._seller_rows, self._buyer_rows = (connection.table(table.name) for table in TABLES)
        self._clock = clock

    def numbered(self, number_prefix: str) -> Query[Order]:
        """The orders whose number starts with `number_prefix`. Costs: one scan of the index, then a get per order."""
        entries = Query(self._index_rows, INDEX, INDEX.plan(order_number=starting_with(number_prefix)))
        return entries.then(self._orders_of)

    def _orders_of(self, entries: list[IndexEntry]) -> list[Order | None]:
        """The order of each index entry; None for an entry that a crash left without its order."""
        rows = [entry.seller_row for entry in entries]
        orders: dict[bytes, Order] = {}
        for start in range(0, len(rows), BATCH_ROWS):
            fetched = self._seller_rows.rows(rows[start : start + BATCH_ROWS])
            orders |= {row: OF_SELLER.record(row, cells) for row, cells in fetched}
        return [orders.get(row) for row in rows]

    def with_status(self, status: Status) -> Query[Order]:
        """All orders of a status, by seller. Costs: one scan of the sellers' whole table."""
        return orders_of_status(self._seller_rows, OF_SELLER, status)

    def _stored(self, order_number: str) -> tuple[Order, int] | None:
        row = INDEX.row(OrderByNumber(order_number))
        if not (cells := self._index_rows.row(row)):
            return None
        row = INDEX.record(row, cells).seller_row
        return stored_order(OF_SELLER, row, self._seller_rows.row(row, include_timestamp=True))

    def _put(self, order: Order, written_ms: int, only: Iterable[str] | None = None) -> None:
        entry, line = IndexEntry(order.order_number, OF_SELLER.row(order)), BuyerLine.of(order)
        puts = [
            (self._index_rows, INDEX.row(entry), INDEX.cells.pack(entry), order.placed_ms),
            (self._seller_rows, entry.seller_row, WHOLE_CELLS.pack(order, only), written_ms),
            (self._buyer_rows, BY_BUYER.row(line), BY_BUYER.cells.pack(line), written_ms),
        ]
        if only is None:
            self._refuse_other_entry(entry)
        for rows, row, cells, cells_ms in puts:
            rows.put(row, cells, timestamp=cells_ms)

    def _refuse_other_entry(self, entry: IndexEntry) -> None:
        """Refuses a number whose index entry belongs to another order, which a crash left without its row."""
        row = INDEX.row(entry)
        cells = self._index_rows.row(row)
        stored = INDEX.record(row, cells) if cells else entry
        if stored != entry:
            other = OF_SELLER.layout.decode(stored.seller_row)
            raise OrderConflict(
                f"Order.order_number: {entry.order_number!r} is taken by an order of seller {other.seller_id!r} "
                f"at {show_time(other.placed_ms)}, not stored whole yet (got another seller or time)"
            )
