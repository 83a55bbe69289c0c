"""Sockets to one gateway: each serves one call at a time, and no reply reaches another call than its own.

A socket whose reply has failed is closed, never reused. Only the reply to a call for whose result nobody waits, that to
`scannerClose`, may be read later: before the next call is sent. The pool of happybase gives a socket to the next caller
whatever is left in it.
"""

import select
import socket
import time
from contextlib import suppress
from typing import Any

from thriftpy2 import transport as thriftpy2_transport
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TApplicationException, TMessageType
from thriftpy2.transport import TTransportException

from ..outcomes.deadlines import has_passed, left_s
from .calls import CALLS, DECLARED, Call
from .helper_threads import is_helper
from .retries import AttemptFailed

_transports: Any = thriftpy2_transport  # whose Cython classes have no types
_TRANSPORTS = {"buffered": _transports.TBufferedTransport, "framed": _transports.TFramedTransport}
_PROTOCOLS: dict[str, Any] = {"binary": TBinaryProtocol, "compact": TCompactProtocol}

BUFFER_BYTES = 65_536
"""What a socket reads at once. With thriftpy2's 4 KiB a scan needs a tenth more processor time, and helpers hand
Python's lock over three times as often."""

_GREETING = CALLS["getThriftServerType"]


class _LimitedSocket:
    """A socket as thriftpy2's transports use it, whose waits end after the timeout, or at an earlier deadline."""

    def __init__(self, connected: socket.socket, timeout_s: float) -> None:
        self._socket = connected
        self._timeout_s = timeout_s
        self._is_limited = False
        self._unread = memoryview(b"")
        self.waits = True
        """Whether reading waits for bytes that have not arrived."""

    def read(self, size: int) -> bytes:
        """Some bytes."""
        if self._unread:
            data, self._unread = bytes(self._unread[:size]), self._unread[size:]
            return data
        self._limit()
        data = self._socket.recv(size)
        if not data:
            raise TTransportException(TTransportException.END_OF_FILE, "the gateway closed the socket")
        return data

    def unread(self, data: bytes) -> None:
        """Puts back bytes, which the next reads return first."""
        self._unread = memoryview(data + bytes(self._unread))

    def write(self, data: bytes) -> None:
        """Sends all bytes."""
        self._limit()
        self._socket.sendall(data)

    def flush(self) -> None:
        """Does nothing: `write` has sent everything."""

    def _limit(self) -> None:
        if not self.waits:
            self._is_limited = True
            self._socket.settimeout(0)
            return
        deadline_s = left_s()
        if deadline_s == 0:
            raise TimeoutError("the deadline has passed")
        if deadline_s is not None or self._is_limited:
            self._is_limited = deadline_s is not None
            self._socket.settimeout(self._timeout_s if deadline_s is None else min(self._timeout_s, deadline_s))


class GatewaySocket:
    """One connected socket and the Thrift messages on it, one call after the other."""

    def __init__(self, connected: socket.socket, timeout_s: float, transport: str, protocol: str) -> None:
        self._socket = connected
        self._timeout_s = timeout_s
        self._limited = _LimitedSocket(connected, timeout_s)
        self._transport = _TRANSPORTS[transport](self._limited, BUFFER_BYTES)
        self._is_framed = transport == "framed"
        self._protocol = _PROTOCOLS[protocol](self._transport, decode_response=False)
        self._poll = select.poll()
        self._poll.register(connected, select.POLLIN)
        self._sequence_id = 0
        self.is_of_helpers = is_helper()
        """Whether a helper opened it; then only helpers take it."""
        self._answered = False
        self._owed: tuple[Call, int] | None = None
        """The call whose reply is still to be read, and its sequence id."""
        self.is_open = True
        self.used_s = time.monotonic()

    def call(self, call: Call, message: Any) -> Any:
        """Sends a call and returns its result, or raises its declared exception.

        After any other exception the socket must be closed. AttemptFailed means that the network or the gateway failed,
        and says whether the whole call was sent. A value that cannot be encoded raises thriftpy2's own exception.
        """
        self.settle()
        return self._receive(call, self._send(call, message))

    def send(self, call: Call, message: Any) -> None:
        """Sends a call for whose result nobody waits; its reply is read before the next call. Raises as `call` does."""
        self.settle()
        self._owed = call, self._send(call, message)

    def settle(self, *, waits: bool = True) -> None:
        """Reads the owed reply, if there is one; if it does not wait, the whole reply must have arrived.

        Raises AttemptFailed with `sent=False`: the next call was not sent. Then the socket must be closed.
        """
        if self._owed is None:
            return
        (call, sequence_id), self._owed = self._owed, None
        self._limited.waits = waits
        try:
            self._receive(call, sequence_id)
        except DECLARED:  # the scanner has expired: it is closed
            pass
        except (AttemptFailed, TApplicationException) as failure:
            in_time = not isinstance(failure, AttemptFailed) or failure.in_time
            reason = f"its socket still owed the reply to {call.name}: {failure}"
            raise AttemptFailed(reason, sent=False, in_time=in_time) from failure.__cause__
        finally:
            self._limited.waits = True
        self._check_for_more()

    def _check_for_more(self) -> None:
        """Raises AttemptFailed if the gateway has closed the socket after its last reply: the next call is not sent."""
        if self._poll.poll(0):
            raise AttemptFailed("the gateway closed the socket", sent=False)

    def greet(self) -> None:
        """Sends a call that changes nothing, unless the gateway has answered on this socket before.

        A gateway accepts sockets for which it has no thread left. A write that waits there has an unknown outcome; this
        call does not, so no write is the first call on a socket. Raises AttemptFailed, after which the socket must be
        closed: the write was not sent.
        """
        if not self._answered:
            try:
                self.call(_GREETING, _GREETING.arguments())
            except TApplicationException:  # an older gateway does not know the call
                pass
            except AttemptFailed as failure:
                raise AttemptFailed(
                    failure.reason, sent=False, in_time=failure.in_time, reached=failure.reached
                ) from failure.__cause__
            self._check_for_more()

    def is_free(self) -> bool:
        """Whether no reply is owed, or the owed one has begun to arrive."""
        return self._owed is None or bool(self._poll.poll(0))

    def _send(self, call: Call, message: Any) -> int:
        """Sends a call and returns its sequence id."""
        protocol = self._protocol
        self._sequence_id = sequence_id = (self._sequence_id + 1) & 0x7FFFFFFF
        try:
            protocol.write_message_begin(call.name, TMessageType.CALL, sequence_id)
            protocol.write_struct(message)
            protocol.write_message_end()
            self._transport.flush()
        except OSError as error:
            # The gateway has not received the last byte, and runs nothing without it.
            raise AttemptFailed(f"it could not be sent ({network_error_text(error)})", sent=False) from error
        return sequence_id

    def _receive(self, call: Call, sequence_id: int) -> Any:
        """The result of the call that was sent with this sequence id."""
        protocol = self._protocol
        result: Any = call.result()
        try:
            if call.as_cells and (cells := self._receive_cells(call, sequence_id)) is not None:
                self._answered = True
                return cells
            _, kind, replied_id = protocol.read_message_begin()
            if replied_id != sequence_id:
                raise TTransportException(message=f"reply {replied_id} to call {sequence_id}")
            if kind == TMessageType.EXCEPTION:
                result = TApplicationException()
            protocol.read_struct(result)
            protocol.read_message_end()
        except TimeoutError as error:
            limit = "before the deadline" if has_passed() else f"within {self._timeout_s:g} s"
            raise AttemptFailed(f"no reply {limit}", sent=True, in_time=False) from error
        except (OSError, EOFError, TTransportException) as error:
            raise AttemptFailed(f"the reply did not come ({network_error_text(error)})", sent=True) from error
        except (MemoryError, ImportError):
            raise  # another attempt would fail in the same way: too large a reply, no numpy
        except Exception as error:
            raise AttemptFailed(f"the reply cannot be read ({error!r:.100})", sent=True) from error
        self._answered = True
        if kind == TMessageType.EXCEPTION:
            raise TApplicationException(result.type, result.message and bytes(result.message).decode(errors="replace"))
        if call.has_success and result.success is not None:
            return result.success
        for name in call.errors:
            if getattr(result, name) is not None:
                raise getattr(result, name)
        if call.has_success:
            raise TApplicationException(TApplicationException.MISSING_RESULT)
        return None

    def _receive_cells(self, call: Call, sequence_id: int) -> Any:
        """Reads the rows of a reply as `CellArrays`. Returns None, and puts all bytes back, if it has another form."""
        from .cell_replies import CellReplyReader, UnusualReply  # which needs numpy

        reader = CellReplyReader(call.name, sequence_id)
        frame_bytes = self._limited.read(4) if self._is_framed else b""
        while 0 < len(frame_bytes) < 4:
            frame_bytes += self._limited.read(4 - len(frame_bytes))
        data = bytearray()
        try:
            while not reader.is_complete(data):
                data += self._limited.read(BUFFER_BYTES)
            reply = bytes(data)
            cells = reader.cells(reply)
            if self._is_framed and int.from_bytes(frame_bytes, "big") != reader.end:
                raise UnusualReply
        except UnusualReply:
            self._limited.unread(frame_bytes + data)
            return None
        self._limited.unread(reply[reader.end :])
        return cells

    def is_usable(self) -> bool:
        """Whether a call may be sent: no unexpected bytes have arrived, nor the end of the stream.

        If a reply is owed, only `settle` can tell: `call` and `send` begin with it.
        """
        return self.is_open and (self._owed is not None or not self._poll.poll(0))

    def close(self) -> None:
        """Closes the socket; a call that another thread waits for fails at once."""
        if self.is_open:
            with suppress(OSError):  # the gateway may have closed it first
                self._socket.shutdown(socket.SHUT_RDWR)
        self.abandon()

    def abandon(self) -> None:
        """Closes this process's copy of the socket; the parent process keeps using it."""
        self.is_open = False
        self._socket.close()


def network_error_text(error: Exception) -> str:
    """The message of a network error, in one line."""
    if isinstance(error, TTransportException) and error.type == TTransportException.END_OF_FILE:
        return "the gateway closed the socket"
    text = getattr(error, "strerror", None) or getattr(error, "message", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())
