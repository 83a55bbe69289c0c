"""Several streams of one scan, read side by side if the connection has helpers.

A stream is a sequence of parts, read one after the other: the ranges of one bucket, for example. On plain happybase and
on the embedded store each part is read when its next row is needed, by the thread that needs it. A connection of
`connect("hbase://...")` has helpers, which fetch the first batch of every stream at once. While the streams are merged,
each of them fetches at most one batch ahead after its first, so that a reader who stops holds back all of them.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from ..keys.limits import IN_FLIGHT

if TYPE_CHECKING:
    import happybase

E = TypeVar("E")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

LEAST_ROWS = 16
"""Rows in a batch at least: a fetch of fewer takes as long."""

Rows = Generator[E, None, None]
"""The rows of one part, or its cells; closing it closes its scanner."""


class Work(Protocol[T_co]):
    """What a helper does."""

    def result(self) -> T_co:
        """The result of the work, for which this thread waits. Raises its error."""
        ...


class Helpers(Protocol):
    """Threads of a connection that make calls for others, so many at once."""

    most: int

    def reads_ahead(self, filter: bytes | None) -> bool:
        """Whether a scan with this server-side filter can continue, even if it has lost its scanner meanwhile."""
        ...

    def begin(self, action: Callable[[], T]) -> Work[T]:
        """Gives a helper something to do."""
        ...


CountStreams: TypeAlias = Callable[[Sequence[Rows[Any]]], list[Rows[Any]]]
"""What a connection may have as `count_streams`: it returns streams that it watches, to count their round trips."""


def helpers_of(connection: "happybase.Connection") -> Helpers | None:
    """The helpers of a connection; None if it has none, so that streams are read by the thread that needs them."""
    return getattr(connection, "helpers", None)


def round_trips(longest: int, all_streams: int) -> int:
    """Round trips that a reader of streams waits for: those of the longest one, or of all, `IN_FLIGHT` at once."""
    return max(longest, ceil(all_streams / IN_FLIGHT))


def rows_of_batch(rows: int, streams: int, most: int) -> int:
    """Rows in a batch of each stream, if a reader needs about so many rows of all of them together; at most `most`.

    A stream's share varies from page to page, and a second batch of one stream takes as long as the first batches of
    all. So a batch is larger than the mean share by twice its square root: enough for 98 of 100 random shares. One of
    fewer than `LEAST_ROWS` would save nothing.
    """
    mean = ceil(rows / streams)
    return min(max(mean + 2 * ceil(sqrt(mean)), LEAST_ROWS), rows, max(1, most))


@contextmanager
def read_streams(
    connection: "happybase.Connection",
    streams: Sequence[Sequence[Rows[E]]],
    batch: int,
    needed: int,
    limit: int | None = None,
    filter: bytes | None = None,
    *,
    one_ahead: bool = False,
) -> Generator[list[Iterator[E]]]:
    """The rows of each stream, in order; all parts are closed at the end of the block.

    Helpers read `batch` rows of a stream at once. The reader needs about `needed` rows of all streams, and at most
    `limit`. If a scan with this `filter` cannot continue without its scanner, each stream's next batch is fetched when
    it is needed, as without helpers: a reader who stops for minutes loses no more scans than there. With `one_ahead`,
    even a single part is read by helpers, so that its next batch arrives while the reader works.
    """
    helpers = helpers_of(connection)
    if helpers is None or (sum(map(len, streams)) <= 1 and not one_ahead):
        in_turn = [_in_turn(parts) for parts in streams]
        count_streams: CountStreams | None = getattr(connection, "count_streams", None)
        if count_streams is not None:
            in_turn = count_streams(in_turn)
        with ExitStack() as opened:
            for rows in in_turn:
                opened.callback(rows.close)
            yield [*in_turn]
        return
    progress = _Progress(helpers, helpers.reads_ahead(filter), batch, needed, limit, len(streams))
    width = max(1, helpers.most // len(streams)) if progress.reads_ahead else 1
    chains = [_Chain(parts, progress, width) for parts in streams]
    try:
        for chain in chains:
            chain.begin()
        yield [chain.rows() for chain in chains]
    finally:
        for chain in chains:
            chain.close()


def _in_turn(parts: Iterable[Rows[E]]) -> Rows[E]:
    for part in parts:
        with closing(part) as rows:
            yield from rows


class _Progress:
    """How far all streams of a scan have been read, which decides whether a stream fetches its next batch ahead."""

    def __init__(
        self, helpers: Helpers, reads_ahead: bool, batch: int, needed: int, limit: int | None, streams: int
    ) -> None:
        self.helpers = helpers
        self.reads_ahead = reads_ahead
        self.batch = batch
        self.begins_ahead = reads_ahead and needed > batch * streams
        """Whether the reader will need more than the first batches of all streams."""
        self._limit = limit
        self.long_ones = 0
        """Streams of which the reader has needed more than the first batch."""
        self.rows_passed = 0
        """Rows of batches that were read to their end."""

    def fetches_ahead(self, batches: int) -> bool:
        """Whether a stream fetches its next batch while its reader has only begun the `batches`-th."""
        if batches == 1 or not self.reads_ahead:
            return self.begins_ahead
        return self._limit is None or self._limit - self.rows_passed > self.batch * self.long_ones


class _Chain(Generic[E]):
    """A stream whose parts are read ahead: the next parts too, if helpers are left over and the first ones were short.

    `width` is how many parts may be read at once. A page may end in the first part, so it begins with that alone; each
    part that ends doubles the number.
    """

    def __init__(self, parts: Sequence[Rows[E]], progress: _Progress, width: int) -> None:
        self._width = width
        self._at_once = width if progress.begins_ahead else 1
        divided = [[part] for part in parts] if width > 1 else [parts]
        self._ahead = [_Ahead(some, progress) for some in divided]
        self._begun = 0

    def begin(self) -> None:
        """Begins to read the first parts."""
        self._begin_until(self._at_once)

    def _begin_until(self, end: int) -> None:
        for ahead in self._ahead[self._begun : end]:
            ahead.begin()
            self._begun += 1

    def rows(self) -> Rows[E]:
        """The rows of all parts."""
        for place, ahead in enumerate(self._ahead):
            self._begin_until(place + self._at_once)
            yield from ahead.rows()
            self._at_once = min(2 * self._at_once, self._width)

    def close(self) -> None:
        """Ends the reading of all parts."""
        for ahead in self._ahead[: self._begun]:
            ahead.close()


class _Ahead(Generic[E]):
    """Parts that helpers read one after the other, in batches, at most one batch ahead of the reader."""

    def __init__(self, parts: Iterable[Rows[E]], progress: _Progress) -> None:
        self._parts = deque(parts)
        self._progress = progress
        self._coming: Work[list[E]] | None = None
        self._error: Exception | None = None
        self._is_closed = False
        self._reading = threading.Lock()
        """Held by the thread that reads or closes the parts."""

    def begin(self) -> None:
        """Has the next batch read."""
        self._coming = self._progress.helpers.begin(self._next_batch)

    def rows(self) -> Rows[E]:
        """The rows of all parts."""
        progress, batches = self._progress, 0
        while True:
            if self._coming is None:
                self.begin()
            coming, self._coming = self._coming, None
            batch: list[E] = [] if coming is None else coming.result()
            if not batch:
                break
            batches += 1
            progress.long_ones += batches == 2
            if self._parts and progress.fetches_ahead(batches):
                self.begin()
            yield from batch
            progress.rows_passed += len(batch)
        progress.long_ones -= batches > 1

    def close(self) -> None:
        """Ends the reading, without a wait: a helper closes the scanner, after a batch that is on its way."""
        self._is_closed = True
        self._coming = None
        if self._parts:
            self._progress.helpers.begin(self._close_parts)

    def _next_batch(self) -> list[E]:
        """The next rows, up to the end of a part; none if all parts are at their end."""
        rows: list[E] = []
        with self._reading:
            if self._error is not None:
                raise self._error
            try:
                while self._parts and not rows and not self._is_closed:
                    rows.extend(islice(self._parts[0], self._progress.batch))
                    if len(rows) < self._progress.batch:
                        del self._parts[0]
            except Exception as error:
                if not rows:
                    raise
                self._error = error  # after the rows before it
        if self._is_closed:
            self._close_parts()
        return rows

    def _close_parts(self) -> None:
        # While another thread reads, that one closes the parts afterwards.
        if self._reading.acquire(blocking=False):
            try:
                while self._parts:
                    self._parts.popleft().close()
            finally:
                self._reading.release()
