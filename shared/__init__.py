"""Row keys for HBase: what a service needs, in one import; the rest is in the rooms.

    from rowbook import KeyLayout, Query, TableLayout, connect, create_tables

A name is imported when it is first used, from its room, and the room imports it from its module. The rooms know no
design.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"


def lazy_names(package: str, /, **names_of: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """The `__all__`, `__getattr__` and `__dir__` of a package whose names are imported when they are first used.

    `names_of` has the names of each of its modules. A name must not be that of a module: once this is imported, Python
    finds it instead.
    """
    module_of = {name: module for module, names in names_of.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(import_module(package), name, value)  # Python finds it from now on
        return value

    def listed() -> list[str]:
        return sorted({*vars(import_module(package)), *module_of})

    return sorted(module_of), get, listed


if TYPE_CHECKING:  # from `__getattr__` a type checker would accept any name
    from .intents import IntentWriter as IntentWriter
    from .intents import SourceRow as SourceRow
    from .intents import UnknownOutcome as UnknownOutcome
    from .intents import WriterUpkeep as WriterUpkeep
    from .keys import Code as Code
    from .keys import Descending as Descending
    from .keys import EscapedBytes as EscapedBytes
    from .keys import EscapedText as EscapedText
    from .keys import FixedBytes as FixedBytes
    from .keys import FixedText as FixedText
    from .keys import Float64 as Float64
    from .keys import HashPrefix as HashPrefix
    from .keys import Int8 as Int8
    from .keys import Int16 as Int16
    from .keys import Int32 as Int32
    from .keys import Int64 as Int64
    from .keys import InvalidKey as InvalidKey
    from .keys import InvalidQuestion as InvalidQuestion
    from .keys import KeyLayout as KeyLayout
    from .keys import Plan as Plan
    from .keys import Rest as Rest
    from .keys import Salt as Salt
    from .keys import Slice as Slice
    from .keys import TimeBucket as TimeBucket
    from .keys import TrailingBytes as TrailingBytes
    from .keys import TrailingText as TrailingText
    from .keys import UInt8 as UInt8
    from .keys import UInt16 as UInt16
    from .keys import UInt24 as UInt24
    from .keys import UInt32 as UInt32
    from .keys import UInt64 as UInt64
    from .keys import any_of as any_of
    from .keys import between as between
    from .keys import part as part
    from .keys import row_key as row_key
    from .keys import starting_with as starting_with
    from .queries import KEYS_ONLY as KEYS_ONLY
    from .queries import DependentQuery as DependentQuery
    from .queries import Page as Page
    from .queries import Query as Query
    from .queries import ServerFilter as ServerFilter
    from .queries import Versions as Versions
    from .sources import DELETED as DELETED
    from .sources import BoundSource as BoundSource
    from .sources import Source as Source
    from .sources import Table as Table
    from .sources import WritableTable as WritableTable
    from .stores import InvalidStoreURL as InvalidStoreURL
    from .stores import OutcomeUnknown as OutcomeUnknown
    from .stores import ScanBroken as ScanBroken
    from .stores import StoreError as StoreError
    from .stores import Unreachable as Unreachable
    from .stores import connect as connect
    from .tables import BIG_INT as BIG_INT
    from .tables import COUNTER as COUNTER
    from .tables import MSGPACK as MSGPACK
    from .tables import RAW as RAW
    from .tables import TEXT as TEXT
    from .tables import TEXTS as TEXTS
    from .tables import BoundTable as BoundTable
    from .tables import Column as Column
    from .tables import Family as Family
    from .tables import InvalidRecord as InvalidRecord
    from .tables import InvalidRow as InvalidRow
    from .tables import ItemCells as ItemCells
    from .tables import LayoutMismatch as LayoutMismatch
    from .tables import OtherColumns as OtherColumns
    from .tables import RecordCells as RecordCells
    from .tables import TableLayout as TableLayout
    from .tables import TableMismatch as TableMismatch
    from .tables import UnfilledList as UnfilledList
    from .tables import create_tables as create_tables
    from .tables import drop_tables as drop_tables
    from .tables import put_if as put_if
    from .upkeep import CombinedUpkeep as CombinedUpkeep
    from .writes import CLOCK as CLOCK
    from .writes import ClockSkew as ClockSkew
    from .writes import Dictionary as Dictionary
    from .writes import NotAllStored as NotAllStored
    from .writes import WriterClock as WriterClock
    from .writes import delete_all as delete_all
    from .writes import delete_rows as delete_rows
    from .writes import put_all as put_all
    from .writes import store_all as store_all
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        intents="IntentWriter SourceRow UnknownOutcome WriterUpkeep",
        keys=(
            "Code Descending EscapedBytes EscapedText FixedBytes FixedText Float64 HashPrefix Int8 Int16 Int32 Int64 "
            "InvalidKey InvalidQuestion KeyLayout Plan Rest Salt Slice TimeBucket TrailingBytes TrailingText UInt8 "
            "UInt16 UInt24 UInt32 UInt64 any_of between part row_key starting_with"
        ),
        queries="KEYS_ONLY DependentQuery Page Query ServerFilter Versions",
        sources="DELETED BoundSource Source Table WritableTable",
        stores="InvalidStoreURL OutcomeUnknown ScanBroken StoreError Unreachable connect",
        tables=(
            "BIG_INT COUNTER MSGPACK RAW TEXT TEXTS BoundTable Column Family InvalidRecord InvalidRow ItemCells "
            "LayoutMismatch OtherColumns RecordCells TableLayout TableMismatch UnfilledList create_tables drop_tables "
            "put_if"
        ),
        upkeep="CombinedUpkeep",
        writes="CLOCK ClockSkew Dictionary NotAllStored WriterClock delete_all delete_rows put_all store_all",
    )
