"""`rowbook heat`: where new rows land, as grids of key ranges against time; of a design, or of keys of one's own.

The figures of a design are those that its pages and `rowbook run` show: they are recorded, because it takes minutes to
store so many records in every variant.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from rich.console import Console

from ...exhibit.heat import LEGEND, MOMENTS, Heat, Writes
from ...exhibit.heat_recording import measured_heat, recorded_heat
from ...exhibit.heat_tables import TableHeat
from ...exhibit.shell import quoted
from ..named.design_lines import marks
from ..named.designs import find_variants, full_name
from ..named.options import HEAT_ROWS, HEAT_SPLITS
from ..named.typed_values import number
from ..rows.bytes_as_text import read_keys
from ..screen.progress import doing
from ..screen.terminal import heading, json_object, line, wrapped
from ..screen.wrong_usage import CommandFailed, WrongUsage

LEVELS, PLAIN_LEVELS = ".▁▂▃▄▅▆▇█", ".12345678"
"""What a cell is filled with, from nothing to all; the second where the output cannot have the first."""
CELL_WIDTH, GAP = 2, 2
FEWEST_ROWS, MOST_ROWS = 1_000, 1_000_000
MOST_SPLITS = 47
"""So that a line for each range fits on a screen of 60 lines."""


def show(
    to: Console,
    errors: Console,
    name: str | None,
    *,
    keys: str | None,
    rows: str | None,
    splits: str | None,
    is_hex: bool,
    as_json: bool,
) -> None:
    """Shows the heat of a design, or that of the keys of a file."""
    if (name is None) == (keys is None):
        raise WrongUsage("heat: give a design (NAME), or a file of row keys (--keys FILE)")
    if name is not None:
        if splits is not None or is_hex:
            raise WrongUsage(f"{'--hex' if splits is None else '--splits'}: needs --keys FILE")
        wanted = None if rows is None else number("--rows", rows, MOST_ROWS, FEWEST_ROWS)
        show_design(to, errors, name, wanted, as_json=as_json)
    if keys is not None:
        if rows is not None:
            raise WrongUsage("--rows: needs a design (NAME); --keys takes all lines of the file")
        show_keys(to, keys, number("--splits", splits or HEAT_SPLITS, MOST_SPLITS), is_hex=is_hex, as_json=as_json)


def show_design(to: Console, errors: Console, name: str, rows: int | None, *, as_json: bool) -> None:
    """Shows grids of the first variant that the name stands for, and a line for each table of others.

    The figures are the recorded ones, or measured now if rows are wanted, or if nothing is recorded.
    """
    design, variants = find_variants(name)
    recording = recorded_heat(design)
    if is_measured := rows is not None or not recording.tables:
        with doing(errors, design.name) as tell:
            recording = measured_heat(design, variants, rows or int(HEAT_ROWS), tell)
    heats = {variant.name: recording.of(variant.name) for variant in variants}
    if not any(heats.values()):
        advice = f"rowbook compare {name} FILE measures your own records"
        raise CommandFailed(f"{name}: {recording.sample} write too few rows for a verdict; {advice}")
    if as_json:
        measured = [
            {"name": variant.name, **marks(variant), "tables": [*map(_table, heats[variant.name])]}
            for variant in variants
        ]
        json_object(to, {"records": recording.records, "sample": recording.sample, "variants": measured})
        return
    first, *others = variants
    cut = "The first half of a table's writes cuts it into ranges, or its own split points do."
    _explain(to, f"{recording.sample}, stored in order of time{'' if is_measured else ', as recorded'}. {cut}")
    heading(to, f"New rows of {full_name(design, first)}")
    grids(to, [(table.table, table.heat) for table in heats[first.name]])
    for table in heats[first.name]:
        wrapped(to, f"{table.table}: {table.verdict}")
    seen = {(table.table, table.heat) for table in heats[first.name]}
    if others:
        heading(to, "Tables of the other variants")
    for variant in others:
        for table in heats[variant.name]:
            if (table.table, table.heat) not in seen:
                wrapped(to, f"{variant.marked_name}, {table.table}: {table.verdict}")


def show_keys(to: Console, file: str, splits: int, *, is_hex: bool, as_json: bool) -> None:
    """Cuts the older half of the keys of a file into ranges, and shows where the other half falls."""
    keys = [key for of_line in read_keys(file, "hex" if is_hex else "shell") for key in of_line.values()]
    ranges = splits + 1
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
