"""What the first lines of `keys.py` say of each variant is what it is measured to cost."""

import re
from contextlib import closing

from domains.documents import keys
from domains.documents.design import DESIGN, HAVING, NEWEST, PATHS
from shared.designs import scratch_store
from shared.designs.comparison import measure_variant
from shared.designs.verdicts import without_ranges

LINES = [re.split(" {2,}", line.strip()) for line in keys.__doc__.splitlines()]
SAID = {name: said for name, *said in LINES if len(said) == 5 and name != "variant"}


def test_a_reader_of_the_keys_learns_what_every_variant_costs():
    measured_costs = {}
    for variant in DESIGN.variants:
        with closing(scratch_store(variant.tables)) as connection:
            costs_of = measure_variant(connection, DESIGN, variant)
        measured = {of.pattern: without_ranges(of) for of in costs_of.measurements}
        words = [re.sub(r"^[\d.]+x, |\d+ (?=gets)", "", measured[pattern]) for pattern in (PATHS, HAVING, NEWEST)]
        measured_costs[variant.name] = [*words, f"{costs_of.rpcs_per_record:.0f}"]
    assert {name: costs for name, (_key, *costs) in SAID.items()} == measured_costs
