"""The questions of `domains.orders`, written with happybase, struct and msgpack: what they cost without the suite.

The keys and cells are those of `keys.py`, the calls to the store those of `OrderRepository`. What is left out: refusals
that say why, cursors that are checked, a look at every row whether it is one of this table, a clock that is compared
with the server's, what happens after another write or a lost reply, and slots for several writes at once.
"""

import os
import struct
import time

import attrs
import msgpack
from Hbase_thrift import Mutation

from domains.orders import BuyerLine, Order, SellerLine
from domains.orders.keys import BY_SELLER
from tests.programs.benchmarks.by_hand.parts import (
    LAST,
    PAGE_ROWS,
    first,
    first_of,
    one_after_the_last,
    text,
    time_reversed,
    unescaped,
    value_filter,
)

LINE_COLUMNS = [b"o:i", b"o:a", b"o:st"]
SOURCE = b"o:order"
STATUSES = {"placed": b"\x01", "paid": b"\x02", "shipped": b"\x03", "cancelled": b"\x04"}
ORDER_CELLS = (b"s", b"b", b"t", b"i", b"st")
TRUE = msgpack.packb(True)


def packed_amount(amount):
    size = (amount + (amount < 0)).bit_length() // 8 + 1
    return msgpack.packb(amount.to_bytes(size, "big", signed=True))


def amount_of(data):
    return int.from_bytes(msgpack.unpackb(data), "big", signed=True)


def source_of(order, revision, time_ms, writes):
    line = line_of(order)
    cells = {
        b"s": msgpack.packb(order.seller_id),
        b"b": msgpack.packb(order.buyer_id),
        b"t": msgpack.packb(order.placed_ms),
        b"i": line[b"o:i"],
        b"a": line[b"o:a"],
        b"st": line[b"o:st"],
    }
    return msgpack.packb([revision, time_ms, writes[-64 * 8 :], cells])


def line_of(order):
    return {
        b"o:i": msgpack.packb(order.item),
        b"o:a": packed_amount(order.amount),
        b"o:st": msgpack.packb(order.status),
    }


def order_of(row, cell):
    cells = msgpack.unpackb(cell, strict_map_key=False)[3]
    seller_id, buyer_id, placed_ms, item, status = (msgpack.unpackb(cells[name]) for name in ORDER_CELLS)
    return Order(row.decode(), seller_id, buyer_id, placed_ms, item, amount_of(cells[b"a"]), status)


def line_in(line_class, row, cells):
    who, _, rest = row.partition(b"\0\x01")
    (time_left,) = struct.unpack_from(">Q", rest)
    item, amount, status = msgpack.unpackb(cells[b"o:i"]), amount_of(cells[b"o:a"]), msgpack.unpackb(cells[b"o:st"])
    return line_class(unescaped(who), LAST - time_left, unescaped(rest[8:-2]), item, amount, status)


def list_row(who, order):
    return text(who) + time_reversed(order.placed_ms) + text(order.order_number)


def status_row(order):
    placed = time_reversed(order.placed_ms)
    return text(order.seller_id) + STATUSES[order.status] + placed + text(order.order_number)


class Orders:
    """The order under its number, in the lists of its seller, its buyer and its status; and the write under way."""

    def __init__(self, orders, by_seller, by_status, by_buyer, intents):
        self.orders, self.by_seller, self.by_status, self.by_buyer = orders, by_seller, by_status, by_buyer
        self.intents = intents
        self.slot = os.urandom(8) + bytes(4)
        self.last_ms = 0

    def order(self, order_number):
        row = order_number.encode()
        cells = self.orders.row(row, columns=[SOURCE])
        return order_of(row, cells[SOURCE]) if cells else None

    def place(self, order):
        row = order.order_number.encode()
        if self.orders.row(row, columns=[SOURCE]):
            raise ValueError(f"order {order.order_number} is there")
        self.write(row, None, order)

    def cancel(self, order_number):
        row = order_number.encode()
        cell = self.orders.row(row, columns=[SOURCE])[SOURCE]
        stored = order_of(row, cell)
        if stored.status not in ("placed", "paid"):
            raise ValueError(f"order {order_number} is {stored.status}")
        order = attrs.evolve(stored, status="cancelled")
        self.write(row, cell, order)
        return order

    def write(self, row, cell, order):
        revision, old_ms, writes, _ = (0, 0, b"", None) if cell is None else msgpack.unpackb(cell, strict_map_key=False)
        old = None if cell is None else order_of(row, cell)
        started_ms = max(time.time_ns() // 1_000_000, self.last_ms + 1)
        self.last_ms = started_ms + 1
        write_id = os.urandom(8)
        seller_row, buyer_row, line = list_row(order.seller_id, order), list_row(order.buyer_id, order), line_of(order)
        old_status_row, new_status_row = old and status_row(old), status_row(order)
        touched = {
            "orders_by_seller": {seller_row: LINE_COLUMNS},
            "orders_by_buyer": {buyer_row: LINE_COLUMNS},
            "orders_by_status": {row: [b"o:x"] for row in (old_status_row, new_status_row) if row},
        }
        intent = {b"i:s": msgpack.packb(row), b"i:r": msgpack.packb(revision), b"i:w": msgpack.packb(write_id)}
        intent |= {b"i:t": msgpack.packb(touched), b"i:n": msgpack.packb("orders")}
        self.intents.put(self.slot, intent, timestamp=started_ms)
        self.by_status.put(new_status_row, {b"o:x": TRUE}, timestamp=old_ms + 1)
        time_ms = max(started_ms, old_ms + 3)
        new_cell = source_of(order, revision + 1, time_ms, writes + write_id)
        mutation = Mutation(column=SOURCE, value=new_cell)
        if not self.orders.connection.client.checkAndPut(self.orders.name, row, SOURCE, cell, mutation, {}):
            raise ValueError(f"order {row!r} was changed meanwhile")
        self.by_seller.put(seller_row, line, timestamp=time_ms)
        self.by_buyer.put(buyer_row, line, timestamp=time_ms)
        if old_status_row:
            self.by_status.delete(old_status_row, [b"o:x"], timestamp=time_ms - 1)
        ended = {b"i:s": msgpack.packb(None), b"i:r": msgpack.packb(0), b"i:w": msgpack.packb(b"")}
        ended |= {b"i:t": msgpack.packb({}), b"i:n": msgpack.packb("")}
        self.intents.put(self.slot, ended, timestamp=started_ms + 1)

    def of_seller(self, seller_id, since_ms=None, until_ms=None, status=None, limit=100):
        if status is None:
            return self.list_of(self.by_seller, SellerLine, seller_id, since_ms, until_ms, None, limit)
        start = text(seller_id) + STATUSES[status]
        rows = self.by_status.scan(start, one_after_the_last(start), columns=[b"o:x"], batch_size=limit + 1)
        numbers = first(rows, lambda row: unescaped(row[0][len(start) + 8 : -2]), limit)
        return BY_SELLER.shown([order for order in self.all_of(numbers) if order.status == status])

    def all_of(self, numbers):
        rows = [number.encode() for number in numbers]
        stored = dict(self.orders.rows(rows, columns=[SOURCE])) if rows else {}
        return [order_of(row, stored[row][SOURCE]) for row in rows]

    def of_buyer(self, buyer_id, since_ms=None, until_ms=None, status=None, limit=100):
        return self.list_of(self.by_buyer, BuyerLine, buyer_id, since_ms, until_ms, status, limit)

    def list_of(self, table, line_class, who, since_ms, until_ms, status, limit):
        start, stop = text(who), one_after_the_last(text(who))
        if until_ms is not None:
            start = text(who) + time_reversed(until_ms - 1)
        if since_ms is not None:
            stop = text(who) + time_reversed(since_ms - 1)
        at_once = limit + 1 if status is None else PAGE_ROWS
        rows = table.scan(start, stop, columns=LINE_COLUMNS, batch_size=at_once)
        if status is None:
            return first(rows, lambda row: line_in(line_class, *row), limit)
        return first_of(rows, lambda row: line_in(line_class, *row), limit, lambda line: line.status == status)

    def numbered(self, number_prefix, limit=100):
        rows = self.orders.scan(row_prefix=number_prefix.encode(), columns=[SOURCE], batch_size=PAGE_ROWS)
        return first_of(rows, lambda row: order_of(row[0], row[1][SOURCE]), limit, lambda order: True)

    def with_status(self, status, limit=100):
        text_of_filter = value_filter(b"o", b"st", status)
        rows = self.by_seller.scan(columns=LINE_COLUMNS, filter=text_of_filter, batch_size=limit + 1)
        lines = first(rows, lambda row: line_in(SellerLine, *row), limit)
        return [order for order in self.all_of([line.order_number for line in lines]) if order.status == status]
