"""What a design declares, once: a source with its lists, or a table alone.

To read: `source.py` declares a record and the row that decides it, `lists.py` an index of it, which is called a list.
On a connection, `bound_source.py` is a source and `asked_table.py` a table with its questions. `table.py` is a table
alone.

May import `keys`, `records`, `tables`, `queries`, `writes`, `upkeep` and `intents`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bound_source import DELETED as DELETED
    from .bound_source import BoundSource as BoundSource
    from .bound_source import Deleted as Deleted
    from .source import Source as Source
    from .table import Table as Table
    from .table import WritableTable as WritableTable
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        bound_source="DELETED BoundSource Deleted",
        source="Source",
        table="Table WritableTable",
    )
