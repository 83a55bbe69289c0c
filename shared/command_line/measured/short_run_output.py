"""The output of `rowbook run` without `--full`: a line for each design, or two screens for one of them."""

from collections.abc import Iterable, Sequence

import happybase
from rich.console import Console

from ...designs import Design, Variant
from ...designs.ruler import ruler_lines
from ...exhibit import RANGES
from ...exhibit.comparison import VariantCosts
from ...exhibit.cost_tables import differences, question_row, written_row
from ...exhibit.heat_recording import ROWS, recorded_heat
from ...exhibit.verdicts import is_exact, legend
from ..named.designs import full_name
from ..screen.terminal import GUTTER, heading, line, ruler, wrapped
from ..screen.text_tables import table

QUESTION_NUMBERS = ("ranges", "RPCs", "read", "returned")
WRITE_NUMBERS = ("rows", "bytes", "RPCs", "busiest")


def legend_of_writes(sample: str) -> str:
    """What the costs of storing a record mean, and of which records the busiest range takes its share."""
    of_sample = f", of {sample}" if sample else ""
    return (
        "rows, bytes, RPCs: the cost of storing one record in all tables. busiest: the share of a table's new rows in "
        f"the busiest of {RANGES} ranges{of_sample}; {1 / RANGES:.1%} is an even share, 100% a hot spot. If most of "
        "your rows have one host, one user or one metric, expect more."
    )


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
    table(to, ("design", "samples", *numbers), rows, numbers, fitted=True)
    line(to)
    wrapped(
        to,
        "exact: questions that read only the rows they return; read more: those that filter, sort or aggregate rows. "
        + legend_of_writes(f"generated records for which a design writes {ROWS:,} rows"),
    )
    line(to)
    wrapped(to, "rowbook run NAME shows a design: its keys, what its questions cost, and which variant to choose.")


def show_one(to: Console, connection: happybase.Connection, design: Design, costs: VariantCosts) -> None:
    """Writes a row key of each table of a variant, and the costs of its questions."""
    heading(to, "One row key of each table: its parts, their values, their bytes")
    layouts = {(layout.name, layout.key): layout for layout in costs.variant.record_tables}  # one of each row key
    for layout in layouts.values():
        stored = connection.table(layout.name).scan(columns=layout.cells.columns, limit=1)
        for row, _cells in stored:
            line(to, f"  {layout.name}")
            ruler(to, "", ruler_lines(layout.key, row, to.width - GUTTER))
    heading(to, f"What each question of {full_name(design, costs.variant)} costs")
    rows = [question_row(measurement)[:-1] for measurement in costs.measurements]
    table(to, ("question", "cost", *QUESTION_NUMBERS), rows, QUESTION_NUMBERS, fitted=True)
    line(to)
    for words, meaning in legend(costs.measurements):
        wrapped(to, f"{words}: {meaning}")


def show_choice(to: Console, design: Design, measured: Sequence[VariantCosts], legend_text: str = "") -> None:
    """Writes where variants cost something else than the first one, what each writes, and which to choose.

    Variants that are not to be copied are only named, with the reason.
    """
    compared = [costs for costs in measured if costs is measured[0] or costs.variant.is_to_copy]
    if changed := list(differences(compared)):
        heading(to, f"Questions whose cost differs from {full_name(design, measured[0].variant)}")
        table(to, ("question", "variants"), changed, fitted=True)
    heading(to, "Cost of storing one record in each variant")
    written = [(costs.variant.marked_name, *_writes(design, costs), costs.variant.differs) for costs in compared]
    table(to, ("variant", *WRITE_NUMBERS, "what differs"), written, WRITE_NUMBERS, fitted=True)
    line(to)
    wrapped(to, legend_text or legend_of_writes(recorded_heat(design).sample))
    choices = [choice for costs in measured if (choice := _choice(design, costs.variant))]
    if choices:
        heading(to, "Which one to choose")
    for choice in choices:
        wrapped(to, choice)


def _choice(design: Design, variant: Variant) -> str:
    """When to choose a variant; empty if its design does not say."""
    name = full_name(design, variant)
    if not variant.is_to_copy:
        return f"{name} {variant.warning}; do not copy it"
    return f"choose {name} if {variant.take_if}; not if {variant.avoid_if}" if variant.take_if else ""


def _writes(design: Design, costs: VariantCosts) -> tuple[str, ...]:
    """The cost of storing a record, and the busiest range of all tables, under `WRITE_NUMBERS`."""
    share = recorded_heat(design).share(costs.variant.name)
    return (*written_row(costs)[:3], f"{share:.0%}" if share else "-")
