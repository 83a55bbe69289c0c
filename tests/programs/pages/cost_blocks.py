"""The blocks about costs: what questions read in each variant, and what storing a record costs."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import attrs

from shared.designs.design import Design, Load
from shared.designs.metering import Measurement
from shared.exhibit.comparison import VariantCosts
from shared.exhibit.cost_tables import READ_COLUMNS, WRITTEN_COLUMNS, listed, read_row, refusals, rpcs, written_row
from shared.exhibit.growth import TIMES, recorded_growth
from shared.exhibit.growth_words import how_many_grow
from shared.exhibit.markdown import below, filled, fits, markdown_list, markdown_table
from shared.exhibit.verdicts import legend, verdict
from shared.keys.limits import IN_FLIGHT
from shared.records import show_time
from shared.tables import ItemCells

DAY_MS = 86_400_000
RARE = 0.005
"""Values none of which is in so large a share of the records are not counted: nearly all of them differ."""
SIZING_COLUMNS = ("rows per day", "bytes per day", "GB per day at 1,000 records per second")


def costs_block(design: Design, variants: Sequence[VariantCosts]) -> str:
    """A description of the samples, the verdict on every question in every variant, and what the verdicts mean.

    A variant's verdict is left out if it is the design's own; a variant with no other verdict is left out as a whole.
    """
    silent = [f"`{variant.variant.name}`" for variant in variants if not variant.answers]
    main, *others = [variant for variant in variants if variant.answers]
    alike = [variant for variant in others if _verdicts(variant) == _verdicts(main)]
    differing = [main, *(variant for variant in others if variant not in alike)]
    growing = how_many_grow(design, recorded_growth(design), "`")
    measured = "measured" if design.in_one_file else "[measured](REFERENCE.md#costs)"
    caption = [_samples_line(design), f"Up to {TIMES[-1]} times the data, {growing} ({measured})."]
    caption += [f"Not shown, because every question is refused: {', '.join(silent)}."] if silent else []
    if alike:
        names = ", ".join(f"`{variant.variant.name}`" for variant in alike)
        caption.append(f"Not shown, because each question costs the same: {names}.")
    measurements = (measurement for variant in differing for measurement in variant.measurements)
    meanings = markdown_list(f"`{words}`: {meaning}" for words, meaning in legend(measurements))
    tables = across(differing, verdict, only_differences=True)
    caption += [f"An empty cell means the same cost as `{design.name}`."] if len(differing) > 1 else []
    return "\n\n".join([filled(" ".join(caption)), tables, meanings])


def _verdicts(variant: VariantCosts) -> list[str]:
    return list(map(verdict, variant.measurements))


def _samples_line(design: Design) -> str:
    """What the samples consist of: number of records, period, and how many values each part of a key has."""
    return " ".join(
        _load_line(load, _key_attributes(design, load), _time_attribute(design, load)) for load in design.loads
    )


def _key_attributes(design: Design, load: Load) -> list[str]:
    """The attributes of a load's records that are parts of a key of the design, and a time in a qualifier."""
    tables = design.main.record_tables
    parts = {part.name for table in tables for part in table.key.parts}
    in_qualifiers = {
        name for table in tables if isinstance(table.cells, ItemCells) for name in table.cells.qualifier.part_named
    }
    parts |= {name for name in in_qualifiers if name.endswith("_ms")}
    return [field.name for field in attrs.fields(load.record) if field.name in parts]


def _time_attribute(design: Design, load: Load) -> str | None:
    """The time of a load's records that is a part of a key; if no key of the design has one, any other time."""
    of_keys = {of.name: _first_time(_key_attributes(design, of)) for of in design.loads}
    if any(of_keys.values()):
        return of_keys[load.name]
    return _first_time(field.name for field in attrs.fields(load.record))


def _first_time(attributes: Iterable[str]) -> str | None:
    return next((name for name in attributes if name.endswith("_ms")), None)


def _load_line(load: Load, attributes: Sequence[str], period: str | None) -> str:
    records = list(load.sample_records())
    line = f"Measured on {len(records):,} sample {load.name}"
    if period:
        times = [getattr(record, period) for record in records]
        line += f", from {show_time(min(times))} to {show_time(max(times))}"
    stored = {name: [getattr(record, name) for record in records] for name in attributes if name != period}
    counts = {name: Counter(value for value in values if value is not None) for name, values in stored.items()}
    values = [
        f"{len(count)} values of `{name}` (the most frequent in {max(count.values()) / len(records):.0%} of records)"
        for name, count in counts.items()
        if len(count) < len(records) and max(count.values()) / len(records) >= RARE
    ]
    return f"{line}, with {listed(values)}." if values else f"{line}."


def across(
    variants: Sequence[VariantCosts], cell: Callable[[Measurement], str], *, only_differences: bool = False
) -> str:
    """Questions down and variants across: as few tables as the width allows, each with the design itself first.

    Variants that refuse every question are left out, and with `only_differences` the cells that equal the design's own.
    """
    main, *others = [variant for variant in variants if variant.answers]
    for count in range(1, len(others) + 1):
        size = -(-len(others) // count)
        groups = [[main, *others[at : at + size]] for at in range(0, len(others), size)]
        tables = [_across(group, cell, only_differences) for group in groups]
        if all(map(fits, tables)):
            return "\n\n".join(tables)
    return _across([main, *others], cell, only_differences)


def _across(variants: Sequence[VariantCosts], cell: Callable[[Measurement], str], only_differences: bool) -> str:
    rows: list[tuple[str, ...]] = []
    for row in zip(*(variant.measurements for variant in variants), strict=True):
        main, *others = map(cell, row)
        shown = ("" if only_differences and other == main else other for other in others)
        rows.append((row[0].pattern.question, main, *shown))
    return markdown_table(("question", *(variant.variant.marked_name for variant in variants)), rows)


def choice_block(design: Design) -> str:
    """Which variant to choose, and when not; those that are not to be copied are left out."""
    return markdown_list(
        f"**`{variant.name}`** if {variant.take_if}; not if {variant.avoid_if}"
        for variant in design.variants
        if variant.is_to_copy
    )


def rpcs_block(variants: Sequence[VariantCosts]) -> str:
    """The RPCs of every question in every variant."""
    caption = (
        "RPCs of each question. A get of up to 1,000 rows is one RPC; a scan needs one to open it, one for each batch "
        "of rows, and one to close it. In parentheses, if they are fewer: the round trips that the caller waits for "
        f"over `hbase://`. It does not wait for a close, and has up to {IN_FLIGHT} requests under way."
    )
    return below(caption, across(variants, rpcs))


def writes_block(variants: Sequence[VariantCosts]) -> str:
    """What a record takes in every variant."""
    caption = "Cost of storing one record in all tables of a variant. Bytes are counted before compression."
    rows = [(variant.variant.marked_name, *written_row(variant)) for variant in variants]
    return below(caption, markdown_table(("variant", *WRITTEN_COLUMNS), rows))


def sizing_block(design: Design, variants: Sequence[VariantCosts]) -> str:
    """The rows and bytes that each variant stores in a day: at the rate of the samples, and at one per millisecond.

    All loads cover one period, given by the records that have a time in a key or in a qualifier; if none has, by their
    other times.
    """
    counts: list[str] = []
    times: list[int] = []
    for load in design.loads:
        records = list(load.sample_records())
        counts.append(f"{len(records):,} {load.name}")
        time = _time_attribute(design, load)
        times += [] if time is None else [getattr(record, time) for record in records]
    days = (max(times) - min(times)) / DAY_MS
    period = f"{_rounded(days)} days" if days >= 1 else f"{_rounded(days * 24)} hours"
    caption = (
        f"The samples are {listed(counts)} in {period}: {_rounded(variants[0].records / days)} records per day. The "
        "table shows what each variant stores at that rate, and at 1,000 records per second: one copy, before "
        "compression. HDFS keeps three copies by default. If records share a cell, as with a counter, the last column "
        "is an upper bound."
    )
    rows = [
        (
            costs.variant.marked_name,
            _rounded(costs.rows_per_record * costs.records / days),
            _rounded(costs.bytes_per_record * costs.records / days),
            _rounded(costs.bytes_per_record * DAY_MS / 1e9),
        )
        for costs in variants
    ]
    return below(caption, markdown_table(("variant", *SIZING_COLUMNS), rows))


def _rounded(number: float) -> str:
    """Three digits, and no exponent: `0.457`, `46.9`, `1,230,000`."""
    three_digits = float(f"{number:.3g}")
    return f"{three_digits:,.0f}" if three_digits >= 100 else f"{three_digits:g}"


def reads_block(main: VariantCosts) -> str:
    """What every question reads in the design itself."""
    caption = f"What `{main.variant.name}` reads, and what it transfers:"
    return below(caption, markdown_table(READ_COLUMNS, map(read_row, main.measurements)))


def refused_block(variants: Iterable[VariantCosts]) -> str:
    """The questions that variants cannot answer, an item for each reason."""
    lines = [refusal.line("`") for refusal in refusals(variants)]
    return below("Refused, and why:", markdown_list(lines)) if lines else "No variant refuses a question."
