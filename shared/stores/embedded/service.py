"""The HBase Thrift1 service on the embedded engine: its calls, by the names that `Hbase.thrift` gives them.

Arguments are as they come off the wire: bytes where the IDL says Text or Bytes, None if they were not sent. Attributes
are accepted and ignored.
"""

# ruff: noqa: D102 - Hbase.thrift says what each call does

import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from Hbase_thrift import (
    BatchMutation,
    ColumnDescriptor,
    Mutation,
    TAppend,
    TCell,
    TIncrement,
    TRegionInfo,
    TRowResult,
    TScan,
)
from thriftpy2.thrift import TApplicationException
from thriftpy2.transport import TTransportException

from ...keys import successor
from ..thrift1.errors import UncheckedError, io_error
from ..thrift1.idl import TThriftServerType
from .columns import with_qualifier
from .engine import Engine, Put
from .mutations import append_values, check_and_put, delete, increment_counter, mutate_row, mutate_rows, put_dated
from .reads import get_rows, get_versions
from .rules import check_row, required_row, table_name
from .scanners import Scanners
from .table_calls import (
    column_descriptor,
    create_namespace,
    create_table,
    disable_table,
    drop_table,
    enable_table,
    find_table,
    region_at,
    regions_of,
)
from .turns import Watch, let_others_in, turn_end_s

Method = TypeVar("Method", bound=Callable[..., Any])
Columns: TypeAlias = Sequence[bytes] | None
Descriptors: TypeAlias = Sequence[ColumnDescriptor] | None
Attributes: TypeAlias = dict[bytes, bytes] | None


def thrift_call(call: Method) -> Method:
    """Makes a method run alone, under the engine's lock, and raise the exceptions that a client of HBase would see."""
    shared = shared_call(call)

    @wraps(call)
    def alone(self: "OnEngine", *arguments: Any) -> Any:
        with self.engine.lock:
            return shared(self, *arguments)

    return cast(Method, alone)


class OnEngine(Protocol):
    """A service whose calls run on an engine."""

    engine: Engine


def shared_call(call: Method) -> Method:
    """Makes a method raise as `thrift_call` does; the method itself takes turns with the engine."""

    @wraps(call)
    def guarded(self: OnEngine, *arguments: Any) -> Any:
        try:
            return call(self, *arguments)
        except (UncheckedError, AttributeError, TypeError) as error:
            # A struct or list that was not sent raises the last two: in Java a NullPointerException.
            message = f"Internal error processing {call.__name__}: {error}"
            raise TApplicationException(TApplicationException.INTERNAL_ERROR, message) from error
        except sqlite3.Error as error:
            if not self.engine.is_open():
                raise TTransportException(TTransportException.NOT_OPEN, self.engine.why_closed) from error
            raise io_error("DoNotRetryIOException", self.engine.explain(error)) from error
        except KeyboardInterrupt:
            self.engine.undo()
            raise

    return cast(Method, guarded)


class ThriftService:
    """The calls of the service, from any thread."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._scanners = Scanners()
        self._of_thread = threading.local()

    @contextmanager
    def watched(self, watch: Watch) -> Generator[None]:
        """In the block, calls of this thread pass the results of each turn to `watch`, which may raise to end them."""
        self._of_thread.watch = watch
        try:
            yield
        finally:
            del self._of_thread.watch

    def watch(self, results: Sequence[TRowResult | TCell]) -> None:
        """Passes the results of a turn to the block of `watched` that this thread is in."""
        watch: Watch | None = getattr(self._of_thread, "watch", None)
        if watch:
            watch(results)

    # Tables

    @thrift_call
    def getTableNames(self) -> list[bytes]:
        return list(self.engine.tables())

    @thrift_call
    def getTableNamesWithIsTableEnabled(self) -> dict[bytes, bool]:
        return {table.name: table.enabled for table in self.engine.tables().values()}

    @thrift_call
    def getColumnDescriptors(self, tableName: bytes) -> dict[bytes, ColumnDescriptor]:
        table = find_table(self.engine, tableName)
        return {family.name + b":": column_descriptor(family) for family in table.families.values()}

    @thrift_call
    def getTableRegions(self, tableName: bytes) -> list[TRegionInfo]:
        table = self.engine.tables().get(table_name(tableName))
        return regions_of(table) if table else []  # HBase: no error for a missing table

    @thrift_call
    def getRegionInfo(self, row: bytes) -> TRegionInfo:
        return region_at(self.engine, row)

    @thrift_call
    def createTable(self, tableName: bytes, columnFamilies: Descriptors) -> None:
        create_table(self.engine, tableName, columnFamilies or ())

    @shared_call
    def deleteTable(self, tableName: bytes) -> None:
        drop_table(self.engine, tableName, self.watch)

    @thrift_call
    def enableTable(self, tableName: bytes) -> None:
        enable_table(self.engine, tableName)

    @shared_call
    def disableTable(self, tableName: bytes) -> None:
        disable_table(self.engine, tableName, self.watch)

    @thrift_call
    def isTableEnabled(self, tableName: bytes) -> bool:
        return find_table(self.engine, tableName).enabled

    @thrift_call
    def compact(self, tableNameOrRegionName: bytes) -> None:
        # HBase: only asks for a minor compaction, which with the few files of a small table changes nothing.
        find_table(self.engine, tableNameOrRegionName)

    @thrift_call
    def majorCompact(self, tableNameOrRegionName: bytes) -> None:
        # HBase: the gateway asks for a minor compaction here too.
        find_table(self.engine, tableNameOrRegionName)

    # The server

    @thrift_call
    def getThriftServerType(self) -> int:
        return TThriftServerType.ONE

    @thrift_call
    def getClusterId(self) -> bytes:
        return self.engine.cluster_id()

    # Beyond Thrift1

    @thrift_call
    def major_compact(self, name: bytes) -> None:
        """The compaction that HBase runs every week or so, which drops the tombstones that no family keeps longer."""
        with self.engine.writing():
            self.engine.compact(find_table(self.engine, name))

    @thrift_call
    def check_store(self) -> None:
        """Reads the whole store; raises IOError if it is damaged."""
        self.engine.check()

    @thrift_call
    def create_split_table(
        self,
        split_rows: Sequence[bytes],
        beyond: Mapping[bytes, Mapping[str, int]],
        name: bytes,
        families: Descriptors,
    ) -> None:
        """Creates a table that is split at `split_rows`; `beyond` has by family the options of `BEYOND_THRIFT1`."""
        create_table(self.engine, name, families or (), beyond, split_rows)

    @shared_call
    def put_dated(self, name: bytes, entries: Sequence[Sequence[Put]]) -> None:
        """Stores cells that each have a timestamp of their own, each entry those of one row."""
        put_dated(self.engine, name, entries, self.watch)

    @thrift_call
    def create_namespace(self, name: bytes) -> None:
        """Creates a namespace, unless it exists."""
        create_namespace(self.engine, name)

    @thrift_call
    def block_sizes(self, name: bytes) -> dict[bytes, int]:
        """The block size of each family of a table, in bytes."""
        return {family.name: family.block_bytes for family in find_table(self.engine, name).families.values()}

    @thrift_call
    def keep_tombstones_ms(self, name: bytes) -> dict[bytes, int]:
        """How long a major compaction keeps the tombstones of each family of a table, in milliseconds."""
        return {family.name: family.keep_tombstones_ms for family in find_table(self.engine, name).families.values()}

    # Rows

    @shared_call
    def getRow(self, tableName: bytes, row: bytes, attributes: Attributes) -> list[TRowResult]:
        return self._rows(tableName, [row], None, None)

    @shared_call
    def getRowWithColumns(
        self, tableName: bytes, row: bytes, columns: Columns, attributes: Attributes
    ) -> list[TRowResult]:
        return self._rows(tableName, [row], columns, None)

    @shared_call
    def getRowTs(self, tableName: bytes, row: bytes, timestamp: int, attributes: Attributes) -> list[TRowResult]:
        return self._rows(tableName, [row], None, timestamp)

    @shared_call
    def getRowWithColumnsTs(
        self, tableName: bytes, row: bytes, columns: Columns, timestamp: int, attributes: Attributes
    ) -> list[TRowResult]:
        return self._rows(tableName, [row], columns, timestamp)

    @shared_call
    def getRows(self, tableName: bytes, rows: Sequence[bytes], attributes: Attributes) -> list[TRowResult]:
        return self._rows(tableName, rows, None, None)

    @shared_call
    def getRowsWithColumns(
        self, tableName: bytes, rows: Sequence[bytes], columns: Columns, attributes: Attributes
    ) -> list[TRowResult]:
        return self._rows(tableName, rows, columns, None)

    @shared_call
    def getRowsTs(
        self, tableName: bytes, rows: Sequence[bytes], timestamp: int, attributes: Attributes
    ) -> list[TRowResult]:
        return self._rows(tableName, rows, None, timestamp)

    @shared_call
    def getRowsWithColumnsTs(
        self, tableName: bytes, rows: Sequence[bytes], columns: Columns, timestamp: int, attributes: Attributes
    ) -> list[TRowResult]:
        return self._rows(tableName, rows, columns, timestamp)

    def _rows(self, name: bytes, rows: Sequence[bytes], columns: Columns, before: int | None) -> list[TRowResult]:
        return get_rows(self.engine, name, rows, columns, before, self.watch)

    # Cells of one column

    @thrift_call
    def get(self, tableName: bytes, row: bytes, column: bytes, attributes: Attributes) -> list[TCell]:
        return get_versions(self.engine, tableName, row, column, None, 1, self.watch)

    @thrift_call
    def getVer(
        self, tableName: bytes, row: bytes, column: bytes, numVersions: int, attributes: Attributes
    ) -> list[TCell]:
        return get_versions(self.engine, tableName, row, column, None, numVersions, self.watch)

    @thrift_call
    def getVerTs(
        self, tableName: bytes, row: bytes, column: bytes, timestamp: int, numVersions: int, attributes: Attributes
    ) -> list[TCell]:
        return get_versions(self.engine, tableName, row, column, timestamp, numVersions, self.watch)

    # Scans

    @shared_call
    def scannerOpenWithScan(self, tableName: bytes, scan: TScan, attributes: Attributes) -> int:
        return self._scanners.open(tableName, scan)

    @shared_call
    def scannerOpen(self, tableName: bytes, startRow: bytes, columns: Columns, attributes: Attributes) -> int:
        return self._scanners.open(tableName, TScan(startRow=required_row(startRow), columns=columns))

    @shared_call
    def scannerOpenTs(
        self, tableName: bytes, startRow: bytes, columns: Columns, timestamp: int, attributes: Attributes
    ) -> int:
        scan = TScan(startRow=required_row(startRow), columns=columns, timestamp=timestamp)
        return self._scanners.open(tableName, scan)

    @shared_call
    def scannerOpenWithStop(
        self, tableName: bytes, startRow: bytes, stopRow: bytes, columns: Columns, attributes: Attributes
    ) -> int:
        scan = TScan(startRow=required_row(startRow), stopRow=required_row(stopRow), columns=columns)
        return self._scanners.open(tableName, scan)

    @shared_call
    def scannerOpenWithStopTs(
        self,
        tableName: bytes,
        startRow: bytes,
        stopRow: bytes,
        columns: Columns,
        timestamp: int,
        attributes: Attributes,
    ) -> int:
        scan = TScan(
            startRow=required_row(startRow), stopRow=required_row(stopRow), columns=columns, timestamp=timestamp
        )
        return self._scanners.open(tableName, scan)

    @shared_call
    def scannerOpenWithPrefix(
        self, tableName: bytes, startAndPrefix: bytes, columns: Columns, attributes: Attributes
    ) -> int:
        scan = TScan(startRow=startAndPrefix, stopRow=successor(startAndPrefix), columns=columns)
        return self._scanners.open(tableName, scan)

    @shared_call
    def scannerGet(self, id: int) -> list[TRowResult]:
        return self._fetch(id, 1)

    @shared_call
    def scannerGetList(self, id: int, nbRows: int) -> list[TRowResult]:
        return self._fetch(id, nbRows)

    @shared_call
    def scannerClose(self, id: int) -> None:
        self._scanners.remove(id)

    def _fetch(self, scanner_id: int, count: int) -> list[TRowResult]:
        scanner = self._scanners.get(scanner_id)
        if count < 0:
            raise UncheckedError(f"nbRows: must be 0 or more (got {count})")
        results = scanner.fetch(self.engine, count, self.watch)
        self._scanners.recount(scanner_id)
        return results

    # Writes

    @shared_call
    def mutateRows(self, tableName: bytes, rowBatches: Sequence[BatchMutation], attributes: Attributes) -> None:
        mutate_rows(self.engine, tableName, rowBatches, None, self.watch)

    @shared_call
    def mutateRowsTs(
        self, tableName: bytes, rowBatches: Sequence[BatchMutation], timestamp: int, attributes: Attributes
    ) -> None:
        mutate_rows(self.engine, tableName, rowBatches, timestamp, self.watch)

    @thrift_call
    def mutateRow(self, tableName: bytes, row: bytes, mutations: Sequence[Mutation], attributes: Attributes) -> None:
        mutate_row(self.engine, tableName, row, mutations, None)

    @thrift_call
    def mutateRowTs(
        self, tableName: bytes, row: bytes, mutations: Sequence[Mutation], timestamp: int, attributes: Attributes
    ) -> None:
        mutate_row(self.engine, tableName, row, mutations, timestamp)

    @thrift_call
    def deleteAll(self, tableName: bytes, row: bytes, column: bytes, attributes: Attributes) -> None:
        delete(self.engine, tableName, row, [column], None)

    @thrift_call
    def deleteAllTs(self, tableName: bytes, row: bytes, column: bytes, timestamp: int, attributes: Attributes) -> None:
        delete(self.engine, tableName, row, [column], timestamp)

    @thrift_call
    def deleteAllRow(self, tableName: bytes, row: bytes, attributes: Attributes) -> None:
        delete(self.engine, tableName, row, None, None)

    @thrift_call
    def deleteAllRowTs(self, tableName: bytes, row: bytes, timestamp: int, attributes: Attributes) -> None:
        delete(self.engine, tableName, row, None, timestamp)

    @thrift_call
    def atomicIncrement(self, tableName: bytes, row: bytes, column: bytes, value: int) -> int:
        required_row(row)
        column = column if b":" in column else column + b":"  # HBase: without a colon, the empty qualifier
        return increment_counter(self.engine, tableName, row, column, value)

    @thrift_call
    def increment(self, increment: TIncrement) -> None:
        self._increment(increment)

    @shared_call
    def incrementRows(self, increments: Sequence[TIncrement]) -> None:
        # HBase: one after the other; if one fails, those before it stay.
        end_s = turn_end_s()
        for increment in increments:
            if time.monotonic() > end_s:
                self.watch(())
                let_others_in()
                end_s = turn_end_s()
            with self.engine.lock:
                self._increment(increment)

    def _increment(self, request: TIncrement) -> None:
        check_row(request.row)
        increment_counter(self.engine, request.table, request.row, with_qualifier(request.column), request.ammount or 0)

    @thrift_call
    def append(self, append: TAppend) -> list[TCell]:
        return append_values(self.engine, append, self.watch)

    @thrift_call
    def checkAndPut(
        self,
        tableName: bytes,
        row: bytes,
        column: bytes,
        value: bytes | None,
        mput: Mutation,
        attributes: Attributes,
    ) -> bool:
        return check_and_put(self.engine, tableName, row, column, value, mput)
