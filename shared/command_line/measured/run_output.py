"""The output of `rowbook run`: rows, the cost of every question in every variant, published mistakes."""

from collections.abc import Iterable
from typing import Any

import happybase
from rich.console import Console

from ...designs import Design, Measurement
from ...designs.ruler import cell_lines
from ...exhibit.comparison import VariantCosts
from ...exhibit.cost_tables import (
    HEAT_COLUMNS,
    QUESTION_COLUMNS,
    WRITTEN_COLUMNS,
    heat_rows,
    question_row,
    refusals,
    written_row,
)
from ...exhibit.heat import LEGEND, RANGES
from ...exhibit.heat_recording import recorded_heat
from ...exhibit.shown_design import traps_of
from ...exhibit.traps import trap_row
from ...exhibit.verdicts import legend
from ...tables import TableLayout
from ..named.design_lines import marks
from ..named.designs import full_name
from ..rows.key_rulers import key_ruler
from ..rows.ranges import figures, show_ranges
from ..screen.cost_styles import WRONG, of_cost
from ..screen.terminal import GUTTER, heading, json_object, line, ruler, wrapped
from ..screen.text_tables import table

ROWS_SHOWN = 3
LEGEND_OF_WRITES = (
    f"rows, bytes, RPCs: the cost of storing one record in all tables. {LEGEND} If most of your rows have one "
    "host, one user or one metric, expect more than the samples show."
)
TRAP_INDENT = 13
"""Characters before the text of a published mistake, on each of its lines."""


def rows(to: Console, connection: happybase.Connection, design: Design, table: TableLayout[Any, Any]) -> None:
    """Writes the first rows of a table in row-key order: the byte ruler of each key, and its cells."""
    heading(to, f"table {table.name}: {table.holds}")
    stored = connection.table(table.name).scan(columns=table.cells.columns, limit=ROWS_SHOWN, batch_size=ROWS_SHOWN)
    for row, cells in stored:
        line(to)
        key_ruler(to, design, table, row)
        ruler(to, "cells", cell_lines(table, cells, to.width - GUTTER))


def ranges(
    to: Console,
    connection: happybase.Connection,
    tables: Iterable[TableLayout[Any, Any]],
    measurements: Iterable[Measurement],
) -> None:
    """Writes the ranges that each question read."""
    heading(to, "The rows that each question reads")
    for measurement in measurements:
        question = measurement.pattern.question
        line(to, f"{question}: refused" if measurement.refused else question)
        show_ranges(to, measurement.ranges, tables, connection)
        if measurement.beyond_ranges:
            line(to, f"  then {measurement.beyond_ranges}")


def costs(to: Console, name: str, measurements: list[Measurement]) -> None:
    """Writes what each question costs, then the commands that ask them, which are never cut."""
    heading(to, "What each question costs")
    table(to, QUESTION_COLUMNS, map(question_row, measurements), QUESTION_COLUMNS[2:], fitted=True, style=of_cost)
    line(to)
    for measurement in measurements:
        line(to, f"rowbook ask {name} {measurement.pattern.words}", style="cyan")


def comparison(to: Console, design: Design, variants: list[VariantCosts]) -> None:
    """Writes the variants side by side: what each question costs in each, what each writes, and what they refuse."""
    heading(to, "What each question costs in each variant")
    numbers = ("ranges", "RPCs", "read")
    lines: list[tuple[str, ...]] = []
    for measurements in zip(*(variant_costs.measurements for variant_costs in variants), strict=True):
        for variant_costs, measurement in zip(variants, measurements, strict=True):
            question, *figures = question_row(measurement)[: len(numbers) + 2]
            name = variant_costs.variant.marked_name
            lines.append((question if variant_costs is variants[0] else "", name, *figures))
    table(to, ("question", "variant", "cost", *numbers), lines, numbers, fitted=True, style=of_cost)
    heading(to, "What each variant writes")
    columns = WRITTEN_COLUMNS[:-1]  # the bytes of intents would make the table too wide
    written = [
        (compared.variant.marked_name, *written_row(compared)[:-1], compared.variant.differs) for compared in variants
    ]
    table(to, ("variant", *columns, "what differs"), written, columns, fitted=True, style=of_cost)
    if heats := list(heat_rows(design, [compared.variant for compared in variants])):
        even = f"an even share is {1 / RANGES:.1%}"
        heading(to, f"What each range takes of a table's new rows: {recorded_heat(design).sample}; {even}")
        table(to, HEAT_COLUMNS, heats, fitted=True, style=of_cost)
    if refused := refusals(variants):
        heading(to, "What is refused, and why")
        for refusal in refused:
            wrapped(to, refusal.line())


def traps(to: Console, design: Design) -> None:
    """Writes the published mistakes, each with its answer and the right one."""
    for trap in traps_of(design):
        name, published_as, task, wrong, right = trap_row(trap, design)
        heading(to, f"trap: {name}: {published_as}")
        for label, text in (("asked for", task), ("gives", wrong), ("right way", right)):
            wrapped(to, f"  {label:9}  {text}", TRAP_INDENT)


def choice(to: Console, design: Design, variants: Iterable[VariantCosts]) -> None:
    """Writes when to choose each variant, and when not."""
    heading(to, "Which one to choose")
    for variant in (costs.variant for costs in variants):
        name = full_name(design, variant)
        if not variant.is_to_copy:
            wrapped(to, f"{name} {variant.warning}; do not copy it", style=WRONG)
        elif variant.take_if:
            wrapped(to, f"choose {name} if {variant.take_if}; not if {variant.avoid_if}")


def words(to: Console, variants: Iterable[VariantCosts]) -> None:
    """Writes what the words and the figures mean."""
    heading(to, "What the words mean")
    for kind, meaning in legend(measurement for costs in variants for measurement in costs.measurements):
        wrapped(to, f"{kind}: {meaning}")
    wrapped(to, LEGEND_OF_WRITES)


def costs_as_json(to: Console, designs: Iterable[tuple[Design, list[VariantCosts]]]) -> None:
    """Writes what every question cost in every variant of some designs."""
    json_object(
        to,
        {
            "designs": [
                {"name": design.name, "variants": [_costs(design, costs) for costs in variants]}
                for design, variants in designs
            ]
        },
    )


def _costs(design: Design, variant_costs: VariantCosts) -> dict[str, Any]:
    heats = recorded_heat(design).of(variant_costs.variant.name)
    return {
        "name": variant_costs.variant.name,
        **marks(variant_costs.variant),
        "questions": list(map(_cost, variant_costs.measurements)),
        "rows_written": variant_costs.rows_per_record,
        "bytes_stored": variant_costs.bytes_per_record,
        "rpcs_to_store": variant_costs.rpcs_per_record,
        "bytes_of_intents": variant_costs.intent_bytes_per_record,
        "busiest_shares": {heat.table: heat.heat.share for heat in heats},
        "busiest_of": recorded_heat(design).sample,
    }


def _cost(measurement: Measurement) -> dict[str, Any]:
    pattern = measurement.pattern
    question = {"question": pattern.name, "answers": pattern.question, "ask": pattern.words}
    if measurement.refused:
        return {**question, "refused": measurement.refused}
    return {**question, "is_wrong": measurement.is_wrong, **figures(measurement)}
