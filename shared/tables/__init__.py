"""A record as a row key and cells, and back: cells, table layouts, creating tables, HBase-shell statements.

May import `keys`, `records`, happybase and msgpack.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bound_table import BoundTable as BoundTable
    from .cells import Cells as Cells
    from .cells import Column as Column
    from .conditional_puts import put_if as put_if
    from .creation import KeepsNoTombstones as KeepsNoTombstones
    from .creation import NeedsThrift2 as NeedsThrift2
    from .creation import create_tables as create_tables
    from .creation import drop_tables as drop_tables
    from .errors import InvalidRecord as InvalidRecord
    from .errors import InvalidRow as InvalidRow
    from .errors import UnknownValue as UnknownValue
    from .item_cells import ItemCells as ItemCells
    from .layouts import Family as Family
    from .layouts import PhysicalTable as PhysicalTable
    from .layouts import TableLayout as TableLayout
    from .layouts import physical_tables as physical_tables
    from .other_columns import OtherColumns as OtherColumns
    from .packing import BIG_INT as BIG_INT
    from .packing import COUNTER as COUNTER
    from .packing import MSGPACK as MSGPACK
    from .packing import RAW as RAW
    from .packing import TEXT as TEXT
    from .packing import TEXTS as TEXTS
    from .packing import Packing as Packing
    from .record_cells import RecordCells as RecordCells
    from .recorded_layouts import LayoutMismatch as LayoutMismatch
    from .recorded_layouts import TableMismatch as TableMismatch
    from .recorded_layouts import UnfilledList as UnfilledList
    from .recorded_layouts import UnrecordedLayout as UnrecordedLayout
    from .recorded_layouts import check_layouts as check_layouts
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        bound_table="BoundTable",
        cells="Cells Column",
        creation="KeepsNoTombstones NeedsThrift2 create_tables drop_tables",
        errors="InvalidRecord InvalidRow UnknownValue",
        item_cells="ItemCells",
        layouts="Family PhysicalTable TableLayout physical_tables",
        other_columns="OtherColumns",
        packing="BIG_INT COUNTER MSGPACK RAW TEXT TEXTS Packing",
        conditional_puts="put_if",
        record_cells="RecordCells",
        recorded_layouts="LayoutMismatch TableMismatch UnfilledList UnrecordedLayout check_layouts",
    )
