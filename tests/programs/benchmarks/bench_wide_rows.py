"""Pages and iteration of rows that hold many records: memory, bytes, RPCs and time, beside a row for each record.

Run it: `python -m tests.programs.benchmarks.bench_wide_rows [--quick]`. The store is an embedded one in a process
of its own, so that the memory is the client's alone. The target is that the peak does not grow with the width of a row.
"""

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import happybase
import typer

from shared.designs import metered
from shared.keys import EscapedText, Int64, KeyLayout, Rest, Slice, UInt32
from shared.queries import Query
from shared.tables import BoundTable, ItemCells, TableLayout
from tests.programs.benchmarks.measuring import Report, new_tables, put_records, seconds, store_or_server
from tests.shared.specimens import key_class

WIDTHS = (1, 60, 3_600, 100_000)
RECORDS = 100_000
LIMIT = 100
HEADER = "    cells |    KiB     bytes  RPCs     ms |    KiB     bytes     ms |    KiB cells fetched   RPCs us each"
GROWS_AT_MOST = 3.0
"""The peak of a page at the largest width over that at width 60."""


@attrs.frozen
class Value:
    host: str
    time_ms: int
    value: float


def table_of(width: int) -> TableLayout[Any, Value]:
    rows = key_class("Rows", host=EscapedText, time_ms=Slice(Int64, width))
    within = key_class("Within", time_ms=Rest(UInt32, width))
    cells = ItemCells(Value, "p", KeyLayout(within), "value")
    return TableLayout(f"wide_{width}", "a slice", KeyLayout(rows), cells)


def peak_kib(action: Callable[[], Any]) -> float:
    action()  # what is made once
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1] / 1024
    tracemalloc.stop()
    return peak


def main(quick: bool = False) -> None:
    """Prints a line for each width; `quick` shows that it runs, with few records."""
    records = 2_000 if quick else RECORDS
    peaks: dict[int, float] = {}
    print(f"pages of {LIMIT} forward, in reverse, and all {records:,} records; KiB is the peak of Python's own memory")
    print(HEADER)
    with store_or_server() as url:
        for width in WIDTHS:
            table = table_of(width)
            with new_tables(url, [table]) as connection:
                put_records(connection, table, (Value("web-1", at, float(at)) for at in range(records)), at_ms=1)
                peaks[width] = measured(connection, table, width, records)
    Report().line(f"peak of a page, width {WIDTHS[-1]:,} / 60", peaks[WIDTHS[-1]] / peaks[60], at_most=GROWS_AT_MOST)


def measured(connection: happybase.Connection, table: TableLayout[Any, Value], width: int, records: int) -> float:
    """Prints the line of a width; returns the peak of a page."""
    values = BoundTable(connection, table)
    query = Query(values, values.plan(host="web-1"))
    reverse = Query(values, values.plan(host="web-1"), newest_first=True)

    def read_all() -> None:
        assert sum(1 for _ in query) == records

    figures, peaks = [f"{width:9,} |"], list[float]()
    for direction in (query, reverse):
        page = partial(direction.page, LIMIT)
        with metered(connection) as cost:
            assert len(page().records) == LIMIT
        peaks.append(peak_kib(page))
        rpcs = f" {cost.rpcs:5}" if direction is query else ""
        figures.append(f"{peaks[-1]:6.0f} {cost.bytes_fetched:9,}{rpcs} {seconds(page) * 1000:6.1f} |")
    with metered(connection) as cost:
        took_s = seconds(read_all)
    figures.append(f"{peak_kib(read_all):6.0f} {cost.cells_fetched:13,} {cost.rpcs:6} {took_s / records * 1e6:7.1f}")
    print(" ".join(figures), flush=True)
    return peaks[0]


if __name__ == "__main__":
    typer.run(main)
