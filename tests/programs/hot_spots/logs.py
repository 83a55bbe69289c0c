"""`make hot-spots`: where the writes of `logs` land on a real HBase, written into the reference of the design.

Every variant of the design is a table of eight regions. The samples are stored in their order; after each tenth the
region servers say how many rows each region took.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

import happybase

from domains.logs.design import DESIGN
from domains.logs.variants.random import Repository
from shared.designs.pages.markdown import markdown_table
from tests.programs.hot_spots.measured_blocks import Load, MeasuredBlock, Spread, shown

TENTHS = 10


def loads() -> Iterator[Load]:
    events = list(DESIGN.loads[0].sample_records())
    size = len(events) // TENTHS
    tenths = [partial(store, number, events[size * number : size * (number + 1)]) for number in range(TENTHS)]
    variants = {variant.tables[0].name: variant.name for variant in DESIGN.variants}
    tables = tuple(variant.tables[0] for variant in DESIGN.variants)
    yield Load(tables, variants, tenths[:-1], tenths, 8, "eighths")


def store(number: int, events: Sequence[Any], connection: happybase.Connection) -> None:
    """Stores a tenth by every variant; one that draws random numbers draws the same each time."""
    for variant in DESIGN.variants:
        is_random = variant.open is Repository
        repository = Repository(connection, chance=Random(number)) if is_random else variant.open(connection)
        for event in events:
            DESIGN.loads[0].store_in(repository, event)


def table(spreads: Sequence[Spread]) -> str:
    """The columns of percentages follow those that name the number of rows that is 100 %."""
    whole, last = sum(spreads[0].regions), sum(spreads[0].stages[-1])
    regions = f"{whole:,} rows by region", "largest", f"last {last} rows by region", "largest"
    rows = [
        (spread.variant, spread.cut, *shown(spread.regions), *shown(spread.stages[-1]), busiest(spread))
        for spread in spreads
    ]
    return markdown_table(("variant", "split at", *regions, "busiest in each tenth"), rows) + "\n"


def busiest(spread: Spread) -> str:
    """The number of the busiest region in each tenth."""
    return " ".join(str(tenth.index(max(tenth)) + 1) for tenth in spread.stages)


BLOCK = MeasuredBlock("logs", "hot-spots", loads, table)
