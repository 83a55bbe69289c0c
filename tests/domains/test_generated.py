"""Every row and record of every design's samples goes through the generated functions alone."""

import pytest

from domains.cli import DESIGNS
from shared.designs import load_samples
from shared.stores import connect
from shared.tables import create_tables
from tests.reference import without_reference

VARIANTS = [(design, variant) for design in DESIGNS for variant in design.variants]


@pytest.mark.parametrize(
    ("design", "variant"), VARIANTS, ids=[f"{design.name}:{variant.name}" for design, variant in VARIANTS]
)
def test_no_sample_needs_the_reference_of_a_generated_function(design, variant):
    connection = connect("embedded:")
    create_tables(connection, variant.tables)
    load_samples(connection, design, variant)
    for table in variant.tables:
        layout = table.layout
        rows = list(connection.table(table.name).scan())
        assert rows
        with without_reference(table.record, layout.encode, layout.decode, layout.row_of):
            for row, cells in rows:
                key = layout.decode(row)
                assert layout.encode(key) == layout.row_of(key) == row
                assert table.record(row, cells)
    connection.close()
