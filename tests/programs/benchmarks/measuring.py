"""What the benchmarks share: their lines, stores to measure, and times."""

import gc
import statistics
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

from shared.tables import TableLayout, create_tables, drop_tables

ROOT = Path(__file__).parents[3]
SERVE = (sys.executable, "-m", "domains.command_line", "serve", "--port", "0", "--thrift2-port", "0")


def line(what: str, ratio: float, more: str, at_most: float | None) -> None:
    """Prints a ratio beside its target, if it has one."""
    target = "" if at_most is None else f"at most {at_most:.2f}"
    print(f"{what:44} {ratio:7.2f}  {target:14} {more}", flush=True)


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
    """The tables, each with all the records, until the block ends."""
    try:
        create_tables(connection, tables)
        for table in tables:
            put_records(connection, table, records)
        yield
    finally:
        drop_tables(connection, tables)


def put_records(connection: happybase.Connection, table: TableLayout[Any, Any], records: Iterable[Any]) -> None:
    """Puts the rows of records raw, 1,000 mutations in a call."""
    with connection.table(table.name).batch(batch_size=1_000) as batch:
        for record in records:
            batch.put(table.row(record), table.cells.pack(record))


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


class Unlike(Exception):
    """The sides of a comparison do not do the same."""


@attrs.frozen
class Turns:
    """The seconds that each side took, round by round."""

    took_s: tuple[list[float], ...]

    def median_ms(self, side: int) -> float:
        return statistics.median(self.took_s[side]) * 1000

    def ratio(self, one: int = 0, other: int = 1) -> float:
        """The time of one side over that of another: the median of the rounds."""
        return statistics.median(self._ratios(one, other))

    def spread(self, one: int = 0, other: int = 1) -> str:
        """The two ratios between which half of the rounds lie, and how many rounds there were."""
        ratios = self._ratios(one, other)
        low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        return f"{low:.2f} to {high:.2f} of {len(ratios)}"

    def _ratios(self, one: int, other: int) -> list[float]:
        return [a / b for a, b in zip(self.took_s[one], self.took_s[other], strict=True)]


def in_turns(*sides: Callable[[], Any], rounds: int, at_least_s: float) -> Turns:
    """Runs all sides at least so many rounds and so long; who begins changes from round to round.

    Their garbage collections leave out what was there before the first round.
    """
    took_s = tuple[list[float], ...]([] for _ in sides)
    order = list(zip(sides, took_s, strict=True))
    gc.collect()
    gc.freeze()
    end_s = time.perf_counter() + at_least_s
    try:
        while len(took_s[0]) < rounds or time.perf_counter() < end_s:
            for action, times in order:
                times.append(seconds(action))
            order.append(order.pop(0))
    finally:
        gc.unfreeze()
    return Turns(took_s)
