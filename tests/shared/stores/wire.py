"""Calls as the bytes that a client sends."""

from typing import Any

from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TMessageType
from thriftpy2.transport import TMemoryBuffer

from shared.stores.thrift1.idl import Thrift1

PROTOCOLS = {"binary": TBinaryProtocol, "compact": TCompactProtocol}


def arguments_of(name: str, *values: Any) -> Any:
    """The struct of a call's arguments, with these values in the order of the IDL and the others left out."""
    return getattr(Thrift1, f"{name}_args")(*values)


def message(name: str, arguments: Any, *, protocol: str = "binary", sequence_id: int = 7) -> bytes:
    """A call as it is sent, without its transport's frame."""
    buffer = TMemoryBuffer()
    writing = PROTOCOLS[protocol](buffer)
    writing.write_message_begin(name, TMessageType.CALL, sequence_id)
    arguments.write(writing)
    writing.write_message_end()
    return bytes(buffer.getvalue())
