"""The calls and structs of `hbase.thrift`, the part of HBase's Thrift2 that the suite uses."""

from functools import cache
from pathlib import Path
from typing import Any

import thriftpy2

from ..thrift1.idl import IOError

_thriftpy2: Any = thriftpy2  # has no types


@cache
def idl() -> Any:
    """The IDL, loaded at first use; its service is `THBaseService`.

    Calls declare Thrift1's IOError: TIOError is the same on the wire, and callers need not tell the gateways apart.
    """
    loaded = _thriftpy2.load(Path(__file__).with_name("hbase.thrift"), module_name="rowbook_thrift2_thrift")
    for name in loaded.THBaseService.thrift_services:
        result = getattr(loaded.THBaseService, f"{name}_result")
        for number, (kind, field, *spec) in result.thrift_spec.items():
            if field == "io":
                result.thrift_spec[number] = (kind, field, IOError, *spec[1:])
    return loaded
