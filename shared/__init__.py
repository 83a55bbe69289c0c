"""Row keys for HBase: what a service needs, in one import; the rest is in the rooms.

    from rowbook import KeyLayout, Query, TableLayout, connect, create_tables

A name is imported from its room when it is first used. The rooms know no design.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .intents import (
        Derived,
        IntentWriter,
        SourceCells,
        SourceReader,
        SourceRow,
        UnknownOutcome,
        WriterUpkeep,
        claim,
        intents_table,
    )
    from .keys import (
        Code,
        Descending,
        EscapedBytes,
        EscapedText,
        FixedBytes,
        FixedText,
        Float64,
        HashPrefix,
        Int8,
        Int16,
        Int32,
        Int64,
        InvalidKey,
        InvalidQuestion,
        KeyLayout,
        Plan,
        Rest,
        Salt,
        Slice,
        TimeBucket,
        TrailingBytes,
        TrailingText,
        UInt8,
        UInt16,
        UInt24,
        UInt32,
        UInt64,
        any_of,
        between,
        part,
        row_key,
        starting_with,
    )
    from .queries import KEYS_ONLY, DependentQuery, Page, Query, ServerFilter, Version, Versions
    from .sources import BoundSource, ListOf, Source, Table, WritableTable
    from .stores import InvalidStoreURL, OutcomeUnknown, ScanBroken, StoreError, Unreachable, connect
    from .tables import (
        BIG_INT,
        COUNTER,
        MSGPACK,
        RAW,
        TEXT,
        TEXTS,
        BoundTable,
        Column,
        Family,
        InvalidRecord,
        InvalidRow,
        ItemCells,
        LayoutMismatch,
        OtherColumns,
        RecordCells,
        TableLayout,
        TableMismatch,
        UnfilledList,
        check_layouts,
        create_tables,
        drop_tables,
        put_if,
    )
    from .upkeep import CombinedUpkeep
    from .writes import (
        CLOCK,
        ClockSkew,
        Dictionary,
        NotAllStored,
        WriterClock,
        delete_all,
        delete_rows,
        put_all,
        store_all,
    )

__version__ = "0.1.0"

__all__ = [
    "BIG_INT",
    "CLOCK",
    "COUNTER",
    "KEYS_ONLY",
    "MSGPACK",
    "RAW",
    "TEXT",
    "TEXTS",
    "BoundSource",
    "BoundTable",
    "ClockSkew",
    "Code",
    "Column",
    "CombinedUpkeep",
    "DependentQuery",
    "Derived",
    "Descending",
    "Dictionary",
    "EscapedBytes",
    "EscapedText",
    "Family",
    "FixedBytes",
    "FixedText",
    "Float64",
    "HashPrefix",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "IntentWriter",
    "InvalidKey",
    "InvalidQuestion",
    "InvalidRecord",
    "InvalidRow",
    "InvalidStoreURL",
    "ItemCells",
    "KeyLayout",
    "LayoutMismatch",
    "ListOf",
    "NotAllStored",
    "OtherColumns",
    "OutcomeUnknown",
    "Page",
    "Plan",
    "Query",
    "RecordCells",
    "Rest",
    "Salt",
    "ScanBroken",
    "ServerFilter",
    "Slice",
    "Source",
    "SourceCells",
    "SourceReader",
    "SourceRow",
    "StoreError",
    "Table",
    "TableLayout",
    "TableMismatch",
    "TimeBucket",
    "TrailingBytes",
    "TrailingText",
    "UInt8",
    "UInt16",
    "UInt24",
    "UInt32",
    "UInt64",
    "UnfilledList",
    "UnknownOutcome",
    "Unreachable",
    "Version",
    "Versions",
    "WritableTable",
    "WriterClock",
    "WriterUpkeep",
    "any_of",
    "between",
    "check_layouts",
    "claim",
    "connect",
    "create_tables",
    "delete_all",
    "delete_rows",
    "drop_tables",
    "intents_table",
    "part",
    "put_all",
    "put_if",
    "row_key",
    "starting_with",
    "store_all",
]

if not TYPE_CHECKING:  # a type checker would accept any name
    _ROOMS = ("keys", "tables", "queries", "writes", "upkeep", "intents", "sources", "stores")
    """The rooms of these names; each imports only those before it, so that a key needs no happybase."""

    def __getattr__(name):
        from importlib import import_module

        if name in __all__:
            for room in _ROOMS:
                module = import_module(f"{__name__}.{room}")
                if name in module.__all__:
                    globals()[name] = getattr(module, name)
                    return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
