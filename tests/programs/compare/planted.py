"""Stores with one plausible defect each, which the comparison must notice."""

import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from attrs import frozen

from shared.keys.limits import LATEST_MS
from shared.stores.embedded import engine, mutations, reads, scanners, service, statements
from shared.stores.embedded.scanners import _row_bounds
from shared.stores.embedded.stored_tables import StoredTable
from shared.stores.embedded.turns import Watch
from shared.stores.filters import cell_filters
from shared.stores.filters.cells import Cell
from shared.stores.filters.filter import INCLUDE, NEXT_COL, Verdict
from tests.programs.compare.places import Embedded, Place


@frozen
class Defect:
    """Something that a store does instead of the right thing: the names that are replaced while it answers."""

    name: str
    replaced: list[tuple[Any, str, Callable[..., Any]]]


class Planted(Embedded):
    """An embedded store with a defect, beside which an intact one can run in the same thread."""

    def __init__(self, defect: Defect) -> None:
        self.name = defect.name
        self._defect = defect

    @contextmanager
    def client(self, place: Place) -> Generator[Any]:
        with super().client(place) as client:
            yield _Client(client, self._defect)


@frozen
class _Client:
    client: Any
    defect: Defect

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            with ExitStack() as patches:
                for where, what, wrong in self.defect.replaced:
                    patches.enter_context(patch.object(where, what, wrong))
                return getattr(self.client, name)(*arguments, **named)

        return call


# Wrong behaviours


def _reads_up_to(before: int | None) -> int:
    return LATEST_MS if before is None else before


def _part(batch: Any, deletes: bool) -> Any:
    return type(batch)(batch.row, [mutation for mutation in batch.mutations if bool(mutation.isDelete) is deletes])


def _deletes_first(store: engine.Engine, name: bytes, batches: list[Any], timestamp: int | None, watch: Watch) -> None:
    for is_delete in (True, False):
        time.sleep(0.002)  # otherwise a delete of the same millisecond hides the put
        part = [_part(batch, is_delete) for batch in batches]
        mutations.mutate_rows(store, name, part, timestamp, watch)


def _counts_from_one(store: engine.Engine, name: bytes, row: bytes, column: bytes, amount: int) -> int:
    table = store.tables().get(name)
    is_there = table and store.newest(table, row, column)
    return mutations.increment_counter(store, name, row, column, amount if is_there else amount + 1)


def _judges_the_newest_only(filter: cell_filters.ValueFilter, cell: Cell) -> Verdict:
    return INCLUDE if filter.comparison.holds(cell[2]) else NEXT_COL


def _puts_whatever_is_masked(
    store: engine.Engine, table: StoredTable, puts: list[engine.Put], clock_ms: int | None = None
) -> None:
    store._database.executemany(statements.PUT, [(table.id, *put) for put in puts])


def _includes_the_stop(start: bytes, stop: bytes, reverse: bool) -> tuple[bytes, bytes]:
    low, high = _row_bounds(start, stop, reverse)
    return (stop if reverse else low), (stop + b"\0" if stop and not reverse else high)


DEFECTS = (
    Defect(
        "the timestamp of a read is inclusive",
        [(reads, "last_read", _reads_up_to), (scanners, "last_read", _reads_up_to)],
    ),
    Defect("a batch deletes before it puts", [(service, "mutate_rows", _deletes_first)]),
    Defect("a missing counter starts at 1", [(service, "increment_counter", _counts_from_one)]),
    Defect("ValueFilter sees the newest version only", [(cell_filters.ValueFilter, "judge", _judges_the_newest_only)]),
    Defect("the stop of a scan is inclusive", [(scanners, "_row_bounds", _includes_the_stop)]),
    Defect("a tombstone does not hide later puts", [(engine.Engine, "put", _puts_whatever_is_masked)]),
)
