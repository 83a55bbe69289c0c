"""What the benchmarks share: their lines, stores to measure, and times."""

import gc
import io
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import happybase
from rich.console import Console

import domains.suite  # noqa: F401 - hands the designs to the command line
from shared.command_line.files.load_command import Reading, Task, load
from shared.intents.slots import holds_intents
from shared.tables import TableLayout, create_tables, drop_tables

ROOT = Path(__file__).parents[3]
SERVE = (sys.executable, "-m", "domains", "serve", "--port", "0", "--thrift2-port", "0")

WRITTEN_MS = 1_768_300_000_000
"""The timestamp of the cells of `stocked`: Thrift1 gives a batch one, and no question here looks at it."""


@attrs.define
class Report:
    """Prints a line for each ratio, and remembers whether all targets were reached."""

    reached: bool = True

    def line(self, what: str, ratio: float, more: str = "", at_most: float | None = None, at_least: float = 0) -> None:
        """Prints a ratio beside its target, if it has one."""
        self.reached &= ratio >= at_least and (at_most is None or ratio <= at_most)
        target = f"at least {at_least:.2f}" if at_least else "" if at_most is None else f"at most {at_most:.2f}"
        print(f"{what:44} {ratio:7.2f}  {target:14} {more}".rstrip(), flush=True)

    def end(self, quick: bool) -> None:
        """Ends the program, with 1 if a target was not reached; the figures of a quick run mean nothing."""
        sys.exit(0 if self.reached or quick else 1)


@contextmanager
def server() -> Iterator[tuple[int, int, int]]:
    """`rowbook serve` in a process of its own: its process id, and its ports of Thrift1 and Thrift2."""
    with subprocess.Popen(SERVE, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            port, thrift2_port = (int(process.stdout.readline().rpartition(":")[2]) for _ in range(2))
            yield process.pid, port, thrift2_port
        finally:
            process.terminate()


@contextmanager
def store_or_server(store: str | None = None) -> Iterator[str]:
    """This URL, or that of an embedded store in a process of its own: every call crosses a socket, as to a gateway."""
    if store:
        yield store
        return
    with server() as (_process_id, port, thrift2_port):
        yield f"hbase://127.0.0.1:{port}?thrift2_port={thrift2_port}"


@contextmanager
def stocked(
    connection: happybase.Connection, tables: Sequence[TableLayout[Any, Any]], records: Sequence[Any] = ()
) -> Iterator[None]:
    """The tables, each with all the records, until the block ends; a table of intents is empty."""
    try:
        create_tables(connection, tables)
        for table in tables:
            if not holds_intents(table):
                put_records(connection, table, records, WRITTEN_MS)
        yield
    finally:
        drop_tables(connection, tables)


def put_records(
    connection: happybase.Connection, table: TableLayout[Any, Any], records: Iterable[Any], at_ms: int | None = None
) -> None:
    """Puts the rows of records raw, 1,000 mutations in a call."""
    rows = ((table.row(record), table.cells.pack(record)) for record in records)
    put_rows(connection.table(table.name), rows, at_ms)


def put_rows(table: Any, rows: Iterable[tuple[bytes, dict[bytes, bytes]]], at_ms: int | None = None) -> None:
    """Puts rows by happybase's batches, 1,000 mutations in a call."""
    with table.batch(batch_size=1_000, timestamp=at_ms) as batch:
        for row, cells in rows:
            batch.put(row, cells)


def loaded(name: str, files: Sequence[Path], url: str, load_name: str | None = None) -> None:
    """Runs `rowbook load` in this process."""
    reading = Reading("auto", [], [], [], None, None, [], [])
    silent = Console(file=io.StringIO())
    paths = [str(file) for file in files]
    task = Task(name, paths, url, load_name, reading, stops=True, corrects=False, allows_expired=False)
    assert load(silent, silent, task, jobs=1, as_json=False) == 0


def seconds(action: Callable[[], Any]) -> float:
    begin_s = time.perf_counter()
    action()
    return time.perf_counter() - begin_s


def best_ns(*calls: Callable[[], Any], quick: bool) -> list[float]:
    """The least time of one call of each, in nanoseconds: taken in turns, so that a slow moment hits all of them."""
    repeats, number = (2, 100) if quick else (61, 5_000)
    timers = [timeit.Timer(call) for call in calls]  # timeit switches gc off while it runs
    gc.collect()
    best = [float("inf")] * len(timers)
    for _ in range(repeats):
        best = [min(least, timer.timeit(number)) for least, timer in zip(best, timers, strict=True)]
    return [least / number * 1e9 for least in best]
