"""A record as a row key and cells, and back: cells, table layouts, creating tables, HBase-shell statements.

May import `keys`, `records`, happybase and msgpack.
"""

from .cells import CellLayout, Column
from .creation import NeedsThrift2, TableMismatch, create_tables, drop_tables
from .errors import InvalidRecord, InvalidRow
from .layouts import Family, TableLayout
from .packing import BIG_INT, Packing

__all__ = [
    "BIG_INT",
    "CellLayout",
    "Column",
    "Family",
    "InvalidRecord",
    "InvalidRow",
    "NeedsThrift2",
    "Packing",
    "TableLayout",
    "TableMismatch",
    "create_tables",
    "drop_tables",
]
