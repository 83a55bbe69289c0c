"""A record that is erased, for the tests of erasures: its changes in two tables, and its row in a copy."""

from collections.abc import Callable
from operator import attrgetter, methodcaller

import attrs

from domains.changes import Change, ChangeRepository
from domains.changes.records import Kind
from domains.changes.shown.design import DESIGN
from shared.testing import ErasedPerson

AT_MS = 1_768_205_250_123
ERASED_KEY = "u-to-erase"


def change(position: int, key: str, kind: Kind = "UPDATE", table: str = "users", **values: str | None) -> Change:
    return Change("shop", position, table, key, kind, AT_MS + position % 3, "t-1", values)


OF_KEY = [
    change(1, ERASED_KEY, "INSERT", name="Ann", city=None),
    change(3, ERASED_KEY, name="Anne"),
    change(4, ERASED_KEY, "INSERT", "carts", item="lamp"),
    change(7, ERASED_KEY, "DELETE", "carts", item="lamp"),
]
KEPT = [
    change(2, f"{ERASED_KEY}-2", "INSERT", name="Bob"),
    change(5, "u-1", "INSERT", name="Cy"),
    change(6, f"{ERASED_KEY}-2", name="Bo"),
]


def copied(open_repository: Callable[..., ChangeRepository]) -> None:
    """Stores all changes, and copies both tables."""
    changes = open_repository()
    changes.store_all(sorted([*OF_KEY, *KEPT], key=attrgetter("position")))
    for table in ("users", "carts"):
        changes.copies.feed("shop", table)


def histories(changes: ChangeRepository, *keys: str) -> list[Change]:
    return [c for key in keys for table in ("users", "carts") for c in changes.history("shop", table, key)]


def come_back(changes: ChangeRepository, time_ms: int) -> list[Change]:
    back = Change("shop", changes.watermark("shop") + 5, "users", ERASED_KEY, "INSERT", time_ms, "t-9", {"name": "Ann"})
    changes.store(back)
    return [back]


def store_late(changes: ChangeRepository) -> None:
    changes.store(attrs.evolve(OF_KEY[1], position=changes.watermark("shop") + 3, time_ms=AT_MS + 99))


def store_and_feed(changes: ChangeRepository) -> None:
    store_late(changes)
    changes.copies.feed("shop", "users")


ERASED = ErasedPerson(
    ERASED_KEY,
    variants=[variant for variant in DESIGN.variants if variant.is_to_copy],
    before=copied,
    seen=lambda changes: histories(changes, ERASED_KEY),
    others=lambda changes: histories(changes, "u-1", f"{ERASED_KEY}-2"),
    kept=[KEPT[1], KEPT[2], KEPT[0]],
    comes_back=come_back,
    rivals=(store_late, store_and_feed, lambda changes: [*changes.upkeep.repair()], methodcaller("erase", ERASED_KEY)),
    texts=(f"{ERASED_KEY}-2",),
    ends_dead=False,
)
