"""What a write over several rows costs, and what recovery costs after many of them.

Run it: `python -m tests.programs.benchmarks.bench_intents [--quick]`. The embedded store runs in a process of its
own, so that every call crosses a socket, as it does to a Thrift gateway.

Orders are placed one by one, then paid, by the protocol of `shared.writes`, by the plain form of the variant
`without-intents`, and as raw batches of the same rows: one call for each table, with all orders in it. The target is
that recovery costs what is pending, however many writes have ended before.
"""

from contextlib import suppress
from functools import partial
from typing import Any

import typer

from domains.orders import TABLES, Order, OrderRepository
from domains.orders.design import DESIGN
from domains.orders.keys import OrderByNumber
from domains.orders.variants import without_intents
from shared.designs import metered
from tests.programs.benchmarks.measuring import Report, new_tables, seconds, store_or_server

ORDERS = 2_000
ENDED = 100_000
PENDING = 100
RECOVERY_AT_MOST = 1.5
"""The time of a recovery after `ENDED` writes over that after none."""


def main(quick: bool = False) -> None:
    """Prints the costs of writes, then those of recovery; `quick` shows that it runs, with few records."""
    with store_or_server() as url:
        _writes(url, 50 if quick else ORDERS)
        _recovery(url, 500 if quick else ENDED, 10 if quick else PENDING)


def _order(number: int) -> Order:
    return Order(f"n-{number}", f"s-{number % 50}", f"b-{number % 90}", number, "lamp", 4_900)


def _writes(url: str, count: int) -> None:
    orders = [*map(_order, range(count))]
    variants = {variant.name: variant.tables for variant in DESIGN.variants}
    print(f"{count:,} orders of four or three rows; us for one, calls and bytes sent for one")
    print("                          place                       pay")
    for name, repository_of in (("orders", OrderRepository), ("without-intents", without_intents.Repository)):
        tables = variants[name]
        with new_tables(url, tables) as connection:
            repository = repository_of(connection)
            figures: list[str] = []
            for write in (repository.place, lambda order, to=repository: to.change_status(order.order_number, "paid")):
                with metered(connection) as cost:
                    took_s = seconds(lambda write=write: [write(order) for order in orders])
                sent = cost.bytes_sent.total()
                figures.append(f"{took_s / count * 1e6:7.0f} us {cost.rpcs / count:6.2f} {sent / count:6.0f} B")
            if name == "orders":
                stored = {table.name: list(connection.table(table.name).scan()) for table in tables[:-1]}
                took_s = seconds(partial(_raw_batches, connection, stored))
                raw = f"{took_s / count * 1e6:7.0f} us, {len(stored)} calls for all"
            print(f"{name:16} | {' | '.join(figures)}")
    print(f"{'raw batches':16} | {raw}")


def _raw_batches(connection: Any, stored: dict[str, list[Any]]) -> None:
    """Puts the rows of every table again, each table's in one call."""
    for name, rows in stored.items():
        with connection.table(name).batch(timestamp=2**50) as batch:
            for row, cells in rows:
                batch.put(row, cells)


class _Stopped(Exception):
    """The writer died before it ended its intent."""


def _recovery(url: str, ended: int, pending: int) -> None:
    with new_tables(url, TABLES) as connection:
        took_s: list[float] = []
        for round_, writes in enumerate((0, ended)):
            writer = OrderRepository(connection).writer
            for written in range(writes):
                order = _order(written % 1000)
                writer.write(OrderByNumber(order.order_number), lambda _, order=order: order)
            for number in range(pending):
                dying, order = OrderRepository(connection).writer, _order(1000 + round_ * pending + number)
                dying.delete = _die  # type: ignore[method-assign]
                with suppress(_Stopped):
                    dying.write(OrderByNumber(order.order_number), lambda _, order=order: order)
            assert len(writer.pending()) == pending
            took_s.append(seconds(partial(_recover, writer, pending)))
            empty_ms = seconds(partial(_recover, writer, 0)) * 1000
            times = f"recovery of {pending} takes {took_s[-1] * 1000:7.1f} ms, of none {empty_ms:6.1f} ms"
            print(f"after {writes:7,} ended writes: {times}")
        Report().line(f"after {ended:,} writes / after none", took_s[1] / took_s[0], at_most=RECOVERY_AT_MOST)


def _recover(writer: Any, pending: int) -> None:
    assert writer.recover(older_than_ms=0).settled == pending


def _die(*_arguments: Any) -> None:
    raise _Stopped


if __name__ == "__main__":
    typer.run(main)
