"""Shared by compaction, deletion and correction: they put cells in place of others while others write the same rows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from Hbase_thrift import TAppend

from ..storage.qualifiers import APPENDED, column_of

if TYPE_CHECKING:
    import happybase

QUIET_MS = 600_000
"""Rows with a younger cell are left alone. This is more than the difference of two writers' clocks plus the time that a
put may be under way: a client repeats it for a minute by default, and a region that moves delays it."""
BATCH_MS = 120_000
"""A batch of rows that takes longer, counted from the reading of the clock, starts again; see `registry.py`."""
MAX_QUALIFIER_BYTES = 65_536
"""Rows that need a longer qualifier are left alone: region servers hang on those of 128 KB (OpenTSDB#490)."""
ROWS_AT_ONCE = 100
ATTEMPTS = 20
"""How often a batch of rows is started at most."""


class TooManyAttempts(Exception):
    """A batch of rows took too long, or other deletions changed it, each time it started. Later batches are unchanged.

    After this error it is safe to repeat the call.
    """


def rows_that_show(rows: "happybase.Table", cells: Mapping[bytes, tuple[bytes, bytes]]) -> list[bytes]:
    """The rows in which a cell, given by qualifier and value, is visible with this value."""
    by_qualifier: dict[bytes, list[bytes]] = {}
    for row, (qualifier, _) in cells.items():
        by_qualifier.setdefault(qualifier, []).append(row)
    shown: list[bytes] = []
    for qualifier, wanted in by_qualifier.items():  # the same one for all series that are measured at the same times
        column = column_of(qualifier)
        shown += [row for row, stored in rows.rows(wanted, columns=[column]) if stored[column] == cells[row][1]]
    return shown


def append_points(rows: "happybase.Table", row: bytes, points: bytes) -> None:
    """Appends points to the row's cell of appended points. Costs: one call, which replies with all of the cell."""
    rows.connection.client.append(TAppend(rows.name, row, [column_of(APPENDED)], [points]))  # happybase cannot do it
