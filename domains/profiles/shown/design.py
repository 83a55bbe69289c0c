"""`profiles` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import AccessPattern, Exemption, Variant, Wrong
from shared.exhibit import ShownDesign
from shared.records import parse_time

from ..design import DESIGN as OWN
from ..design import NEWEST, PAGE, USER
from .variants import one_cell, orders_table, slots, versions

WEEK = {"since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")}
OF_WEEK = AccessPattern(
    "a user's orders of one week",
    orders_table.Repository.orders_of,
    {**USER, **WEEK},
    why_lacking="needs a table of orders, because the row of a user has the newest ones only",
)

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    patterns=(*OWN.patterns, OF_WEEK),
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="pages are read more often than orders are added",
            avoid_if="you ask for older orders than a page shows",
        ),
        Variant(
            one_cell,
            "the newest ten orders in one cell",
            take_if="you need the same, also with thousands of orders, and users seldom get two of them at once",
            avoid_if="many writers add orders of one user at once: each makes the others read again",
        ),
        Variant(
            versions,
            "HBase's own versions: one column that keeps ten",
            wrong=Wrong("all orders of a user in one millisecond except the last one", (PAGE, NEWEST)),
        ),
        Variant(
            orders_table,
            "a table of its own for the orders",
            (Exemption("rows", "each order is a row of its own, and the page of a user shows ten", (PAGE,)),),
            take_if="you also ask for a user's older orders",
            avoid_if="a page must be one call",
        ),
        Variant(
            slots,
            "published: the last ten orders in columns order_0 to order_9",
            (Exemption("loading", "an order that is stored again moves to the first column"),),
            wrong=Wrong(
                "orders that arrived earlier than ten others, and orders that two writers add at once", (PAGE, NEWEST)
            ),
        ),
    ),
)
