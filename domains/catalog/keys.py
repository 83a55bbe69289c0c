"""Products by shop, region and category; and two indexes, by product id and by time, that hold only keys of products.

The product is stored under `[shop][region][category][product_id]`, in one cell: the source. A row of an index is a
marker: its key has all parts of the product's key, so a page of it gets the products. The shop, which is the tenant,
comes first in every table: no question leaves the rows of its shop.

The variants store the same products under other keys. The cost of a product id alone; the calls that store a product;
and its bytes in all tables, on average of the samples:

    variant         row key of a product                      one product id   calls  bytes
    catalog         [shop][region][category][product_id]      1 range, 3 gets  6      232
    one-table       [shop][region][category][product_id]      filtered         2      179
    delimited       [shop_][region_][category_][product_id]   1 range, 3 gets  6      223
    closed-codes    [1 byte][1 byte][1 byte][product_id]      1 range, 3 gets  6      174
    chosen-codes    [2 bytes][2 bytes][2 bytes][product_id]   1 range, 3 gets  7      187
    numbered-codes  [2 bytes][2 bytes][2 bytes][product_id]   1 range, 3 gets  7      187

The gets are those of the places where the product is offered, three in the samples. Filtered: the scan reads the whole
shop, and the client drops the other products. A region, or a category in a region, is one range in every variant; a
category in all regions reads the whole shop.

A product is stored by a get, a checkAndPut of its row, which decides, and four puts: two of the intent, one in each
index. A new price changes no index, so it needs two puts fewer. If a writer dies, the same call again or `recover`
completes the write; readers see either all of it or nothing. A change of region or category is two writes.

- one-table has no index, and stores a product by a get and a put. It also reads a whole category to find what is new
  there. A crash leaves nothing to complete, but of two changes at once one may be lost.
- delimited ends each name with a `_`, as published, and refuses names that contain one.
- closed-codes has a byte for each name, from lists in the program: a new name is a new release.
- chosen-codes has two letters that people choose, such as `tb` for Taobao; a table keeps them, each for one name.
- numbered-codes has the next number, which a new name gets by itself; a table keeps them.

Rows of the last three sort by code. In the last two, each process reads the table of codes when it starts, and every
write reads the code of its shop again, because the shop may have been erased. The rows of a shop are adjacent: one
region takes them all, until it is split within the shop.
"""

from typing import Any, NamedTuple

from shared.keys import Descending, EscapedText, Int64, KeyLayout, TrailingText, part, row_key
from shared.tables import BIG_INT, Column, Family, RecordCells, TableLayout
from shared.writes import (
    KEEP_TOMBSTONES_MS,
    ErasedName,
    ErasedSource,
    Erasure,
    Intent,
    SourceCells,
    erasures_tables,
    intents_table,
)

from .records import Product


@row_key
class ProductInCategory:
    """One product in its shop, region and category.

    Order:  by shop, by region, by category, then by product id; all as text.
    Serves: a product whose key is known; the products of a region, of a category in a region, of a shop.
    Costs:  one get; one scan of the page's rows and one more row. A category in all regions reads the whole shop. A
            product id alone would, too; the index by id answers it.
    Fixed:  the sequence of the parts; changing it means a new table.
    Source: S3.4, region_category_productId, with the shop before it.
    """

    shop: str = part(EscapedText, "the tenant; any text, and Tao never matches Taobao")
    region: str = part(EscapedText, "where it is offered; any text")
    category: str = part(EscapedText, "any text")
    product_id: str = part(TrailingText, "the shop's id of the product; any text")


@row_key
class PlaceOfProduct:
    """One place where a shop offers a product: a row of the index by product id, which holds only this key.

    Order:  by shop, by product id, then by region and category.
    Serves: a product id alone, in every region and category where it is offered.
    Costs:  one scan of a row for each place, and one call that gets the products there. A place is put before its
            product and deleted after it, so the index never lacks a product; a page drops rows that lead to none.
    Fixed:  as `ProductInCategory`.
    Source: S0.13, the index table [order number]; S3.3, a business id as the key.
    """

    shop: str = part(EscapedText, "the tenant; any text")
    product_id: str = part(EscapedText, "the shop's id of the product; p-1 never matches p-12")
    region: str = part(EscapedText, "where it is offered")
    category: str = part(TrailingText, "the last part of the product's key")


@row_key
class ProductByListing:
    """One product in the list of what is new in its category: a row that holds only this key.

    Order:  by shop, by region, by category, newest first, then by product id.
    Serves: the products of a category in a region that were listed in a period; the latest N of them.
    Costs:  one scan of the page's rows and one more, and one call that gets the products.
    Fixed:  as `ProductInCategory`, and the direction of time.
    Source: S0.9, a date as eight bytes instead of text.
    """

    shop: str = part(EscapedText, "the tenant; any text")
    region: str = part(EscapedText, "where it is offered")
    category: str = part(EscapedText, "any text")
    listed_ms: int = part(Descending(Int64), "when listed, milliseconds since 1970 UTC, newest first")
    product_id: str = part(TrailingText, "distinguishes products of one millisecond")


PRODUCT_CELLS = RecordCells(
    Product, {"listed_ms": Column("p:l"), "title": Column("p:t"), "price": Column("p:p", BIG_INT)}
)
DERIVED = {"p": Family(keep_tombstones_ms=KEEP_TOMBSTONES_MS)}


def index_tables(
    name: str, place: type[Any], listing: type[Any]
) -> tuple[TableLayout[Any, Any], TableLayout[Any, Any]]:
    """The index by product id and the list by time of the catalog `name`: their rows are markers under these keys."""
    return (
        TableLayout(
            f"{name}_by_id", "a place of a product", KeyLayout(place), RecordCells(place, {}, marker="p:x"), DERIVED
        ),
        TableLayout(
            f"{name}_by_listing",
            "a line of what is new",
            KeyLayout(listing),
            RecordCells(listing, {}, marker="p:x"),
            DERIVED,
        ),
    )


PRODUCTS = TableLayout(
    "catalog_products", "the product", KeyLayout(ProductInCategory), SourceCells(PRODUCT_CELLS, "p:product")
)
BY_ID, BY_LISTING = index_tables("catalog", PlaceOfProduct, ProductByListing)
ERASURES, (ERASED_PRODUCTS,) = erasures_tables("catalog_erasures", writers=1)
INTENTS = intents_table("catalog_intents")


class CatalogTables(NamedTuple):
    """The products, their indexes, the erasures of shops, and the writes under way."""

    products: TableLayout[Any, Product]
    by_id: TableLayout[Any, Any]
    by_listing: TableLayout[Any, Any]
    erasures: TableLayout[ErasedName, Erasure]
    erased_products: TableLayout[ErasedName, ErasedSource]
    intents: TableLayout[Any, Intent]


TABLES = CatalogTables(PRODUCTS, BY_ID, BY_LISTING, ERASURES, ERASED_PRODUCTS, INTENTS)
