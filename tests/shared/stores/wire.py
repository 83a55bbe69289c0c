"""Calls as the bytes that a client sends, and the bytes that come back."""

import socket
from typing import Any

from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TMessageType
from thriftpy2.transport import TMemoryBuffer

from shared.stores.server.thrift_server import ThriftServer
from shared.stores.thrift1.idl import Thrift1
from tests.programs.hbase.named import NamedHBase

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


def answers(server: ThriftServer | NamedHBase, sent: bytes) -> bytes:
    """All that a server answers to a client that sends this and no more."""
    with socket.create_connection((server.host, server.port), 60) as client:
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(1 << 16), b""))
