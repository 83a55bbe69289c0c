"""What a design declares, once: a source with its lists, or a table alone.

May import `keys`, `records`, `tables`, `queries`, `writes`, `upkeep` and `intents`.
"""

from .asked_table import AskedTable
from .bound_source import BoundSource
from .lists import ListOf
from .source import Source
from .table import Table, WritableTable

__all__ = ["AskedTable", "BoundSource", "ListOf", "Source", "Table", "WritableTable"]
