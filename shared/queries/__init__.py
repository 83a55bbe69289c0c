"""A question run on a table: queries, their pages and cursors, server-side filters, versions.

May import `keys` and `tables`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .cell_arrays import CellArrays as CellArrays
    from .cell_arrays import scan_cells as scan_cells
    from .dependent_query import DependentQuery as DependentQuery
    from .explanations import Explanation as Explanation
    from .pages import Page as Page
    from .query import Query as Query
    from .scanning import BATCH_ROWS as BATCH_ROWS
    from .scanning import MAX_LIMIT as MAX_LIMIT
    from .scanning import in_batches as in_batches
    from .scanning import scan as scan
    from .scanning import scan_in_batches as scan_in_batches
    from .server_filters import KEYS_ONLY as KEYS_ONLY
    from .server_filters import ServerFilter as ServerFilter
    from .server_filters import equal as equal
    from .versions import Version as Version
    from .versions import Versions as Versions
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        cell_arrays="CellArrays scan_cells",
        dependent_query="DependentQuery",
        explanations="Explanation",
        pages="Page",
        query="Query",
        scanning="BATCH_ROWS MAX_LIMIT in_batches scan scan_in_batches",
        server_filters="KEYS_ONLY ServerFilter equal",
        versions="Version Versions",
    )
