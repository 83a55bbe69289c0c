"""What the first lines of `keys.py` say of each variant is what it is measured to cost; what names save as codes."""

import re
from contextlib import closing

from domains.catalog import keys
from domains.catalog.design import BY_ID, CATEGORY_IN_REGION, DESIGN, REGION
from shared.designs.comparison import measure_variant
from shared.designs.verdicts import without_ranges
from shared.stores import connect
from shared.tables import create_tables

SAID = re.findall(r"^    ([a-z-]+) +(\[.*\]) {2,}(\S.*)$", keys.__doc__, re.MULTILINE)
CODED = {"closed-codes": 1, "chosen-codes": 2, "numbered-codes": 2}


def measured(variant):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        return measure_variant(connection, DESIGN, variant)


def test_a_reader_of_the_keys_learns_what_every_variant_costs():
    costs = {}
    for variant in DESIGN.variants:
        of_variant = measured(variant)
        questions = {of.pattern: without_ranges(of) for of in of_variant.measurements}
        assert questions[REGION] == questions[CATEGORY_IN_REGION] == "1 range"
        words = re.sub(r".*, (filtered)", r"\1", questions[BY_ID])
        costs[variant.name] = [words, f"{of_variant.rpcs_per_record:.0f}", f"{of_variant.bytes_per_record:.0f}"]
    assert {name: re.split(" {2,}", said) for name, _key, said in SAID} == costs


def test_a_reader_of_the_keys_learns_the_parts_of_every_key():
    parts = {variant.name: variant.tables[0].key.parts for variant in DESIGN.variants}
    assert [name for name, *_ in SAID] == [*parts]
    for name, key, _said in SAID:
        shown = re.findall(r"\[([^]]*)\]", key)
        if name in CODED:
            assert shown[:3] == [f"{CODED[name]} byte{'s' if CODED[name] > 1 else ''}"] * 3
            assert [part.codec.width_bytes for part in parts[name][:3]] == [CODED[name]] * 3
        else:
            assert [word.removesuffix("_") for word in shown] == [part.name for part in parts[name]]
