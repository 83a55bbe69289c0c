"""A thin index against none: the rows that products stored and a question by id touch together."""

from contextlib import closing
from typing import Any

import attrs

from shared.designs import Design, metered, scratch_store
from shared.exhibit import Crossing, Panel, Series

from ..keys import TABLES
from ..records import Product
from ..repository import CatalogRepository
from .variants import one_table

SHOP, PRODUCT_ID = "Taobao", "p-45"
STORED = (1, 4, 16, 64, 256)
"""Products that are stored for each question by id."""


def index_against_none(design: Design) -> Crossing:
    """Both ways with the samples in them: a product is stored, and one is found by its id."""
    products: list[Product] = [*design.loads[0].sample_records()]
    of_shop = sum(product.shop == SHOP for product in products)

    def touched(tables: Any, repository: Any) -> tuple[int, int]:
        """The rows that storing one more product reads and writes; those that a question by id reads."""
        with closing(scratch_store(tables)) as connection:
            catalog = repository(connection)
            for product in products:
                catalog.store(product)
            with metered(connection) as storing:
                catalog.store(attrs.evolve(products[0], product_id="p-new"))
            with metered(connection) as asking:
                assert catalog.with_id(SHOP, PRODUCT_ID).count()
            written = sum(map(len, storing.rows_written.values()))
            return written + len(storing.reads), asking.rows_read or 0

    index, none = touched(TABLES, CatalogRepository), touched(one_table.TABLES, one_table.Repository)

    def each(name: str, cost: tuple[int, int]) -> Series:
        storing, asking = cost
        return Series(name, [number * storing + asking for number in STORED])

    pays = (none[1] - index[1]) / (index[0] - none[0])
    return Crossing(
        "A thin index against none",
        f"The index pays if fewer than {pays:.0f} products are stored for each question by id",
        STORED,
        (
            Panel(
                "rows read and written, for one question by id",
                "products stored for each question by id",
                (each("catalog", index), each("one-table", none)),
            ),
        ),
        f"To store a product, `catalog` reads and writes {index[0]} rows, of which two are the intent; `one-table` "
        f"{none[0]}. A question by id reads {index[1]} rows in `catalog`, and all {none[1]} rows of the shop in "
        f"`one-table`. So in a shop of {of_shop} products the index pays if fewer than {pays:.0f} products are stored "
        "for each question by id. That number grows with the shop.",
    )
