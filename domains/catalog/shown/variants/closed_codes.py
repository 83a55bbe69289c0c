"""One byte for each name, from lists that are part of the key: `Code({...})`.

Nothing is looked up, and a name without a byte is refused. A new name needs a new release on every process that reads,
before any process writes it; at most 256 names of a kind. Rows sort by byte, not by name. Choose it if names hardly
ever change, and every byte counts.
"""

from functools import partial

from shared.intents import ErasuresTable
from shared.keys import Code, Descending, EscapedText, Int64, TrailingText, part, row_key

from ...keys import BY_ID, BY_LISTING, PRODUCTS
from ...repository import CatalogRepository

SHOPS = {"Taobao": 1, "Tao": 2, "Tmall": 3, "JD": 4, "Äpfel & Birnen": 5, "Öko": 6}
REGIONS = {"CN": 1, "US": 2, "EU": 3, "EU-north": 4, "São Paulo": 5}
CATEGORIES = {"lamps": 1, "lamps2": 2, "books": 3, "shoes": 4, "shoes for children": 5, "tea": 6}
"""The names of this release. A byte is never given to another name."""


@row_key
class ClosedCodesOfProduct:
    """One product under the codes of its shop, region and category.

    Order:  by the bytes of shop, region and category, then by product id.
    Serves: what `ProductInCategory` serves.
    Costs:  three bytes for three names. At most 256 names of each kind.
    Fixed:  the byte of each name. A new name is a new release; it needs no new table.
    Source: S0.9, a name is replaced with a code; here with one byte, in the program
    """

    shop: str = part(Code(SHOPS), "the tenant")
    region: str = part(Code(REGIONS), "where it is offered")
    category: str = part(Code(CATEGORIES), "what it is")
    product_id: str = part(TrailingText, "the shop's id of the product; any text")


@row_key
class ClosedCodesOfPlace:
    """One place where a shop offers a product.

    Order:  by the byte of the shop, by product id, then by the bytes of region and category.
    Serves: a product id alone.
    Costs:  as `PlaceOfProduct`.
    Fixed:  as `ClosedCodesOfProduct`.
    Source: none
    """

    shop: str = part(Code(SHOPS), "the tenant")
    product_id: str = part(EscapedText, "the shop's id of the product; any text")
    region: str = part(Code(REGIONS), "where it is offered")
    category: str = part(Code(CATEGORIES), "the last part of the product's key")


@row_key
class ClosedCodesOfListing:
    """One product in the list of what is new in its category.

    Order:  by the bytes of shop, region and category, newest first, then by product id.
    Serves: the products of a category in a region that were listed in a period.
    Costs:  as `ProductByListing`.
    Fixed:  as `ClosedCodesOfProduct`, and the direction of time.
    Source: none
    """

    shop: str = part(Code(SHOPS), "the tenant")
    region: str = part(Code(REGIONS), "where it is offered")
    category: str = part(Code(CATEGORIES), "what it is")
    listed_ms: int = part(Descending(Int64), "when listed, milliseconds since 1970 UTC, newest first")
    product_id: str = part(TrailingText, "distinguishes products of one millisecond")


CLOSED = PRODUCTS.like(
    "catalog_closed",
    ClosedCodesOfProduct,
    lists={
        BY_ID: BY_ID.like("catalog_closed_by_id", ClosedCodesOfPlace),
        BY_LISTING: BY_LISTING.like("catalog_closed_by_listing", ClosedCodesOfListing),
    },
)
ERASURES = ErasuresTable("catalog_closed_erasures")
"""The erasures have a table of their own, because an erasure names rows of its source."""

TABLES = (*CLOSED.tables, *ERASURES.tables)
Repository = partial(CatalogRepository, products=CLOSED, erasures=ERASURES)
