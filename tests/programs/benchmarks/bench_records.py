"""Records decoded from rows and cells, in nanoseconds for each record, and as ratios of one run.

Run it: `python -m tests.programs.benchmarks.bench_records [--quick]`. A row that lacks the cells of attributes
with defaults costs an exception more than a row that has them. In a row with many records the row key is decoded once.
"""

import attrs
import typer

from shared.keys import EscapedText, Int64, KeyLayout, Slice
from shared.tables import Column, ItemCells, RecordCells, TableLayout
from tests.programs.benchmarks.bench_wide_rows import Value
from tests.programs.benchmarks.measuring import Report, best_ns
from tests.shared.specimens import HOUR_MS, WithinHour, key_class

PointKey = key_class("PointKey", host=EscapedText, time_ms=Int64)
Hour = key_class("Hour", host=EscapedText, time_ms=Slice(Int64, HOUR_MS))


@attrs.frozen
class Point:
    host: str
    time_ms: int
    value: float
    unit: str = "1"
    note: str = ""


def main(quick: bool = False) -> None:
    """Prints the times beside each other; `quick` shows that it runs, not how fast."""
    columns = {"value": Column("p:v"), "unit": Column("p:u"), "note": Column("p:n")}
    tall = TableLayout("tall", "a point", KeyLayout(PointKey), RecordCells(Point, columns))
    cells = ItemCells(Value, "p", KeyLayout(WithinHour), "value")
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
