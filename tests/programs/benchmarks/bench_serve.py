"""The embedded store on a port: what TCP and Thrift cost, as ratios in one run, and the memory of a long scan.

Run `python -m tests.programs.benchmarks.bench_serve [--quick]`. The server runs in a process of its own; one happybase
client puts and scans rows of two cells there and, in turn, in a store within this process. Only the ratios have
targets. Beside the rows per second stand those of a real HBase 2.6.1 with one happybase client, on a machine of two
cores.
"""

from pathlib import Path
from typing import Any

import happybase
import typer

from shared.stores import connect
from tests.programs.benchmarks.measuring import Report, new_table, put_rows, seconds, server
from tests.programs.benchmarks.stock import BATCH, plain_rows

# Rows per second through the port as a share of those in process; and HBase's own, measured.
AT_LEAST = {"put": 0.35, "scan": 0.25}
HBASE = {"put": 17_000, "scan": 55_000}

ROWS = 100_000
SCANNED = 1_000_000
GROWTH_KIB = 4 * 1024


def scan(table: Any, count: int) -> None:
    assert sum(1 for _ in table.scan(batch_size=BATCH)) == count


def times(connection: Any, count: int, name: str = "t") -> dict[str, float]:
    table = new_table(connection, name)
    return {"put": seconds(lambda: put_rows(table, plain_rows(count))), "scan": seconds(lambda: scan(table, count))}


def resident_kib(process_id: int) -> int:
    status = Path(f"/proc/{process_id}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


def compare_speeds(report: Report, connection: Any, count: int, rounds: int) -> None:
    """Prints what the port costs, by the best time of each side."""
    inside: list[dict[str, float]] = []
    served: list[dict[str, float]] = []
    for number in range(rounds):
        store = connect("embedded:")
        inside.append(times(store, count))
        store.close()
        served.append(times(connection, count, f"t{number}"))
        connection.delete_table(f"t{number}", disable=True)
    for action, target in AT_LEAST.items():
        served_s, inside_s = (min(seconds_of[action] for seconds_of in side) for side in (served, inside))
        rates = f"{count / served_s:8,.0f} rows/s, HBase's {HBASE[action]:,}"
        report.line(f"{action}, port / in process, rows per second", inside_s / served_s, rates, at_least=target)


def measure_memory(report: Report, process_id: int, connection: Any, count: int, scanned: int) -> None:
    """Prints by how much the server's memory grows in a long scan."""
    if not Path("/proc/self/status").exists():
        print("memory of the server: skipped, there is no /proc to read it from")
        return
    table = new_table(connection, "long")
    put_rows(table, plain_rows(count))
    scan(table, count)
    begin_kib = most_kib = resident_kib(process_id)
    for _ in range(max(scanned // count, 1)):
        scan(table, count)
        most_kib = max(most_kib, resident_kib(process_id))
    what = f"MiB more after {scanned:,} rows scanned"
    report.line(what, (most_kib - begin_kib) / 1024, f"on {begin_kib / 1024:.1f}", at_most=GROWTH_KIB / 1024)


def main(quick: bool = False) -> None:
    """Prints the figures beside their targets; `quick` shows that it runs."""
    report, count = Report(), 3_000 if quick else ROWS
    with server() as (process_id, port, _):
        connection = happybase.Connection("127.0.0.1", port)
        compare_speeds(report, connection, count, rounds=1 if quick else 3)
        measure_memory(report, process_id, connection, count, 3 * count if quick else SCANNED)
        connection.close()
    report.end(quick)


if __name__ == "__main__":
    typer.run(main)
