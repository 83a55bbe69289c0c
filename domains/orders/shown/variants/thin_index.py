"""A thin index (S0.13): the seller's list holds the order, the index by number only the key of that row.

An order is stored once. The lists by buyer and by status are thin, too: their rows are markers, and a page of them gets
the orders. Reading by number takes two gets, one after the other: the index, then the row to which it leads.

The number is claimed first: one `checkAndPut` of the index, which expects nothing. So no two orders share a number.
What a crash does to the index:

- A writer that dies between its claim and its decision leaves a number that leads to no order. Readers find no order
  under it. Placing the same order again completes the write; another order under this number is refused.
- `recover` cannot place the order, because the claim holds only a key. (An index of whole orders holds the whole
  order, so there it can.) `repair` frees a number that has led to no order for 42 minutes.
- No order lacks its entry, which is put before the order and never deleted after it.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.intents import KEEP_TOMBSTONES_MS, IntentWriter
from shared.keys import Descending, EscapedText, Int64, between, part, row_key, shown, starting_with
from shared.keys.errors import shown_bytes
from shared.queries import Query
from shared.queries.scanning import scan_in_batches
from shared.sources import Source, Table
from shared.tables import BIG_INT, RAW, BoundTable, Column, InvalidRecord, InvalidRow, put_if
from shared.upkeep import CombinedUpkeep, Finding, Instructions, Mendable, UnreadableRows, Upkeep
from shared.writes import CLOCK, WriterClock

from ...keys import BY_BUYER, BY_SELLER, BY_STATUS, OrderByNumber
from ...records import BuyerLine, Order, SellerLine, Status
from ...repository import (
    OrderConflict,
    after_change_status,
    after_erase,
    after_place,
    check_status,
)

if TYPE_CHECKING:
    import happybase

CLAIM_MS = 2 * KEEP_TOMBSTONES_MS
"""How long a number may lead to no order: no call of a write that began before that can arrive any more."""


@attrs.frozen
class IndexEntry:
    """A number, and the row key of its order."""

    order_number: str
    order_row: bytes

    def __attrs_post_init__(self) -> None:
        number = BY_SELLER.layout.key.decode(self.order_row).order_number
        if number != self.order_number:
            wanted = f"must be the row of order {shown(self.order_number)}"
            raise InvalidRecord(f"IndexEntry.order_row: {wanted} (got that of {shown(number)})")


@row_key
class KeyOfBuyersOrder:
    """One line in a buyer's list of orders, with all parts of the order's key.

    Order:  by buyer, newest first, then by order number.
    Serves: a buyer's orders in a period; a buyer's latest N orders.
    Costs:  one scan of the page's rows and one more row, and one call that gets the orders.
    Fixed:  as `OrderBySeller`.
    Source: S0.13, [buyer id][timestamp][order number]
    """

    buyer_id: str = part(EscapedText, "who bought; any text")
    placed_ms: int = part(Descending(Int64), "when placed, milliseconds since 1970 UTC, newest first")
    order_number: str = part(EscapedText, "distinguishes orders of one millisecond")
    seller_id: str = part(EscapedText, "who sold: the rest of the key of the order's row")


IN_LIST = Source(
    "orders_in_list",
    BY_SELLER.layout.key,
    Order,
    {"buyer_id": "o:b", "item": "o:i", "amount": Column("o:a", BIG_INT), "status": "o:st"},
    cell="o:order",
    intents="orders_thin_intents",
    holds="the order, in its seller's list",
)
OF_STATUS = IN_LIST.moving_list(BY_STATUS.layout.name, BY_STATUS.layout.key)
OF_BUYER = IN_LIST.moving_list("orders_thin_by_buyer", KeyOfBuyersOrder)
INDEX = Table(
    "orders_thin_index", OrderByNumber, IndexEntry, {"order_row": Column("o:k", RAW)}, holds="the key of the order"
)
TABLES = (*IN_LIST.tables, *INDEX.tables)


class Repository:
    """Places orders, changes their status, finds them by number, seller, buyer and status; stores each order once.

    The row in the seller's list decides what an order is. All lists show what is decided, at once. If a writer dies,
    repeating the call completes the write; `upkeep.recover` completes it if its order was decided.
    """

    def __init__(self, connection: "happybase.Connection", clock: WriterClock = CLOCK) -> None:
        self._orders = IN_LIST.on(connection, clock)
        self.writer = self._orders.writer
        self._index = INDEX.on(connection)
        index = IndexUpkeep(self._index, self._orders.table(), self.writer)
        self.upkeep: Upkeep = CombinedUpkeep(self._orders.upkeep, index)

    # ---- writes

    def place(self, order: Order) -> None:
        """Stores an order, its entry of the index and its lines. Placing it again changes nothing.

        Raises `OrderConflict` if another order has this number, or has claimed it. Costs: 1 get, 4 puts, 2
        checkAndPuts.
        """
        self.writer.write(order, partial(self._after_claim, order))

    def change_status(self, order_number: str, status: Status) -> Order:
        """Stores a new status; returns the order with it. Raises `UnknownOrder`, and `OrderConflict` if it may not.

        Costs: 2 gets, 3 puts, 1 checkAndPut, 1 delete.
        """
        entry = self._entry(order_number)
        if entry is None:
            return after_change_status(order_number, status, None)  # which raises
        decide = partial(after_change_status, order_number, status)
        return self.writer.write(IN_LIST.layout.key.decode(entry.order_row), decide)

    def cancel(self, order_number: str) -> Order:
        """Stores the status `cancelled`. Raises and costs what `change_status` does."""
        return self.change_status(order_number, "cancelled")

    def _after_claim(self, order: Order, stored: Order | None) -> Order:
        """The order, if its number is claimed for it now; the stored one, if it is the same."""
        if stored is None:
            self.writer.derived(order)  # raises for a key that cannot be encoded, before the number is claimed
            self._claim(order)
        return after_place(order, stored)

    def _claim(self, order: Order) -> None:
        """Puts the entry of a number that is free, or again one that leads to this order: `repair` then spares it."""
        (column,) = INDEX.layout.cells.columns
        index_row, order_row = self._index.row(OrderByNumber(order.order_number)), IN_LIST.layout.row(order)
        while True:
            for expected in (None, order_row):
                if put_if(self._index.rows, index_row, column, expected, order_row):
                    return
            entry = self._entry(order.order_number)
            if entry is None or entry.order_row == order_row:  # which `repair` has freed just now
                continue
            after_place(order, self.writer.reader.read(entry.order_row).record)  # raises if another order is stored
            raise OrderConflict(
                f"Order.order_number: must be free, or of this order (got {shown(order.order_number)}, which another "
                f"order has claimed that is not stored; upkeep.repair frees it after {CLAIM_MS // 60_000} minutes)"
            )

    # ---- questions

    def order(self, order_number: str) -> Order | None:
        """The order of that number, or None. Raises InvalidRow if its entry leads elsewhere. Costs: two gets."""
        entry = self._entry(order_number)
        return None if entry is None else self.writer.reader.read(entry.order_row).record

    def of_seller(
        self, seller_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[SellerLine]:
        """A seller's orders placed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more; with a status also one call that gets the orders.
        """
        placed = between(since_ms, until_ms)
        if status is None:
            orders = self._orders.ask(seller_id=seller_id, placed_ms=placed)
        else:
            check_status(status)
            orders = self._orders.ask(OF_STATUS, seller_id=seller_id, status=status, placed_ms=placed)
        return orders.newest_first().then(BY_SELLER.shown)

    def of_buyer(
        self, buyer_id: str, since_ms: int | None = None, until_ms: int | None = None, status: Status | None = None
    ) -> Query[BuyerLine]:
        """A buyer's orders placed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more, and one call that gets the orders; with a status, a page is short
        by the orders that have another one.
        """
        if status is not None:
            check_status(status)
        orders = self._orders.ask(OF_BUYER, buyer_id=buyer_id, placed_ms=between(since_ms, until_ms)).newest_first()
        return orders.then(partial(_buyer_lines, status))

    def numbered(self, number_prefix: str) -> Query[Order]:
        """The orders whose number starts with `number_prefix`.

        Costs: one scan of a page's rows of the index and one more, and one call that gets the orders.
        """
        return self._index.ask(order_number=starting_with(number_prefix)).then(self._orders_of)

    def with_status(self, status: Status) -> Query[Order]:
        """All orders with a status, by seller.

        Costs: a full scan of the list by status, whose rows the client compares, and one call that gets the orders.
        """
        check_status(status)
        return self._orders.ask_all(OF_STATUS).where(status=status)

    def _entry(self, order_number: str) -> IndexEntry | None:
        return self._index.get(OrderByNumber(order_number))

    def _orders_of(self, entries: list[IndexEntry]) -> list[Order | InvalidRow | None]:
        """The order of each entry; None if it leads to none. Costs: one call for each 1,000."""
        sources = self.writer.reader.read_each(entry.order_row for entry in entries)
        found = (sources[entry.order_row] for entry in entries)
        return [source if isinstance(source, InvalidRow) else source.record for source in found]

    # ---- upkeep

    def erase(self, buyer_id: str) -> int:
        """Removes what names a buyer: the lines of the buyer's list, and the buyer in each order.

        Returns how many lines remain; see `OrderRepository.erase`. A line of an order that is being placed, or that was
        never placed, remains until it is 42 minutes old: call it again. Costs: as there.
        """
        return self._orders.erase(OF_BUYER, partial(after_erase, buyer_id), buyer_id=buyer_id)


def _buyer_lines(status: Status | None, orders: list[Order]) -> list[BuyerLine | None]:
    """The orders that have this status, as lines; None for the others."""
    lines = BY_BUYER.shown(orders)
    return [line if status in (None, line.status) else None for line in lines]


class IndexUpkeep(Upkeep):
    """Compares the index with the orders: a part of the upkeep, after that of the writes.

    missing      an order has no entry, as after the index was restored from a backup    put
    differing    the entry of an order leads to no row of its number                     put again
    differing    the entry of an order leads to another row of its number                kept
    dangling     an entry has led to no order for 42 minutes: its writer died            deleted: the number is free
    undecodable  an entry leads to no row of its number, and no order lacks it           removed if told
    """

    def __init__(
        self,
        index: BoundTable[Any, IndexEntry],
        orders: BoundTable[Any, Order],
        writer: IntentWriter[Order],
    ) -> None:
        self._index = index
        self._orders = orders
        self._writer = writer
        self._unreadable = UnreadableRows(index)
        (self._column,) = index.layout.cells.columns
        self.entries = 0
        """Number of entries compared so far."""

    @property
    def counts(self) -> dict[str, int]:
        """Entries compared so far."""
        return {"entry": self.entries}

    def found(self, progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """Every entry that is missing, differs or dangles. Calls `progress` after each batch.

        `repair` mends them after the part of the writes has recovered.
        Costs: one scan of each 1,000 rows of both tables, a call for each to get the rows to compare with, and one more
        scan of the index.
        """
        self.entries = 0
        unreadable_of_orders = set[bytes]()
        yield from self._of_orders(progress, unreadable_of_orders)
        yield from self._of_entries(progress)
        for unreadable in self._unreadable.found(progress, told):
            if told is not None or unreadable.finding.row not in unreadable_of_orders:
                yield unreadable

    def _of_orders(self, progress: Callable[[], object], unreadable: set[bytes]) -> Iterator[Mendable]:
        """The entries that orders lack, or that lead to other orders; notes those that lead to no row."""
        name = self._index.layout.name
        (range_,) = self._orders.whole_table().ranges
        for batch in scan_in_batches(self._orders.rows, range_, columns=[*self._orders.layout.cells.columns]):
            order_rows = {self._index.row(order): row for row, cells in batch for order in self._read(row, cells)}
            stored = dict(self._index.rows.rows([*order_rows], columns=[self._column]))
            for row, order_row in order_rows.items():
                entry = stored.get(row, {}).get(self._column)
                if entry is None:
                    put = partial(put_if, self._index.rows, row, self._column, None, order_row)
                    yield Mendable(Finding("missing", name, row, order_row), put)
                elif entry != order_row:
                    finding = Finding("differing", name, row, order_row, f"it leads to row {shown_bytes(entry)}")
                    if self._is_read(row, entry):
                        yield Mendable(finding)  # two orders have one number, and both are real
                    else:
                        unreadable.add(row)
                        put = partial(put_if, self._index.rows, row, self._column, entry, order_row)
                        yield Mendable(finding, put)
            progress()

    def _read(self, row: bytes, cells: Any) -> Iterator[Order]:
        """The order of a row, unless it has none or cannot be read, which the part of the writes reports."""
        source = self._writer.reader.source_or_error(row, cells)
        if not isinstance(source, InvalidRow) and source.record is not None:
            yield source.record

    def _of_entries(self, progress: Callable[[], object]) -> Iterator[Mendable]:
        """The entries that have led to no order for `CLAIM_MS`; a writer at work has put its entry just now."""
        name = self._index.layout.name
        (range_,) = self._index.whole_table().ranges
        scanned = scan_in_batches(self._index.rows, range_, columns=[self._column], include_timestamp=True)
        for batch in scanned:
            stored = ((row, cells[self._column]) for row, cells in batch)
            entries = {row: entry for row, entry in stored if self._is_read(row, entry[0])}
            sources = self._writer.reader.read_each(order_row for order_row, _put_ms in entries.values())
            old_ms = self._writer.check_clock().wall_ms - CLAIM_MS
            for row, (order_row, put_ms) in entries.items():
                source = sources[order_row]
                is_free = not isinstance(source, InvalidRow) and source.record is None
                if is_free and put_ms <= old_ms and order_row not in self._writer.under_way():
                    reason = f"no order is stored in row {shown_bytes(order_row)}"
                    yield Mendable(Finding("dangling", name, row, order_row, reason), partial(self._free, row, put_ms))
            self.entries += len(batch)
            progress()

    def _is_read(self, row: bytes, order_row: bytes) -> bool:
        """Whether an entry leads to a row of its number."""
        with suppress(InvalidRow):
            return bool(self._index.layout.record(row, {self._column: order_row}))
        return False

    def _free(self, row: bytes, put_ms: int) -> bool:
        """Deletes an entry, but spares one that was put again since."""
        self._index.rows.delete(row, [self._column], timestamp=put_ms)
        return True
