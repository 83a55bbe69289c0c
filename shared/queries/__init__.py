"""A question run on a table: scans, pages and cursors, filters on the server.

May import `keys` and `tables`.
"""

from .pages import READ_AT_MOST, Page, page
from .scanning import BATCH_ROWS, MAX_LIMIT, scan
from .server_filters import ServerFilter, equal

__all__ = [
    "BATCH_ROWS",
    "MAX_LIMIT",
    "READ_AT_MOST",
    "Page",
    "ServerFilter",
    "equal",
    "page",
    "scan",
]
