"""The blocks about costs: what questions read in each variant, and what storing a record costs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import attrs

from shared.designs.design import Design
from shared.exhibit.comparison import VariantCosts
from shared.exhibit.cost_tables import (
    READ_COLUMNS,
    WRITTEN_COLUMNS,
    compared,
    grids,
    listed,
    read_row,
    refusals,
    written_row,
)
from shared.exhibit.growth import TIMES, recorded_growth
from shared.exhibit.growth_words import how_many_grow
from shared.exhibit.markdown import below, fits, markdown_list, markdown_table

SKEWED = 0.1
"""A value is named if so large a share of the records has it."""
SCANS = "shown/scans.txt"
"""The file beside a reference that has the scans of all questions."""


def costs_block(design: Design, variants: Sequence[VariantCosts]) -> str:
    """A description of the samples, and the verdict on every question in every variant that may be copied.

    A variant's verdict is left out if it is the design's own; a variant with no other verdict is left out as a whole.
    """
    shown, alike, _silent = compared([costs for costs in variants if costs.variant.is_to_copy])
    caption = [f"Measured on {listed(_samples(design))}.", _growth_line(design)]
    if alike:
        names = listed(f"`{variant.variant.name}`" for variant in alike)
        caption.append(f"{names} {'costs' if len(alike) == 1 else 'cost'} the same.")
    caption.append("[What the cells mean](../GLOSSARY.md#cost).")
    return below(" ".join(caption), across(shown))


def _growth_line(design: Design) -> str:
    """How many costs of the design itself grow with the data, and which of its variants."""
    growing = how_many_grow(design, recorded_growth(design), "`")
    reference = "" if design.in_one_file else " ([measured](REFERENCE.md#costs))"
    return f"With up to {TIMES[-1]} times the data, {growing}{reference}."


def _samples(design: Design) -> Iterator[str]:
    """For each load, its number of sample records, and how many have the most frequent value that starts a key."""
    parts = {table.key.parts[0].name for table in design.main.record_tables}
    for load in design.loads:
        records = list(load.sample_records())
        shares: dict[str, float] = {}
        for name in (field.name for field in attrs.fields(load.record) if field.name in parts):
            counts = Counter(value for record in records if (value := getattr(record, name)) is not None)
            shares[name] = max(counts.values(), default=0) / len(records)
        words = f"{len(records):,} sample {load.name}"
        shared, share = max(shares.items(), key=lambda item: item[1], default=("", 0))
        yield f"{words} ({share:.0%} have the same `{shared}`)" if share >= SKEWED else words


def across(variants: Sequence[VariantCosts]) -> str:
    """Questions down and variants across: as few tables as the width allows, each with the design itself first.

    A verdict is left out if it is the design's own; a question if no variant of a further table has another verdict.
    """
    shown = grids(variants, lambda grid: fits(markdown_table(*grid)))
    return "\n\n".join(markdown_table(*grid) for grid in shown)


def choice_block(design: Design) -> str:
    """Which variant to choose, and when not; those that are not to be copied are left out."""
    return markdown_list(
        f"**`{variant.name}`** if {variant.take_if}. Not if {variant.avoid_if}."
        for variant in design.variants
        if variant.is_to_copy
    )


def writes_block(variants: Sequence[VariantCosts]) -> str:
    """What a record takes in every variant that may be copied. Variants that take the same share a line."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for costs in (costs for costs in variants if costs.variant.is_to_copy):
        alike.setdefault(written_row(costs), []).append(costs.variant.name)
    shown = len(WRITTEN_COLUMNS) - all(row[-1] == "-" for row in alike)  # without the bytes of intents if none has any
    rows = [(", ".join(names), *row[:shown]) for row, names in alike.items()]
    table = markdown_table(("variant", *WRITTEN_COLUMNS[:shown]), rows)
    return below(f"Storing one of {variants[0].records:,} records, [in all tables](../GLOSSARY.md#stored):", table)


def reads_block(main: VariantCosts) -> str:
    """What every answered question reads in the design itself, with its round trips, and where its scans are.

    The column of page sizes is left out if no answer is a page.
    """
    caption = (
        f"What `{main.variant.name}` reads; rows include the first one of the next page. [In parentheses]"
        f"(../GLOSSARY.md#rpc), round trips. [As statements of the HBase shell]({SCANS})."
    )
    columns, *rows = READ_COLUMNS, *(read_row(measured) for measured in main.measurements if not measured.refused)
    if not any(size for _question, size, *_costs in rows):
        columns, *rows = ((question, *costs) for question, _size, *costs in (columns, *rows))
    return below(caption, markdown_table(columns, rows))


def refused_block(variants: Iterable[VariantCosts]) -> str:
    """The questions that variants which may be copied cannot answer, an item for each reason."""
    lines = [refusal.line("`") for refusal in refusals(costs for costs in variants if costs.variant.is_to_copy)]
    return below("Refused, and why:", markdown_list(lines)) if lines else "No variant refuses a question."
