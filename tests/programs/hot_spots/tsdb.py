"""`make hot-spots`: which of 16 regions take the writes of one busy metric, written into the README of `tsdb`.

The table without a salt is cut at the sixteenths of the rows of a day, as HBase would have cut it by then; that with a
salt at its buckets. Then all series are stored for some minutes of the next hour; the region servers say how many
writes each region took. That has to be what the keys and the split points give, and so a test compares the README with
that on machines without an HBase.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from typing import Any

from domains.tsdb import Point, TsdbRepository
from domains.tsdb.codecs import SeriesSalt
from domains.tsdb.keys import TABLES, UIDS, data_table
from domains.tsdb.qualifiers import HOUR_MS
from domains.tsdb.records import SeriesPoint
from domains.tsdb.uids import Uids
from shared.designs.pages.markdown import markdown_table
from shared.records import parse_time
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

BLOCK = MeasuredBlock("tsdb", "regions")
REGIONS, SERIES, MINUTES = 16, 400, 15
T = parse_time("2013-01-01T00:00")
HOURS_BEFORE = 24


def points_at(time_ms: int) -> list[Point]:
    """A point of each series of the metric."""
    return [Point("requests", time_ms, number, {"host": f"web-{number}"}) for number in range(SERIES)]


def minutes() -> Iterator[list[Point]]:
    """The points that are stored, minute after minute."""
    for minute in range(MINUTES):
        yield points_at(T + HOURS_BEFORE * HOUR_MS + minute * 60_000)


def tables() -> dict[str, TableLayout[Any, Any]]:
    """The table of each variant, cut into 16 regions."""
    unsalted = data_table()
    before = (row for hour in range(HOURS_BEFORE) for row in _rows(unsalted, points_at(T + hour * HOUR_MS)))
    salted = data_table("tsdb-salted", salt=SeriesSalt(buckets=REGIONS))
    return {
        "tsdb": cut(unsalted, REGIONS, before, "sixteenths"),
        "salted": cut(salted, REGIONS, (), "sixteenths"),
    }


@cache
def _uids() -> list[tuple[bytes, bytes]]:
    """The UIDs of the metric and of the tags of each series, in a store whose first series are these."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, [UIDS])
        uids = Uids(connection)
        return [uids.assign(point.metric, dict(point.tags)) for point in points_at(T)]


def _rows(table: TableLayout[Any, Any], points: Sequence[Point]) -> list[bytes]:
    """The row of a point of each series."""
    return [
        table.row(SeriesPoint(metric, point.time_ms, tags, point.value))
        for point, (metric, tags) in zip(points, _uids(), strict=True)
    ]


@cache
def predicted_spreads() -> list[Spread]:
    """What the keys and the split points give."""
    return [
        Spread.of(name, table, by_region(table, [row for points in minutes() for row in _rows(table, points)]))
        for name, table in tables().items()
    ]


def measured_spreads(named: NamedHBase) -> list[Spread]:
    """The writes that the region servers count, in tables that are dropped afterwards; raises NotCounted."""
    spreads: list[Spread] = []
    for name, table in tables().items():
        own = TABLES._replace(points=table)
        with measured_tables(named, own) as (connection, info_url):
            repository = TsdbRepository(connection, own)
            for points in minutes():
                repository.store_all(points)
            written = rows_written(connection, info_url, {table.name: SERIES * MINUTES})
        spreads.append(Spread.of(name, table, written[table.name]))
    return spreads


def block(spreads: Sequence[Spread], hbase: str) -> str:
    """The figures as the README shows them."""
    columns = ("variant", "split at", f"{SERIES * MINUTES:,} writes by region", "largest")
    rows = [(spread.variant, spread.cut, *shown(spread.regions)) for spread in spreads]
    what = (
        f"{MINUTES} minutes of one metric of {SERIES} series, in {REGIONS} regions: in as many buckets, or cut at the "
        f"{SERIES * HOURS_BEFORE:,} rows of the day before."
    )
    return f"{markdown_table(columns, rows)}\n\n{what}\n{caption(hbase)}\n"
