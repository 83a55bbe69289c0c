"""What a write over several rows costs, and what recovery costs after many of them.

Run it: `python -m tests.programs.benchmarks.bench_intents [--quick] [--store URL]`. Without a store the embedded
one runs in a process of its own, so that every call crosses a socket, as it does to a Thrift gateway.

Orders are placed one by one, then paid, by the protocol of `shared.writes`, by the plain form of the variant
`without-intents`, and as raw batches of the same rows: one call for each table, with all orders in it. The target is
that recovery costs what is pending, however many writes have ended before.
"""

from contextlib import suppress
from functools import partial
from typing import Any

import attrs
import typer

from domains.orders import Order, OrderRepository
from domains.orders.design import DESIGN
from domains.orders.variants import without_intents
from shared.designs import metered
from shared.keys import EscapedText, KeyLayout, TrailingText, part, row_key
from shared.tables import Column, RecordCells, TableLayout
from shared.writes import IntentWriter, SourceCells, intents_table
from tests.programs.benchmarks.measuring import Report, new_tables, seconds, store_or_server

ORDERS = 2_000
ENDED = 100_000
PENDING = 100
RECOVERY_AT_MOST = 1.5
"""The time of a recovery after `ENDED` writes over that after none."""


def main(quick: bool = False, store: str | None = None) -> None:
    """Prints the costs of writes, then those of recovery; `quick` shows that it runs, with few records."""
    with store_or_server(store) as url:
        _writes(url, 50 if quick else ORDERS)
        _recovery(url, 500 if quick else ENDED, 10 if quick else PENDING)


def _writes(url: str, count: int) -> None:
    orders = [
        Order(f"n-{number}", f"s-{number % 50}", f"b-{number % 90}", number, "lamp", 4_900) for number in range(count)
    ]
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


@row_key
class ById:
    id: str = part(TrailingText, "which")


@row_key
class ByColour:
    colour: str = part(EscapedText, "its colour")
    id: str = part(EscapedText, "which")


@attrs.frozen
class Thing:
    id: str
    colour: str


THINGS = TableLayout(
    "things", "a thing", KeyLayout(ById), SourceCells(RecordCells(Thing, {"colour": Column("t:c")}), "t:thing")
)
BY_COLOUR = TableLayout("by_colour", "a thing", KeyLayout(ByColour), RecordCells(Thing, {}, marker="t:x"))
TABLES = THINGS, BY_COLOUR, intents_table("intents")


def _writer_on(connection: Any) -> IntentWriter[Thing]:
    return IntentWriter(
        connection, THINGS, TABLES[2], [BY_COLOUR], lambda thing: [(BY_COLOUR, thing)], moving=[BY_COLOUR]
    )


def _recovery(url: str, ended: int, pending: int) -> None:
    with new_tables(url, TABLES) as connection:
        took_s: list[float] = []
        for number, writes in enumerate((0, ended)):
            writer = _writer_on(connection)
            for written in range(writes):
                thing = Thing(str(written % 1000), str(written))
                writer.write(ById(thing.id), lambda _, thing=thing: thing)
            for left in range(pending):
                dying = _writer_on(connection)
                dying.delete = _die  # type: ignore[method-assign]
                thing = Thing(f"left-{number}-{left}", "red")
                with suppress(_Stopped):
                    dying.write(ById(thing.id), lambda _, thing=thing: thing)
            assert len(writer.pending()) == pending
            took_s.append(seconds(partial(_recover, writer, pending)))
            empty_ms = seconds(partial(_recover, writer, 0)) * 1000
            print(
                f"after {writes:7,} ended writes: recovery of {pending} takes {took_s[-1] * 1000:7.1f} ms, "
                f"of none {empty_ms:6.1f} ms"
            )
        Report().line(f"after {ended:,} writes / after none", took_s[1] / took_s[0], at_most=RECOVERY_AT_MOST)


def _recover(writer: Any, pending: int) -> None:
    assert writer.recover(older_than_ms=0).settled == pending


def _die(*_arguments: Any) -> None:
    raise _Stopped


if __name__ == "__main__":
    typer.run(main)
