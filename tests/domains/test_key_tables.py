"""What the table in the first lines of a design's `keys.py` says of each variant is what it is measured to cost."""

import re
from contextlib import closing

import pytest

from domains.catalog import design as catalog
from domains.catalog import keys as catalog_keys
from domains.documents import design as documents
from domains.documents import keys as documents_keys
from shared.designs import Variant, scratch_store
from shared.designs.comparison import measure_variant
from shared.designs.verdicts import without_ranges

COLUMNS = {
    catalog_keys: (catalog.DESIGN, [catalog.BY_ID, "rpcs_per_record", "bytes_per_record"]),
    documents_keys: (documents.DESIGN, [documents.PATHS, documents.HAVING, documents.NEWEST, "rpcs_per_record"]),
}
"""What the columns after the key show: the cost of a question, or a figure of the variant."""


def table_of(keys):
    """The cells of each line, by variant."""
    lines = [re.split(" {2,}", line.strip()) for line in keys.__doc__.splitlines()]
    return {name: cells for name, *cells in lines if len(cells) == 1 + len(COLUMNS[keys][1]) and name != "variant"}


def name_of(of):
    """The name of the design that has these keys, or of a variant."""
    return of.name if isinstance(of, Variant) else of.__name__.split(".")[1]


CASES = [
    pytest.param(keys, variant, marks=() if variant is design.main else pytest.mark.long)
    for keys, (design, _columns) in COLUMNS.items()
    for variant in design.variants
]


@pytest.mark.parametrize(("keys", "variant"), CASES, ids=name_of)
def test_a_reader_of_the_keys_learns_what_every_variant_costs(keys, variant):
    design, columns = COLUMNS[keys]
    _key, *said = table_of(keys)[variant.name]
    with closing(scratch_store(variant.tables)) as connection:
        costs = measure_variant(connection, design, variant)
    questions = {of.pattern: without_ranges(of) for of in costs.measurements}
    for column, cell in zip(columns, said, strict=True):
        if isinstance(column, str):
            assert cell == f"{getattr(costs, column):.0f}"
        else:
            words = re.sub(r"^[\d.]+x, ", "", questions[column])
            assert cell in (words, re.sub(r"\d+ (?=gets)", "", words))


@pytest.mark.parametrize("keys", COLUMNS, ids=name_of)
def test_a_reader_of_the_keys_learns_the_parts_of_every_key(keys):
    variants = COLUMNS[keys][0].variants
    assert [*table_of(keys)] == [variant.name for variant in variants]
    for variant, (key, *_costs) in zip(variants, table_of(keys).values(), strict=True):
        parts = [part.name.removesuffix("_ms") for part in variant.tables[0].key.parts]
        shown = [words.split(",")[0].removesuffix("_") for words in re.findall(r"\[([^]]*)\]", key.partition(";")[0])]
        named = [word for word in shown if word and not word[0].isdigit()]
        assert named == parts[len(parts) - len(named) :]
