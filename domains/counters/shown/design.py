"""`counters` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Exemption, Variant
from shared.exhibit import ShownDesign

from ..design import BY_DAY, EVERY_CELL, UNFILLED
from ..design import DESIGN as OWN
from .variants import increment, salted, sharded

NOT_IDEMPOTENT = Exemption("loading", "an increment that is sent again counts again")

NO_LOGINS = (
    "increments counters, so nothing shows what a crash or a lost reply left out or counted twice; "
    "if you keep the logins elsewhere, count them again into empty tables"
)

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="counts must be right, even after a lost reply",
            avoid_if="users have thousands of events a day, and you often ask for counts of today",
        ),
        Variant(
            salted,
            "the same cells, the days in buckets of users",
            (EVERY_CELL,),
            unfilled=UNFILLED,
            take_if="counts must be right, and one region server cannot take all logins of a day",
            avoid_if="one user alone makes most of the events: a bucket holds whole users",
        ),
        Variant(
            increment,
            "counters to which HBase adds one",
            (NOT_IDEMPOTENT,),
            without_upkeep=NO_LOGINS,
            accepted=(BY_DAY,),
            take_if="you often ask for counts, and may be wrong after a lost reply",
            avoid_if="you bill or audit by a count",
        ),
        Variant(
            sharded,
            "the same counters, a day's total in eight rows",
            (NOT_IDEMPOTENT,),
            without_upkeep=NO_LOGINS,
            accepted=(BY_DAY,),
            take_if="you need `increment`, and one row cannot take all increments of a day's total",
            avoid_if="one row can: `increment` then reads one row, not eight",
        ),
    ),
)
