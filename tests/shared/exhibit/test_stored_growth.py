"""Rows that are stored in the end: predicted from a sample, and held against ten times as many records, stored."""

import random

import pytest

from shared.exhibit.heat_tables import at_least
from shared.exhibit.regions import sampling
from shared.exhibit.regions.sampling import samples_of, sampled
from shared.exhibit.regions.simulated_splits import SplitPolicy
from shared.exhibit.regions.sizing import sizing
from shared.exhibit.regions.stored_growth import TRUSTED, Held, StoredGrowth, Trend
from tests.designs import all_designs, find_variants

WITHIN, WITHIN_ON_CURVE = 0.1, 0.3
"""How far a number may be from the real one, as a part of it: growth that goes on or has ended, and a curve."""
TIMES_THE_SAMPLES = 8
"""The sample that predicts, in multiples of the file of samples: its smallest size is about that file."""
QUICK = ["monitoring:latest", "changes", "profiles:orders-table", "counters", "tsdb", "logs"]
"""Rows repeat in all but one, and those of `changes_sources` are three for ever."""
VARIANTS = [
    design.name if variant is design.main else f"{design.name}:{variant.name}"
    for design in all_designs()
    for variant in design.variants
]


def growths(variant_name, monkeypatch):
    """The design, the variant, the number of records that predict, and what its tables hold of them."""
    design, (variant, *_others) = find_variants(variant_name)
    records = TIMES_THE_SAMPLES * sum(len(load.samples.read_text().splitlines()) for load in design.loads)
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", records)
    return design, variant, sampled(design, variant, *samples_of(design))


def counted(of):
    return {table.table.name: table.growth.held[-1] for table in of.tables}


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in VARIANTS if name not in QUICK)]
)
def test_ten_times_as_many_records_leave_as_many_rows_as_predicted(name, monkeypatch):
    design, variant, sample = growths(name, monkeypatch)
    records = at_least(design, TRUSTED * sample.records)
    records = records[: TRUSTED * sample.records]
    real = counted(sampled(design, variant, records))
    wrong = []
    for table in sample.tables:
        held = real[table.table.name]
        for what, trend in (("rows", table.growth.rows), ("cells", table.growth.cells), ("cell_bytes", table.growth.cell_bytes)):
            number = getattr(held, what)
            within = WITHIN_ON_CURVE if trend.course == "changes" else WITHIN
            predicted = trend.at(len(records))
            if abs(predicted - number) > max(within * number, 3):
                wrong.append((table.table.name, what, trend.points, trend.course, round(predicted), number))
    assert wrong == []
