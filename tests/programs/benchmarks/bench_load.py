"""`rowbook load` into a file store: lines of an access log beside raw batches of the same rows, and orders.

Run `python -m tests.programs.benchmarks.bench_load [--quick]`. Each side writes a new file in each round. The raw
batches are happybase's, of rows that were encoded before, with one timestamp for all; `load` also parses the lines and
encodes the rows, each with its own time.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import typer

from domains.logs import LOGS, LogEvent
from domains.logs.formats import FORMATS
from shared.loading import read_records
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.benchmarks.measuring import WRITTEN_MS, Report, loaded, put_rows, seconds
from tests.programs.benchmarks.stock import access_log, orders
from tests.programs.benchmarks.turns import in_turns

LOADED_AT_LEAST = 0.5
"""Lines a second of `load` as a share of the rows a second of raw batches."""
ORDERS_AT_MOST_S = 1.5
"""The time of 5,000 orders, in seconds on two quiet cores."""

LINES, ORDERS, ROUNDS = 60_000, 5_000, 5


def compare_lines(report: Report, folder: Path, new_file: Callable[[], str], count: int, rounds: int) -> None:
    """Lines of an access log, and the same rows raw."""
    file = folder / "access.log"
    file.write_text("".join(access_log(count)))
    events = read_records(file, LogEvent, formats=FORMATS)
    rows = [(LOGS.row(event), LOGS.cells.pack(event)) for event in events]
    ours, raw = (lambda: loaded("logs", [file], new_file())), (lambda: raw_batches(rows, new_file()))
    turns = in_turns(raw, ours, rounds=rounds, at_least_s=0.0)
    rate = f"{turns.spread()} rounds; {count / turns.median_ms(1) * 1000:,.0f} lines/s"
    report.line(f"{count:,} access-log lines, load / raw", turns.ratio(), rate, at_least=LOADED_AT_LEAST)


def raw_batches(rows: Sequence[tuple[bytes, dict[bytes, bytes]]], url: str) -> None:
    with closing(connect(url)) as connection:
        create_tables(connection, [LOGS])
        put_rows(connection.table(LOGS.name), rows, WRITTEN_MS)


def time_orders(report: Report, folder: Path, new_file: Callable[[], str], count: int, rounds: int) -> None:
    """Orders: four rows and an intent each."""
    file = orders_file(folder, count)
    took_s = sorted(seconds(lambda: loaded("orders", [file], new_file())) for _ in range(rounds))
    more = f"{took_s[0]:.2f} to {took_s[-1]:.2f} of {rounds} rounds"
    report.line(f"{count:,} orders, seconds", took_s[rounds // 2], more, at_most=ORDERS_AT_MOST_S)


def orders_file(folder: Path, count: int) -> Path:
    """A CSV file of new orders."""
    records = [attrs.asdict(attrs.evolve(order, status="placed")) for order in orders(count)]
    with (file := folder / "orders.csv").open("w", newline="") as lines:
        writer = csv.DictWriter(lines, records[0].keys())
        writer.writeheader()
        writer.writerows(records)
    return file


def main(quick: bool = False) -> None:
    """Prints the figures beside their targets; `quick` shows that it runs."""
    report, rounds = Report(), 1 if quick else ROUNDS
    with TemporaryDirectory() as folder:
        numbers: Iterator[int] = count()
        new_file: Any = partial(_new_file, Path(folder), numbers)
        compare_lines(report, Path(folder), new_file, 1_000 if quick else LINES, rounds)
        time_orders(report, Path(folder), new_file, 100 if quick else ORDERS, rounds)
    report.end(quick)


def _new_file(folder: Path, numbers: Iterator[int]) -> str:
    """The URL of a store in a new file."""
    return f"embedded:{folder / f'{next(numbers)}.db'}"


if __name__ == "__main__":
    typer.run(main)
