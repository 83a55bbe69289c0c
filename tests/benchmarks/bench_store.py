"""The embedded store against plain SQLite: what HBase's rules and happybase cost, as ratios measured in one run.

Run `python tests/benchmarks/bench_store.py [--quick]` from anywhere. The plain store is kept outside the product, so
that both sides of a ratio do not come from one hand; without it there is nothing to compare with and the run says so.
"""

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT.parent / "shared/facts/speed_reference.py"

# Rows per second as a share of the plain store's; the scan of a prefix as a time in the large table over the small.
AT_LEAST = {"put": 0.45, "scan": 0.25, "get": 0.40}
PREFIX_AT_MOST = 1.5

ROWS, BATCH = 100_000, 1_000
PREFIX_ROWS = 100
SMALL, LARGE = 10_000, 1_000_000

Rows = list[tuple[bytes, dict[bytes, bytes]]]


def seconds(action: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def rows_from(start: int, stop: int) -> Rows:
    return [(b"row-%08d" % number, {b"d:a": b"0123456789", b"d:b": b"x" * 20}) for number in range(start, stop)]


def batches(rows: Rows) -> Iterator[Rows]:
    return (rows[at : at + BATCH] for at in range(0, len(rows), BATCH))


def put(table: Any, rows: Rows) -> None:
    for batch in batches(rows):
        with table.batch() as mutations:
            for row, cells in batch:
                mutations.put(row, cells)


def new_table() -> Any:
    from shared.stores import connect

    connection = connect("embedded:")
    connection.create_table("t", {"d": {}})
    return connection.table("t")


def times(rows: Rows, plain_store: Any) -> tuple[dict[str, float], dict[str, float]]:
    """The seconds of each action, the plain store's and ours, taken in turn."""
    plain, table = plain_store(), new_table()
    asked = [row for row, _ in rows[::5]]
    plain_s = {"put": seconds(lambda: [plain.put_batch(batch) for batch in batches(rows)])}
    our_s = {"put": seconds(lambda: put(table, rows))}
    plain_s["scan"] = seconds(lambda: sum(1 for _ in plain.scan(b"row-", b"row.")))
    our_s["scan"] = seconds(lambda: sum(1 for _ in table.scan(row_start=b"row-", row_stop=b"row.")))
    plain_s["get"] = seconds(lambda: [plain.get(row) for row in asked])
    our_s["get"] = seconds(lambda: [table.row(row) for row in asked])
    return plain_s, our_s


def prefix_ratio(small: int, large: int) -> float:
    """The time of a scan of 100 rows by prefix in a large table over that in a small one, best of many each."""

    def best(count: int) -> float:
        table = new_table()
        for start in range(0, count, SMALL):
            put(table, rows_from(start, min(start + SMALL, count)))
        prefix = b"row-%06d" % (count // 2 // PREFIX_ROWS)
        assert len(list(table.scan(row_prefix=prefix))) == PREFIX_ROWS
        return min(seconds(lambda: list(table.scan(row_prefix=prefix))) for _ in range(200))

    return best(large) / best(small)


def plain_store_class() -> Any:
    """The class PlainStore of the reference, or None where there is none."""
    if not REFERENCE.exists():
        return None
    spec = importlib.util.spec_from_file_location("speed_reference", REFERENCE)
    assert spec is not None
    assert spec.loader is not None
    reference = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = reference  # its dataclass looks itself up there
    spec.loader.exec_module(reference)
    return reference.PlainStore


def main(quick: bool = False) -> bool:
    """Prints the ratios beside their targets; returns whether all are reached.

    A target is held against the best time of each side, which other work on the machine disturbs least; beside it stand
    the worst and the best ratio of one round. `quick` takes few rows and one round: it shows that the benchmark runs,
    its figures mean little.
    """
    plain_store = plain_store_class()
    if plain_store is None:
        print(f"bench_store: skipped, the plain store to compare with is not at {REFERENCE}")
        return True
    rows = rows_from(0, 3_000 if quick else ROWS)
    rounds = [times(rows, plain_store) for _ in range(1 if quick else 5)]
    reached = True
    print(f"{'embedded store / plain SQLite':38} {'ratio':>6}  {'target':13}  of one round")
    for action, target in AT_LEAST.items():
        of_rounds = [plain_s[action] / our_s[action] for plain_s, our_s in rounds]
        ratio = min(plain_s[action] for plain_s, _ in rounds) / min(our_s[action] for _, our_s in rounds)
        reached &= ratio >= target
        spread = f"{min(of_rounds):.2f} to {max(of_rounds):.2f}"
        print(f"{action + ', rows per second':38} {ratio:6.2f}  at least {target:.2f}  {spread}")
    small, large = (1_000, 3_000) if quick else (SMALL, LARGE)
    ratio = prefix_ratio(small, large)
    reached &= ratio <= PREFIX_AT_MOST
    print(f"{f'prefix scan, {large:,} / {small:,} rows, time':38} {ratio:6.2f}  at most  {PREFIX_AT_MOST:.2f}")
    return reached


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    quick_run = "--quick" in sys.argv[1:]
    sys.exit(0 if main(quick=quick_run) or quick_run else 1)
