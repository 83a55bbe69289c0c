"""`catalog` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Exemption, Variant
from shared.exhibit import ShownDesign

from ..design import BY_ID, CATEGORY, NEW, REGION
from ..design import DESIGN as OWN
from .variants import chosen_codes, closed_codes, delimited, numbered_codes, one_table

BY_CODE = Exemption("order", "rows sort by the codes of names, not by the names", (REGION, CATEGORY, BY_ID))
"""The exemption of every variant with codes."""

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="you ask by region, by category in a region, and by product id",
            avoid_if="products often change category",
        ),
        Variant(
            one_table,
            "one table without indexes, one put for each product",
            (
                Exemption("rows", "without an index, a product id reads the whole shop", (BY_ID,)),
                Exemption("rows", "without an index, new products are found by reading the whole category", (NEW,)),
                Exemption("order", "new products come by id, because the table has no list by time", (NEW,)),
            ),
            without_upkeep="stores each product in one put, so there is nothing to recover or to compare",
            take_if="every question names the region, and writes must be cheap",
            avoid_if="you ask for a product id alone",
        ),
        Variant(
            delimited,
            "published: a _ after each name",
            (
                Exemption(
                    "order",
                    "a _ sorts after digits, capitals and -, so lamps2 comes before lamps",
                    (REGION, CATEGORY, BY_ID),
                ),
            ),
            unfilled=delimited.ERASURES.tables,
            take_if="you have such a table, or people read keys",
            avoid_if="a name may contain a `_`, which it refuses",
        ),
        Variant(
            closed_codes,
            "one byte for each name, from lists in the program",
            (BY_CODE,),
            unfilled=closed_codes.ERASURES.tables,
            take_if="names hardly ever change, and every byte counts",
            avoid_if="new names cannot wait for a release",
        ),
        Variant(
            chosen_codes,
            "two chosen letters for each name, from a table",
            (BY_CODE,),
            unfilled=chosen_codes.ERASURES.tables,
            take_if="people choose the codes, and read them in keys",
            avoid_if="names arrive by themselves",
        ),
        Variant(
            numbered_codes,
            "a number for each name, from a table",
            (BY_CODE,),
            unfilled=numbered_codes.ERASURES.tables,
            take_if="names are long, and new ones arrive by themselves",
            avoid_if="you need rows in the order of names",
        ),
    ),
)
