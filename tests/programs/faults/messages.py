"""Messages of the binary protocol as a proxy needs them: where each ends, what it calls, which scanner it means."""

from collections.abc import Callable
from struct import Struct
from typing import Any

from Hbase_thrift import Hbase
from thriftpy2.protocol import TBinaryProtocol
from thriftpy2.thrift import TMessageType
from thriftpy2.transport import TMemoryBuffer

from shared.stores.server.messages import MAX_NESTED_VALUES, BinaryWalk, Stream

_HEAD = Struct(">II")
_TYPE_AT = 3
_NAME_AT = 8


class ReplyWalk(BinaryWalk):
    """The walk over a reply, whose head differs from that of a call in the type only."""

    def message(self) -> int:
        """Where the reply ends; waits for it."""
        self._need(_NAME_AT)
        _, name_bytes = _HEAD.unpack_from(self._data)
        return self._struct(_NAME_AT + name_bytes + 4, MAX_NESTED_VALUES)


def take_call(stream: Stream) -> bytes:
    """The next call of a client."""
    return stream.take(BinaryWalk(stream).message())


def take_reply(receive: Callable[[int], bytes]) -> bytes:
    """The next reply of a gateway."""
    stream = Stream(receive, framed=False)
    return stream.take(ReplyWalk(stream).message())


def name_of(message: bytes) -> str:
    """What the message calls, or replies to."""
    _, name_bytes = _HEAD.unpack_from(message)
    return message[_NAME_AT : _NAME_AT + name_bytes].decode()


def is_undeclared(reply: bytes) -> bool:
    """Whether a reply is an exception that the call does not declare."""
    return reply[_TYPE_AT] == TMessageType.EXCEPTION


def closes_scanner_of(fetch: bytes) -> bytes:
    """The call that closes the scanner which this `scannerGetList` fetches from."""
    fetched: Any = Hbase.scannerGetList_args()
    protocol = TBinaryProtocol(TMemoryBuffer(fetch))
    protocol.read_message_begin()
    fetched.read(protocol)
    return message("scannerClose", fetched.id)


def message(name: str, *arguments: Any) -> bytes:
    """A call with these arguments."""
    written = TMemoryBuffer()
    protocol = TBinaryProtocol(written)
    protocol.write_message_begin(name, TMessageType.CALL, 0)
    getattr(Hbase, f"{name}_args")(*arguments).write(protocol)
    protocol.write_message_end()
    return bytes(written.getvalue())
