"""The writes of short links over several rows, and what their readers see, for the crash tests."""

from collections.abc import Callable, Mapping
from operator import attrgetter, methodcaller
from typing import Any

import attrs

from domains.links import CodeTaken, Link, Links
from domains.links.design import DESIGN
from shared.testing import StoppedWrites, Store, View, Write

FAIR = Link("fair", "https://example.com/fair", "ann", 5_000)
OTHER = attrs.evolve(FAIR, url="https://example.com/other", owner="bob")
"""Another link with the same code."""
NEXT = attrs.evolve(FAIR, code="fair-2", owner="bob")

add, add_other, add_next = (methodcaller("add", link) for link in (FAIR, OTHER, NEXT))


def erase(links: Links) -> None:
    """Returns nothing: the number of lines that remain counts a link that is made meanwhile."""
    links.erase("ann")


# ---- what is stored before


def one_link(store: Store) -> None:
    add_next(store.repository())


def two_links(store: Store) -> None:
    one_link(store)
    add(store.repository())


RIVALS: Mapping[str, Callable[[Any], object]] = {"add": add, "add another": add_other, "erase": erase}
WRITES = (
    Write("add", add, one_link, RIVALS, calls=5),
    Write("add again", add, two_links, RIVALS, calls=1),
    Write("erase", erase, two_links, RIVALS, calls=5),
)


# ---- what readers see

code_of = attrgetter("code")
VIEWS = (
    View("by code", lambda links: filter(None, map(links.link, ("fair", "fair-2"))), code_of),
    View("of owners", lambda links: [*links.of_owner("ann"), *links.of_owner("bob")], code_of, lags=True),
)

STOPPED = StoppedWrites(
    WRITES, VIEWS, variants=DESIGN.variants, refusals=(CodeTaken,), often=(add, add_next, erase, add, add_next)
)
