"""A Thrift client whose rows lie below a prefix in the tables of another one, so that tests can share tables."""

from collections.abc import Callable, Iterable
from typing import Any

from attrs import frozen
from Hbase_thrift import BatchMutation, TRowResult, TScan

from shared.keys import successor


@frozen
class Below:
    """Adds a prefix to every row on its way to the server, and removes it on the way back.

    All prefixes of a table have the same width. Rows keep their order and a scan its ends: what is open at an end ends
    with the prefix. Has the calls that repositories make; filters that compare rows see the prefix too.
    """

    _client: Any
    _prefix: bytes

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._client, name)
        if name in ("getRow", "getRowTs", "getRowWithColumns", "getRowWithColumnsTs"):
            return lambda table, row, *others: self._without(call(table, self._with(row), *others))
        if name in ("getRows", "getRowsTs", "getRowsWithColumns", "getRowsWithColumnsTs"):
            return lambda table, rows, *others: self._without(call(table, [*map(self._with, rows)], *others))
        if name in ("getVer", "getVerTs", "atomicIncrement", "checkAndPut"):
            return lambda table, row, *others: call(table, self._with(row), *others)
        if name in ("mutateRows", "mutateRowsTs"):
            return lambda table, batches, *others: call(table, [*map(self._batch, batches)], *others)
        if name == "put_dated":
            return lambda table, rows: call(table, [(self._with(row), cells) for row, cells in rows])
        if name == "scannerOpenWithScan":
            return lambda table, scan, attributes: call(table, self._scan(scan), attributes)
        if name in ("scannerGet", "scannerGetList"):
            return lambda *arguments: self._without(call(*arguments))
        if name in ("scannerClose", "getColumnDescriptors", "getTableNames"):
            return call
        raise NotImplementedError(f"{name}: is no call of a repository")

    def _with(self, row: bytes) -> bytes:
        return row and self._prefix + row  # an empty row is refused as what it is

    def _without(self, results: Iterable[TRowResult]) -> list[TRowResult]:
        rows = list(results)
        for row in rows:
            row.row = row.row.removeprefix(self._prefix)
        return rows

    def _batch(self, batch: BatchMutation) -> BatchMutation:
        return BatchMutation(self._with(batch.row), batch.mutations)

    def _scan(self, scan: TScan) -> TScan:
        ends = (successor(self._prefix), self._prefix) if scan.reversed else (self._prefix, successor(self._prefix))
        start, stop = (self._with(row) or end for row, end in zip((scan.startRow, scan.stopRow), ends, strict=True))
        return TScan(**{**vars(scan), "startRow": start, "stopRow": stop})
