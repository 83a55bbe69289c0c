"""Blocks of the page of `counters` only: the costs of counts before and after their fold."""

from shared.designs import Design, Measurement, load_samples, measure, metered
from shared.exhibit import below, markdown_table
from shared.records import show_time
from shared.stores import connect
from shared.tables import create_tables


def own_blocks(design: Design) -> dict[str, str]:
    """The reads of a day's counts before and after its fold, and the cost of the fold."""
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
    return {"folding": below(caption, markdown_table(columns, rows))}


def _fetched(measurement: Measurement) -> tuple[int, int, int]:
    cost = measurement.cost
    return cost.rpcs, cost.cells_fetched, cost.bytes_fetched
