"""A happybase connection to HBase's Thrift1 gateway that survives the network.

happybase runs on it unchanged: what differs is the client behind it, which has a socket for each call, sends again
what may be sent again, and says in one line what is known where nothing more can be done.
"""

import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from functools import partial
from types import TracebackType
from typing import Any, Literal

import happybase

from .calls import CALLS, DECLARED, Call
from .outcomes import Attempts, Lost, OutcomeUnknown
from .resumed_scans import Scans
from .sockets import Pool
from .thrift2 import Thrift2Gateway

TIMEOUT_MS = 30_000
"""How long a call waits for its reply. The death of a region server mostly stalls one for 19 to 29 s."""
RETRY_MS = 60_000
"""How long after its begin a call is sent again."""


class HBaseConnection(happybase.Connection):
    """A happybase connection to the gateway at `host` and `port`, for any number of threads.

    A call waits `timeout_ms` for its reply; where that fails it is sent again, if it may be, and no attempt begins
    later than `retry_ms` after the first. Raises Unreachable if the gateway cannot be connected right now.
    """

    def __init__(
        self,
        host: str,
        port: int = happybase.DEFAULT_PORT,
        *,
        timeout_ms: int = TIMEOUT_MS,
        retry_ms: int = RETRY_MS,
        transport: Literal["buffered", "framed"] = "buffered",
        protocol: Literal["binary", "compact"] = "binary",
        table_prefix: str | None = None,
        thrift2_port: int | None = None,
    ) -> None:
        self.thrift2_port = thrift2_port
        self._pool = Pool(host, port, timeout_ms / 1000, transport, protocol)
        self._retry_s = retry_ms / 1000
        super().__init__(host, port, timeout_ms, table_prefix=table_prefix, transport=transport, protocol=protocol)

    def table(self, name: bytes | str, use_prefix: bool = True) -> "HBaseTable":
        """A table, whose batches do not send twice what failed once."""
        return HBaseTable(super().table(name, use_prefix).name, self)

    @contextmanager
    def beyond_thrift1(self) -> Generator[Thrift2Gateway | None]:
        """The Thrift2 gateway at `thrift2_port`, open during the block; None without that port."""
        if self.thrift2_port is None:
            yield None
        else:
            with closing(Thrift2Gateway(self, self.thrift2_port)) as gateway:
                yield gateway

    def _refresh_thrift_client(self) -> None:
        self.transport = self._pool
        self.client = RetryingClient(self._pool, self._retry_s)


class RetryingClient:
    """Has the service's calls, takes their arguments as thriftpy2's TClient does, and retries what may be."""

    def __init__(self, pool: Pool, retry_s: float) -> None:
        self._pool = pool
        self._retry_s = retry_s
        self._scans = Scans(pool)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = CALLS.get(name)
        if call is None:
            raise AttributeError(f"{type(self).__name__} has no call {name!r}")
        bound = self._bound(call)
        setattr(self, name, bound)  # from now on without this detour
        return bound

    def _bound(self, call: Call) -> Callable[..., Any]:
        attempt: Callable[[Any], Any]
        if call.name.startswith("scannerOpen"):
            attempt = partial(self._scans.open, call)
        elif call.name == "scannerClose":
            attempt = partial(self._scans.close, call)
        elif call.name.startswith("scanner"):
            attempt = partial(self._scans.fetch, call)
        else:
            attempt = partial(self._on_any_socket, call)

        def run(*arguments: Any, **named: Any) -> Any:
            message = call.message(arguments, named)
            started_s = time.monotonic()
            try:
                return attempt(message)
            except Lost as lost:
                return self._again(call, message, attempt, started_s, lost)

        return run

    def _on_any_socket(self, call: Call, message: Any) -> Any:
        pool = self._pool
        line = pool.take()
        try:
            result = line.call(call, message)
        except DECLARED:
            pool.give(line)
            raise
        except BaseException:
            pool.drop(line)
            raise
        pool.give(line)
        return result

    def _again(self, call: Call, message: Any, attempt: Callable[[Any], Any], started_s: float, lost: Lost) -> Any:
        attempts = Attempts(call, message, self._pool, self._retry_s, started_s)
        while True:
            attempts.pause(lost)
            try:
                return attempt(message)
            except Lost as again:
                lost = again


class HBaseTable(happybase.Table):
    """happybase's table, with batches that do not send twice what failed once."""

    def batch(
        self,
        timestamp: int | None = None,
        batch_size: int | None = None,
        transaction: bool = False,
        wal: bool = True,
    ) -> "HBaseBatch":
        """See `happybase.Table.batch`."""
        return HBaseBatch(self, timestamp, batch_size, transaction, wal)


class HBaseBatch(happybase.Batch):
    """happybase's batch, but the end of a `with` block does not send again what has just failed.

    What failed stays in the batch: `send` sends it again, for who knows that this is right.
    """

    _stored = 0
    _failed = False

    def send(self) -> None:
        """Sends what is in the batch; an error of the network tells how much of it was stored before."""
        count = self._mutation_count
        self._failed = True
        try:
            super().send()
        except ConnectionError as error:
            if self._stored:
                known = "have an unknown outcome" if isinstance(error, OutcomeUnknown) else "are not"
                error.args = (f"{error}; of this batch {self._stored} mutations are stored, {count} {known}",)
            raise
        self._failed = False
        self._stored += count

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Sends what is left, unless the exception came out of sending it."""
        if exc_type is None or not self._failed:
            super().__exit__(exc_type, exc_value, traceback)
