"""happybase's client on a service in the same process: converts arguments as Thrift would, without encoding them."""

import operator
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import product
from types import NoneType
from typing import Any

import happybase
from attrs import frozen
from Hbase_thrift import BatchMutation, TScan
from thriftpy2.thrift import TApplicationException, TDecodeException, TType

from ..outcomes.connection_errors import DeadlineExceeded
from ..outcomes.deadlines import has_passed
from ..thrift1.descriptors import FamilyOptions, descriptors, split_rows
from ..thrift1.idl import Thrift1
from ..thrift1.prefixes import prefix_arguments
from ..thrift2.dated import DatedRow
from .engine import Engine
from .service import ThriftService

WAIT_S = 10.0

_INT_BITS = {TType.BYTE: 8, TType.I16: 16, TType.I32: 32, TType.I64: 64}

# Arguments of these types are passed on unchecked. Not here: an int may be out of range, a list may hold anything.
_UNCHANGED: dict[int, list[type]] = {
    TType.STRING: [bytes, NoneType],
    TType.BINARY: [bytes, NoneType],
    TType.MAP: [dict],
    **{ttype: [] for ttype in _INT_BITS},
}


class EmbeddedConnection(happybase.Connection):
    """A happybase connection to an embedded store; with `path` None, to an empty one in memory.

    A writer waits `wait_s` seconds for a writer in another process, then the call raises IOError. `close` discards a
    store in memory. `client.rows_read` counts the rows the store has read to answer, returned or not.
    """

    def __init__(self, path: str | None, *, table_prefix: str | None = None, wait_s: float = WAIT_S) -> None:
        self._engine = Engine(path, wait_s)
        self._client = InProcessClient(ThriftService(self._engine))
        super().__init__(**prefix_arguments(table_prefix))

    @property
    def service(self) -> ThriftService:
        """The calls of the store's Thrift1 service, for a server."""
        return self._client.service

    def compact(self, name: str | bytes) -> None:
        """Runs a major compaction of a table, as HBase does every week or so; removes what no read returns.

        From then on scans do not read deleted rows, and a put with a timestamp before the delete's is stored. If a
        family has `keep_tombstones_ms`, both begin only with a compaction later than that after the delete's timestamp.
        """
        self.service.major_compact(self.table(name).name)

    def copy(self) -> "EmbeddedConnection":
        """A connection to a new store in memory with the present contents of this one."""
        copy = EmbeddedConnection(None)
        copy.table_prefix, copy.table_prefix_separator = self.table_prefix, self.table_prefix_separator
        self._engine.copy_to(copy._engine)
        return copy

    def check(self) -> None:
        """Reads the whole store, about 30 MB a second; raises IOError with one line if it is damaged."""
        self.service.check_store()

    def create_split_table(
        self, name: str | bytes, families: FamilyOptions, split_points: Iterable[str | bytes] = ()
    ) -> None:
        """Creates a table as happybase's `create_table` does, with one region more than there are split points.

        Each split point is the first row of a region. Families also take the options `block_size`, in bytes, which is
        stored without effect, and `keep_tombstones_ms`, which `compact` obeys. Raises ValueError for a split point that
        is not a valid row key or occurs twice.
        """
        rows = split_rows(split_points)
        columns, beyond = descriptors(families)
        create = _wire_call("createTable", partial(self.service.create_split_table, rows, beyond))
        create(self.table(name).name, columns)

    def create_namespace(self, name: str | bytes) -> None:
        """Creates a namespace, unless it exists. Tables named `NAME:TABLE` need it. Raises IOError for a wrong name."""
        self.service.create_namespace(name.encode() if isinstance(name, str) else name)

    def block_sizes(self, name: str | bytes) -> dict[bytes, int]:
        """The block size of each family of a table, in bytes: HBase's default is 65,536."""
        return self.service.block_sizes(self.table(name).name)

    def keep_tombstones_ms(self, name: str | bytes) -> dict[bytes, int]:
        """How long `compact` keeps the tombstones of each family of a table, in milliseconds: by default 0."""
        return self.service.keep_tombstones_ms(self.table(name).name)

    def beyond_thrift1(self) -> AbstractContextManager["EmbeddedConnection"]:
        """This connection, which itself does what needs Thrift2 on HBase."""
        return nullcontext(self)

    def _refresh_thrift_client(self) -> None:
        # happybase asks its transport for is_open, open and close: the engine has them.
        self.transport = self._engine
        self.client = self._client


class InProcessClient:
    """The service's calls, with arguments converted as thriftpy2's TClient does.

    Text becomes UTF-8, and a missing argument None or 0. A value that does not fit the IDL's type raises
    TDecodeException.
    """

    def __init__(self, service: ThriftService) -> None:
        self.service = service

    @property
    def rows_read(self) -> int:
        """The number of rows that the store has read to answer, returned or not."""
        return self.service.engine.rows_read

    def put_dated(self, name: bytes, rows: Iterable[DatedRow]) -> None:
        """Puts cells that each have a timestamp of their own; on HBase that needs Thrift2's putMultiple."""
        if has_passed():
            raise DeadlineExceeded("embedded: putMultiple: the deadline has passed")
        entries = [[(row, column, time_ms, value) for (column, time_ms), value in cells.items()] for row, cells in rows]
        self.service.put_dated(name, entries)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in Thrift1.thrift_services:
            raise AttributeError(f"{type(self).__name__} has no call {name!r}")
        call = _wire_call(name, getattr(self.service, name, None))
        setattr(self, name, call)  # from now on found without __getattr__
        return call


def _wire_call(name: str, method: Callable[..., Any] | None) -> Callable[..., Any]:
    arguments_struct: type = getattr(Thrift1, f"{name}_args")
    fields = _argument_fields(arguments_struct)
    names = [field.name for field in fields]
    unchanged = set(product(*(_UNCHANGED.get(field.type, [NoneType]) for field in fields)))

    def call(*arguments: Any, **named: Any) -> Any:
        if has_passed() and name != "scannerClose":
            raise DeadlineExceeded(f"embedded: {name}: the deadline has passed")
        if method is None:
            raise TApplicationException(TApplicationException.UNKNOWN_METHOD, f"Invalid method name: '{name}'")
        if named or len(arguments) != len(fields):
            if len(arguments) > len(fields) or not named.keys() <= set(names[len(arguments) :]):
                raise TypeError(f"{name}: takes {', '.join(names)} (got {len(arguments)} arguments, {list(named)})")
            arguments += tuple(named.get(argument) for argument in names[len(arguments) :])
        if tuple(map(type, arguments)) in unchanged:
            return method(*arguments)
        return method(*_received(arguments_struct.__name__, fields, arguments))

    return call


@frozen
class _ArgumentField:
    """An argument of a call or a field of a struct, and how its value is converted for the service."""

    id: int
    name: str
    type: int
    spec: Any
    receive: Callable[[Any], Any]
    default: Any


def _received(struct: str, fields: Sequence[_ArgumentField], values: Iterable[Any]) -> list[Any]:
    received: list[Any] = []
    for field, value in zip(fields, values, strict=True):
        try:
            received.append(field.default if value is None else field.receive(value))
        except (TypeError, AttributeError, OverflowError) as error:
            raise TDecodeException(struct, field.id, field.name, value, field.type, field.spec) from error
    return received


def _argument_fields(struct: Any) -> list[_ArgumentField]:
    """The fields of a struct, whose spec thriftpy2 takes from the IDL: {id: (type, name, [item spec], required)}."""
    defaults = dict(struct.default_spec)
    fields: list[_ArgumentField] = []
    for field_id, (ttype, name, *spec, _) in struct.thrift_spec.items():
        item = spec[0] if spec else None
        receive = _receiver(ttype, item)
        default = None if defaults[name] is None else receive(defaults[name])
        # An int that is not sent is 0 on the Java side, unless the IDL calls it optional.
        if default is None and ttype in _INT_BITS and struct is not TScan:
            default = 0
        fields.append(_ArgumentField(field_id, name, ttype, item, receive, default))
    return fields


def _receiver(ttype: int, spec: Any) -> Callable[[Any], Any]:
    if ttype in _INT_BITS:
        return lambda value: _int_argument(value, _INT_BITS[ttype])
    if ttype == TType.BOOL:
        return bool
    if ttype == TType.STRUCT:
        fields = _argument_fields(spec)
        return lambda value: spec(*_received(spec.__name__, fields, (getattr(value, field.name) for field in fields)))
    if ttype == TType.LIST:
        receive = _receiver(spec, None) if type(spec) is int else _receiver(spec[0], spec[1])
        if spec == (TType.STRUCT, BatchMutation):
            return lambda values: values if _all_bytes(values) else [receive(value) for value in values]
        return lambda values: [receive(value) for value in values]
    if ttype == TType.MAP:
        return dict  # attributes, which the service ignores
    return _bytes_argument


def _all_bytes(batches: Iterable[BatchMutation]) -> bool:
    """Whether a batch needs no conversion: copying every mutation would take longer than storing it."""
    for batch in batches:
        if type(batch.row) is not bytes or batch.mutations is None:
            return False
        for mutation in batch.mutations:
            if type(mutation.column) is not bytes or not (mutation.isDelete or type(mutation.value) is bytes):
                return False
    return True


def _int_argument(value: Any, bits: int) -> int:
    number = operator.index(value)
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise OverflowError
    return number


def _bytes_argument(value: Any) -> bytes:
    if type(value) is bytes:
        return value
    return value.encode() if isinstance(value, str) else bytes(memoryview(value))
