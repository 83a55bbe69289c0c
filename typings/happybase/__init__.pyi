"""Types of happybase 1.3.0: what a user of Connection, Table, Batch and ConnectionPool calls.

Names, rows, columns and values are sent as bytes, str as UTF-8; results are always bytes. A value of None in `put` is
stored as an empty one and therefore left out here. Two types are wider or narrower than what runs, so that they can be
used: `create_table` wants a dict, not any Mapping, and `Table.rows([])` answers `{}`, not an empty list.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias, overload

_Text: TypeAlias = bytes | str
_Columns: TypeAlias = list[bytes] | list[str] | tuple[_Text, ...]
_Data: TypeAlias = Mapping[bytes, _Text] | Mapping[str, _Text]
_Cells: TypeAlias = dict[bytes, bytes]
_StampedCells: TypeAlias = dict[bytes, tuple[bytes, int]]

DEFAULT_HOST: str
DEFAULT_PORT: int

class Connection:
    host: str
    port: int
    timeout: int | None
    table_prefix: bytes | None
    table_prefix_separator: bytes
    compat: str
    transport: Any
    client: Any
    _transport_class: Any
    _protocol_class: Any

    def __init__(
        self,
        host: str | None = ...,
        port: int | None = ...,
        timeout: int | None = ...,
        autoconnect: bool = ...,
        table_prefix: _Text | None = ...,
        table_prefix_separator: _Text = ...,
        compat: Literal["0.90", "0.92", "0.94", "0.96", "0.98"] = ...,
        transport: Literal["buffered", "framed"] = ...,
        protocol: Literal["binary", "compact"] = ...,
    ) -> None: ...
    def _refresh_thrift_client(self) -> None: ...
    def open(self) -> None: ...
    def close(self) -> None: ...
    def table(self, name: _Text, use_prefix: bool = ...) -> Table: ...
    def tables(self) -> list[bytes]: ...
    def create_table(self, name: _Text, families: Mapping[str, Mapping[str, object] | None]) -> None: ...
    def delete_table(self, name: _Text, disable: bool = ...) -> None: ...
    def enable_table(self, name: _Text) -> None: ...
    def disable_table(self, name: _Text) -> None: ...
    def is_table_enabled(self, name: _Text) -> bool: ...
    def compact_table(self, name: _Text, major: bool = ...) -> None: ...

class Table:
    name: bytes
    connection: Connection

    def __init__(self, name: bytes, connection: Connection) -> None: ...
    def families(self) -> dict[bytes, dict[str, Any]]: ...
    def regions(self) -> list[dict[str, Any]]: ...
    @overload
    def row(
        self,
        row: _Text,
        columns: _Columns | None = ...,
        timestamp: int | None = ...,
        include_timestamp: Literal[False] = ...,
    ) -> _Cells: ...
    @overload
    def row(
        self,
        row: _Text,
        columns: _Columns | None = ...,
        timestamp: int | None = ...,
        *,
        include_timestamp: Literal[True],
    ) -> _StampedCells: ...
    @overload
    def rows(
        self,
        rows: Sequence[bytes] | Sequence[str],
        columns: _Columns | None = ...,
        timestamp: int | None = ...,
        include_timestamp: Literal[False] = ...,
    ) -> list[tuple[bytes, _Cells]]: ...
    @overload
    def rows(
        self,
        rows: Sequence[bytes] | Sequence[str],
        columns: _Columns | None = ...,
        timestamp: int | None = ...,
        *,
        include_timestamp: Literal[True],
    ) -> list[tuple[bytes, _StampedCells]]: ...
    @overload
    def cells(
        self,
        row: _Text,
        column: _Text,
        versions: int | None = ...,
        timestamp: int | None = ...,
        include_timestamp: Literal[False] = ...,
    ) -> list[bytes]: ...
    @overload
    def cells(
        self,
        row: _Text,
        column: _Text,
        versions: int | None = ...,
        timestamp: int | None = ...,
        *,
        include_timestamp: Literal[True],
    ) -> list[tuple[bytes, int]]: ...
    # `row_prefix` has to be bytes: happybase computes its successor before anything is encoded.
    @overload
    def scan(
        self,
        row_start: _Text | None = ...,
        row_stop: _Text | None = ...,
        row_prefix: bytes | None = ...,
        columns: _Columns | None = ...,
        filter: _Text | None = ...,
        timestamp: int | None = ...,
        include_timestamp: Literal[False] = ...,
        batch_size: int = ...,
        scan_batching: int | None = ...,
        limit: int | None = ...,
        sorted_columns: bool = ...,
        reverse: bool = ...,
    ) -> Generator[tuple[bytes, _Cells]]: ...
    @overload
    def scan(
        self,
        row_start: _Text | None = ...,
        row_stop: _Text | None = ...,
        row_prefix: bytes | None = ...,
        columns: _Columns | None = ...,
        filter: _Text | None = ...,
        timestamp: int | None = ...,
        *,
        include_timestamp: Literal[True],
        batch_size: int = ...,
        scan_batching: int | None = ...,
        limit: int | None = ...,
        sorted_columns: bool = ...,
        reverse: bool = ...,
    ) -> Generator[tuple[bytes, _StampedCells]]: ...
    def put(self, row: _Text, data: _Data, timestamp: int | None = ..., wal: bool = ...) -> None: ...
    def delete(
        self, row: _Text, columns: _Columns | None = ..., timestamp: int | None = ..., wal: bool = ...
    ) -> None: ...
    def batch(
        self,
        timestamp: int | None = ...,
        batch_size: int | None = ...,
        transaction: bool = ...,
        wal: bool = ...,
    ) -> Batch: ...
    def counter_get(self, row: _Text, column: _Text) -> int: ...
    def counter_set(self, row: _Text, column: _Text, value: int = ...) -> None: ...
    def counter_inc(self, row: _Text, column: _Text, value: int = ...) -> int: ...
    def counter_dec(self, row: _Text, column: _Text, value: int = ...) -> int: ...

class Batch:
    _mutation_count: int
    def __init__(
        self,
        table: Table,
        timestamp: int | None = ...,
        batch_size: int | None = ...,
        transaction: bool = ...,
        wal: bool = ...,
    ) -> None: ...
    def send(self) -> None: ...
    def put(self, row: _Text, data: _Data, wal: bool | None = ...) -> None: ...
    def delete(self, row: _Text, columns: _Columns | None = ..., wal: bool | None = ...) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

class NoConnectionsAvailable(RuntimeError): ...

class ConnectionPool:
    def __init__(self, size: int, **kwargs: Any) -> None: ...
    def connection(self, timeout: float | None = ...) -> AbstractContextManager[Connection]: ...
