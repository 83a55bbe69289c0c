"""A question run on a table: queries, their pages and cursors, server-side filters, versions.

`query.py` is a question, `pages.py` and `cursors.py` its pages; `scanning.py`, `record_reader.py` and `wide_rows.py`
read, `side_by_side.py` several ranges at once; `server_filters.py`, `sorted_pages.py`, `versions.py` and `past_rows.py`
each are one way to ask.

May import `keys` and `tables`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .dependent_query import DependentQuery as DependentQuery
    from .pages import Page as Page
    from .query import Query as Query
    from .scanning import scan as scan
    from .server_filters import KEYS_ONLY as KEYS_ONLY
    from .server_filters import ServerFilter as ServerFilter
    from .server_filters import equal as equal
    from .versions import Versions as Versions
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        dependent_query="DependentQuery",
        pages="Page",
        query="Query",
        scanning="scan",
        server_filters="KEYS_ONLY ServerFilter equal",
        versions="Versions",
    )
