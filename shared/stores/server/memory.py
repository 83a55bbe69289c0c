"""The memory that a server needs for its clients: messages until they are answered, replies until they are read."""

import threading
from collections.abc import Sequence

from Hbase_thrift import TCell, TRowResult

from ..embedded.sizes import results_bytes

MAX_BUFFERED_BYTES = 1024 * 1024 * 1024

# Smaller messages and replies are not counted: a thousand clients can have that much at once.
SMALL_BYTES = 64 * 1024


class BufferFull(Exception):
    """No memory is left for a client's message or reply; the message is one line that says how much there is."""


class Buffers:
    """The memory that all clients of a server share, `limit_bytes` in all; from any thread."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._counted_bytes = 0
        self._guard = threading.Lock()

    def recount(self, before: int, after: int) -> None:
        """Counts `after` bytes of a client in place of `before`; BufferFull, and no change, beyond the limit."""
        with self._guard:
            others = self._counted_bytes - before
            if after > before and others + after > self._limit_bytes:
                raise BufferFull(
                    f"unanswered messages and unread replies must be at most {self._limit_bytes} bytes together"
                    f" (this one: {after}, others: {others}): send or ask for less at a time"
                )
            self._counted_bytes = others + after


class ClientBuffers:
    """The share of one client: its message, and its reply as it grows."""

    def __init__(self, buffers: Buffers) -> None:
        self._buffers = buffers
        self._message_bytes = 0
        self._reply_bytes = 0
        self._counted_bytes = 0

    def hold_message(self, size: int) -> None:
        """Sets the size of the client's message; BufferFull if that is more than is left."""
        self._hold(size, self._reply_bytes)

    def hold_reply(self, size: int) -> None:
        """Sets the size of the client's reply; BufferFull if that is more than is left."""
        self._hold(self._message_bytes, size)

    def grow_reply(self, results: Sequence[TRowResult | TCell]) -> None:
        """Adds results to the client's reply; BufferFull if that is more than is left."""
        self.hold_reply(self._reply_bytes + results_bytes(results))

    def release(self) -> None:
        """Releases the memory of both."""
        self._hold(0, 0)

    def _hold(self, message_bytes: int, reply_bytes: int) -> None:
        size = message_bytes + reply_bytes
        counted = size if size > SMALL_BYTES else 0
        if counted != self._counted_bytes:
            self._buffers.recount(self._counted_bytes, counted)
            self._counted_bytes = counted
        self._message_bytes, self._reply_bytes = message_bytes, reply_bytes
