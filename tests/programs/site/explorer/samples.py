"""The rows of a design's samples, which the key explorer of the site sorts and counts."""

from typing import Any

from shared.designs import Design
from shared.exhibit.heat_tables import sample_records, stored
from shared.tables.layouts import physical_tables


def sample_rows(design: Design) -> dict[str, dict[str, list[str]]]:
    """By table, in hex: `writes`, the row of every write in order of time, and `stored`, the rows after them."""
    rows: dict[str, dict[str, list[str]]] = {}
    with stored(design.main, sample_records(design)) as (connection, _repository, cost):
        for table in physical_tables(design.main.record_tables):
            scanned: Any = connection.table(table.name).scan()
            found = [row.hex() for row, _cells in scanned]
            if found:
                writes = [row.hex() for row in cost.rows_written[table.name.encode()]]
                rows[table.name] = {"writes": writes, "stored": found}
    return rows
