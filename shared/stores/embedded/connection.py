"""happybase's client on a service in the same process: what Thrift would do to the arguments, without the bytes."""

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

from ..thrift1.descriptors import Options, descriptors, split_rows
from ..thrift1.idl import Thrift1
from .engine import Engine
from .service import ThriftService

WAIT_S = 10.0

_INT_BITS = {TType.BYTE: 8, TType.I16: 16, TType.I32: 32, TType.I64: 64}

# Arguments of these types go through without a look at each; an int may be out of range, and a list hold anything.
_UNCHANGED: dict[int, list[type]] = {
    TType.STRING: [bytes, NoneType],
    TType.BINARY: [bytes, NoneType],
    TType.MAP: [dict],
    **{ttype: [] for ttype in _INT_BITS},
}


class EmbeddedConnection(happybase.Connection):
    """A happybase connection to an embedded store; `path` None is an empty one in memory.

    A writer waits `wait_s` seconds for a writer in another process, then the call raises IOError. `close` forgets what
    is in memory. `client.rows_read` counts the rows that the store stepped over so far, returned or not.
    """

    def __init__(self, path: str | None, *, table_prefix: str | None = None, wait_s: float = WAIT_S) -> None:
        self._engine = Engine(path, wait_s)
        self._client = InProcessClient(ThriftService(self._engine))
        super().__init__(table_prefix=table_prefix)

    @property
    def service(self) -> ThriftService:
        """The store's calls, as a server needs them."""
        return self._client.service

    def compact(self, name: str | bytes) -> None:
        """The major compaction of a table, which HBase runs every week or so: what no read shows goes for good.

        From then on a deleted row costs a scan nothing, and a put with a timestamp before the delete's is stored.
        """
        self.service.major_compact(self.table(name).name)

    def check(self) -> None:
        """Reads the whole store for damage, about 30 MB a second; raises IOError with one line that says where.

        A changed bit inside a key or a value cannot be told from what was written.
        """
        self.service.check_store()

    def create_split_table(
        self, name: str | bytes, families: Options, split_points: Iterable[str | bytes] = ()
    ) -> None:
        """Creates a table as happybase's `create_table` does, with one region more than there are split points.

        Each split point is the first row of a region. Families take the option `block_size` besides, in bytes; it is
        stored and changes nothing. Raises ValueError for a split point that is not a valid row key or occurs twice.
        """
        rows = split_rows(split_points)
        found, block_sizes = descriptors(families)
        create = _wire_call("createTable", partial(self.service.create_split_table, rows, block_sizes))
        create(self.table(name).name, found)

    def block_sizes(self, name: str | bytes) -> dict[bytes, int]:
        """The block size of each family of a table, in bytes: 65,536 as HBase has it, unless another was given."""
        return self.service.block_sizes(self.table(name).name)

    def beyond_thrift1(self) -> AbstractContextManager["EmbeddedConnection"]:
        """This connection: it creates split tables and knows block sizes itself."""
        return nullcontext(self)

    def _refresh_thrift_client(self) -> None:
        # Of its transport happybase asks is_open, open and close: the engine has them.
        self.transport = self._engine
        self.client = self._client


class InProcessClient:
    """Has the service's calls and takes their arguments as thriftpy2's TClient does.

    Text becomes UTF-8, a missing argument None or 0, and what the IDL's type cannot hold raises TDecodeException.
    """

    def __init__(self, service: ThriftService) -> None:
        self.service = service

    @property
    def rows_read(self) -> int:
        """The rows that the store stepped over so far to answer, returned or not."""
        return self.service.engine.rows_read

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in Thrift1.thrift_services:
            raise AttributeError(f"{type(self).__name__} has no call {name!r}")
        call = _wire_call(name, getattr(self.service, name, None))
        setattr(self, name, call)  # from now on without this detour
        return call


def _wire_call(name: str, method: Callable[..., Any] | None) -> Callable[..., Any]:
    arguments_struct: type = getattr(Thrift1, f"{name}_args")
    fields = _fields(arguments_struct)
    names = [field.name for field in fields]
    unchanged = set(product(*(_UNCHANGED.get(field.type, [NoneType]) for field in fields)))

    def call(*arguments: Any, **named: Any) -> Any:
        if method is None:
            raise TApplicationException(TApplicationException.UNKNOWN_METHOD, f"Invalid method name: '{name}'")
        if named or len(arguments) != len(fields):
            if len(arguments) > len(fields) or not named.keys() <= set(names[len(arguments) :]):
                raise TypeError(f"{name}: takes {', '.join(names)} (got {len(arguments)} arguments, {list(named)})")
            arguments += tuple(named.get(each) for each in names[len(arguments) :])
        if tuple(map(type, arguments)) in unchanged:
            return method(*arguments)
        return method(*_received(arguments_struct.__name__, fields, arguments))

    return call


@frozen
class _Field:
    """An argument of a call or a field of a struct, and what becomes of its value on the way to the other side."""

    id: int
    name: str
    type: int
    spec: Any
    receive: Callable[[Any], Any]
    default: Any


def _received(struct: str, fields: Sequence[_Field], values: Iterable[Any]) -> list[Any]:
    received: list[Any] = []
    for field, value in zip(fields, values, strict=True):
        try:
            received.append(field.default if value is None else field.receive(value))
        except (TypeError, AttributeError, OverflowError) as error:
            raise TDecodeException(struct, field.id, field.name, value, field.type, field.spec) from error
    return received


def _fields(struct: Any) -> list[_Field]:
    """The fields of a struct, as thriftpy2 has them from the IDL: {id: (type, name, [spec of the items], required)}."""
    defaults = dict(struct.default_spec)
    fields: list[_Field] = []
    for field_id, (ttype, name, *spec, _) in struct.thrift_spec.items():
        item = spec[0] if spec else None
        receive = _receiver(ttype, item)
        default = None if defaults[name] is None else receive(defaults[name])
        # An int that is not sent is 0 on the Java side, except where the IDL calls it optional.
        if default is None and ttype in _INT_BITS and struct is not TScan:
            default = 0
        fields.append(_Field(field_id, name, ttype, item, receive, default))
    return fields


def _receiver(ttype: int, spec: Any) -> Callable[[Any], Any]:
    if ttype in _INT_BITS:
        return lambda value: _as_int(value, _INT_BITS[ttype])
    if ttype == TType.BOOL:
        return bool
    if ttype == TType.STRUCT:
        fields = _fields(spec)
        return lambda value: spec(*_received(spec.__name__, fields, (getattr(value, field.name) for field in fields)))
    if ttype == TType.LIST:
        receive = _receiver(spec, None) if type(spec) is int else _receiver(spec[0], spec[1])
        if spec == (TType.STRUCT, BatchMutation):
            return lambda values: values if _all_bytes(values) else [receive(value) for value in values]
        return lambda values: [receive(value) for value in values]
    if ttype == TType.MAP:
        return dict  # attributes, which the service ignores
    return _as_bytes


def _all_bytes(batches: Iterable[BatchMutation]) -> bool:
    """Whether a batch can go as it is: copying every mutation would take longer than storing it."""
    for batch in batches:
        if type(batch.row) is not bytes or batch.mutations is None:
            return False
        for each in batch.mutations:
            if type(each.column) is not bytes or not (each.isDelete or type(each.value) is bytes):
                return False
    return True


def _as_int(value: Any, bits: int) -> int:
    number = operator.index(value)
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise OverflowError
    return number


def _as_bytes(value: Any) -> bytes:
    if type(value) is bytes:
        return value
    return value.encode() if isinstance(value, str) else bytes(memoryview(value))
