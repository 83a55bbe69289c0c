"""`make hot-spots`: where the writes of `logs` land on a real HBase, written into the README of the design.

Every variant of the design is a table of eight regions: cut where its layout says, and else where HBase would have cut
it by then, at the eighths of the rows before the last tenth of the load. The samples are stored in their order; after
each tenth the region servers say how many rows each region took. That has to be what the keys and the split points
give, and so a test compares the README with that on machines without an HBase.
"""

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from itertools import chain
from typing import Any

import attrs
import happybase

from domains.logs.design import DESIGN
from domains.logs.variants.random import Repository
from shared.designs import Variant
from shared.designs.pages.markdown import markdown_table
from shared.stores import connect
from shared.tables import TableLayout, create_tables
from tests.programs.hbase.named import NamedHBase
from tests.programs.hbase.write_counts import rows_written
from tests.programs.hot_spots.measured_blocks import MeasuredBlock, by_region, caption, cut, measured_tables, shown

BLOCK = MeasuredBlock("logs", "hot-spots")
TENTHS = 10
REGIONS = 8


@attrs.frozen
class Spread:
    """Where a variant's rows went: for each tenth of the load, how many rows each region took."""

    variant: Variant
    cut: str
    tenths: tuple[tuple[int, ...], ...]

    @property
    def whole(self) -> tuple[int, ...]:
        """Rows of each region in the whole load."""
        return tuple(map(sum, zip(*self.tenths, strict=True)))


def tenths() -> list[list[Any]]:
    """The sample events in the order in which they are stored."""
    events = list(DESIGN.loads[0].sample_records())
    size = len(events) // TENTHS
    return [events[size * number : size * (number + 1)] for number in range(TENTHS)]


def _with_fixed_draws(number: int, events: Sequence[Any]) -> Iterator[Any]:
    """The events of a tenth; a variant that draws random numbers for them draws the same each time."""
    random.seed(number)
    yield from events


@cache
def predicted_spreads() -> list[Spread]:
    """What the keys and the split points give."""
    return [_predicted(variant) for variant in DESIGN.variants]


def _predicted(variant: Variant) -> Spread:
    rows = _rows(variant)
    table = _cut(variant, rows)
    return Spread(variant, table.splits.reason, tuple(by_region(table, tenth) for tenth in rows))


def _rows(variant: Variant) -> list[list[bytes]]:
    """The row keys of each tenth."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        repository, (table,) = variant.open(connection), variant.tables
        stored = repository.bucketed if isinstance(repository, Repository) else None
        return [
            [table.row(stored(event) if stored else event) for event in _with_fixed_draws(number, events)]
            for number, events in enumerate(tenths())
        ]


def _cut(variant: Variant, rows: Sequence[Sequence[bytes]]) -> TableLayout[Any, Any]:
    """The table of a variant, cut into eight regions."""
    (table,) = variant.tables
    return cut(table, REGIONS, chain.from_iterable(rows[:-1]), "eighths")


def measured_spreads(named: NamedHBase) -> list[Spread]:
    """The writes that the region servers count while the samples are stored, in tables that are dropped afterwards.

    Raises NotCounted if the servers counted other writes than those, or do not offer their counters.
    """
    tables = {variant.name: _cut(variant, _rows(variant)) for variant in DESIGN.variants}
    with measured_tables(named, tables.values()) as (connection, info_url):
        counted = list(_counted(connection, info_url, tables))
    return [
        Spread(variant, tables[variant.name].splits.reason, tuple(counts[variant.name] for counts in counted))
        for variant in DESIGN.variants
    ]


def _counted(
    connection: happybase.Connection, info_url: str, tables: dict[str, TableLayout[Any, Any]]
) -> Iterator[dict[str, tuple[int, ...]]]:
    """For each tenth the rows that each region received, by variant."""
    repositories = {variant.name: variant.open(connection) for variant in DESIGN.variants}
    before = {name: [0] * REGIONS for name in tables}
    stored = 0
    for number, events in enumerate(tenths()):
        for repository in repositories.values():
            for event in _with_fixed_draws(number, events):
                DESIGN.loads[0].store_in(repository, event)
        stored += len(events)
        written = rows_written(connection, info_url, {table.name: stored for table in tables.values()})
        after = {name: written[table.name] for name, table in tables.items()}
        yield {name: tuple(now - then for now, then in zip(after[name], before[name], strict=True)) for name in tables}
        before = after


def columns(spread: Spread) -> tuple[str, ...]:
    """The columns of the table; those of percentages name the number of rows that is 100 %."""
    return (
        "variant",
        "split at",
        f"{sum(spread.whole):,} rows by region",
        "largest",
        f"last {sum(spread.tenths[-1])} rows by region",
        "largest",
        "busiest in each tenth",
    )


def block(spreads: Sequence[Spread], hbase: str) -> str:
    """The figures as the README shows them."""
    return f"{markdown_table(columns(spreads[0]), map(_row, spreads))}\n\n{caption(hbase)}\n"


def _row(spread: Spread) -> tuple[str, ...]:
    last = spread.tenths[-1]
    busiest = " ".join(str(tenth.index(max(tenth)) + 1) for tenth in spread.tenths)
    return (
        spread.variant.name,
        spread.cut,
        *shown(spread.whole),
        *shown(last),
        busiest,
    )
