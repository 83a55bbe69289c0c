"""Products by shop, region and category; and two indexes, by product id and by time, that hold only keys of products.

The product is stored under `[shop][region][category][product_id]`, in one cell: the source. A row of an index is a
marker: its key has all parts of the product's key, so a page of it gets the products. The shop, which is the tenant,
comes first in every table: no question leaves the rows of its shop.
"""

from shared.intents import ErasuresTable
from shared.keys import Descending, EscapedText, Int64, TrailingText, part, row_key
from shared.sources import Source
from shared.tables import BIG_INT, Column

from .records import Product


@row_key
class ProductInCategory:
    """One product in its shop, region and category.

    Order:  by shop, by region, by category, then by product id; all as text.
    Serves: a product whose key is known; the products of a region, of a category in a region, of a shop.
    Costs:  one get; or one scan, which reads one row more than the page. A category in all regions reads the whole
            shop. A product id alone would, too; the index by id answers it.
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
    Costs:  one scan, which reads one row more than the page, and one call that gets the products.
    Fixed:  as `ProductInCategory`, and the direction of time.
    Source: S0.9, a date as eight bytes instead of text.
    """

    shop: str = part(EscapedText, "the tenant; any text")
    region: str = part(EscapedText, "where it is offered")
    category: str = part(EscapedText, "any text")
    listed_ms: int = part(Descending(Int64), "when listed, milliseconds since 1970 UTC, newest first")
    product_id: str = part(TrailingText, "distinguishes products of one millisecond")


PRODUCTS = Source(
    "catalog_products",
    ProductInCategory,
    Product,
    {"listed_ms": "p:l", "title": "p:t", "price": Column("p:p", BIG_INT)},
    cell="p:product",
    intents="catalog_intents",
)
BY_ID = PRODUCTS.moving_list("catalog_by_id", PlaceOfProduct, holds="a place of a product")
BY_LISTING = PRODUCTS.moving_list("catalog_by_listing", ProductByListing, holds="a line of what is new")
ERASURES = ErasuresTable("catalog_erasures")
"""The shops that are being erased."""

TABLES = (*PRODUCTS.tables, *ERASURES.tables)
