"""A happybase connection to HBase's Thrift1 gateway that survives the network.

happybase runs on it unchanged. Only the client below it differs: it uses a socket of its own for each call, retries
calls that may be sent again, and otherwise raises an error with one line that says what is known.
"""

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Any, Literal

import happybase

from ...events import is_hooked, report
from ...keys.limits import IN_FLIGHT
from ..outcomes.connection_errors import DeadlineExceeded, OutcomeUnknown
from ..outcomes.deadlines import has_passed
from ..thrift1.prefixes import prefix_arguments
from .calls import CALLS, DECLARED, FETCH_CELLS, Call, description, table_of
from .helper_threads import Helpers
from .pool import IDLE_SOCKETS, Pool
from .resumed_scans import ResumedScans
from .retries import AttemptFailed, Attempts
from .thrift2 import Thrift2Client, Thrift2Gateway

TIMEOUT_MS = 30_000
"""How long a call waits for its reply. If a region server dies, calls usually stall for 19 to 29 s."""
RETRY_MS = 60_000
"""How long after its first attempt a call may be retried."""
_FINISH_S = 1.0
"""How long `close` waits for helpers that are closing scanners."""
SLOW_S = 1.0
"""A call that lasts as long is reported as `slow_call`."""


class HBaseConnection(happybase.Connection):
    """A happybase connection to the gateway at `host` and `port`, for any number of threads.

    A call waits `timeout_ms` for its reply. If an attempt fails, the call is sent again if it may be; no attempt begins
    later than `retry_ms` after the first. `deadline` ends both earlier. Up to `pool_size` idle sockets are kept.
    Queries of several ranges, and the decisions of a batch of writes, have up to `in_flight` requests under way; with 1
    they make one after the other. Raises Unreachable if the gateway does not accept a connection right now.
    """

    def __init__(
        self,
        host: str,
        port: int = happybase.DEFAULT_PORT,
        *,
        timeout_ms: int = TIMEOUT_MS,
        retry_ms: int = RETRY_MS,
        pool_size: int = IDLE_SOCKETS,
        in_flight: int = IN_FLIGHT,
        transport: Literal["buffered", "framed"] = "buffered",
        protocol: Literal["binary", "compact"] = "binary",
        table_prefix: str | None = None,
        thrift2_port: int | None = None,
    ) -> None:
        self.thrift2_port = thrift2_port
        # Each request may leave a socket that owes the reply to a close, beside the one that the next request takes.
        self._pool = Pool(host, port, timeout_ms / 1000, transport, protocol, pool_size, 2 * in_flight)
        self.helpers = Helpers(in_flight, self._pool.close_idle_of_helpers) if in_flight > 1 else None
        """Threads that make calls for others, side by side; None if calls are made one after the other."""
        self._retry_s = retry_ms / 1000
        self._thrift2: Thrift2Client | None = None
        if thrift2_port is not None:
            pool = Pool(host, thrift2_port, timeout_ms / 1000, transport, protocol, pool_size, service="Thrift2")
            self._thrift2 = Thrift2Client(pool, partial(RetryingClient, pool, self._retry_s), self._pool)
        super().__init__(
            host, port, timeout_ms, transport=transport, protocol=protocol, **prefix_arguments(table_prefix)
        )

    def table(self, name: bytes | str, use_prefix: bool = True) -> "HBaseTable":
        """A table, whose batches do not resend failed mutations by themselves."""
        return HBaseTable(super().table(name, use_prefix).name, self)

    def close(self) -> None:
        """Closes the sockets to both gateways, those in use too: calls under way fail.

        Before that it waits a moment for helpers that are closing scanners.
        """
        if self.helpers is not None:
            self.helpers.finish(_FINISH_S)
        super().close()
        if self._thrift2 is not None:
            self._thrift2.close()

    @contextmanager
    def beyond_thrift1(self) -> Generator[Thrift2Gateway | None]:
        """What the Thrift2 gateway at `thrift2_port` can do; None without that port.

        Raises StoreError if no Thrift2 gateway answers there.
        """
        if self._thrift2 is None:
            yield None
        else:
            self._thrift2.check()
            yield Thrift2Gateway(self, self._thrift2)

    def _refresh_thrift_client(self) -> None:
        self.transport = self._pool
        self.client = RetryingClient(self._pool, self._retry_s, helpers=self.helpers)
        if self._thrift2 is not None:
            self.client.put_dated = self._thrift2.put_dated


class RetryingClient:
    """The service's calls, with arguments as thriftpy2's TClient takes them; retries calls that may be sent again."""

    def __init__(
        self, pool: Pool, retry_s: float, calls: Mapping[str, Call] = CALLS, helpers: Helpers | None = None
    ) -> None:
        self._pool = pool
        self._retry_s = retry_s
        self._calls = calls
        self._scans = ResumedScans(pool, helpers)
        self.fetch_cells = self._bound(FETCH_CELLS)
        """`scannerGetList` that returns `CellArrays`, or TRowResults if its reply has another form. Needs numpy."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = self._calls.get(name)
        if call is None:
            raise AttributeError(f"{type(self).__name__} has no call {name!r}")
        bound = self._bound(call)
        setattr(self, name, bound)  # from now on found without __getattr__
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
            if has_passed() and call.name != "scannerClose":
                raise DeadlineExceeded(f"{self._pool.url}: {description(call, message)}: the deadline has passed")
            started_s = time.monotonic()
            attempts: Attempts | None = None
            error = ""
            try:
                try:
                    return attempt(message)
                except AttemptFailed as failure:
                    attempts = Attempts(call, message, self._pool, self._retry_s, started_s)
                    return _retry(attempts, message, attempt, failure)
            except BaseException as raised:
                error = type(raised).__name__
                raise
            finally:
                duration_s = time.monotonic() - started_s
                if duration_s >= SLOW_S or is_hooked():
                    _report_end(call, message, duration_s, attempts.count if attempts else 1, error)

        return run

    def _on_any_socket(self, call: Call, message: Any) -> Any:
        pool = self._pool
        gateway_socket = pool.take()
        try:
            if call.is_write:
                gateway_socket.greet()
            result = gateway_socket.call(call, message)
        except DECLARED:
            pool.give(gateway_socket)
            raise
        except BaseException:
            pool.drop(gateway_socket)
            raise
        pool.give(gateway_socket)
        return result


def _retry(attempts: Attempts, message: Any, attempt: Callable[[Any], Any], failure: AttemptFailed) -> Any:
    while True:
        attempts.pause(failure)
        try:
            return attempt(message)
        except AttemptFailed as next_failure:
            failure = next_failure


def _report_end(call: Call, message: Any, duration_s: float, attempts: int, error: str) -> None:
    fields = {"duration_ms": round(duration_s * 1000, 3), "attempts": attempts, "error": error}
    for event in ("call", "slow_call") if duration_s >= SLOW_S else ("call",):
        report(event, call=call.name, table=table_of(message) or "", **fields)


class HBaseTable(happybase.Table):
    """happybase's table, with batches that do not resend failed mutations by themselves."""

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
    """happybase's batch, but the end of a `with` block does not resend mutations that have just failed.

    Failed mutations stay in the batch: the caller may `send` them again if that is safe.
    """

    _stored = 0
    _failed = False

    def send(self) -> None:
        """Sends the mutations in the batch; a network error says how many of the batch were stored before."""
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
        """Sends the remaining mutations, unless sending them raised the exception."""
        if exc_type is None or not self._failed:
            super().__exit__(exc_type, exc_value, traceback)
