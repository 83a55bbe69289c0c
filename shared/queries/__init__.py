"""A question run on a table: queries, their pages and cursors, server-side filters, versions.

May import `keys` and `tables`.
"""

from ..keys.cell_arrays import CellArrays
from .dependent_query import DependentQuery
from .explanations import Explanation
from .pages import Page
from .query import Query
from .scanning import BATCH_ROWS, MAX_LIMIT, in_batches, scan, scan_cells, scan_in_batches
from .server_filters import KEYS_ONLY, ServerFilter, equal
from .versions import Version, Versions

__all__ = [
    "BATCH_ROWS",
    "KEYS_ONLY",
    "MAX_LIMIT",
    "CellArrays",
    "DependentQuery",
    "Explanation",
    "Page",
    "Query",
    "ServerFilter",
    "Version",
    "Versions",
    "equal",
    "in_batches",
    "scan",
    "scan_cells",
    "scan_in_batches",
]
