"""Pages and iteration of rows that hold many records: memory, bytes, RPCs and time, beside a row for each record.

Run it: `python -m tests.programs.benchmarks.bench_wide_rows [--quick]`. The store is an embedded one in a process
of its own, so that the memory is the client's alone. The target is that the peak does not grow with the width of a row.
"""

import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
WIDTHS = (1, 60, 3_600, 100_000)
RECORDS = 100_000
LIMIT = 100
HEADER = "    cells |    KiB     bytes  RPCs     ms |    KiB     bytes     ms |    KiB cells fetched   RPCs us each"
GROWS_AT_MOST = 3.0
"""The peak of a page at the largest width over that at width 60."""


def main(quick: bool = False) -> None:
    """Prints a line for each width; `quick` shows that it runs, with few records."""
    import attrs

    from shared.designs import metered
    from shared.keys import EscapedText, Int64, KeyLayout, Rest, Slice, UInt32, part, row_key
    from shared.queries import Query
    from shared.stores import connect
    from shared.tables import BoundTable, ItemCells, TableLayout, create_tables
    from tests.programs.benchmarks.bench_serve import server

    @attrs.frozen
    class Value:
        host: str
        time_ms: int
        value: float

    def table_of(width: int) -> TableLayout[Any, Value]:
        @row_key
        class Rows:
            host: str = part(EscapedText, "where")
            time_ms: int = part(Slice(Int64, width), "the slice")

        @row_key
        class Within:
            time_ms: int = part(Rest(UInt32, width), "the rest of the slice")

        cells = ItemCells(Value, "p", KeyLayout(Within), "value")
        return TableLayout(f"wide_{width}", "a slice", KeyLayout(Rows), cells)

    def peak_kib(action: Callable[[], Any]) -> float:
        action()  # what is made once
        tracemalloc.start()
        action()
        peak = tracemalloc.get_traced_memory()[1] / 1024
        tracemalloc.stop()
        return peak

    def seconds(action: Callable[[], Any]) -> float:
        begin_s = time.perf_counter()
        action()
        return time.perf_counter() - begin_s

    records = 2_000 if quick else RECORDS
    peaks: dict[int, float] = {}
    print(
        f"pages of {LIMIT} forward, in reverse, and all {records:,} records; memory is the peak of Python's own, in KiB"
    )
    print(HEADER)
    with server() as (_process_id, port):
        url = f"hbase://127.0.0.1:{port}"
        for width in WIDTHS:
            table = table_of(width)
            connection = connect(url)
            create_tables(connection, [table])
            rows = connection.table(table.name)
            with rows.batch(batch_size=1_000, timestamp=1) as batch:
                for number in range(records):
                    value = Value("web-1", number, float(number))
                    batch.put(table.row(value), table.cells.pack(value))
            values = BoundTable(connection, table)
            query = Query(values, values.plan(host="web-1"))
            reverse = Query(values, values.plan(host="web-1"), newest_first=True)

            def read_all(query: Query[Value] = query) -> None:
                assert sum(1 for _ in query) == records

            figures = [f"{width:9,} |"]
            for asked in (query, reverse):
                with metered(connection) as cost:
                    assert len(asked.page(LIMIT).records) == LIMIT
                kib = peak_kib(lambda asked=asked: asked.page(LIMIT))
                took_ms = seconds(lambda asked=asked: asked.page(LIMIT)) * 1000
                rpcs = f" {cost.rpcs:5}" if asked is query else ""
                figures.append(f"{kib:6.0f} {cost.bytes_fetched:9,}{rpcs} {took_ms:6.1f} |")
                peaks.setdefault(width, kib)
            with metered(connection) as cost:
                took_s = seconds(read_all)
            figures.append(
                f"{peak_kib(read_all):6.0f} {cost.cells_fetched:13,} {cost.rpcs:6} {took_s / records * 1e6:7.1f}"
            )
            print(" ".join(figures), flush=True)
            connection.close()
    grows = peaks[WIDTHS[-1]] / peaks[60]
    print(f"peak of a page, width {WIDTHS[-1]:,} / width 60: {grows:.2f}, target at most {GROWS_AT_MOST:.1f}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(quick="--quick" in sys.argv[1:])
