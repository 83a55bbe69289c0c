"""The cost of reading a region after most of its products were withdrawn, deleted, or have expired."""

import time
from collections.abc import Iterator
from typing import Any

from shared.designs import metered
from shared.sources import Table
from shared.stores import connect
from shared.tables import Family, create_tables
from shared.writes import WriterClock

from ..keys import PRODUCTS, TABLES, ProductInCategory
from ..records import Product
from ..repository import CatalogRepository
from .variants import one_table

DAY_MS = 86_400_000
LISTED_DAYS, KEPT_DAYS = 100, 30
"""One product was listed on each of `LISTED_DAYS` days; those of the last `KEPT_DAYS` days are kept."""
PAGE = 5
"""Number of products in a page."""


class OldClock(WriterClock):
    """A clock that shows when a product was listed, so that its cells are as old as the product."""

    def __init__(self) -> None:
        super().__init__()
        self.listed_ms = 0

    def read_ms(self) -> int:
        """The time of listing."""
        return self.listed_ms


def compare_retention() -> Iterator[str]:
    """Lines to print, one for each way to remove: the remaining products, and the rows read for a page."""
    now_ms = time.time_ns() // 1_000_000
    products = [
        Product("Taobao", "EU", "lamps", f"p-{LISTED_DAYS - days_ago:03}", now_ms - days_ago * DAY_MS, "a lamp", 4_900)
        for days_ago in reversed(range(LISTED_DAYS))
    ]
    old = products[: LISTED_DAYS - KEPT_DAYS]

    connection: Any = connect("embedded:")
    create_tables(connection, TABLES)
    catalog: Any = CatalogRepository(connection)
    for product in products:
        catalog.store(product)
    for product in old:
        catalog.withdraw(product)
    yield _line("catalog, withdrawn", connection, catalog)
    connection.compact(PRODUCTS.layout.name)
    yield _line("catalog, compacted", connection, catalog)

    for way, ttl_seconds in (("deleted", None), ("expired by a TTL", KEPT_DAYS * DAY_MS // 1000 - 60)):
        connection = connect("embedded:")  # only this store has `compact`
        families = {"p": Family(ttl_seconds=ttl_seconds)}
        table = Table("catalog_one_table", ProductInCategory, Product, PRODUCTS.columns, families=families)
        create_tables(connection, table.tables)
        clock = OldClock()
        catalog = one_table.Repository(connection, table, clock)
        for product in products:
            clock.listed_ms = product.listed_ms
            catalog.store(product)
        for product in old if ttl_seconds is None else []:
            catalog.withdraw(product)
        yield _line(f"one-table, {way}", connection, catalog)
        connection.compact(table.layout.name)
        yield _line("one-table, compacted", connection, catalog)


def _line(way: str, connection: Any, catalog: Any) -> str:
    with metered(connection) as cost:
        catalog.in_region("Taobao", "EU").page(PAGE)
    return f"{way}: {catalog.in_region('Taobao', 'EU').count()} left; rows read for {PAGE}: {cost.rows_read}"
