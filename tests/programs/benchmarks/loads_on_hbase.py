"""Loads into an HBase: dated rows beside raw batches of Thrift2, and the records a second of `rowbook load`."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import happybase

from domains.command_line.designs import find_variants
from domains.counters import Login
from domains.feeds import Follow
from domains.logs import LOGS, LogRepository
from domains.messages import Message
from shared.queries import in_batches
from shared.stores import connect
from shared.stores.thrift2.dated import thrift2_puts
from shared.stores.thrift2.idl import idl
from shared.tables import create_tables, drop_tables
from tests.programs.benchmarks.measuring import Report, loaded, seconds, stocked
from tests.programs.benchmarks.stock import EVENTS_BEGIN_MS, log_events, orders

DATED_AT_LEAST = 0.7
"""Records a second of `store_all` as a share of the rows a second of raw batches of Thrift2."""
A_SECOND_AT_LEAST = 1_500
"""Records a second that `load` stores on loopback."""


def compare_dated(connection: happybase.Connection, compare: Callable[..., None], count: int, thrift2: Any) -> None:
    """Events with times of their own, and the same rows raw: encoded before, 1,000 in a call of Thrift2."""
    with stocked(connection, (LOGS,)):
        events = log_events(count)
        rows = [
            (LOGS.row(event), {(column, event.time_ms): value for column, value in LOGS.cells.pack(event).items()})
            for event in events
        ]
        name = connection.table(LOGS.name).name
        batches = [thrift2_puts(batch) for batch in in_batches(rows)]
        raw = partial(_send_all, partial(thrift2.putMultiple, name), batches)
        store_all = partial(LogRepository(connection).store_all, events)
        compare("events with times of their own, raw / ours", raw, store_all, at_least=DATED_AT_LEAST)


def _send_all(send: Callable[[Any], object], batches: Sequence[Any]) -> None:
    for batch in batches:
        send(batch)


def raw_thrift2(host: str, port: int) -> Any:
    """thriftpy2's own client of a Thrift2 gateway."""
    from thriftpy2.rpc import make_client

    return make_client(idl().THBaseService, host, port, timeout=120_000)


def measure_loads(report: Report, url: str, records: int, rounds: int) -> None:
    """The records a second of `rowbook load`, of designs that keep several rows of a record alike, and of logins."""
    numbers = count()
    with TemporaryDirectory() as folder:
        for name, load_name, file_of in LOADS:
            design, (variant, *_) = find_variants(name)
            with closing(connect(url)) as connection:
                create_tables(connection, variant.tables)
                rates: list[float] = []
                for _ in range(rounds):
                    file = file_of(Path(folder), f"m{next(numbers)}", records)
                    rates.append(records / seconds(partial(loaded, name, [file], url, load_name)))
                drop_tables(connection, variant.tables)
            more = f"{min(rates):,.0f} to {max(rates):,.0f} of {rounds} rounds"
            report.line(f"{load_name} of {design.name}, records/s", median(rates), more, at_least=A_SECOND_AT_LEAST)


def _orders(folder: Path, mark: str, count: int) -> Path:
    return _csv(folder, mark, (attrs.evolve(order, status="placed") for order in orders(count, mark)))


def _messages(folder: Path, mark: str, count: int) -> Path:
    messages = (
        Message(f"u-{number % 97}", f"u-{number % 89}", EVENTS_BEGIN_MS + number, f"{mark}-{number}", "hello")
        for number in range(count)
    )
    (file := folder / f"{mark}.jsonl").write_text("".join(f"{json.dumps(_plain(message))}\n" for message in messages))
    return file


def _plain(message: Message) -> dict[str, Any]:
    return attrs.asdict(message, filter=lambda field, _: field.name != "group")


def _follows(folder: Path, mark: str, count: int) -> Path:
    return _csv(folder, mark, (Follow(f"{mark}-{number}", f"a-{number % 89}") for number in range(count)))


def _logins(folder: Path, mark: str, count: int) -> Path:
    logins = (Login(f"{mark}-{number % 97}", EVENTS_BEGIN_MS + 7 * number) for number in range(count))
    return _csv(folder, mark, logins)


def _csv(folder: Path, mark: str, records: Iterator[Any]) -> Path:
    rows = [attrs.asdict(record) for record in records]
    with (file := folder / f"{mark}.csv").open("w", newline="") as lines:
        writer = csv.DictWriter(lines, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return file


LOADS: tuple[tuple[str, str, Callable[[Path, str, int], Path]], ...] = (
    ("orders", "orders", _orders),
    ("messages", "messages", _messages),
    ("feeds", "follows", _follows),
    ("counters", "logins", _logins),
)
"""Design, load, and the function that writes a file of new records."""
