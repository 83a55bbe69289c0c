"""The questions of `domains.orders`, written with happybase, struct and msgpack: what they cost without the suite.

The keys and cells are those of `keys.py`, the calls to the store those of `OrderRepository`. What is left out: refusals
that say why, cursors that are checked, and a look at every row whether it is one of this table.
"""

import struct
import time
from contextlib import closing
from itertools import islice

import attrs
import msgpack

from domains.orders import BuyerLine, Order, SellerLine

LAST = 2**63 - 1
LINE_COLUMNS = [b"o:i", b"o:a", b"o:st"]
COLUMNS = [b"o:s", b"o:b", b"o:t", *LINE_COLUMNS]
PAGE_ROWS = 101
"""A page of 100 and one row more, which tells whether there is a next page."""


def text(value):
    return value.encode().replace(b"\0", b"\0\xff") + b"\0\x01"


def unescaped(data):
    return data.replace(b"\0\xff", b"\0").decode()


def packed_amount(amount):
    size = (amount + (amount < 0)).bit_length() // 8 + 1
    return msgpack.packb(amount.to_bytes(size, "big", signed=True))


def amount_of(data):
    return int.from_bytes(msgpack.unpackb(data), "big", signed=True)


def cells_of(order):
    return {
        b"o:s": msgpack.packb(order.seller_id),
        b"o:b": msgpack.packb(order.buyer_id),
        b"o:t": msgpack.packb(order.placed_ms),
        **line_of(order),
    }


def line_of(order):
    return {
        b"o:i": msgpack.packb(order.item),
        b"o:a": packed_amount(order.amount),
        b"o:st": msgpack.packb(order.status),
    }


def order_of(row, cells):
    return Order(
        row.decode(),
        msgpack.unpackb(cells[b"o:s"]),
        msgpack.unpackb(cells[b"o:b"]),
        msgpack.unpackb(cells[b"o:t"]),
        msgpack.unpackb(cells[b"o:i"]),
        amount_of(cells[b"o:a"]),
        msgpack.unpackb(cells[b"o:st"]),
    )


def line_in(line_class, row, cells):
    who, _, rest = row.partition(b"\0\x01")
    (time_left,) = struct.unpack_from(">Q", rest)
    return line_class(
        unescaped(who),
        LAST - time_left,
        unescaped(rest[8:-2]),
        msgpack.unpackb(cells[b"o:i"]),
        amount_of(cells[b"o:a"]),
        msgpack.unpackb(cells[b"o:st"]),
    )


def list_row(who, order):
    return text(who) + struct.pack(">Q", LAST - order.placed_ms) + text(order.order_number)


class Orders:
    """The order under its number, and in the lists of its seller and its buyer."""

    def __init__(self, orders, by_seller, by_buyer):
        self.orders = orders
        self.by_seller = by_seller
        self.by_buyer = by_buyer

    def order(self, order_number):
        stored = self.stored(order_number)
        return stored and stored[0]

    def stored(self, order_number):
        row = order_number.encode()
        cells = self.orders.row(row, include_timestamp=True)
        if not cells:
            return None
        return order_of(row, {column: value for column, (value, _) in cells.items()}), cells[b"o:st"][1]

    def place(self, order):
        if self.stored(order.order_number) is not None:
            raise ValueError(f"order {order.order_number} is there")
        self.put(order, cells_of(order), order.placed_ms)

    def cancel(self, order_number):
        order, written_ms = self.stored(order_number)
        order = attrs.evolve(order, status="cancelled")
        now_ms = max(time.time_ns() // 1_000_000, written_ms + 1)
        self.put(order, {b"o:st": msgpack.packb(order.status)}, now_ms)
        stored, _ = self.stored(order_number)
        if stored.status != order.status:
            raise ValueError(f"order {order_number!r} was changed meanwhile")
        return stored

    def put(self, order, cells, written_ms):
        self.orders.put(order.order_number.encode(), cells, timestamp=written_ms)
        line = line_of(order)
        self.by_seller.put(list_row(order.seller_id, order), line, timestamp=written_ms)
        self.by_buyer.put(list_row(order.buyer_id, order), line, timestamp=written_ms)

    def of_seller(self, seller_id, since_ms=None, until_ms=None, status=None, limit=100):
        return self.list_of(self.by_seller, SellerLine, seller_id, since_ms, until_ms, status, limit)

    def of_buyer(self, buyer_id, since_ms=None, until_ms=None, status=None, limit=100):
        return self.list_of(self.by_buyer, BuyerLine, buyer_id, since_ms, until_ms, status, limit)

    def list_of(self, table, line_class, who, since_ms, until_ms, status, limit):
        start, stop = text(who), text(who)[:-1] + b"\x02"
        if until_ms is not None:
            start = text(who) + struct.pack(">Q", LAST - (until_ms - 1))
        if since_ms is not None:
            stop = text(who) + struct.pack(">Q", LAST - (since_ms - 1))
        at_once = limit + 1 if status is None else PAGE_ROWS
        with closing(table.scan(start, stop, columns=LINE_COLUMNS, batch_size=at_once)) as rows:
            if status is None:
                return [line_in(line_class, *row) for row in islice(rows, limit + 1)][:limit]
            lines = (line_in(line_class, *row) for row in rows)
            page = list(islice((line for line in lines if line.status == status), limit))
            next(rows, None)
        return page

    def numbered(self, number_prefix, limit=100):
        prefix = number_prefix.encode()
        with closing(self.orders.scan(row_prefix=prefix, columns=COLUMNS, batch_size=limit + 1)) as rows:
            orders = [order_of(*row) for row in islice(rows, limit + 1)]
        return orders[:limit]

    def with_status(self, status, limit=100):
        value = msgpack.packb(status).replace(b"'", b"''")
        text_of_filter = b"SingleColumnValueFilter('o','st',=,'binary:" + value + b"',true,true)"
        with closing(self.orders.scan(columns=COLUMNS, filter=text_of_filter, batch_size=limit + 1)) as rows:
            orders = [order_of(*row) for row in islice(rows, limit + 1)]
        return orders[:limit]
