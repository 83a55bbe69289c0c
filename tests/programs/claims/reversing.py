"""The latest events of a host: read forwards if times are descending, backwards if they are ascending."""

from statistics import median
from typing import Any

from domains.logs import LogEvent, LogRepository
from domains.logs.keys import TABLES
from domains.logs.variants import oldest_first
from shared.tables import create_tables, drop_tables
from tests.programs.hbase.server import HBase
from tests.programs.hbase.table_files import write_files
from tests.programs.hbase.timing import milliseconds

EVENTS = 200_000
HOST, KIND = "web-1", "GET"
LIMITS = (10, 1_000, 10_000)
ROUNDS = 61
DIRECTIONS = {"forwards": TABLES, "backwards": oldest_first.TABLES}


def reversed_reads(connection: Any, _hbase: HBase) -> dict[str, object]:
    """Median milliseconds of a page of the latest events, in each direction, in turns; in memory, and in a file."""
    for tables in DIRECTIONS.values():
        create_tables(connection, tables)
        with connection.table(tables.logs.name).batch(batch_size=2_000) as batch:
            for time_ms in range(EVENTS):
                event = LogEvent(HOST, KIND, time_ms, "INFO", f"/items/{time_ms}")
                batch.put(tables.logs.row(event), tables.logs.cells.pack(event))
    repositories = {name: LogRepository(connection, tables) for name, tables in DIRECTIONS.items()}
    found: list[dict[str, object]] = []
    for place in ("memory", "a file"):
        if place == "a file":
            for tables in DIRECTIONS.values():
                write_files(connection, tables.logs.name)
        for limit in LIMITS:
            taken: dict[str, list[float]] = {name: [] for name in repositories}
            for _ in range(ROUNDS):
                for name, repository in repositories.items():
                    query = repository.latest(HOST, KIND)
                    taken[name].append(milliseconds(lambda query=query, limit=limit: query.page(limit=limit)))
            medians = {name: round(median(times), 2) for name, times in taken.items()}
            found.append({"in": place, "limit": limit} | medians)
    for tables in DIRECTIONS.values():
        drop_tables(connection, tables)
    return {"events": EVENTS, "rounds": ROUNDS, "pages": found}
