"""The keys of S0.13 byte for byte as published: text as UTF-8, times as `Bytes.toBytes(long)`."""

import struct

from shared.exhibit import SIGN, PublishedKey

from ..keys import BY_SELLER, ORDERS, OrderByNumber, OrderBySeller
from .variants import oldest_first

PLACED_MS = 1_580_976_517_000  # 2020-02-06T08:08:37Z

SELLERS_LIST = {"seller_id": b"s-17", "placed_ms": struct.pack(">q", PLACED_MS), "order_number": b"n-42"}
TERMINATOR = "any text, with the terminator `00 01`; without it the list of s-1 would continue into s-12"
SAME_TERMINATOR = "with the same terminator as the seller's id"

PUBLISHED = (
    PublishedKey("S0.13", "[order number]", ORDERS.layout, OrderByNumber("n-42"), {"order_number": b"n-42"}, {}),
    PublishedKey(
        "S0.13",
        "[seller id][timestamp][order number]",
        BY_SELLER.layout,
        OrderBySeller("s-17", PLACED_MS, "n-42"),
        SELLERS_LIST,
        {
            "seller_id": TERMINATOR,
            "placed_ms": "newest first: Long.MAX_VALUE - timestamp, so that the latest orders are a plain scan",
            "order_number": SAME_TERMINATOR,
        },
    ),
    PublishedKey(
        "S0.13",
        "[seller id][timestamp][order number]",
        oldest_first.TABLES[1],
        oldest_first.OrderBySellerOldestFirst("s-17", PLACED_MS, "n-42"),
        SELLERS_LIST,
        {
            "seller_id": TERMINATOR,
            "placed_ms": SIGN,
            "order_number": SAME_TERMINATOR,
        },
    ),
)
