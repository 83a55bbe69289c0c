"""The keys of S0.9, S3.3 and S3.4 byte for byte as published: names as text, the date as `Bytes.toBytes(long)`."""

import struct

from shared.exhibit import PublishedKey

from ..keys import BY_ID, BY_LISTING, PRODUCTS, PlaceOfProduct, ProductByListing, ProductInCategory
from .variants import chosen_codes, delimited, numbered_codes

LISTED_MS = 1_450_951_200_000  # 2015-12-24T10:00:00.000Z

IN_REGION = {"region": b"EU_", "category": b"lamps_", "product_id": b"p-1"}
SHOP_ADDED = "added: the tenant, so that no question leaves its rows"
TERMINATOR = "any text, with the terminator `00 01`; a name may contain a `_`"
MILLISECONDS = (
    "`Long.MAX_VALUE` minus milliseconds since 1970, in the same eight bytes: newest first, and periods can be "
    "computed; the digits of an hour cannot be added to"
)
LISTED_IN = "added: the list belongs to one shop, region and category"
OF_THE_INDEX = {
    "shop": "added: two tenants may use the same id",
    "product_id": "any text, with the terminator `00 01`, because parts follow it",
    "region": "added: with the category, the rest of the key of the product's row; the row holds nothing else",
    "category": "added: the end of the key of the product's row",
}

PUBLISHED = (
    PublishedKey(
        "S3.4",
        'region + "_" + categoryId + "_" + productId',
        PRODUCTS.layout,
        ProductInCategory("Taobao", "EU", "lamps", "p-1"),
        IN_REGION,
        {"shop": SHOP_ADDED, "region": TERMINATOR, "category": TERMINATOR},
    ),
    PublishedKey(
        "S3.4",
        'region + "_" + categoryId + "_" + productId',
        delimited.DELIMITED.layout,
        delimited.DelimitedProduct("Taobao", "EU", "lamps", "p-1"),
        IN_REGION,
        {"shop": SHOP_ADDED},
    ),
    PublishedKey(
        "S0.9",
        "Long(2015122410)",
        BY_LISTING.layout,
        ProductByListing("Taobao", "EU", "lamps", LISTED_MS, "p-1"),
        {"listed_ms": struct.pack(">q", 2015122410)},
        {
            "shop": LISTED_IN,
            "region": LISTED_IN,
            "category": LISTED_IN,
            "listed_ms": MILLISECONDS,
            "product_id": "added: distinguishes products of one millisecond",
        },
    ),
    PublishedKey(
        "S0.9",
        "tb",
        chosen_codes.CHOSEN.layout,
        numbered_codes.CodesOfProduct(b"tb", b"eu", b"la", "p-1"),
        {"shop": b"tb"},
        {
            "region": "added: published as the code of one name",
            "category": "added: published as the code of one name",
            "product_id": "added: published as the code of one name",
        },
    ),
    PublishedKey(
        "S3.3",
        "rowKey = orderId",
        BY_ID.layout,
        PlaceOfProduct("Taobao", "p-1", "EU", "lamps"),
        {"product_id": b"p-1"},
        OF_THE_INDEX,
    ),
    PublishedKey(
        "S0.13",
        "[order number]",
        BY_ID.layout,
        PlaceOfProduct("Taobao", "p-1", "EU", "lamps"),
        {"product_id": b"p-1"},
        OF_THE_INDEX,
    ),
)
