"""The output of `rowbook run` without `--all`: a line for each design, or one screen for one of them."""

from collections.abc import Iterable, Sequence
from functools import partial

import happybase
from rich.console import Console

from ...designs import Design, Variant
from ...exhibit import RANGES
from ...exhibit.comparison import VariantCosts
from ...exhibit.cost_tables import Grid, compared, grids, why_fractions, written_row
from ...exhibit.heat_recording import recorded_heat
from ...exhibit.verdicts import is_exact
from ..named.designs import full_name
from ..rows.key_rulers import key_ruler
from ..screen.cost_styles import HOT_MARK, WRONG, of_cost
from ..screen.terminal import heading, line, wrapped
from ..screen.text_tables import least_width, lines_of_rows, table

WRITE_NUMBERS = ("rows", "bytes", "RPCs", "busiest")
MOST_LINES = 3
"""The most lines of a question in a grid; if it needs more, the variants are divided between several grids."""
BUSIEST = f"busiest of {RANGES} ranges"


def show_all(to: Console, measured: Iterable[tuple[Design, VariantCosts]]) -> None:
    """Writes a line for each design: its samples, how its questions are answered, and the cost of storing a record."""
    rows: list[tuple[str, ...]] = []
    for design, costs in measured:
        refused = sum(bool(measurement.refused) for measurement in costs.measurements)
        exact = sum(map(is_exact, costs.measurements))
        answered = (str(exact), str(len(costs.measurements) - exact - refused), str(refused))
        samples = f"{costs.records:,} {' and '.join(load.name for load in design.loads)}"
        rows.append((design.name, samples, *answered, *_writes(design, costs)))
    numbers = ("exact", "read more", "refused", *WRITE_NUMBERS)
    table(to, ("design", "samples", *numbers), rows, numbers, fitted=True, style=of_cost)
    line(to)
    wrapped(
        to,
        "exact: questions that read only the rows they return; read more: those that filter, sort or aggregate rows. "
        f"rows, bytes, RPCs: to store one record. busiest: the share of new rows in the busiest of {RANGES} ranges; "
        f"{1 / RANGES:.1%} is an even share.",
    )
    line(to)
    wrapped(to, "rowbook run NAME shows a design: which variant to choose, and what its questions cost in each.")


def show_one(to: Console, connection: happybase.Connection, design: Design, costs: VariantCosts) -> None:
    """Writes a row key of each table of a variant."""
    heading(to, "One row key of each table: its parts, their values, their bytes")
    layouts = {(layout.name, layout.key): layout for layout in costs.variant.record_tables}  # one of each row key
    for layout in layouts.values():
        stored = connection.table(layout.name).scan(columns=layout.cells.columns, limit=1)
        for row, _cells in stored:
            line(to, f"  {layout.name}")
            key_ruler(to, design, layout, row, "")


def show_choice(to: Console, design: Design, measured: Sequence[VariantCosts], *more: str) -> None:
    """Writes which variant to choose, what each question costs in each, and what each writes.

    Variants that are not to be copied are only named, unless no others were measured. `more` follows what the words of
    the tables mean.
    """
    advised = [costs for costs in measured if costs.variant.is_to_copy] or measured
    others = [costs.variant.marked_name for costs in measured if costs not in advised]
    _show_verdict(to, [costs.variant for costs in advised], others)
    notes = _show_grids(to, full_name(design, advised[0].variant), advised)
    line(to)
    has_many_tables = any(len(costs.variant.record_tables) > 1 for costs in advised)
    columns = ["storing one record", *WRITE_NUMBERS[:-1], BUSIEST, *["in table"] * has_many_tables, "what differs"]
    written: list[list[str]] = []
    for costs in advised:
        busiest = recorded_heat(design).busiest(costs.variant.name)
        table_name = [busiest.table if busiest else "-"] * has_many_tables
        written.append([costs.variant.marked_name, *_writes(design, costs), *table_name, costs.variant.differs])
    while _is_too_wide(columns, written, to.width):  # a line for each variant matters more
        columns, written = columns[:-1], [row[:-1] for row in written]
    table(to, columns, written, (*WRITE_NUMBERS, BUSIEST), fitted=True, style=of_cost)
    if why := why_fractions(advised[0]):
        notes.append(f"rows and bytes: {why}.")
    if sample := recorded_heat(design).sample:
        notes.append(f"{BUSIEST}: of {sample}.")
    wrapped(to, " ".join([*notes, *more]))


def _is_too_wide(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether words follow the numbers of a table, and a row needs more than a line."""
    has_words = columns[-1] != BUSIEST
    return has_words and (least_width(columns, rows) > width or max(lines_of_rows(columns, rows, width)) > 1)


def _show_verdict(to: Console, variants: Iterable[Variant], not_to_copy: Sequence[str]) -> None:
    """Writes when to choose each of some variants, and which not to copy."""
    chosen = [variant for variant in variants if variant.take_if]
    width = max((len(variant.name) for variant in chosen), default=0)
    title = "choose "
    for variant in chosen:
        start = f"{title}{variant.name.ljust(width)}  "
        wrapped(to, f"{start}if {variant.take_if}", len(start))
        title = " " * len(title)
    if not_to_copy:
        wrapped(to, f"do not copy {', '.join(not_to_copy)}", style=WRONG)


def _show_grids(to: Console, name: str, measured: Sequence[VariantCosts]) -> list[str]:
    """Writes the grid of questions and variants, as the page selects them, or several if it is too wide.

    Returns what empty cells mean, and which variants are not in it.
    """
    differing, alike, silent = compared(measured)
    for grid in _shortest(differing, to.width):
        line(to)
        table(to, *grid, fitted=True, style=of_cost)
    notes = [f"An empty cell costs what it does in {name}."] if len(differing) > 1 else []
    if alike:
        notes.append(f"The same in every cell: {', '.join(costs.variant.marked_name for costs in alike)}.")
    if silent:
        notes.append(f"All refused: {', '.join(costs.variant.marked_name for costs in silent)}.")
    return notes


def _shortest(variants: Sequence[VariantCosts], width: int) -> list[Grid]:
    """The grids that have the fewest lines in all: the more lines a row may have, the fewer grids there are."""

    def height(shown: list[Grid]) -> int:
        return sum(1 + sum(lines_of_rows(*grid, width)) for grid in shown)

    def fits(grid: Grid, most: int) -> bool:
        return max(lines_of_rows(*grid, width)) <= most

    return min((grids(variants, partial(fits, most=most)) for most in range(1, MOST_LINES + 1)), key=height)


def _writes(design: Design, costs: VariantCosts) -> tuple[str, ...]:
    """The cost of storing a record, and the busiest range of all tables, under `WRITE_NUMBERS`."""
    busiest = recorded_heat(design).busiest(costs.variant.name)
    if busiest is None:
        return (*written_row(costs)[:3], "-")
    hot = f"{HOT_MARK} " if busiest.heat.is_hot_spot else ""
    return (*written_row(costs)[:3], f"{hot}{busiest.heat.share:.0%}")
