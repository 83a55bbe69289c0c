"""Records decoded from rows and cells, in nanoseconds for each record, and as ratios of one run.

Run it: `python -m tests.programs.benchmarks.bench_records [--quick]`. A row that lacks the cells of attributes
with defaults costs an exception more than a row that has them. In a row with many records the row key is decoded once.
"""

import attrs
import typer

from shared.keys import EscapedText, Int64, KeyLayout, Rest, Slice, UInt32, part, row_key
from shared.tables import Column, ItemCells, RecordCells, TableLayout
from tests.programs.benchmarks.measuring import Report, best_ns

HOUR_MS = 3_600_000


@row_key
class PointKey:
    host: str = part(EscapedText, "where")
    time_ms: int = part(Int64, "when")


@row_key
class Hour:
    host: str = part(EscapedText, "where")
    time_ms: int = part(Slice(Int64, HOUR_MS), "the hour")


@row_key
class Within:
    time_ms: int = part(Rest(UInt32, HOUR_MS), "the rest of the hour")


@attrs.frozen
class Point:
    host: str
    time_ms: int
    value: float
    unit: str = "1"
    note: str = ""


@attrs.frozen
class Value:
    host: str
    time_ms: int
    value: float


def main(quick: bool = False) -> None:
    """Prints the times beside each other; `quick` shows that it runs, not how fast."""
    columns = {"value": Column("p:v"), "unit": Column("p:u"), "note": Column("p:n")}
    tall = TableLayout("tall", "a point", KeyLayout(PointKey), RecordCells(Point, columns))
    cells = ItemCells(Value, "p", KeyLayout(Within), "value")
    wide = TableLayout("wide", "an hour", KeyLayout(Hour), cells)

    point, value = Point("web-eu-00017", 5 * HOUR_MS + 1234, 0.5), Value("web-eu-00017", 5 * HOUR_MS + 1234, 0.5)
    row, whole = tall.row(point), tall.cells.pack(point)
    without = {tall.cells.columns[0]: whole[tall.cells.columns[0]]}
    assert tall.record(row, whole) == tall.record(row, without) == point
    hour = wide.key.decode(wide.row(value))
    [(column, packed)] = cells.pack(value).items()
    qualifier = column[2:]
    assert cells.item(hour, qualifier, packed) == value

    sides = {
        "attrs makes the record": lambda: Point("web-eu-00017", 18_001_234, 0.5, "1", ""),
        "row with all three cells": lambda: tall.record(row, whole),
        "row with one cell, two attributes by default": lambda: tall.record(row, without),
        "one cell of a row with many records": lambda: cells.item(hour, qualifier, packed),
    }
    times_ns = best_ns(*sides.values(), quick=quick)
    for name, time_ns in zip(sides, times_ns, strict=True):
        Report().line(name, time_ns / times_ns[0], f"{time_ns:.0f} ns")


if __name__ == "__main__":
    typer.run(main)
