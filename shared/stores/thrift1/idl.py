"""The Thrift1 service of HBase 2.6: the one of happybase's older `Hbase.thrift`, with HBase's later additions.

Structs are happybase's own, because its client passes them to a store in the same process. Two differences between the
IDLs need no code: a received TScan may have the new field `cacheBlocks`, which is skipped because it changes no answer;
and a family without a `timeToLive` keeps its cells for ever by both defaults.
"""

from pathlib import Path
from typing import Any, ClassVar

import Hbase_thrift
import thriftpy2
from Hbase_thrift import Hbase
from thriftpy2.thrift import TType

_thriftpy2: Any = thriftpy2  # has no types
_added: Any = _thriftpy2.load(Path(__file__).with_name("added.thrift"), module_name="rowbook_thrift1_thrift")

TThriftServerType = _added.TThriftServerType


class IOError(Hbase_thrift.IOError):
    """happybase's IOError with the field that HBase has added.

    `canRetry` says whether the same call may succeed later: False if HBase's exception is a DoNotRetryIOException. Only
    a gateway that is older than the field leaves it None.
    """

    thrift_spec = _added.IOError.thrift_spec
    canRetry: bool | None  # noqa: N815 - HBase's name

    def __init__(self, message: bytes | str | None = None, canRetry: bool | None = None) -> None:
        super().__init__(message)
        self.canRetry = canRetry


class Thrift1(Hbase, _added.Hbase):  # type: ignore[misc]
    """The service: the names of its calls, and for each call a struct `NAME_args` and a struct `NAME_result`.

    It still has `getRowOrBefore`, which HBase has dropped: happybase's client has that call, but no server does.
    """

    thrift_services: ClassVar[list[str]] = [*Hbase.thrift_services, *_added.Hbase.thrift_services]


def _with_can_retry(result: Any) -> Any:
    """The result struct of a call, with the IOError above as its declared one."""
    spec = {number: _field_with_can_retry(*field) for number, field in result.thrift_spec.items()}
    return type(result)(result.__name__, (result,), {"thrift_spec": spec})


def _field_with_can_retry(kind: int, name: str, *spec: Any) -> tuple[Any, ...]:
    if kind == TType.STRUCT and spec[0] in (Hbase_thrift.IOError, _added.IOError):
        spec = (IOError, *spec[1:])
    return (kind, name, *spec)


for _name in Thrift1.thrift_services:
    setattr(Thrift1, f"{_name}_result", _with_can_retry(getattr(Thrift1, f"{_name}_result")))
