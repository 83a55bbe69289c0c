"""Products in a plain list: what every variant has to answer."""

from domains.catalog.shown.design import DESIGN
from domains.catalog.shown.variants import chosen_codes, closed_codes
from shared.keys import InvalidQuestion, between
from shared.testing import PlainList

CLOSED = {"shop": closed_codes.SHOPS, "region": closed_codes.REGIONS, "category": closed_codes.CATEGORIES}

KNOWN = [(kind, next(iter(names))) for kind, names in CLOSED.items()]
"""A name of each kind that has a code."""


class PlainCatalog:
    """The questions of `CatalogRepository`, in the order of the variant's keys."""

    def __init__(self, variant, products):
        self.variant = variant
        self.products = [*{place_of(product): product for product in products}.values()]
        self.numbers = {kind: first_stored(products, kind) for kind in CLOSED}

    def rank(self, kind, name):
        """What a name sorts by."""
        codes = {"closed-codes": CLOSED, "chosen-codes": chosen_codes.CODES, "numbered-codes": self.numbers}
        if self.variant in codes:
            return codes[self.variant][kind][name]
        return f"{name}_".encode() if self.variant == "delimited" else name.encode()

    def sorted(self, products):
        return sorted(products, key=self.place)

    def place(self, product):
        names = [self.rank(kind, getattr(product, kind)) for kind in CLOSED]
        return *names, product.product_id.encode()

    def found(self, **wanted):
        """Those that have these values; a name that a key has no code for is refused."""
        if self.variant == "closed-codes" and any(wanted.get(kind, name) not in CLOSED[kind] for kind, name in KNOWN):
            raise InvalidQuestion("has no code")
        products = self.products
        return self.sorted(p for p in products if all(getattr(p, name) == wanted[name] for name in wanted))

    def product(self, shop, region, category, product_id):
        found = self.found(shop=shop, region=region, category=category, product_id=product_id)
        return found[0] if found else None

    def in_region(self, shop, region, category=None):
        return self.found(shop=shop, region=region, **({} if category is None else {"category": category}))

    def of_category(self, shop, category):
        return self.found(shop=shop, category=category)

    def with_id(self, shop, product_id):
        found = self.found(shop=shop, product_id=product_id)
        if self.variant == "delimited":  # the category is the last part of this index, without a _
            found.sort(key=lambda product: (self.rank("region", product.region), product.category.encode()))
        return found

    def new_in(self, shop, region, category, since_ms=None, until_ms=None):
        listed = self.found(shop=shop, region=region, category=category)
        listed = [product for product in listed if product.listed_ms in between(since_ms, until_ms)]
        if self.variant != "one-table":
            listed.sort(key=lambda product: -product.listed_ms)
        return listed


def place_of(product):
    return product.shop, product.region, product.category, product.product_id


def first_stored(products, kind):
    """The names of a kind, numbered as they were first stored."""
    names = dict.fromkeys(getattr(product, kind) for product in products)
    return {name: number for number, name in enumerate(names)}


TIMES_MS = [0, 1, 2, 86_400_000]
SHOPS, REGIONS, CATEGORIES = ["Taobao", "Tao", "Öko"], ["EU", "EU-north", "US"], ["lamps", "lamps2", "tea"]
IDS = ["p-1", "p-12", "p-2", "é"]

PLAIN_LIST = PlainList(
    DESIGN,
    PlainCatalog,
    {
        "shop": SHOPS,
        "region": REGIONS,
        "category": CATEGORIES,
        "product_id": IDS,
        "listed_ms": TIMES_MS,
        "title": ["a lamp", "tea"],
        "price": [0, -1, 10**30],
        **{f"{question}.shop": [*SHOPS, "Ta", "nobody", ""] for question in ("in_region", "with_id", "of_category")},
        "in_region.region": [*REGIONS, "E", "nowhere"],
        "of_category.category": [*CATEGORIES, "lamp"],
        "with_id.product_id": [*IDS, "p", "p-123"],
        "since_ms": TIMES_MS,
        "until_ms": TIMES_MS,
    },
)
