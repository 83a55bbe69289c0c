"""A record as a row key and cells, and back: cells, table layouts, creating tables, HBase-shell statements.

May import `keys`, `records`, happybase and msgpack.
"""

from .bound_table import BoundTable
from .cells import Cells, Column
from .creation import KeepsNoTombstones, NeedsThrift2, create_tables, drop_tables
from .errors import InvalidRecord, InvalidRow, UnknownValue
from .item_cells import ItemCells
from .layouts import Family, PhysicalTable, TableLayout, physical_tables
from .other_columns import OtherColumns
from .packing import BIG_INT, COUNTER, MSGPACK, RAW, TEXT, TEXTS, Packing
from .put_if import put_if
from .record_cells import RecordCells
from .recorded_layouts import LayoutMismatch, TableMismatch, UnfilledList, UnrecordedLayout, check_layouts

__all__ = [
    "BIG_INT",
    "COUNTER",
    "MSGPACK",
    "RAW",
    "TEXT",
    "TEXTS",
    "BoundTable",
    "Cells",
    "Column",
    "Family",
    "InvalidRecord",
    "InvalidRow",
    "ItemCells",
    "KeepsNoTombstones",
    "LayoutMismatch",
    "NeedsThrift2",
    "OtherColumns",
    "Packing",
    "PhysicalTable",
    "RecordCells",
    "TableLayout",
    "TableMismatch",
    "UnfilledList",
    "UnknownValue",
    "UnrecordedLayout",
    "check_layouts",
    "create_tables",
    "drop_tables",
    "physical_tables",
    "put_if",
]
