"""What the processes of a test of codes do: each claims the same codes for the same names, in an order of its own."""

import random
from contextlib import closing, suppress

from domains.catalog.variants import chosen_codes
from shared.stores import connect
from shared.writes import IdTaken, NameTaken
from tests.shared.writes.processes import Log

SHOPS = [f"shop {number}" for number in range(12)]
CODES = [b"%02d" % number for number in range(12)]


def claim_at_random(url, log, barrier, seed):
    """Claims each code for some name, and logs whether it got it."""
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
