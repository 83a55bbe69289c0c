"""The embedded store on a port: what TCP and Thrift cost, as ratios in one run, and the memory of a long scan.

Run `python -m tests.programs.benchmarks.bench_serve [--quick] [--ten-million]`. The server runs in a process of
its own; one happybase client puts and scans rows of two cells there and, in turn, in a store within this process. Only
the ratios have targets. Beside the rows per second stand those of a real HBase 2.6.1 with one happybase client, on a
machine of two cores.

`--ten-million` goes on scanning until 10,000,000 rows have passed: a table of 100,000 rows, a hundred times.
"""

import sys
from pathlib import Path
from typing import Any

import happybase

from shared.stores import connect
from tests.programs.benchmarks.measuring import options, seconds, server

# Rows per second through the port as a share of those in process; and HBase's own, measured.
AT_LEAST = {"put": 0.35, "scan": 0.25}
HBASE = {"put": 17_000, "scan": 55_000}

ROWS, BATCH = 100_000, 1_000
SCANNED, SCANNED_LONG = 1_000_000, 10_000_000
GROWTH_KIB = 4 * 1024


def put(table: Any, count: int) -> None:
    with table.batch(batch_size=BATCH) as batch:
        for number in range(count):
            batch.put(b"row-%08d" % number, {b"d:a": b"0123456789", b"d:b": b"x" * 20})


def scan(table: Any, count: int) -> None:
    assert sum(1 for _ in table.scan(batch_size=BATCH)) == count


def times(table: Any, count: int) -> dict[str, float]:
    return {"put": seconds(lambda: put(table, count)), "scan": seconds(lambda: scan(table, count))}


def new_table(connection: Any, name: str) -> Any:
    connection.create_table(name, {"d": {}})
    return connection.table(name)


def resident_kib(process_id: int) -> int:
    status = Path(f"/proc/{process_id}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


def speeds_reached(connection: Any, count: int, rounds: int) -> bool:
    """Prints what the port costs; whether the targets are reached by the best time of each side."""
    inside: list[dict[str, float]] = []
    served: list[dict[str, float]] = []
    for number in range(rounds):
        store = connect("embedded:")
        inside.append(times(new_table(store, "t"), count))
        store.close()
        served.append(times(new_table(connection, f"t{number}"), count))
        connection.delete_table(f"t{number}", disable=True)
    reached = True
    print(f"{'port / in process, rows per second':38} {'ratio':>6}  {'target':13}  {'rows/s':>8}  HBase's")
    for action, target in AT_LEAST.items():
        best_s, inside_s = (min(seconds_of[action] for seconds_of in side) for side in (served, inside))
        reached &= inside_s / best_s >= target
        rates = f"{count / best_s:8,.0f}  {HBASE[action]:,}"
        print(f"{action:38} {inside_s / best_s:6.2f}  at least {target:.2f}  {rates}")
    return reached


def memory_reached(process_id: int, connection: Any, count: int, scanned: int) -> bool:
    """Prints the server's memory over a long scan; whether it stays within GROWTH_KIB."""
    if not Path("/proc/self/status").exists():
        print("memory of the server: skipped, there is no /proc to read it from")
        return True
    table = new_table(connection, "long")
    put(table, count)
    scan(table, count)
    begin_kib = most_kib = resident_kib(process_id)
    for _ in range(max(scanned // count, 1)):
        scan(table, count)
        most_kib = max(most_kib, resident_kib(process_id))
    what = f"memory over {scanned:,} rows scanned"
    print(
        f"{what:38} {(most_kib - begin_kib) / 1024:+6.1f}  at most {GROWTH_KIB // 1024} MiB  on {begin_kib / 1024:.1f}"
    )
    return most_kib - begin_kib <= GROWTH_KIB


def main(quick: bool = False, ten_million: bool = False) -> bool:
    """Prints the figures beside their targets; returns whether all are reached. `quick` shows that it runs."""
    count = 3_000 if quick else ROWS
    scanned = SCANNED_LONG if ten_million else 3 * count if quick else SCANNED
    with server() as (process_id, port):
        connection = happybase.Connection("127.0.0.1", port)
        reached = speeds_reached(connection, count, rounds=1 if quick else 3)
        reached &= memory_reached(process_id, connection, count, scanned)
        connection.close()
    return reached


if __name__ == "__main__":
    given = options(__doc__, ten_million="goes on until 10,000,000 rows have passed")
    sys.exit(0 if main(given.quick, given.ten_million) or given.quick else 1)
