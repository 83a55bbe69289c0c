"""`make hot-spots`: which regions take the writes of a busy day on a real HBase, written into the README of `counters`.

Every table of the variants has eight regions: cut at its buckets or shards, and otherwise where HBase would have cut it
by then, at the eighths of what the days before wrote. The logins of the last day are stored; the region servers say how
many writes each region took. That has to be what the keys and the split points give, and so a test compares the README
with that on machines without an HBase.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from typing import Any

import happybase

from domains.counters import Login
from domains.counters.design import DESIGN
from domains.counters.records import DAY_MS
from shared.designs import Variant
from shared.designs.pages.markdown import markdown_table
from shared.stores import connect
from shared.tables import TableLayout, create_tables
from tests.programs.hbase.named import NamedHBase
from tests.programs.hbase.write_counts import rows_written
from tests.programs.hot_spots.measured_blocks import (
    MeasuredBlock,
    Spread,
    by_region,
    caption,
    cut,
    measured_tables,
    shown,
)

BLOCK = MeasuredBlock("counters", "regions")
REGIONS = 8


def days() -> tuple[list[Login], list[Login]]:
    """The sample logins before the last day, and those of the last day."""
    logins: list[Login] = list(DESIGN.loads[0].sample_records())
    border_ms = max(login.time_ms for login in logins) // DAY_MS * DAY_MS
    return [login for login in logins if login.time_ms < border_ms], [
        login for login in logins if login.time_ms >= border_ms
    ]


class _Recorder:
    """A Thrift client that remembers the row of every write."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.rows: dict[str, list[bytes]] = {}

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)

        def recorded(*arguments: Any) -> Any:
            if name == "atomicIncrement":
                self.rows.setdefault(arguments[0].decode(), []).append(arguments[1])
            elif name == "mutateRowsTs":
                self.rows.setdefault(arguments[0].decode(), []).extend(batch.row for batch in arguments[1])
            return call(*arguments)

        return recorded


def _rows(variant: Variant, logins: Sequence[Login]) -> dict[str, list[bytes]]:
    """The row of every write that these logins make, by table."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        recorder = _Recorder(connection.client)
        connection.client = recorder
        _store(variant, connection, logins)
        return recorder.rows


def _store(variant: Variant, connection: happybase.Connection, logins: Sequence[Login]) -> None:
    repository = variant.open(connection)
    for login in logins:
        repository.store(login)


def _cut(variant: Variant) -> list[TableLayout[Any, Any]]:
    """The tables of a variant, each cut into eight regions; those that logins leave empty as they are."""
    before, _last = days()
    written = _rows(variant, before)
    return [
        table if table in variant.unfilled else cut(table, REGIONS, written.get(table.name, ()), "eighths")
        for table in variant.tables
    ]


def _new_tables() -> Iterator[tuple[Variant, list[TableLayout[Any, Any]], list[TableLayout[Any, Any]]]]:
    """Each variant with all its tables, and those with logins that no variant before it has."""
    seen = {table.name for variant in DESIGN.variants for table in variant.unfilled}
    for variant in DESIGN.variants:
        tables = _cut(variant)
        yield variant, tables, [table for table in tables if table.name not in seen]
        seen |= {table.name for table in tables}


@cache
def predicted_spreads() -> list[Spread]:
    """What the keys and the split points give."""
    _before, last = days()
    spreads: list[Spread] = []
    for variant, _tables, new in _new_tables():
        written = _rows(variant, last)
        spreads += [Spread.of(variant.name, table, by_region(table, written[table.name])) for table in new]
    return spreads


def measured_spreads(named: NamedHBase) -> list[Spread]:
    """The writes that the region servers count, in tables that are dropped afterwards; raises NotCounted."""
    _before, last = days()
    spreads: list[Spread] = []
    for variant, tables, new in _new_tables():
        with measured_tables(named, tables) as (connection, info_url):
            _store(variant, connection, last)
            written = rows_written(connection, info_url, {table.name: len(last) for table in new})
        spreads += [Spread.of(variant.name, table, written[table.name]) for table in new]
    return spreads


def block(spreads: Sequence[Spread], hbase: str) -> str:
    """The figures as the README shows them."""
    columns = ("variant", "table", "split at", f"{sum(spreads[0].regions)} writes by region", "largest")
    rows: list[tuple[str, ...]] = []
    before = ""
    for spread in spreads:
        name = "" if spread.variant == before else spread.variant
        rows.append((name, spread.table, spread.cut, *shown(spread.regions)))
        before = spread.variant
    return f"{markdown_table(columns, rows)}\n\n{caption(hbase)}\n"
