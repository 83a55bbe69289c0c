"""`make hot-spots`: the regions that take the writes of a busy day on a real HBase, for the reference of `counters`.

Every table of the variants has eight regions, cut by what the days before wrote. The logins of the last day are stored.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import happybase

from domains.counters.design import DESIGN
from domains.counters.records import DAY_MS
from shared.designs import Variant
from shared.designs.pages.markdown import markdown_table
from tests.programs.hot_spots.measured_blocks import Load, MeasuredBlock, Spread, shown


def loads() -> Iterator[Load]:
    """Each variant is a load, which counts the tables with logins that no variant before it has."""
    logins = list(DESIGN.loads[0].sample_records())
    border_ms = max(login.time_ms for login in logins) // DAY_MS * DAY_MS
    before, last = ([login for login in logins if (login.time_ms >= border_ms) is late] for late in (False, True))
    seen = {table.name for variant in DESIGN.variants for table in variant.unfilled}
    for variant in DESIGN.variants:
        new = {table.name: variant.name for table in variant.tables if table.name not in seen}
        stages = [[partial(store, variant, some)] for some in (before, last)]
        yield Load(variant.tables, new, *stages, 8, "eighths")
        seen |= new.keys()


def store(variant: Variant, logins: Sequence[Any], connection: happybase.Connection) -> None:
    repository = variant.open(connection)
    for login in logins:
        repository.store(login)


def table(spreads: Sequence[Spread]) -> str:
    """A row for each table; the first of a variant names it."""
    columns = ("variant", "table", "split at", f"{sum(spreads[0].regions)} writes by region", "largest")
    before = ["", *(spread.variant for spread in spreads)]
    rows = [
        ("" if spread.variant == variant else spread.variant, spread.table, spread.cut, *shown(spread.regions))
        for spread, variant in zip(spreads, before, strict=False)
    ]
    return markdown_table(columns, rows) + "\n"


BLOCK = MeasuredBlock("counters", "regions", loads, table)
