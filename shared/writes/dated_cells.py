"""Puts of many rows, each with a date of its own, in as few calls as the connection allows.

Thrift1 gives all cells of a call one timestamp, so each different timestamp needs a call. Thrift2 gives each cell its
own: with it (in an embedded store, and on `hbase://` with a `thrift2_port`) 1,000 rows share a call. A row's
cells are stored whole or not at all if Thrift2 stores them, or if they have one timestamp.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..events import report

if TYPE_CHECKING:
    import happybase

T = TypeVar("T")

ROWS_AT_ONCE = 1000
BYTES_AT_ONCE = 1024 * 1024
"""The most bytes of cells in a call, unless one row has more. Their framing fits in the rest of the 2 MB that a gateway
accepts in a frame (hbase.regionserver.thrift.framed.max_frame_size_in_mb)."""

_CELL_BYTES = 40
"""About the framing of a cell."""


def put_dated(rows: "happybase.Table", dated: Collection[tuple[bytes, Mapping[bytes, bytes], int]]) -> None:
    """Puts rows of a table, each with its cells and their date; a row may come several times.

    After an error some rows may be stored; the same call again is harmless.
    Costs: 1 call for each 1,000 rows, or 1 MiB; without Thrift2, for each different timestamp.
    """
    by_row: dict[bytes, dict[tuple[bytes, int], bytes]] = {}
    for row, cells, time_ms in dated:
        of_row = by_row.setdefault(row, {})
        for column, value in cells.items():
            of_row[column, time_ms] = value
    times_ms = {time_ms for _, _, time_ms in dated}
    put_by_thrift2 = getattr(rows.connection.client, "put_dated", None)
    if put_by_thrift2 is not None and len(times_ms) > 1:
        for part in _parts((_bytes_of(row, of_row), (row, of_row)) for row, of_row in by_row.items()):
            put_by_thrift2(rows.name, part)
        return
    by_time: dict[int, dict[bytes, dict[bytes, bytes]]] = {}
    for row, of_row in by_row.items():
        for (column, time_ms), value in of_row.items():
            by_time.setdefault(time_ms, {}).setdefault(row, {})[column] = value
    if len(by_time) > 1:
        report("split_batch", table=rows.name.decode(), calls=len(by_time))
    for time_ms, cells_of in by_time.items():
        put_rows(rows, cells_of.items(), time_ms)


def put_rows(rows: "happybase.Table", cells_of: Iterable[tuple[bytes, Mapping[bytes, bytes]]], time_ms: int) -> None:
    """Puts rows of a table, each with its cells, all with one timestamp. Only the rows of one call are in memory.

    Rows with the same cells, one after the other, share their mutations: making these takes longer than encoding the
    whole call. Costs: 1 call for each 1,000 rows, or 1 MiB.
    """
    for part in _parts(_mutations(cells_of)):
        rows.connection.client.mutateRowsTs(rows.name, part, time_ms, {})


def _parts(sized: Iterable[tuple[int, T]]) -> Iterator[list[T]]:
    """Items in parts that each fit in a call; each item comes after its size in bytes."""
    part: list[T] = []
    size = 0
    for row_bytes, item in sized:
        if part and (len(part) == ROWS_AT_ONCE or size + row_bytes > BYTES_AT_ONCE):
            yield part
            part, size = [], 0
        part.append(item)
        size += row_bytes
    if part:
        yield part


def _mutations(cells_of: Iterable[tuple[bytes, Mapping[bytes, bytes]]]) -> Iterator[tuple[int, Any]]:
    """Thrift's BatchMutation of each row, after its size."""
    from Hbase_thrift import BatchMutation, Mutation  # a module that happybase makes

    last: Mapping[bytes, bytes] | None = None
    mutations, size = list[Any](), 0
    for row, cells in cells_of:
        if cells is not last:
            last, mutations = cells, [Mutation(column=column, value=value) for column, value in cells.items()]
            size = sum(map(len, cells)) + sum(map(len, cells.values())) + _CELL_BYTES * len(cells)
        yield len(row) + size, BatchMutation(row, mutations)


def _bytes_of(row: bytes, of_row: Mapping[tuple[bytes, int], bytes]) -> int:
    size = len(row) + _CELL_BYTES * len(of_row)
    for (column, _), value in of_row.items():  # a sum of a generator takes longer than encoding the cells
        size += len(column) + len(value)
    return size
