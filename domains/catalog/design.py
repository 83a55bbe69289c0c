"""What the suite shows of `catalog`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import LATE_PUTS, Accepted, AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from . import keys
from .crossing import index_against_none
from .formats import FORMATS
from .published import PUBLISHED
from .readme_blocks import own_blocks
from .records import Product
from .repository import CatalogRepository
from .traps import TRAPS
from .variants import chosen_codes, closed_codes, delimited, numbered_codes, one_table

SAMPLES = Path(__file__).parents[2] / "fixtures" / "catalog"

SHOP = {"shop": "Taobao"}
IN_EU = {**SHOP, "region": "EU"}
LAMPS_IN_EU = {**IN_EU, "category": "lamps"}
TEN_DAYS = {"since_ms": parse_time("2026-01-10"), "until_ms": parse_time("2026-01-20")}

ONE = AccessPattern("one product by its key", CatalogRepository.product, {**LAMPS_IN_EU, "product_id": "p-51"})
REGION = AccessPattern("a region's products", CatalogRepository.in_region, IN_EU)
CATEGORY_IN_REGION = AccessPattern("a category of a region", CatalogRepository.in_region, LAMPS_IN_EU)
NEW = AccessPattern("what is new in a category of a region", CatalogRepository.new_in, {**LAMPS_IN_EU, **TEN_DAYS})
BY_ID = AccessPattern("a product id alone", CatalogRepository.with_id, {**SHOP, "product_id": "p-45"})
CATEGORY = AccessPattern("a category in all regions", CatalogRepository.of_category, {**SHOP, "category": "lamps"})

BY_CODE = Exemption("order", "rows sort by the codes of names, not by the names", (REGION, CATEGORY, BY_ID))
"""The exemption of every variant with codes."""

DESIGN = Design(
    name="catalog",
    question="Which row keys find a tenant's products by region, category and id, and what do codes save?",
    loads=(
        Load(
            "products",
            Product,
            CatalogRepository.store,
            SAMPLES / "products.jsonl",
            FORMATS,
            identified_by=("shop", "region", "category", "product_id"),
        ),
    ),
    patterns=(ONE, REGION, CATEGORY_IN_REGION, NEW, BY_ID, CATEGORY),
    repository=CatalogRepository,
    variants=(
        Variant(
            keys,
            "names as text, and an index by product id",
            unfilled=keys.ERASURES.tables,
            take_if="you ask by region, by category in a region, and by product id",
            avoid_if="products often change category",
        ),
        Variant(
            one_table,
            "one table without indexes, one put for each product",
            (
                Exemption("rows", "there is no index, so the whole shop is read", (BY_ID,)),
                Exemption("rows", "there is no index, so the whole category is read", (NEW,)),
                Exemption("order", "they come by product id, because there is no list by time", (NEW,)),
            ),
            without_upkeep="stores each product in one put, so there is nothing to recover or to compare",
            accepted=(Accepted("long-key", "each attribute has a column of its own, which a release may add"),),
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
            avoid_if="a new name may not wait for a release",
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
    erases="a shop",
    exemptions=(Exemption("rows", "the region comes before the category, so the whole shop is read", (CATEGORY,)),),
    accepted=(LATE_PUTS,),
    traps=TRAPS,
    published=PUBLISHED,
    crossing=index_against_none,
    own_blocks=own_blocks,
)
