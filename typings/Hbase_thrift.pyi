"""Types of `Hbase_thrift`, the module that happybase makes of its `Hbase.thrift` when it is imported.

Fields that the IDL calls Text or Bytes arrive as bytes; a client may send str. What was not sent is None.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from thriftpy2.thrift import TException, TPayload

class TCell(TPayload):
    value: bytes
    timestamp: int
    def __init__(self, value: bytes | None = ..., timestamp: int | None = ...) -> None: ...

class ColumnDescriptor(TPayload):
    name: bytes
    maxVersions: int
    compression: bytes
    inMemory: bool
    bloomFilterType: bytes
    bloomFilterVectorSize: int
    bloomFilterNbHashes: int
    blockCacheEnabled: bool
    timeToLive: int
    def __init__(
        self,
        name: bytes | str | None = ...,
        maxVersions: int = ...,
        compression: bytes | str = ...,
        inMemory: bool = ...,
        bloomFilterType: bytes | str = ...,
        bloomFilterVectorSize: int = ...,
        bloomFilterNbHashes: int = ...,
        blockCacheEnabled: bool = ...,
        timeToLive: int = ...,
    ) -> None: ...

class TRegionInfo(TPayload):
    startKey: bytes
    endKey: bytes
    id: int
    name: bytes
    version: int
    serverName: bytes
    port: int
    def __init__(
        self,
        startKey: bytes | None = ...,
        endKey: bytes | None = ...,
        id: int | None = ...,
        name: bytes | None = ...,
        version: int | None = ...,
        serverName: bytes | None = ...,
        port: int | None = ...,
    ) -> None: ...

class Mutation(TPayload):
    isDelete: bool
    column: bytes
    value: bytes | None
    writeToWAL: bool
    def __init__(
        self,
        isDelete: bool = ...,
        column: bytes | str | None = ...,
        value: bytes | str | None = ...,
        writeToWAL: bool = ...,
    ) -> None: ...

class BatchMutation(TPayload):
    row: bytes
    mutations: list[Mutation] | None
    def __init__(self, row: bytes | str | None = ..., mutations: Sequence[Mutation] | None = ...) -> None: ...

class TIncrement(TPayload):
    table: bytes
    row: bytes
    column: bytes
    ammount: int
    def __init__(
        self,
        table: bytes | str | None = ...,
        row: bytes | str | None = ...,
        column: bytes | str | None = ...,
        ammount: int | None = ...,
    ) -> None: ...

class TColumn(TPayload):
    columnName: bytes
    cell: TCell
    def __init__(self, columnName: bytes | None = ..., cell: TCell | None = ...) -> None: ...

class TRowResult(TPayload):
    row: bytes
    columns: dict[bytes, TCell] | None
    sortedColumns: list[TColumn] | None
    def __init__(
        self,
        row: bytes | None = ...,
        columns: dict[bytes, TCell] | None = ...,
        sortedColumns: list[TColumn] | None = ...,
    ) -> None: ...

class TScan(TPayload):
    startRow: bytes | None
    stopRow: bytes | None
    timestamp: int | None
    columns: list[bytes] | None
    caching: int | None
    filterString: bytes | None
    batchSize: int | None
    sortColumns: bool | None
    reversed: bool | None
    def __init__(
        self,
        startRow: bytes | str | None = ...,
        stopRow: bytes | str | None = ...,
        timestamp: int | None = ...,
        columns: Sequence[bytes | str] | None = ...,
        caching: int | None = ...,
        filterString: bytes | str | None = ...,
        batchSize: int | None = ...,
        sortColumns: bool | None = ...,
        reversed: bool | None = ...,
    ) -> None: ...

class TAppend(TPayload):
    table: bytes
    row: bytes
    columns: list[bytes] | None
    values: list[bytes] | None
    def __init__(
        self,
        table: bytes | str | None = ...,
        row: bytes | str | None = ...,
        columns: Sequence[bytes | str] | None = ...,
        values: Sequence[bytes | str] | None = ...,
    ) -> None: ...

class IOError(TException):
    message: bytes
    def __init__(self, message: bytes | str | None = ...) -> None: ...

class IllegalArgument(TException):
    message: bytes
    def __init__(self, message: bytes | str | None = ...) -> None: ...

class AlreadyExists(TException):
    message: bytes
    def __init__(self, message: bytes | str | None = ...) -> None: ...

class Hbase:
    """The service: besides this list it has a struct `NAME_args` and a struct `NAME_result` for each call."""

    thrift_services: ClassVar[list[str]]
    def __getattr__(self, name: str) -> Any: ...
