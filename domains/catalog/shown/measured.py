"""What the pages of `catalog` measure for themselves."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from statistics import mean
from typing import Any

import attrs

from shared.designs import Design, Variant, load_samples, metered, scratch_store
from shared.exhibit import Crossing, Series, below, markdown_table, stored_bytes, stored_cells
from shared.sources import Table
from shared.stores import connect
from shared.tables import Family, TableLayout, create_tables
from shared.tables.layouts import physical_tables
from shared.writes import WriterClock

from ..keys import PRODUCTS, TABLES, ProductInCategory
from ..records import Product
from ..repository import CatalogRepository
from .variants import one_table

# ---- a thin index against none: the rows that products stored and a question by id touch together


SHOP, PRODUCT_ID = "Taobao", "p-45"
STORED = (1, 4, 16, 64, 256)
"""Products that are stored for each question by id."""


def crossing(design: Design) -> Crossing:
    """Both ways with the samples in them: a product is stored, and one is found by its id."""
    products: list[Product] = [*design.loads[0].sample_records()]

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
        f"An index pays below {pays:.0f} new products per lookup",
        "rows read and written, for one lookup by id",
        "products stored for each lookup by id",
        STORED,
        (each("catalog", index), each("one-table", none)),
        f"To store a product, `catalog` reads and writes {index[0]} rows, two of them for the intent, and `one-table` "
        f"{none[0]}; a lookup by id reads {index[1]} rows in `catalog`, and in `one-table` all {none[1]} "
        "products of the shop.",
    )


# ---- a block of the pages of `catalog` only: the bytes of names in each of their forms


FORMS = {
    "catalog": "text",
    "delimited": "text and a `_`",
    "closed-codes": "`Code({...})`, in the program",
    "chosen-codes": "chosen letters, in a table",
    "numbered-codes": "numbers, in a table",
}
"""The form of names in each variant with the same three tables."""


def own_blocks(design: Design) -> dict[str, str]:
    """What names need in row keys, measured on the samples."""
    return {"names": _names(design)}


@attrs.frozen
class _Bytes:
    """Bytes of the rows of one variant."""

    key: float
    """The average bytes of a product's row key."""
    rows: list[float]
    """The average bytes of a row, of each of the three tables."""
    codes: int
    """The bytes of all codes and their names."""


def _names(design: Design) -> str:
    rows: list[list[str]] = []
    for variant in design.variants:
        if variant.name in FORMS:
            measured = _measured(design, variant)
            rows.append(
                [
                    variant.name,
                    FORMS[variant.name],
                    *(f"{size:.1f}" for size in (measured.key, *measured.rows)),
                    f"{measured.codes:,}" if measured.codes else "-",
                ]
            )
    table = markdown_table(
        ("variant", "names are", "key of a product", "its row", "by id", "by time", "codes, once"), rows
    )
    caption = (
        "Average bytes of a product's row key and of its row in each of three tables, before compression, with the "
        f"{stored_bytes(b'', b':', b'')} bytes that HBase adds to each cell. Last, the bytes of all codes and names:"
    )
    return below(caption, table)


def _measured(design: Design, variant: Variant) -> _Bytes:
    with closing(scratch_store(variant.tables)) as connection:
        load_samples(connection, design, variant)

        physical = {table.name: table for table in physical_tables(variant.tables)}

        def sizes_of(table: TableLayout[Any, Any]) -> Counter[bytes]:
            sizes = Counter[bytes]()
            for row, size in stored_cells(connection, physical[table.name]):
                sizes[row] += size
            return sizes

        stored = [sizes_of(table) for table in variant.tables[:3]]
        names = next((table for table in variant.tables if table.name.endswith("_names")), None)
        codes = Counter[bytes]() if names is None else sizes_of(names)
        return _Bytes(mean(map(len, stored[0])), [mean(sizes.values()) for sizes in stored], codes.total())


# ---- the cost of reading a region after most of its products were withdrawn, deleted, or have expired


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
