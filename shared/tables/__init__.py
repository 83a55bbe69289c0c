"""A record as a row key and cells, and back; tables created as they are declared.

`cells.py` and `record_cells.py` pack records, `layouts.py` is a table, `bound_table.py` a table on a connection;
`creation.py` and `ddl.py` make tables, `recorded_layouts.py` compares a declaration with what made the stored rows;
`conditional_puts.py` is the call `checkAndPut`.

May import `keys`, `records`, happybase and msgpack.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bound_table import BoundTable as BoundTable
    from .cells import Column as Column
    from .conditional_puts import put_if as put_if
    from .creation import create_tables as create_tables
    from .creation import drop_tables as drop_tables
    from .errors import InvalidRecord as InvalidRecord
    from .errors import InvalidRow as InvalidRow
    from .item_cells import ItemCells as ItemCells
    from .layouts import Family as Family
    from .layouts import TableLayout as TableLayout
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
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        bound_table="BoundTable",
        cells="Column",
        conditional_puts="put_if",
        creation="create_tables drop_tables",
        errors="InvalidRecord InvalidRow",
        item_cells="ItemCells",
        layouts="Family TableLayout",
        other_columns="OtherColumns",
        packing="BIG_INT COUNTER MSGPACK RAW TEXT TEXTS Packing",
        record_cells="RecordCells",
        recorded_layouts="LayoutMismatch TableMismatch UnfilledList UnrecordedLayout",
    )
