"""Blocks of the page of `counters` only: counts before and after their fold, and too many events for a call each."""

from contextlib import closing

from shared.designs import Design, Measurement, load_samples, measure, metered, scratch_store
from shared.exhibit import below, filled, markdown_table
from shared.exhibit.regions.sizing import MOST_CALLS
from shared.records import show_time
from shared.stores import connect
from shared.tables import create_tables

from ..records import Login
from .variants import increment

IMPRESSIONS = 500_000
"""Impressions a second of a large seller of ads."""


def own_blocks(design: Design) -> dict[str, str]:
    """The reads of a day's counts before and after its fold, and the cost of the fold; what many impressions cost."""
    connection = connect("embedded:")
    create_tables(connection, design.main.tables)
    repository = load_samples(connection, design, design.main)
    patterns = [pattern for pattern in design.patterns if "day_ms" in pattern.sample]
    before = measure(connection, repository, patterns)
    (day_ms,) = {pattern.sample["day_ms"] for pattern in patterns}
    with metered(connection) as cost:
        users = repository.fold(day_ms)
    after = measure(connection, repository, patterns)
    rows = [
        (pattern.question, *(str(figure) for costs in both for figure in _fetched(costs)))
        for pattern, *both in zip(patterns, before, after, strict=True)
    ]
    columns = ("question", *(f"{what}{when}" for when in ("", ", folded") for what in ("RPCs", "cells", "bytes")))
    caption = (
        f"What the sample questions fetch before and after {show_time(day_ms)} is folded. The fold itself takes "
        f"{cost.rpcs} RPCs for {users} users, and reads {cost.cells_fetched} cells."
    )
    return {"folding": below(caption, markdown_table(columns, rows)), "impressions": filled(_impressions_words())}


def _impressions_words() -> str:
    """What a call for each increment would need, and what to do instead."""
    with closing(scratch_store(increment.TABLES)) as connection, metered(connection) as cost:
        increment.Repository(connection).store(Login("ad-1", 0))
    return (
        f"**For {IMPRESSIONS:,} impressions a second** do not write each one: `increment` would make "
        f"{IMPRESSIONS * cost.rpcs:,} calls a second, and a region server takes about {MOST_CALLS:,} [single "
        "puts](../GLOSSARY.md#what-one-region-absorbs). Sum in each process first, by ad and day, and add the sums "
        "with `counter_inc` once a second: then each process writes a counter once a second. A crash loses one second."
    )


def _fetched(measurement: Measurement) -> tuple[int, int, int]:
    cost = measurement.cost
    return cost.rpcs, cost.cells_fetched, cost.bytes_fetched
