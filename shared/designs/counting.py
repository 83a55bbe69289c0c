"""The work that a call makes the store do, counted on the Thrift client."""

import threading
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import attrs

from ..keys.ranges import RowRange
from ..queries.scanning import start_of_reverse
from ..queries.side_by_side import Rows, round_trips

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class Read:
    """One get or scan, with all that an HBase-shell statement needs to read the same rows."""

    table: bytes
    scanned: RowRange
    """The range that the store was asked for: a reverse scan reads a little beyond the range of its question."""
    rows: RowRange
    """The range of the question, its start inclusive and its stop exclusive, in a reverse scan too."""
    reverse: bool = False
    filter: bytes | None = None
    """The server-side filter, in HBase's filter language."""
    before_ms: int | None = None
    """Cells dated before this time are read; all if it is None."""
    column: bytes | None = None
    """The column of which several versions are read; None if the newest of each column is."""
    versions: int = 1
    families: tuple[str, ...] = ()
    """The families that a scan asks for; empty if it asks for all of its table."""
    call: int = attrs.field(default=0, eq=False)
    """The number of its call: the gets of one call share it."""

    @property
    def is_one_row(self) -> bool:
        """Whether the range of the question has room for one row key only."""
        return self.rows.stop == self.rows.start + b"\0"

    @property
    def is_get(self) -> bool:
        """Whether it reads one row that the question names."""
        return self.filter is None and self.is_one_row


@attrs.define
class Cost:
    """The work that a call made the store do, counted on the Thrift client."""

    rpcs: int = 0
    round_trips: int = 0
    """Round trips that a caller waits for on a connection of `hbase://`: RPCs without the closes of scanners and the
    fetches after the end of a scan. Merged streams count as if 8 requests were always under way; the decisions
    of a batch of writes count one by one. Right only where ranges are read one after the other, as in an embedded store
    and with `in_flight=1`."""
    reads: list[Read] = attrs.field(factory=list[Read])
    """Every get and every scan."""
    rows_fetched: int = 0
    key_bytes: int = 0
    """Bytes of the row keys in the replies, each counted once, however many cells repeat it in the store."""
    bytes_fetched: int = 0
    """Bytes of row keys, columns and values in the replies, without Thrift's framing."""
    cells_fetched: int = 0
    is_wide: bool = False
    """Whether a scan asked for whole families and no column, because its rows may hold many records.

    A record with `OtherColumns` asks for a family too, but has columns of its own beside it."""
    bytes_sent: Counter[bytes] = attrs.field(factory=Counter[bytes])
    """Bytes of row keys, columns and values of the puts to each table, without Thrift's framing."""
    rows_written: defaultdict[bytes, list[bytes]] = attrs.field(factory=lambda: defaultdict[bytes, list[bytes]](list))
    """The row of every put, delete and increment of each table, in order."""
    tombstones: int = 0
    """The columns and families of rows that were deleted: each leaves a tombstone until a major compaction."""
    rows_read: int | None = None
    """Rows that the store read to answer; None if the store does not count them (only the embedded store does)."""

    @property
    def ranges(self) -> list[tuple[bytes, RowRange]]:
        """Table and range of every get and every scan, as sent to the store."""
        return [(read.table, read.scanned) for read in self.reads]


class _MeteredClient:
    """A Thrift client that counts calls and replies, of several threads if a query reads ranges side by side."""

    def __init__(self, client: Any, cost: Cost) -> None:
        self._client = client
        self._guard = threading.Lock()
        self._cost = cost
        self._families_of: dict[bytes, set[bytes]] = {}
        self._ended: set[int] = set()
        """Scanners that have returned fewer rows than were asked for."""
        self._stream: tuple[Counter[int], int] | None = None
        """The round trips of each of several merged streams, and the number of the one that is being read."""

    def __getattr__(self, name: str) -> Any:
        if name == "fetch_cells":  # a reply is counted by the results in it
            raise AttributeError(name)
        call = getattr(self._client, name)
        if not callable(call):
            return call

        def counted(*arguments: Any) -> Any:
            with self._guard:
                self._count_call(name, *arguments)
                self._count_round_trip(name, *arguments)
            answer: Any = call(*arguments)
            with self._guard:
                if name == "scannerGetList" and len(answer) < arguments[1]:
                    self._ended.add(arguments[0])
                if name.startswith(("getRow", "scannerGet")):
                    self._count_answer(answer)
                elif name in ("getVer", "getVerTs"):
                    self._count_versions(answer)
            return answer

        return counted

    def _count_call(self, name: str, *arguments: Any) -> None:
        self._cost.rpcs += 1
        if name == "scannerOpenWithScan":
            table, scan = arguments[:2]
            low, high = scan.startRow, scan.stopRow
            of_question = RowRange(low or b"", high or None)
            if scan.reversed:  # reads (stop, start]
                of_question = RowRange(start_of_reverse(high), low or None)
                low, high = (row and row + b"\x00" for row in (high, low))
            scanned = RowRange(low or b"", high or None)
            columns = scan.columns or ()
            read = Read(
                table,
                scanned,
                of_question,
                bool(scan.reversed),
                scan.filterString,
                scan.timestamp,
                families=self._families(table, columns),
                call=self._cost.rpcs,
            )
            self._cost.reads.append(read)
            self._cost.is_wide |= bool(columns) and all(not column.partition(b":")[2] for column in columns)
        elif name in ("mutateRows", "mutateRowsTs"):
            table, batches = arguments[:2]
            for batch in batches:
                put = (mutation for mutation in batch.mutations if not mutation.isDelete)
                sizes = (len(mutation.column) + len(mutation.value or b"") for mutation in put)
                self._cost.bytes_sent[table] += len(batch.row) + sum(sizes)
                self._cost.tombstones += sum(mutation.isDelete for mutation in batch.mutations)
            self._cost.rows_written[table] += [batch.row for batch in batches]
        elif name == "put_dated":
            table, rows = arguments
            for row, cells in rows:
                sizes = (len(column) + len(value) for (column, _), value in cells.items())
                self._cost.bytes_sent[table] += len(row) + sum(sizes)
            self._cost.rows_written[table] += [row for row, _ in rows]
        elif name in ("mutateRow", "mutateRowTs", "checkAndPut", "atomicIncrement"):
            table, row = arguments[:2]
            self._cost.rows_written[table].append(row)
        elif name.startswith("getRow"):
            table, rows = arguments[:2]
            before_ms = arguments[-2] if name.endswith("Ts") else None
            for row in rows if name.startswith("getRows") else [rows]:
                one_row = RowRange(row, row + b"\x00")
                self._cost.reads.append(Read(table, one_row, one_row, before_ms=before_ms, call=self._cost.rpcs))
        elif name in ("getVer", "getVerTs"):
            table, row, column = arguments[:3]
            before_ms, versions = (arguments[3] if name == "getVerTs" else None), arguments[-2]
            one_row = RowRange(row, row + b"\x00")
            read = Read(
                table, one_row, one_row, before_ms=before_ms, column=column, versions=versions, call=self._cost.rpcs
            )
            self._cost.reads.append(read)

    def _count_round_trip(self, name: str, *arguments: Any) -> None:
        if name == "scannerClose" or (name == "scannerGetList" and arguments[0] in self._ended):
            return
        if self._stream is None:
            self._cost.round_trips += 1
            return
        trips, number = self._stream
        before = round_trips(max(trips.values(), default=0), trips.total())
        trips[number] += 1
        self._cost.round_trips += round_trips(max(trips.values()), trips.total()) - before

    def count_streams(self, streams: Sequence[Rows[Any]]) -> list[Rows[Any]]:
        """The same streams, which one scan merges; their round trips count as if helpers read them side by side."""
        trips = Counter[int]()
        return [self._counted(stream, (trips, number)) for number, stream in enumerate(streams)]

    def _counted(self, stream: Rows[Any], counted: tuple[Counter[int], int]) -> Rows[Any]:
        with closing(stream):
            while True:
                before, self._stream = self._stream, counted
                try:
                    item = next(stream)
                except StopIteration:
                    return
                finally:
                    self._stream = before
                yield item

    def _families(self, table: bytes, columns: Iterable[bytes]) -> tuple[str, ...]:
        """The families of some columns; empty if the table has no others."""
        asked = {column.partition(b":")[0] for column in columns}
        if asked and table not in self._families_of:
            self._families_of[table] = {name.partition(b":")[0] for name in self._client.getColumnDescriptors(table)}
        is_part = asked and asked < self._families_of[table]
        return tuple(sorted(family.decode() for family in asked)) if is_part else ()

    def _count_answer(self, results: list[Any]) -> None:
        self._cost.rows_fetched += len(results)
        for result in results:
            self._cost.key_bytes += len(result.row)
            # A scan with sorted columns returns them in a list instead.
            sorted_cells = [(column.columnName, column.cell) for column in result.sortedColumns or ()]
            cells = sorted_cells if result.columns is None else result.columns.items()
            self._cost.cells_fetched += len(cells)
            self._cost.bytes_fetched += len(result.row) + sum(len(name) + len(cell.value) for name, cell in cells)

    def _count_versions(self, versions: list[Any]) -> None:
        """Counts the versions of one column, which are replied without row key and column."""
        self._cost.rows_fetched += bool(versions)
        self._cost.cells_fetched += len(versions)
        self._cost.bytes_fetched += sum(len(cell.value) for cell in versions)


@contextmanager
def metered(connection: "happybase.Connection") -> Generator[Cost]:
    """Counts all calls on `connection` while the block runs."""
    cost = Cost()
    metered_connection: Any = connection
    client, count_streams = connection.client, getattr(connection, "count_streams", None)
    read_before = getattr(client, "rows_read", None)
    connection.client = counting = _MeteredClient(client, cost)
    metered_connection.count_streams = counting.count_streams
    try:
        yield cost
    finally:
        connection.client, metered_connection.count_streams = client, count_streams
        if read_before is not None:
            cost.rows_read = client.rows_read - read_before
