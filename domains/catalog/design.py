"""The loads and questions of `catalog`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from . import keys
from .formats import FORMATS
from .records import Product
from .repository import CatalogRepository

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
    variants=(Variant(keys, "names as text, and an index by product id", unfilled=keys.ERASURES.tables),),
    erases="a shop",
    exemptions=(Exemption("rows", "the region comes before the category, so the whole shop is read", (CATEGORY,)),),
)
