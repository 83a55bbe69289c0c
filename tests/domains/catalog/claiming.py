"""What processes of the tests of codes do: claim codes for names, and store products with names that are new."""

import random
from contextlib import closing, suppress

import attrs

from domains.catalog import Product
from domains.catalog.variants import chosen_codes, numbered_codes
from shared.stores import connect
from shared.writes import IdTaken, NameTaken
from tests.shared.writes.processes import Log

SHOPS = [f"shop {number}" for number in range(12)]
CODES = [b"%02d" % number for number in range(12)]
LAMP = Product("Taobao", "EU", "lamps", "p-1", 1_580_976_517_000, "a lamp", 4_900)


def claim_at_random(url, log, barrier, seed):
    """Claims each code for some name, in an order of its own, and logs whether it got it."""
    dice, results = random.Random(seed), Log(log)
    with closing(connect(url)) as connection:
        names = chosen_codes.Repository(connection).names
        claims = [*zip(dice.sample(SHOPS, len(SHOPS)), dice.sample(CODES, len(CODES)), strict=True)]
        barrier.wait()
        for shop, code in claims:
            answer = "refused"
            with suppress(IdTaken, NameTaken):
                names.claim("shop", shop, code)
                answer = "claimed"
            results.write(shop=shop, code=code.hex(), answer=answer)


def products_of(process):
    """One product for each shop: all processes store the same names, each its own products."""
    return [
        attrs.evolve(LAMP, shop=shop, region=f"region {number % 3}", product_id=f"p-{process}")
        for number, shop in enumerate(SHOPS[:4])
    ]


def store_products(url, log, barrier, seed):
    """Stores its products, in an order of its own."""
    with closing(connect(url)) as connection:
        catalog = numbered_codes.Repository(connection)
        products = products_of(seed)
        random.Random(seed).shuffle(products)
        barrier.wait()
        for product in products:
            catalog.store(product)
        Log(log).write(stored=len(products))
