"""Made records, and tables that hold them while a block runs."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import happybase

from domains.logs import LogEvent
from domains.orders import Order
from shared.tables import TableLayout, create_tables, drop_tables
from shared.writes import holds_intents

SEED = 20_260_112
BATCH = 1_000
WRITTEN_MS = 1_768_300_000_000
"""The timestamp of all cells: Thrift1 gives a batch one, and no question here looks at it."""

HOUR_MS = 3_600_000
EVENTS_BEGIN_MS = 1_768_203_600_000  # 2026-01-12T07:40Z, an hour before the ten minutes that the questions ask for
HOSTS = [f"{kind}-{number}" for kind, most in (("web", 30), ("db", 10), ("api", 10)) for number in range(1, most)]
ORDERS_BEGIN_MS = 1_767_225_600_000  # 2026-01-01T00:00Z
SELLERS, BUYERS = 200, 500


def log_events(count: int) -> list[LogEvent]:
    """Events of two hours, no two alike; of 100,000 one host has two thousand."""
    chance = random.Random(SEED)
    kinds = ["GET"] * 10 + ["POST"] * 4 + ["ERROR"] * 2
    severities = ["INFO"] * 16 + ["WARN", ""]
    return [
        LogEvent(
            chance.choice(HOSTS),
            chance.choice(kinds),
            EVENTS_BEGIN_MS + chance.randrange(2 * HOUR_MS),
            chance.choice(severities),
            f"request {number} took {chance.randrange(3000)} ms",
        )
        for number in range(count)
    ]


def orders(count: int, mark: str = "n") -> list[Order]:
    """Orders of a month; of 100,000 one seller has five hundred, and a sixteenth are cancelled."""
    chance = random.Random(SEED)
    statuses = ["placed"] * 4 + ["paid"] * 3 + ["shipped"] * 8 + ["cancelled"]
    return [
        Order(
            f"{mark}-{number}",
            f"s-{chance.randrange(SELLERS)}",
            f"b-{chance.randrange(BUYERS)}",
            ORDERS_BEGIN_MS + chance.randrange(30 * 24 * HOUR_MS),
            chance.choice(["lamp", "chair", "desk", "poster"]),
            chance.choice([499, 1250, 99_999, 10**21 + number]),
            chance.choice(statuses),
        )
        for number in range(count)
    ]


@contextmanager
def stocked(
    connection: happybase.Connection, tables: Sequence[TableLayout[Any, Any]], records: Sequence[Any] = ()
) -> Iterator[None]:
    """The tables, each with all the records, until the block ends; a table of intents is empty."""
    try:
        create_tables(connection, tables)
        for table in tables:
            if holds_intents(table):
                continue
            for at in range(0, len(records), BATCH):
                with connection.table(table.name).batch(timestamp=WRITTEN_MS) as batch:
                    for record in records[at : at + BATCH]:
                        batch.put(table.row(record), table.cells.pack(record))
        yield
    finally:
        drop_tables(connection, tables)
