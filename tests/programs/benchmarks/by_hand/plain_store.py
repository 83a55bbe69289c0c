"""Rows in a plain table of SQLite: what the embedded store would cost without HBase's rules and without Thrift.

One value for each row and column, sorted by both; no versions, no timestamps, no tombstones, no filters.
"""

import sqlite3
from collections.abc import Iterable, Iterator

Cells = dict[bytes, bytes]

CREATE = "CREATE TABLE cell (row BLOB, name BLOB, value BLOB, PRIMARY KEY (row, name)) WITHOUT ROWID"
PUT = "REPLACE INTO cell VALUES (?, ?, ?)"
GET = "SELECT name, value FROM cell WHERE row = ?"
SCAN = "SELECT row, name, value FROM cell WHERE row >= ? AND row < ? ORDER BY row, name"


class PlainStore:
    """A table in memory."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self._database.execute(CREATE)

    def put_batch(self, rows: Iterable[tuple[bytes, Cells]]) -> None:
        """Stores all rows in one transaction."""
        self._database.execute("BEGIN")
        self._database.executemany(PUT, ((row, *cell) for row, cells in rows for cell in cells.items()))
        self._database.execute("COMMIT")

    def get(self, row: bytes) -> Cells:
        return dict(self._database.execute(GET, (row,)))

    def scan(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, Cells]]:
        """The rows from `start` up to, but not including, `stop`."""
        present, cells = b"", Cells()
        for row, name, value in self._database.execute(SCAN, (start, stop)):
            if row == present:
                cells[name] = value
            else:
                if cells:
                    yield present, cells
                present, cells = row, {name: value}
        if cells:
            yield present, cells
