"""What happens in a transcript between commands; a store is embedded:a.db, rows and values are in hex."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import attrs
import happybase

from domains.logs.keys import LOGS
from domains.logs.records import LogEvent
from domains.orders import Order, OrderRepository
from domains.orders.keys import BY_BUYER, BY_SELLER, BY_STATUS, ORDERS, TABLES, OrderByStatus
from shared.stores import connect
from shared.tables import create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at
from tests.designs import find_variants

LAMP = Order("n-1", "s-1", "b-1", 1_000, "lamp", 4_900)
BED = Order("n-3", "s-1", "b-3", 3_000, "bed", 1_900)
SOFA = Order("n-2", "s-1", "b-2", 2_000, "sofa", 89_900)


@contextmanager
def store() -> Iterator[happybase.Connection]:
    with closing(connect("embedded:a.db")) as connection:
        yield connection


def put(table: str, row: str, column: str, value: str) -> None:
    """Puts a cell."""
    with store() as connection:
        connection.table(table).put(bytes.fromhex(row), {column.encode(): bytes.fromhex(value)})


def delete(table: str, row: str) -> None:
    """Deletes a row."""
    with store() as connection:
        connection.table(table).delete(bytes.fromhex(row))


def prepare_what_is_no_file() -> None:
    """A folder, a pipe, a socket, an empty and a binary file, a store without tables, and one with another table."""
    Path("folder").mkdir()
    Path("empty").touch()
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    Path("binary").write_bytes(b"\x7f\0\0binary" * 100)
    connect("embedded:new.db").close()
    with closing(connect("embedded:other.db")) as connection:
        connection.create_table("orders", {"x": {}})


# Orders


def place_two_orders() -> None:
    """Places a lamp and a sofa."""
    with store() as connection:
        create_tables(connection, TABLES)
        for order in (LAMP, SOFA):
            OrderRepository(connection).place(order)
    time.sleep(0.02)  # the time of a revision may be some milliseconds ahead


def cancel_and_die(mutations: str) -> None:
    """Cancels the lamp, and dies before the n-th call that changes rows; the first one compares the clocks."""
    with store() as connection, suppress(WriterDied):
        OrderRepository(WatchedConnection(connection, dying_at(int(mutations)))).cancel("n-1")


def disagree() -> None:
    """Makes a row of each kind that a crash may leave, and one that is not a key."""
    with store() as connection:
        connection.table(BY_SELLER.layout.name).delete(BY_SELLER.layout.row(LAMP))
        buyers, statuses = connection.table(BY_BUYER.layout.name), connection.table(BY_STATUS.layout.name)
        buyer = BY_BUYER.layout.row(LAMP)
        ((_, written_ms), *_) = buyers.row(buyer, include_timestamp=True).values()
        buyers.put(buyer, {b"o:i": b"\xa1x"}, timestamp=written_ms)
        buyers.put(b"no key", {b"o:i": b"1"})
        paid = BY_STATUS.layout.row(OrderByStatus("s-1", "paid", 1_000, "n-1"))
        statuses.put(paid, statuses.row(BY_STATUS.layout.row(LAMP)), timestamp=written_ms)


def restore_backup() -> None:
    """After a backup the lamp was paid, and a bed was placed; then the orders were restored from the backup."""
    with store() as connection:
        table, repository = connection.table(ORDERS.layout.name), OrderRepository(connection)
        backup = dict(table.scan())
        repository.change_status("n-1", "paid")
        repository.place(BED)
        for row in (b"n-1", b"n-3"):
            table.delete(row)
        time.sleep(0.02)
        table.put(b"n-1", backup[b"n-1"])


def put_line_of_bed() -> None:
    """Puts a seller's line of an order that never was."""
    with store() as connection:
        (line,) = BY_SELLER.shown([BED])
        connection.table(BY_SELLER.layout.name).put(
            BY_SELLER.layout.row(line), BY_SELLER.layout.cells.pack(line), timestamp=1
        )


# Other designs


def store_of_an_earlier_release() -> None:
    """A store with one log event, in which no layout is recorded."""
    with store() as connection:
        create_tables(connection, [attrs.evolve(LOGS.layout, is_recorded=False)])
        event = LogEvent("web-1", "GET", 1_768_219_200_000, "info", "/", b"\0" * 8)
        connection.table(LOGS.layout.name).put(
            LOGS.layout.row(event), LOGS.layout.cells.pack(event), timestamp=event.time_ms
        )


def store_of_another_layout() -> None:
    """A store whose table `logs` has the row keys of a variant."""
    _design, (variant,) = find_variants("logs:time-first")
    with store() as connection:
        create_tables(connection, [attrs.evolve(LOGS.layout, key=variant.tables[0].key)])


def leak_uid(name: str) -> None:
    """Gives a tag value that has a UID another one, as two clients of OpenTSDB at once do."""
    with store() as connection:
        names = connection.table("tsdb-uid")
        uid = names.counter_inc(b"\0", b"id:tagv").to_bytes(3, "big")
        names.put(uid, {b"name:tagv": name.encode()})
