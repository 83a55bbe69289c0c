"""The Thrift1 service of HBase 2.6: the one of happybase's older `Hbase.thrift`, with HBase's later additions.

Structs are happybase's own, because its client passes them to a store in the same process. Two differences between the
IDLs need no code: a received TScan may have the new field `cacheBlocks`, which is skipped because it changes no answer;
and a family without a `timeToLive` keeps its cells for ever by both defaults.

The additions are written here as thriftpy2 would read them from an IDL: its parser takes as long as a small command.
Names and numbers are those of HBase's own IDL.
"""

from typing import Any, ClassVar

import Hbase_thrift
import thriftpy2.thrift
from Hbase_thrift import Hbase

from ..outcomes.connection_errors import first_line

_thrift: Any = thriftpy2.thrift  # has no types
TType, TPayload = _thrift.TType, _thrift.TPayload


class TThriftServerType:
    """Which of its two services a gateway has."""

    _ttype = TType.I32
    ONE, TWO = 1, 2
    _VALUES_TO_NAMES: ClassVar[dict[int, str]] = {1: "ONE", 2: "TWO"}
    _NAMES_TO_VALUES: ClassVar[dict[str, int]] = {"ONE": 1, "TWO": 2}


class IOError(Hbase_thrift.IOError):
    """happybase's IOError with the field that HBase has added.

    `canRetry` says whether the same call may succeed later: False if HBase's exception is a DoNotRetryIOException. Only
    a gateway that is older than the field leaves it None.
    """

    canRetry: bool | None  # noqa: N815 - HBase's name

    def __init__(self, message: bytes | str | None = None, canRetry: bool | None = None) -> None:
        super().__init__(message)
        self.canRetry = canRetry

    def __str__(self) -> str:
        """What is wrong, in one line; `message` also has HBase's stack trace."""
        return first_line(self.message) if self.message else type(self).__name__


IOError.thrift_spec = {1: (TType.STRING, "message", False), 2: (TType.BOOL, "canRetry", False)}

_RAISED = {1: (TType.STRUCT, "io", IOError, False)}
_ADDED: dict[str, dict[int, Any]] = {
    "getTableNamesWithIsTableEnabled": {**_RAISED, 0: (TType.MAP, "success", (TType.BINARY, TType.BOOL), False)},
    "getThriftServerType": {0: (TType.I32, "success", TThriftServerType, False)},
    "getClusterId": {0: (TType.STRING, "success", False)},
}
"""The calls that HBase has added, which have no arguments, with the fields of their results."""


class Thrift1(Hbase):
    """The service: the names of its calls, and for each call a struct `NAME_args` and a struct `NAME_result`.

    It still has `getRowOrBefore`, which HBase has dropped: happybase's client has that call, but no server does.
    """

    thrift_services: ClassVar[list[str]] = [*Hbase.thrift_services, *_ADDED]


def _with_can_retry(result: Any) -> Any:
    """The result struct of a call, with the IOError above as its declared one."""
    spec = {number: _field_with_can_retry(*field) for number, field in result.thrift_spec.items()}
    return type(result)(result.__name__, (result,), {"thrift_spec": spec})


def _field_with_can_retry(kind: int, name: str, *spec: Any) -> tuple[Any, ...]:
    if kind == TType.STRUCT and spec[0] is Hbase_thrift.IOError:
        spec = (IOError, *spec[1:])
    return (kind, name, *spec)


def _struct(name: str, spec: dict[int, Any], **of_class: Any) -> Any:
    defaults = [(spec[number][1], None) for number in sorted(spec)]
    made: Any = type(TPayload)(name, (TPayload,), dict(of_class))
    made.default_spec = defaults
    return _thrift.gen_init(made, spec, defaults)


for _name in Hbase.thrift_services:
    setattr(Thrift1, f"{_name}_result", _with_can_retry(getattr(Thrift1, f"{_name}_result")))
for _name, _spec in _ADDED.items():
    setattr(Thrift1, f"{_name}_args", _struct(f"{_name}_args", {}))
    setattr(Thrift1, f"{_name}_result", _struct(f"{_name}_result", _spec, oneway=False))
