"""The writes of a catalog over several rows, and what its readers see, for the crash tests.

If names have codes, a write claims these first; here all names have codes, which other products claimed.
"""

from collections.abc import Iterable, Iterator
from operator import methodcaller
from typing import Any

import attrs

from domains.catalog import CatalogRepository, Product, UnknownProduct
from domains.catalog.shown.design import DESIGN
from shared.tables import TableLayout
from shared.testing import Contents, StoppedWrites, Store, View, Write, sources_and_lines

LAMP = Product("Taobao", "EU", "lamps", "p-1", 1_580_976_517_000, "a lamp", 4_900)
LATER = attrs.evolve(LAMP, listed_ms=LAMP.listed_ms + 1, title="the lamp")
"""The same product, listed anew: its line of what is new moves."""
MUG = attrs.evolve(LAMP, product_id="p-12", title="a mug")
"""A product of the same category, which nobody changes."""
ELSEWHERE = attrs.evolve(LAMP, region="US", price=5_900)
"""The same product in another region, which nobody changes."""


store, store_mug, store_later = (methodcaller("store", product) for product in (LAMP, MUG, LATER))
reprice, withdraw = methodcaller("change_price", LAMP, 3_900), methodcaller("withdraw", LAMP)


# ---- what is stored before


def others(stores: Store) -> None:
    for product in (MUG, ELSEWHERE):
        stores.repository().store(product)


def with_lamp(stores: Store) -> None:
    others(stores)
    store(stores.repository())


def withdrawn(stores: Store) -> None:
    with_lamp(stores)
    withdraw(stores.repository())


def lost_store(stores: Store) -> None:
    others(stores)
    stores.die(store_later, before=lambda call: call.name == "checkAndPut")
    stores.repository().upkeep.recover(older_than_ms=0)


RIVALS = {"store": store, "store later": store_later, "change_price": reprice, "withdraw": withdraw}

WRITES = (
    Write("store", store, others, RIVALS, calls=6),
    Write("store again", store, with_lamp, RIVALS, calls=0),
    Write("store after a lost one", store, lost_store, RIVALS, calls=6),
    Write("store after withdraw", store, withdrawn, RIVALS, calls=6),
    Write("list anew", store_later, with_lamp, RIVALS, calls=6),
    Write("change_price", reprice, with_lamp, RIVALS, calls=4),
    Write("withdraw", withdraw, with_lamp, RIVALS, calls=6),
)


# ---- what readers see


def place(product: Product) -> tuple[str, ...]:
    return product.shop, product.region, product.category, product.product_id


def by_key(catalog: CatalogRepository) -> Iterator[Product]:
    return filter(None, [catalog.product(*place(product)) for product in (LAMP, MUG, ELSEWHERE)])


VIEWS = (
    View("by key", by_key, place),
    View("in its region", lambda catalog: catalog.in_region("Taobao", "EU"), place),
    View("by id", lambda catalog: catalog.with_id("Taobao", "p-1"), place),
    View("what is new", lambda catalog: catalog.new_in("Taobao", "EU", "lamps"), place),
)


def products_and_lines(catalog: CatalogRepository, tables: Iterable[TableLayout[Any, Any]]) -> Contents:
    """The products and their lines, without codes and names."""
    return sources_and_lines(catalog, [table for table in tables if not table.name.endswith(("_codes", "_names"))])


STOPPED = StoppedWrites(
    WRITES,
    VIEWS,
    variants=[
        variant for variant in DESIGN.variants if variant.name != "numbered-codes" and not variant.without_upkeep
    ],
    refusals=(UnknownProduct,),
    contents=products_and_lines,
    often=(store, store_mug, store_later, reprice, withdraw, store),
    often_every=5,
)
