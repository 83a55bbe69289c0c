"""Where new rows land, a chapter of `rowbook review`: of a design, or of row keys of one's own.

Grids show key ranges against time.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import attrs
from rich.console import Console

from ...designs import Design, Variant
from ...exhibit.heat import LEGEND, MOMENTS, Heat, Writes
from ...exhibit.heat_recording import HeatRecording, measured_heat, recorded_heat
from ...exhibit.heat_tables import TableHeat
from ...exhibit.shell import quoted
from ..named.design_lines import marks
from ..named.designs import full_name
from ..named.typed_values import number
from ..rows.bytes_as_text import KeyForm, read_keys
from ..screen.terminal import heading, json_object, line, wrapped
from ..screen.wrong_usage import CommandFailed, WrongUsage

LEVELS, PLAIN_LEVELS = ".▁▂▃▄▅▆▇█", ".12345678"
"""What a cell is filled with, from nothing to all; the second where the output cannot have the first."""
CELL_WIDTH, GAP = 2, 2
HEAT_ROWS, HEAT_SPLITS = 20_000, 7
"""Rows that a design without a recording writes, and the split points of the keys of a file."""
MOST_SPLITS = 47
"""So that a line for each range fits on a screen of 60 lines."""


@attrs.frozen
class HeatOfDesign:
    """Where the new rows of some variants of a design land."""

    design: Design
    variants: Sequence[Variant]
    recording: HeatRecording
    """What was stored, and the heat of each table."""

    def brief(self) -> Iterator[str]:
        """A line for each table of the first variant, for a page with all chapters."""
        for table in self.recording.of(self.variants[0].name):
            yield f"{table.table}: {table.verdict}"

    def show(self, to: Console) -> None:
        """Writes grids of the first variant, and a line for each table of the others."""
        first, *others = self.variants
        cut = "The first half of a table's writes cuts it into ranges, or its own split points do."
        _explain(to, f"{self.recording.sample}, stored in order of time. {cut}")
        heading(to, f"New rows of {full_name(self.design, first)}")
        grids(to, [(table.table, table.heat) for table in self.recording.of(first.name)])
        for table in self.recording.of(first.name):
            wrapped(to, f"{table.table}: {table.verdict}")
        seen = {(table.table, table.heat) for table in self.recording.of(first.name)}
        if others:
            heading(to, "Tables of the other variants")
        for variant in others:
            for table in self.recording.of(variant.name):
                if (table.table, table.heat) not in seen:
                    wrapped(to, f"{variant.marked_name}, {table.table}: {table.verdict}")

    def as_json(self) -> dict[str, Any]:
        """The heat of each table."""
        measured = [
            {"name": variant.name, **marks(variant), "tables": [*map(_table, self.recording.of(variant.name))]}
            for variant in self.variants
        ]
        return {"records": self.recording.records, "sample": self.recording.sample, "variants": measured}


def heat_of_design(
    design: Design, variants: Sequence[Variant], tell: Callable[[str], None], rows: int | None = None
) -> HeatOfDesign:
    """The recorded heat of these variants; measured if nothing is recorded of them, or with so many rows.

    Raises CommandFailed if all tables take too few rows for a verdict.
    """
    recording = recorded_heat(design)
    if rows is not None or not all(variant in design.variants and recording.of(variant.name) for variant in variants):
        recording = measured_heat(design, variants, rows or HEAT_ROWS, tell)
    if not any(recording.of(variant.name) for variant in variants):
        advice = f"rowbook run {design.name} --file FILE measures your own records"
        raise CommandFailed(f"{design.name}: {recording.sample} write too few rows for a verdict; {advice}")
    return HeatOfDesign(design, variants, recording)


def show_keys(to: Console, file: str, form: KeyForm | None, splits: str | None, *, as_json: bool) -> None:
    """Cuts the older half of the keys of a file into ranges, and shows where the other half falls."""
    ranges = 1 + (HEAT_SPLITS if splits is None else number("--splits", splits, MOST_SPLITS))
    lines = [*read_keys(file, form)]
    if any(len(of_line) > 1 for of_line in lines):
        raise WrongUsage(f"{file}: its keys may be hex digits or text: give --form hex or --form shell")
    keys = [key for of_line in lines for key in of_line.values()]
    if len(keys) < 2 * ranges:
        raise CommandFailed(f"{file}: must have at least {2 * ranges} keys for {ranges} ranges (got {len(keys)})")
    writes = Writes(keys, wanted=ranges)
    heat = writes.heat
    if as_json:
        json_object(to, {"keys": len(keys), "splits": writes.points, **_figures(heat)})
        return
    _explain(to, f"{len(keys):,} keys in the order of their lines. The first half cuts the ranges.")
    line(to)
    starts = ["from the start", *(f"from {quoted(point)}" for point in writes.points)]
    for cells, start in zip(_lines(to, heat), starts, strict=True):
        room = to.width - len(cells) - GAP
        line(to, f"{cells}{' ' * GAP}{start if len(start) <= room else f'{start[: room - 3]}...'}")
    wrapped(to, heat.verdict)


def _explain(to: Console, source: str) -> None:
    wrapped(
        to,
        f"{source} A line is a range: its part of the other half in each of {MOMENTS} moments, and of all; < marks the "
        "busiest.",
        0,
    )
    wrapped(to, LEGEND, 0)


def grids(to: Console, tables: Sequence[tuple[str, Heat]], *, has_shares: bool = True) -> None:
    """Writes the grids side by side, as many as the width has room for; with the share of each range, or without."""
    blocks = [[name, *(_lines(to, heat) if has_shares else _cells(to, heat))] for name, heat in tables]
    width = max((len(text) for block in blocks for text in block), default=0)
    across = max(1, (to.width + GAP) // (width + GAP))
    for start in range(0, len(blocks), across):
        for texts in zip_longest(*blocks[start : start + across], fillvalue=""):
            line(to, (" " * GAP).join(text.ljust(width) for text in texts).rstrip())
        line(to)


def _lines(to: Console, heat: Heat) -> Iterator[str]:
    """A line for each range: a cell for each moment, then the share of all."""
    for cells, share in zip(_cells(to, heat), heat.shares, strict=True):
        yield f"{cells} {share:4.0%}{' <' if share == heat.share else '  '}"


def _cells(to: Console, heat: Heat) -> Iterator[str]:
    """The cells of each range, one for each moment."""
    levels = LEVELS if to.encoding.startswith("utf") else PLAIN_LEVELS
    for range_number in range(heat.ranges):
        yield "".join(levels[_level(moment[range_number])] * CELL_WIDTH for moment in heat.moment_shares)


def _level(share: float) -> int:
    """The level of a share: 0 for nothing, 1 up to an eighth, 8 from seven eighths."""
    top = len(LEVELS) - 1
    return min(top, -int(-share * top // 1))


def _table(table: TableHeat) -> dict[str, Any]:
    return {"table": table.table, "written": table.written, **_figures(table.heat), "owner": table.owner}


def _figures(heat: Heat) -> dict[str, Any]:
    return {"cut": heat.cut, "moments": heat.moments, "shares": heat.shares, "verdict": heat.verdict}
