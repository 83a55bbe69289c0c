"""What the first lines of `keys.py` say of each variant is what it is measured to cost."""

import re
from contextlib import closing

from domains.activity import keys
from domains.activity.design import ALIKE, DAY_OF_ALL, DESIGN, PERIOD
from shared.designs.comparison import measure_variant
from shared.designs.verdicts import without_ranges
from shared.stores import connect
from shared.tables import create_tables

SAID = re.findall(r"^    ([a-z-]+) +(\[.*\]) {2,}(\S.*)$", keys.__doc__, re.MULTILINE)


def test_a_reader_of_the_keys_learns_what_every_variant_costs():
    costs = {}
    for variant in DESIGN.variants:
        with closing(connect("embedded:")) as connection:
            create_tables(connection, variant.tables)
            measured = {of.pattern: of for of in measure_variant(connection, DESIGN, variant).measurements}
        words = [without_ranges(measured[pattern]) for pattern in (PERIOD, DAY_OF_ALL, ALIKE)]
        costs[variant.name] = [re.sub(r".*, (filtered)", r"\1", of) for of in words]
    assert {name: re.split(" {2,}", said) for name, _key, said in SAID} == costs


def test_a_reader_of_the_keys_learns_the_parts_of_every_key():
    lines = {variant.name: variant.tables[0].key for variant in DESIGN.variants}
    for name, key, _said in SAID:
        names = [re.sub("_ms", "", part.name) for part in lines[name].parts]
        shown = [words.split(",")[0] for words in re.findall(r"\[([^]]*)\]", key)]
        assert shown[-len(names) :] == names
        assert len(shown) > len(names) or not lines[name].prefixes
