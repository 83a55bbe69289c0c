"""A shop that is erased, for the tests of erasures: the rows of other shops, whose names start alike, stay.

Its ids contain its name, so that its rows name it also where a key holds a code instead of it.
"""

from collections.abc import Callable
from operator import methodcaller

import attrs

from domains.catalog import CatalogRepository, Product
from domains.catalog.shown.design import DESIGN
from shared.testing import ErasedPerson

AT_MS = 1_768_205_250_123
LAMP = Product("Tao", "EU", "lamps", "Tao-1", AT_MS, "a lamp of Tao", 4_900)
OF_TAO = [LAMP, attrs.evolve(LAMP, region="US"), attrs.evolve(LAMP, product_id="Tao-12", listed_ms=AT_MS + 1)]
WITHDRAWN = attrs.evolve(LAMP, product_id="Tao-2")
KEPT = [Product(shop, "EU", "lamps", "p-1", AT_MS, "a lamp", 1) for shop in ("Taobao", "JD")]


def three_shops(open_repository: Callable[..., CatalogRepository]) -> None:
    catalog = open_repository()
    for product in (*OF_TAO, WITHDRAWN, *KEPT):
        catalog.store(product)
    catalog.withdraw(WITHDRAWN)


def places(catalog: CatalogRepository, *shops: str) -> list[Product]:
    """The products of some shops that are found by their ids."""
    return [
        product
        for shop in shops
        for product_id in ("p-1", "Tao-1", "Tao-12", "Tao-9")
        for product in catalog.with_id(shop, product_id)
    ]


def come_back(catalog: CatalogRepository, time_ms: int) -> list[Product]:
    back = attrs.evolve(LAMP, product_id="Tao-9", listed_ms=time_ms)
    catalog.store(back)
    return [back]


ERASED = ErasedPerson(
    "Tao",
    variants=[variant for variant in DESIGN.variants if not variant.without_upkeep],
    before=three_shops,
    seen=lambda catalog: places(catalog, "Tao"),
    others=lambda catalog: places(catalog, "Taobao", "JD"),
    kept=KEPT,
    comes_back=come_back,
    rivals=(
        methodcaller("store", attrs.evolve(LAMP, title="late")),
        methodcaller("withdraw", LAMP),
        lambda catalog: [*catalog.upkeep.repair()],
    ),
    texts=("Taobao",),
    remaining=4,
    ends_dead=False,
    erasures="catalog_erasures",
)
