"""A question run on a table: scans, pages and their cursors, server-side filters.

May import `keys` and `tables`.
"""

from .pages import Page, page
from .scanning import BATCH_ROWS, MAX_LIMIT, scan
from .server_filters import ServerFilter, equal

__all__ = [
    "BATCH_ROWS",
    "MAX_LIMIT",
    "Page",
    "ServerFilter",
    "equal",
    "page",
    "scan",
]
