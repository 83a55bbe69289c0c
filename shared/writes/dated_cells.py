"""Puts of many rows, each cell with a timestamp of its own, in as few calls as the connection allows.

Thrift1 gives all cells of a call one timestamp, so each different timestamp needs a call. Thrift2 gives each cell its
own: with it (in an embedded store, and on `hbase://` with a `thrift2_port`) 1,000 rows share a call. A row's
cells are stored whole or not at all if Thrift2 stores them, or if they have one timestamp.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ..events import report

if TYPE_CHECKING:
    import happybase

T = TypeVar("T")

DatedCells: TypeAlias = Mapping[tuple[bytes, int], bytes]
"""Values by column and timestamp."""

ROWS_AT_ONCE = 1000
BYTES_AT_ONCE = 1024 * 1024
"""The most bytes of cells in a call, unless one row has more. Their framing fits in the rest of the 2 MB that a gateway
accepts in a frame (hbase.regionserver.thrift.framed.max_frame_size_in_mb)."""

_CELL_BYTES = 40
"""About the framing of a cell."""


def put_dated(rows: "happybase.Table", cells_of: Mapping[bytes, DatedCells]) -> None:
    """Puts the cells of some rows of a table. After an error some rows may be stored; the same call again is harmless.

    Costs: 1 call for each 1,000 rows, or 1 MiB; without Thrift2, for each different timestamp.
    """
    times_ms = {time_ms for cells in cells_of.values() for _, time_ms in cells}
    put_by_thrift2 = getattr(rows.connection.client, "put_dated", None)
    if put_by_thrift2 is not None and len(times_ms) > 1:
        for part in _parts(cells_of.items(), _bytes_of_dated):
            put_by_thrift2(rows.name, part)
        return
    by_time: dict[int, dict[bytes, dict[bytes, bytes]]] = {}
    for row, cells in cells_of.items():
        for (column, time_ms), value in cells.items():
            by_time.setdefault(time_ms, {}).setdefault(row, {})[column] = value
    if len(by_time) > 1:
        report("split_batch", table=rows.name.decode(), calls=len(by_time))
    for time_ms, plain_cells_of in by_time.items():
        put_rows(rows, plain_cells_of, time_ms)


def put_rows(rows: "happybase.Table", cells_of: Mapping[bytes, Mapping[bytes, bytes]], time_ms: int) -> None:
    """Puts the cells of some rows of a table, all with one timestamp. Costs: 1 call for each 1,000 rows, or 1 MiB."""
    from Hbase_thrift import BatchMutation, Mutation  # a module that happybase makes

    for part in _parts(cells_of.items(), _bytes_of_plain):
        batches = [
            BatchMutation(row, [Mutation(column=column, value=value) for column, value in cells.items()])
            for row, cells in part
        ]
        rows.connection.client.mutateRowsTs(rows.name, batches, time_ms, {})


def _parts(items: Iterable[tuple[bytes, T]], bytes_of: Callable[[bytes, T], int]) -> Iterator[list[tuple[bytes, T]]]:
    """The rows in parts that each fit in a call."""
    part: list[tuple[bytes, T]] = []
    size = 0
    for row, cells in items:
        row_bytes = bytes_of(row, cells)
        if part and (len(part) == ROWS_AT_ONCE or size + row_bytes > BYTES_AT_ONCE):
            yield part
            part, size = [], 0
        part.append((row, cells))
        size += row_bytes
    if part:
        yield part


def _bytes_of_dated(row: bytes, cells: DatedCells) -> int:
    size = len(row) + _CELL_BYTES * len(cells)
    for (column, _), value in cells.items():  # a sum of a generator takes longer than encoding the cells
        size += len(column) + len(value)
    return size


def _bytes_of_plain(row: bytes, cells: Mapping[bytes, bytes]) -> int:
    return len(row) + sum(map(len, cells)) + sum(map(len, cells.values())) + _CELL_BYTES * len(cells)
