"""The latest events of a host: read forwards if times are descending, backwards if they are ascending."""

from functools import partial
from statistics import median
from typing import Any

from domains.logs import LogEvent, LogRepository
from domains.logs.keys import LOGS
from domains.logs.shown.variants import oldest_first
from shared.tables import create_tables, drop_tables
from tests.programs.hbase.recording import times_in_turns
from tests.programs.hbase.server import HBase
from tests.programs.hbase.table_files import write_files

EVENTS = 200_000
HOST, KIND = "web-1", "GET"
LIMITS = (10, 1_000, 10_000)
ROUNDS = 61
DIRECTIONS = {"forwards": LOGS, "backwards": oldest_first.TABLE}


def reversed_reads(connection: Any, _hbase: HBase) -> dict[str, object]:
    """Median milliseconds of a page of the latest events, in each direction, in turns; in memory, and in a file."""
    for logs in DIRECTIONS.values():
        create_tables(connection, logs.tables)
        with connection.table(logs.layout.name).batch(batch_size=2_000) as batch:
            for time_ms in range(EVENTS):
                event = LogEvent(HOST, KIND, time_ms, "INFO", f"/items/{time_ms}")
                batch.put(logs.layout.row(event), logs.layout.cells.pack(event))
    repositories = {name: LogRepository(connection, logs) for name, logs in DIRECTIONS.items()}
    found: list[dict[str, object]] = []
    for place in ("memory", "a file"):
        if place == "a file":
            for logs in DIRECTIONS.values():
                write_files(connection, logs.layout.name)
        for limit in LIMITS:
            pages = {name: partial(of.latest(HOST, KIND).page, limit=limit) for name, of in repositories.items()}
            medians = {name: round(median(times), 2) for name, times in times_in_turns(pages, ROUNDS).items()}
            found.append({"in": place, "limit": limit} | medians)
    for logs in DIRECTIONS.values():
        drop_tables(connection, logs.tables)
    return {"events": EVENTS, "rounds": ROUNDS, "pages": found}
