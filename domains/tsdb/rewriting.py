"""What compaction and deletion share: they put one cell in place of others while others write the same rows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .qualifiers import column_of

if TYPE_CHECKING:
    import happybase

QUIET_MS = 600_000
"""Rows with a younger cell are left alone. More than the clocks of two writers may differ by and a put may be under way
together: a client repeats it for a minute unless told otherwise, and a region that moves delays it."""
BATCH_MS = 120_000
"""A batch of rows that takes longer, from the reading of the clock on, is begun again; see `registry.py`."""
MAX_QUALIFIER_BYTES = 65_536
"""Rows that need a longer qualifier are left alone: region servers hang on those of 128 KB (OpenTSDB#490)."""
ROWS_AT_ONCE = 100
ATTEMPTS = 20
"""How often a batch of rows is begun again at most."""


class TooManyAttempts(Exception):
    """A batch of rows took too long, or other deletions changed it, each time it was begun. Later ones are as before.

    After this error the same call again is safe.
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
