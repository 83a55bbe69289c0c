"""The writes of changes, and what readers see, for the crash tests and the pages.

A writer decides by moving the watermark, after it has put all rows, so no view lags. Only the writer can complete a
write that was interrupted, because only the log of the source has the changes.
"""

from collections.abc import Iterable
from functools import partial
from operator import attrgetter, methodcaller
from typing import Any

from domains.changes import AnotherWriter, Change, ChangeRepository, NotAllStored, RefusedChange
from domains.changes.shown.design import DESIGN
from shared.tables import TableLayout
from shared.testing import Contents, StoppedWrites, Store, View, Write

AT_MS = 1_580_976_517_000

FIRST = Change("shop", 10, "users", "30", "INSERT", AT_MS, "t-1", {"UNAME": "AAA1", "AGE": "21"})
OTHER = Change("shop-2", 10, "users", "30", "INSERT", AT_MS, "t-1", {"UNAME": "CCC1"})
"""A change of another source, which nobody changes."""
RENAMED = Change("shop", 12, "users", "30", "UPDATE", AT_MS + 1, "t-2", {"UNAME": "AAA2"})
TRANSACTION = [
    Change("shop", 20, "users", "30", "UPDATE", AT_MS + 2, "t-3", {"AGE": "22"}),
    Change("shop", 21, "users", "30", "UPDATE", AT_MS + 2, "t-3", {"AGE": "23"}),
    Change("shop", 22, "users", "31", "INSERT", AT_MS + 2, "t-3", {"UNAME": "BBB1", "AGE": None}),
]
ORDERED = [
    Change("shop", 30, "orders", "1", "INSERT", AT_MS + 3, "t-4", {"user": "31"}),
    Change("shop", 31, "users", "31", "DELETE", AT_MS + 3, "t-4", {"UNAME": "BBB1", "AGE": None}),
    Change("shop", 40, "users", "31", "INSERT", AT_MS + 1, "t-5", {"UNAME": "BBB2"}),
    Change("shop", 41, "users", "32", "INSERT", AT_MS + 1, "t-5", {"UNAME": "CCC1"}),
    Change("shop", 42, "users", "30", "UPDATE", AT_MS + 1, "t-5", {"AGE": "24"}),
]


def begin(store: Store) -> None:
    store.repository().store_all([FIRST, OTHER])


def renamed(store: Store) -> None:
    begin(store)
    rename(store.repository())


def after_a_dead_writer(store: Store) -> None:
    """Of the last transaction, which is dated before the others, no row is stored."""
    transacted(store)
    store.die(order, before=lambda call: any(b"t-5" in (mutation.value or b"") for mutation in call.rows[-1][1]))


def transacted(store: Store) -> None:
    renamed(store)
    transact(store.repository())


def store_all(changes: ChangeRepository, some: list[Change]) -> None:
    """Stores changes in one call; raises what it fails with."""
    try:
        changes.store_all(some)
    except NotAllStored as error:
        raise error.__cause__ or error from None


rename = methodcaller("store", RENAMED)
transact, order, insert = (partial(store_all, some=changes) for changes in (TRANSACTION, ORDERED, [FIRST]))
LATER = [
    Change("shop", 50 + number, "users", "31", "UPDATE", AT_MS, "t-6", {"AGE": str(number)}) for number in range(12)
]

WRITES = (
    Write("store", rename, begin, calls=4, is_recovered=False),
    Write("store_all", transact, renamed, calls=4, is_recovered=False),
    Write("store_all of a new table", order, transacted, calls=5, is_recovered=False),
    Write("store_all after a dead writer", order, after_a_dead_writer, calls=3, is_recovered=False),
    Write("store again", rename, renamed, calls=0, is_recovered=False),
)

position_of = attrgetter("source", "position")


VIEWS = (
    View("log", lambda changes: changes.since("shop"), position_of),
    View("of a table", lambda changes: changes.of_table("shop", "users"), position_of),
    View("user 30", lambda changes: changes.history("shop", "users", "30"), position_of),
    View("of the other source", lambda changes: changes.history("shop-2", "users", "30"), position_of),
    View("users", lambda changes: changes.states("shop", "users"), attrgetter("key")),
)
"""What readers see: all of them the same changes, up to the watermark."""


def stored(changes: ChangeRepository, tables: Iterable[TableLayout[Any, Any]]) -> Contents:
    """Every cell, with its timestamp unless the region server has dated it; asserts that nothing disagrees."""
    assert [*map(str, changes.upkeep.verify())] == []
    connection: Any = changes.copies.table.connection
    return {
        table.name: dict(connection.table(table.name).scan(include_timestamp="_sources" not in table.name))
        for table in tables
    }


STOPPED = StoppedWrites(
    WRITES,
    VIEWS,
    [variant for variant in DESIGN.variants if variant.is_to_copy],
    refusals=(RefusedChange, AnotherWriter),
    contents=stored,
    often=(insert, rename, transact, order, *(methodcaller("store", change) for change in LATER)),
    often_every=7,
)
