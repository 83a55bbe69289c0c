"""What the first lines of `keys.py` say of each variant is what it is measured to cost and to store."""

import re
from contextlib import closing

import attrs

from domains.profiles import SHOWN, OrderSummary, Profile, keys
from domains.profiles.design import DESIGN
from domains.profiles.keys import TRIM_AT
from domains.profiles.readme_blocks import orders_stored
from shared.designs import metered, scratch_store

SAID = {
    name: said
    for name, *said in re.findall(r"^    ([a-z-]+) +(\S.*\S) {2,}(\d) +(\d\.\d)  (\S.*)$", keys.__doc__, re.MULTILINE)
}
AT_MS = 1_768_205_250_123
ORDERS = [OrderSummary("ada", AT_MS + number, f"o-{number}", "mug") for number in range(100)]
EARLY = attrs.evolve(ORDERS[0], time_ms=0, order_id="early")
TWIN = attrs.evolve(ORDERS[99], order_id="twin")


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


def test_a_reader_of_the_keys_learns_what_is_stored_and_what_is_wrong():
    def stored(variant, connection, profiles):
        for order in [*ORDERS, TWIN, EARLY]:
            profiles.add_order(order)
        shown = profiles.newest_orders("ada")
        count = orders_stored(connection, variant)
        words = {SHOWN: f"{SHOWN}", len(ORDERS) + 2: "all"}
        return words.get(count, f"{SHOWN} to {TRIM_AT}"), TWIN in shown and ORDERS[99] in shown, EARLY in shown

    measured = of_each(stored)
    says = {name: stored for name, (*_, stored) in SAID.items()}
    assert {name: count for name, (count, *_) in measured.items()} == {
        name: re.search(r"\d+ to \d+|\d+|all", said)[0] for name, said in says.items()
    }
    assert {name for name, (_, both, _) in measured.items() if not both} == {
        name for name, said in says.items() if "one for each millisecond" in said
    }
    assert {name for name, (*_, early) in measured.items() if early} == {
        name for name, said in says.items() if "arrived last" in said
    }
    assert {name for name, said in says.items() if "wrong" in said} == {
        variant.name for variant in DESIGN.variants if not variant.is_to_copy
    }
