"""What the first lines of `keys.py` say of each variant is what it is measured to cost and to store."""

import re
from contextlib import closing

from domains.profiles import SHOWN, OrderSummary, Profile, keys
from domains.profiles.design import DESIGN
from shared.designs import metered, scratch_store

SAID = {
    name: said
    for name, *said in re.findall(r"^    ([a-z-]+) +(\S.*\S) {2,}(\d) +(\d\.\d)  (\S.*)$", keys.__doc__, re.MULTILINE)
}
AT_MS = 1_768_205_250_123
ORDERS = [OrderSummary("ada", AT_MS + number, f"o-{number}", "mug") for number in range(100)]


def of_each(measure):
    """What is measured with each variant, in a store that has the hundred orders of a user."""
    measured = {}
    for variant in DESIGN.variants:
        with closing(scratch_store(variant.tables)) as connection:
            measured[variant.name] = measure(variant, connection, variant.open(connection))
    return measured


def test_a_reader_of_the_keys_learns_the_rpcs_of_a_page_and_of_an_order_and_who_leaves_tombstones():
    def rpcs(_variant, connection, profiles):
        profiles.store(Profile("ada", "Ada", AT_MS))
        with metered(connection) as adding:
            for order in ORDERS:
                profiles.add_order(order)
        with metered(connection) as reading:
            assert len(profiles.page("ada").orders) == SHOWN
        return [str(reading.rpcs), f"{adding.rpcs / len(ORDERS):.1f}"], adding.tombstones

    kept = len(ORDERS) - SHOWN - SHOWN  # after the last of a hundred orders, a row has twenty
    tombstones = {name: kept if name == "profiles" else 0 for name in SAID}
    assert of_each(rpcs) == {
        name: ([page, add], tombstones[name]) for name, (_where, page, add, _stored) in SAID.items()
    }
