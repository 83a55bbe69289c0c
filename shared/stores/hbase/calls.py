"""The calls of HBase's Thrift services: their structs, and whether a call may be sent again if no reply came."""

from typing import Any

import Hbase_thrift
from attrs import evolve, frozen

from ..outcomes.connection_errors import COUNTS
from ..thrift1.idl import Thrift1

# HBase: HConstants.LATEST_TIMESTAMP, for which a server sets its own clock.
NOW = 2**63 - 1

READS = frozenset(
    {
        "getTableNames",
        "getTableNamesWithIsTableEnabled",
        "getColumnDescriptors",
        "getTableRegions",
        "getRegionInfo",
        "isTableEnabled",
        "get",
        "getVer",
        "getVerTs",
        "getRow",
        "getRowWithColumns",
        "getRowTs",
        "getRowWithColumnsTs",
        "getRows",
        "getRowsWithColumns",
        "getRowsTs",
        "getRowsWithColumnsTs",
        "getRowOrBefore",
        "scannerOpen",
        "scannerOpenWithScan",
        "scannerOpenWithStop",
        "scannerOpenWithPrefix",
        "scannerOpenTs",
        "scannerOpenWithStopTs",
        "getThriftServerType",
        "getClusterId",
        "getTableDescriptor",
    }
)
"""Calls that change nothing, and may be sent again."""

DATED_WRITES = frozenset({"mutateRowTs", "mutateRowsTs", "deleteAllTs", "deleteAllRowTs", "putMultiple"})
"""Calls that carry timestamps: sent again they write the same cells, unless one is `NOW`, or a cell has none."""

SCANNER_CALLS = frozenset({"scannerGet", "scannerGetList", "scannerClose"})
"""Calls that move or close a scanner on the gateway: never sent again."""

_NEW_TIME = "without a timestamp each attempt gets a time of its own"
_TABLES = "it may fail because the first attempt succeeded"

UNREPEATABLE = {
    "mutateRow": _NEW_TIME,
    "mutateRows": _NEW_TIME,
    "deleteAll": _NEW_TIME,
    "deleteAllRow": _NEW_TIME,
    "atomicIncrement": COUNTS,
    "increment": COUNTS,
    "incrementRows": COUNTS,
    "append": "it would append twice",
    "checkAndPut": "it would be compared with its own put",
    "createTable": _TABLES,
    "deleteTable": _TABLES,
    "enableTable": _TABLES,
    "disableTable": _TABLES,
    "createNamespace": _TABLES,
    "deleteNamespace": _TABLES,
    "compact": "it starts work on the servers",
    "majorCompact": "it starts work on the servers",
}
"""Calls that are sent once, and why not again."""


@frozen
class Call:
    """A call of the service, and its structs in the IDL."""

    name: str
    arguments: Any
    result: Any
    has_success: bool
    errors: tuple[str, ...]
    """The fields of the result struct that are declared exceptions."""
    as_cells: bool = False
    """Whether a reply of the usual form becomes `CellArrays`."""

    def message(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The struct to send; an argument that is None is not sent."""
        try:
            return self.arguments(*arguments, **named)
        except TypeError:
            names = ", ".join(field[1] for field in self.arguments.thrift_spec.values())
            raise TypeError(f"{self.name}: takes {names} (got {len(arguments)} arguments, {list(named)})") from None

    @property
    def is_write(self) -> bool:
        """Whether it may change stored cells or tables."""
        return self.name in DATED_WRITES or self.name in UNREPEATABLE

    def why_once(self, message: Any) -> str | None:
        """Why this must not be sent again; None if it may be."""
        if self.name in DATED_WRITES:
            return "timestamp 2^63-1 stands for the time of each attempt" if _lets_server_date(message) else None
        return UNREPEATABLE.get(self.name)


def _lets_server_date(message: Any) -> bool:
    """Whether a dated write leaves a timestamp to the server."""
    if (puts := getattr(message, "tputs", None)) is not None:
        return any(cell.timestamp in (None, NOW) for put in puts for cell in put.columnValues)
    return bool(message.timestamp == NOW)


def call_of(service: Any, name: str) -> Call:
    """A call of a service of an IDL."""
    arguments: Any = getattr(service, f"{name}_args")
    result: Any = getattr(service, f"{name}_result")
    fields = [field[1] for field in result.thrift_spec.values()]
    errors = tuple(field for field in fields if field != "success")
    return Call(name, arguments, result, "success" in fields, errors)


CALLS = {name: call_of(Thrift1, name) for name in Thrift1.thrift_services}

FETCH_CELLS = evolve(CALLS["scannerGetList"], as_cells=True)
"""`scannerGetList`; its reply becomes `CellArrays`, or TRowResults if it has another form."""

DECLARED = (Hbase_thrift.IOError, Hbase_thrift.IllegalArgument, Hbase_thrift.AlreadyExists)
"""Declared exceptions are complete replies: the socket stays in use after one."""


def description(call: Call, message: Any) -> str:
    """The call, its table and its rows, for an error message: `mutateRows on orders, 20 rows from b's-1' on`."""
    table = table_of(message)
    text = call.name if table is None else f"{call.name} on {table}"
    batches = getattr(message, "rowBatches", None) or getattr(message, "tputs", None)
    if batches:
        return f"{text}, {len(batches)} row{'s' * (len(batches) > 1)} from {batches[0].row!r:.100} on"
    row = getattr(_about(message), "row", None)
    return text if row is None else f"{text}, row {row!r:.100}"


def table_of(message: Any) -> str | None:
    """The table that a call names; None if it names none."""
    names = (getattr(_about(message), field, None) for field in ("tableName", "tableNameOrRegionName", "table"))
    name: Any = next(filter(None, names), None)
    if hasattr(name, "qualifier"):  # Thrift2's calls on tables
        name = name.qualifier if name.ns is None else name.ns + b":" + name.qualifier
    return name.decode(errors="backslashreplace") if isinstance(name, bytes) else name


def _about(message: Any) -> Any:
    """The struct that names table and row: an append, an increment and a descriptor have one of their own."""
    increments = getattr(message, "increments", None)
    inner = getattr(message, "append", None) or getattr(message, "increment", None) or getattr(message, "desc", None)
    return inner or (increments[0] if increments else message)
