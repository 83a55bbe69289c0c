"""`orders` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Exemption, Variant
from shared.exhibit import ShownDesign

from ..design import COUNTS_UP, GETS_ORDERS, LATEST, NUMBERED, OF_BUYER, STATUS_OF_SELLER, WEEK, WITH_STATUS
from ..design import DESIGN as OWN
from .variants import hashed_number, index_table, oldest_first, thin_index, without_intents

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="you look orders up by number, seller, buyer and status, and a list by status must never miss one",
            avoid_if="seven calls to place an order are too many: 3,000 orders a second make 21,000",
        ),
        Variant(
            oldest_first,
            "lists with the oldest order first",
            (
                GETS_ORDERS,
                Exemption(
                    "order",
                    "a reverse scan also reverses the numbers of orders that were placed in one millisecond",
                    (LATEST, WEEK, OF_BUYER),
                ),
                Exemption("order", "each seller's orders come in list order, oldest first", (WITH_STATUS,)),
            ),
            accepted=(COUNTS_UP,),
            take_if="you need the published keys",
            avoid_if="you mostly ask for the latest orders: they need reverse scans",
        ),
        Variant(
            index_table,
            "the seller's list holds the whole order, and so does the index by number",
            (GETS_ORDERS,),
            accepted=(COUNTS_UP,),
            take_if="a seller's list must hold whole orders",
            avoid_if="storage is tight",
        ),
        Variant(
            thin_index,
            "the seller's list holds the order; the index by number and all other lists hold only its key",
            (
                Exemption(
                    "ranges",
                    "a page gets the orders of its lines, all in one call",
                    (STATUS_OF_SELLER, OF_BUYER, WITH_STATUS, NUMBERED),
                ),
            ),
            accepted=(COUNTS_UP,),
            take_if="orders change often: each is stored once",
            avoid_if="most reads are by number: they take two gets",
        ),
        Variant(
            hashed_number,
            "a hash of the number, then the number",
            (GETS_ORDERS,),
            take_if="numbers count up, and one region server cannot take all new orders",
            avoid_if="numbers start with a day or a shop, and you list all orders of one, which it refuses",
        ),
        Variant(
            without_intents,
            "the order first, its lines after it, and no list by status",
            (
                Exemption(
                    "rows", "the status is in no row key, so the client skips the other orders", (STATUS_OF_SELLER,)
                ),
                Exemption("order", "the orders themselves are scanned, so they come by number", (WITH_STATUS,)),
            ),
            without_upkeep=(
                "puts an order, then its lines, and no intent, so nothing finds a write that a crash interrupted; "
                "repeat the call, which completes it"
            ),
            accepted=(COUNTS_UP,),
            take_if="you need few calls per write, and clients always retry",
            avoid_if="you need a list by status",
        ),
    ),
)
