"""`make hot-spots`: which of 16 regions take the writes of one busy metric, written into the reference of `tsdb`.

The table without a salt is cut at the sixteenths of the rows of a day; that with a salt at its buckets. Then all series
are stored for some minutes of the next hour.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import happybase

from domains.tsdb import Point, TsdbRepository
from domains.tsdb.codecs import SeriesSalt
from domains.tsdb.keys import TABLES, SeriesTables, data_table
from domains.tsdb.qualifiers import HOUR_MS
from shared.designs.pages.markdown import markdown_table
from shared.records import parse_time
from tests.programs.hot_spots.measured_blocks import Load, MeasuredBlock, Spread, shown

REGIONS, SERIES, MINUTES = 16, 400, 15
T = parse_time("2013-01-01T00:00")
HOURS_BEFORE = 24
SALTED = data_table("tsdb-salted", salt=SeriesSalt(buckets=REGIONS))


def loads() -> Iterator[Load]:
    before = [partial(store, [TABLES], [T + hour * HOUR_MS for hour in range(HOURS_BEFORE)])]
    times_ms = [T + HOURS_BEFORE * HOUR_MS + minute * 60_000 for minute in range(MINUTES)]
    minutes = [partial(store, [TABLES, TABLES._replace(points=SALTED)], times_ms)]
    yield Load((*TABLES, SALTED), {"tsdb": "tsdb", SALTED.name: "salted"}, before, minutes, REGIONS, "sixteenths")


def store(stores: Sequence[SeriesTables], times_ms: Sequence[int], connection: happybase.Connection) -> None:
    """Stores a point of each series of the metric at each of these times, in each of these tables."""
    for tables in stores:
        repository = TsdbRepository(connection, tables)
        for time_ms in times_ms:
            repository.store_all(
                Point("requests", time_ms, number, {"host": f"web-{number}"}) for number in range(SERIES)
            )


def table(spreads: Sequence[Spread]) -> str:
    columns = ("variant", "split at", f"{SERIES * MINUTES:,} writes by region", "largest")
    rows = [(spread.variant, spread.cut, *shown(spread.regions)) for spread in spreads]
    load = (
        f"{MINUTES} minutes of one metric of {SERIES} series, in {REGIONS} regions: in as many buckets, or cut at the "
        f"{SERIES * HOURS_BEFORE:,} rows of the day before."
    )
    return f"{markdown_table(columns, rows)}\n\n{load}"


BLOCK = MeasuredBlock("tsdb", "regions", loads, table)
