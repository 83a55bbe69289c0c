"""The published text key, "region_categoryId_productId": a `_` after each name. Names that contain a `_` are refused.

A person can read the keys in the HBase shell. They do not sort as names do: lamps2 comes before lamps, because 2 sorts
before _. Everything else is as in `keys.py`. Choose it if you have such a table, or people read keys.
"""

from functools import partial

from shared.intents import ErasuresTable
from shared.keys import DelimitedText, Descending, Int64, TrailingText, part, row_key

from ...keys import BY_ID, BY_LISTING, PRODUCTS
from ...repository import CatalogRepository

_NAME = DelimitedText("_")


@row_key
class DelimitedProduct:
    """One product in its shop, region and category.

    Order:  by shop, by region, by category, then by product id, each with its `_`.
    Serves: what `ProductInCategory` serves.
    Costs:  one byte less than `ProductInCategory` for each name. A name with a `_` is refused.
    Fixed:  the delimiter; a name that is to contain it needs a new table.
    Source: S3.4, region_category_productId
    """

    shop: str = part(_NAME, "the tenant; no _")
    region: str = part(_NAME, "where it is offered; no _")
    category: str = part(_NAME, "no _")
    product_id: str = part(TrailingText, "the shop's id of the product; any text, because it is the last part")


@row_key
class DelimitedPlace:
    """One place where a shop offers a product.

    Order:  by shop, by product id, by region, each with its `_`, then by category.
    Serves: a product id alone.
    Costs:  as `PlaceOfProduct`. Here the product id is not the last part, so it must not contain a `_` either.
    Fixed:  the delimiter.
    Source: S0.13, S3.3
    """

    shop: str = part(_NAME, "the tenant; no _")
    product_id: str = part(_NAME, "the shop's id of the product; no _")
    region: str = part(_NAME, "where it is offered; no _")
    category: str = part(TrailingText, "the last part of the product's key")


@row_key
class DelimitedListing:
    """One product in the list of what is new in its category.

    Order:  by shop, by region, by category, newest first, then by product id.
    Serves: the products of a category in a region that were listed in a period.
    Costs:  as `ProductByListing`. The time is eight bytes, not digits, so a person cannot read it.
    Fixed:  the delimiter, and the direction of time.
    Source: none
    """

    shop: str = part(_NAME, "the tenant; no _")
    region: str = part(_NAME, "where it is offered; no _")
    category: str = part(_NAME, "no _")
    listed_ms: int = part(Descending(Int64), "when listed, milliseconds since 1970 UTC, newest first")
    product_id: str = part(TrailingText, "distinguishes products of one millisecond")


DELIMITED = PRODUCTS.like(
    "catalog_delimited",
    DelimitedProduct,
    lists={
        BY_ID: BY_ID.like("catalog_delimited_by_id", DelimitedPlace),
        BY_LISTING: BY_LISTING.like("catalog_delimited_by_listing", DelimitedListing),
    },
)
ERASURES = ErasuresTable("catalog_delimited_erasures")
"""The erasures have a table of their own, because an erasure names rows of its source."""

TABLES = (*DELIMITED.tables, *ERASURES.tables)
Repository = partial(CatalogRepository, products=DELIMITED, erasures=ERASURES)
