"""Where rows land on a real HBase: written as they are into tables that are split ahead, and counted by region servers.

What a row holds is one empty cell: its key alone decides which region takes it.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import pairwise

import happybase
from Hbase_thrift import BatchMutation, Mutation

from shared.exhibit.heat import Heat, Writes
from shared.stores import connect
from tests.programs.hbase.named import INFO_VARIABLE, NamedHBase
from tests.programs.hbase.write_counts import NotCounted, rows_written

BATCH = 2_000
"""Rows that are sent in one call."""
CELL = [Mutation(column=b"f:", value=b"")]


def counted_heats(named: NamedHBase, writes: Mapping[str, Writes]) -> dict[str, Heat]:
    """The heat of each table as the region servers count it; raises NotCounted.

    Each table is split where its older writes cut it. These are written first, then those of each moment, and after
    each the counters are read. The tables are dropped afterwards.
    """
    if named.info_url is None:
        raise NotCounted(f"{INFO_VARIABLE}: must be http://HOST:PORT of the master's page (got nothing)")
    stages = {name: [table.older, *table.moments] for name, table in writes.items()}
    totals: dict[str, list[list[int]]] = {name: [] for name in writes}
    wanted = dict.fromkeys(writes, 0)
    with closing(connect(named.store_url(f"hotspots{secrets.token_hex(4)}"))) as connection:
        try:
            with connection.beyond_thrift1() as gateway:
                for name, table in writes.items():
                    gateway.create_split_table(name, {"f": {}}, table.points)
            for stage in zip(*stages.values(), strict=True):
                for name, rows in zip(writes, stage, strict=True):
                    _write(connection, name, rows)
                    wanted[name] += len(rows)
                for name, counts in rows_written(connection, named.info_url, wanted).items():
                    totals[name].append(counts)
        finally:
            for name in connection.tables():
                connection.delete_table(name, disable=True)
    return {name: Heat(table.heat.cut, _differences(totals[name])) for name, table in writes.items()}


def _write(connection: happybase.Connection, name: str, rows: Sequence[bytes]) -> None:
    table = connection.table(name).name
    for start in range(0, len(rows), BATCH):
        batch = [BatchMutation(row=row, mutations=CELL) for row in rows[start : start + BATCH]]
        connection.client.mutateRows(table, batch, {})


def _differences(totals: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """What each region counted between two totals."""
    return tuple(tuple(now - then for now, then in zip(*both[::-1], strict=True)) for both in pairwise(totals))
