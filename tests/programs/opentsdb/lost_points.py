"""How often an overwritten point is lost while its hour is compacted: by OpenTSDB, and by us. Takes a minute.

Each trial is a row of an hour that is over, with a point that is overwritten after the row was read for its compaction.
OpenTSDB compacts the rows that a question reads: it puts the compacted cell, and later deletes its sources without a
timestamp, so it also deletes a point that was stored in between under the same qualifier. We delete what is not newer
than what we read, so the point stays.

Run it: `python -m tests.programs.opentsdb.lost_points [--seconds 30]`.
"""

import random
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing

import attrs
import happybase
import typer

from domains.tsdb import Point, TsdbRepository
from domains.tsdb.keys import TABLES
from domains.tsdb.rewriting import QUIET_MS
from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import WriterClock, server_clock
from tests.programs.hbase.java import FOR_MINUTES, NotStarted
from tests.programs.hbase.server import HBase
from tests.programs.hbase.server import running as running_hbase
from tests.programs.opentsdb.server import running

T = parse_time("2013-01-01T00:00")
HOUR_MS = 3_600_000
ROWS, POINTS = 100, 30
"""Rows of a round, and points of a row."""
SETTLED_S = 4.0
"""How long after its put OpenTSDB may still delete."""
SPREAD_S = 2.0
"""Over how long the overwrites of a round are spread, from the start of its compaction."""
OLD, NEW = 1, 2
COMPACTING = {
    "tsd.storage.enable_compaction": "true",
    "tsd.storage.compaction.min_flush_threshold": 1,
    "tsd.storage.compaction.flush_interval": 1,
}


@attrs.define
class Count:
    """Overwritten points, and those of them that are gone or old after the compaction."""

    overwritten: int = 0
    lost: int = 0


def one_round(connection: happybase.Connection, hbase: HBase, metric: str, compact: Callable[[str], object]) -> Count:
    """Stores rows, overwrites a point of each while `compact` works on them, and counts those that are not there."""
    repository, dice = TsdbRepository(connection), random.Random(metric)
    hosts = [f"h{number}" for number in range(ROWS)]
    repository.store_all(Point(metric, T + 1000 * at, OLD, {"host": host}) for host in hosts for at in range(POINTS))
    chosen = {host: T + 1000 * dice.randrange(POINTS) for host in hosts}

    def overwrite() -> None:
        with closing(connect(hbase.url)) as own:
            writer = TsdbRepository(own)
            for host, time_ms in chosen.items():
                time.sleep(dice.random() * 2 * SPREAD_S / ROWS)
                writer.store(Point(metric, time_ms, NEW, {"host": host}))

    writing = threading.Thread(target=overwrite)
    writing.start()
    compact(metric)
    writing.join()
    time.sleep(SETTLED_S)
    stored = {
        (series.tags["host"], time_ms): value
        for series in repository.read(metric)
        for time_ms, value in series.values.points()
    }
    return Count(ROWS, sum(stored.get((host, time_ms)) != NEW for host, time_ms in chosen.items()))


class LaterClock(WriterClock):
    """A clock for which all cells are old enough to be compacted."""

    def read_ms(self) -> int:
        return super().read_ms() + 2 * QUIET_MS


def main(seconds: float = 30) -> None:
    """Overwritten points that a compaction loses: OpenTSDB's, and ours, in rounds that take so long together."""
    try:
        for who, count in counted(seconds).items():
            print(f"{who} lost {count.lost} of {count.overwritten} overwritten points")
    except NotStarted as error:
        sys.exit(str(error))


def counted(for_s: float) -> dict[str, Count]:
    """Rounds of both in turns, until the time is over."""
    counts = {"OpenTSDB": Count(), "we": Count()}
    with running_hbase(region_servers=1, java_options=FOR_MINUTES) as hbase, closing(connect(hbase.url)) as connection:
        create_tables(connection, TABLES)
        server_clock.MAX_SKEW_MS = 3 * QUIET_MS
        with running(hbase.ports.zookeeper, COMPACTING) as opentsdb:
            ours = TsdbRepository(connection, clock=LaterClock())
            compacting: dict[str, Callable[[str], object]] = {
                "OpenTSDB": lambda metric: opentsdb.query(f"none:{metric}", T, T + HOUR_MS),
                "we": lambda metric: _repeatedly(lambda: ours.compact(metric)),
            }
            end_s = time.monotonic() + for_s
            number = 0
            while not number or time.monotonic() < end_s:
                for who, compact in compacting.items():
                    count = one_round(connection, hbase, f"{who}.{number}", compact)
                    counts[who].overwritten += count.overwritten
                    counts[who].lost += count.lost
                number += 1
    return counts


def _repeatedly(compact: Callable[[], object]) -> None:
    """Compacts again and again while points are overwritten: once takes milliseconds."""
    end_s = time.monotonic() + SPREAD_S
    while time.monotonic() < end_s:
        compact()


if __name__ == "__main__":
    typer.run(main)
