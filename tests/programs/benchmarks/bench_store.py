"""The embedded store against plain SQLite and a mock: what HBase's rules cost, as ratios measured in one run.

Run `python -m tests.programs.benchmarks.bench_store [--quick|--large]`; `--large` measures nothing but the scan of
a prefix in a table of ten million rows, which takes minutes and some gigabytes. The plain store is in
`by_hand/plain_store.py`. A target is held against the best time of each side, which other work on the machine disturbs
least; beside it stand the worst and the best ratio of one round.
"""

from collections.abc import Iterator
from typing import Any

import happybase_mock
import typer

from shared.stores import connect
from tests.programs.benchmarks.by_hand.plain_store import PlainStore
from tests.programs.benchmarks.measuring import Report, new_table, seconds
from tests.programs.benchmarks.stock import BATCH, plain_rows

AT_LEAST = {"put": 0.45, "scan": 0.25, "get": 0.40}
"""Rows per second as a share of the plain store's."""
PREFIX_AT_MOST = 1.5
"""The time of the scan of a prefix in the large table over that in the small one."""
MOCK_AT_LEAST = 10.0
"""The mock's time of such a scan over ours."""

ROWS = 100_000
PREFIX_ROWS = 100
SMALL, LARGE, LARGEST = 10_000, 1_000_000, 10_000_000

Rows = list[tuple[bytes, dict[bytes, bytes]]]


def batches(rows: Rows) -> Iterator[Rows]:
    return (rows[at : at + BATCH] for at in range(0, len(rows), BATCH))


def put(table: Any, rows: Rows) -> None:
    for batch in batches(rows):
        with table.batch() as mutations:
            for row, cells in batch:
                mutations.put(row, cells)


def ours() -> Any:
    return new_table(connect("embedded:"))


def times(rows: Rows) -> dict[str, tuple[float, float]]:
    """The seconds of each action, the plain store's and ours, taken in turn."""
    plain, table = PlainStore(), ours()
    keys = [row for row, _ in rows[::5]]
    sides = {
        "put": (lambda: [plain.put_batch(batch) for batch in batches(rows)], lambda: put(table, rows)),
        "scan": (lambda: len([*plain.scan(b"row-", b"row.")]), lambda: len([*table.scan(b"row-", b"row.")])),
        "get": (lambda: [plain.get(row) for row in keys], lambda: [table.row(row) for row in keys]),
    }
    return {action: (seconds(plainly), seconds(by_us)) for action, (plainly, by_us) in sides.items()}


def prefix_scan_s(table: Any, count: int, times: int = 200) -> float:
    """The best time of a scan of 100 rows by prefix, in a table of so many."""
    for start in range(0, count, SMALL):
        put(table, plain_rows(min(SMALL, count - start), start))
    prefix = b"row-%06d" % (count // 2 // PREFIX_ROWS)
    assert len(list(table.scan(row_prefix=prefix))) == PREFIX_ROWS
    return min(seconds(lambda: list(table.scan(row_prefix=prefix))) for _ in range(times))


def main(quick: bool = False, large: bool = False) -> None:
    """Prints the ratios beside their targets; `quick` shows that it runs, with few rows and one round."""
    report = Report()
    if not large:
        rows = plain_rows(3_000 if quick else ROWS)
        rounds = [times(rows) for _ in range(1 if quick else 5)]
        for action, target in AT_LEAST.items():
            plain_s, our_s = zip(*(of_round[action] for of_round in rounds), strict=True)
            ratios = [one / other for one, other in zip(plain_s, our_s, strict=True)]
            spread = f"{min(ratios):.2f} to {max(ratios):.2f} of one round"
            report.line(f"{action}, rows/s, ours / plain SQLite", min(plain_s) / min(our_s), spread, at_least=target)
    few, many = (SMALL, LARGEST) if large else (1_000, 3_000) if quick else (SMALL, LARGE)
    ratio = prefix_scan_s(ours(), many) / prefix_scan_s(ours(), few)
    report.line(f"prefix scan, {many:,} / {few:,} rows, time", ratio, at_most=PREFIX_AT_MOST)
    if not large:
        ratio = prefix_scan_s(new_table(happybase_mock.Connection()), len(rows), 3) / prefix_scan_s(ours(), len(rows))
        report.line(f"prefix scan, {len(rows):,} rows, mock / ours", ratio, at_least=MOCK_AT_LEAST)
    report.end(quick)


if __name__ == "__main__":
    typer.run(main)
