"""Rows that are stored in the end: predicted from a sample, and held against ten times as many records, stored."""

import re

import pytest

from shared.exhibit.heat_tables import at_least
from shared.exhibit.regions import sampling
from shared.exhibit.regions.sampling import held_of, sample_stored, samples_of
from shared.exhibit.regions.simulated_splits import SplitPolicy
from shared.exhibit.regions.sizing import sizing
from shared.exhibit.regions.stored_growth import TRUSTED, Held, StoredGrowth, Trend
from tests.designs import all_designs, find_variants

WITHIN, WITHIN_ON_CURVE = 0.1, 0.3
"""How far a number may be from the real one, as a part of it: growth that goes on or has ended, and a curve."""
FEW = 3
"""Rows by which a number may differ that is so small that a part of it is less, with their cells and bytes."""
TIMES_THE_SAMPLES = 8
"""The sample that predicts, in multiples of the file of samples: its smallest size is about that file."""
REPEATING = ["monitoring:latest", "profiles:orders-table"]
"""Variants with tables in which rows are written again."""
VARIANTS = [*(design.name for design in all_designs()), *REPEATING]


@pytest.mark.long
@pytest.mark.parametrize("name", VARIANTS)
def test_ten_times_as_many_records_leave_as_many_rows_as_predicted(name, monkeypatch):
    design, (variant, *_others) = find_variants(name)
    lines = sum(len(load.samples.read_text().splitlines()) for load in design.loads)
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", TIMES_THE_SAMPLES * lines)
    *smaller, sample = samples_of(design)
    records = at_least(design, TRUSTED * len(sample))[: TRUSTED * len(sample)]
    held = [held_of(variant, of) for of in (*smaller, sample)]
    wrong = []
    for table, real in held_of(variant, records).items():
        growth = StoredGrowth([of[table] for of in held], 0)
        for what in ("rows", "cells", "cell_bytes"):
            trend, number = getattr(growth, what), getattr(real, what)
            predicted, within = trend.at(len(records)), WITHIN_ON_CURVE if trend.course == "slows down" else WITHIN
            of_few_rows = FEW * number / max(real.rows, 1)
            if predicted is None and real.rows <= FEW:
                continue
            if predicted is None or abs(predicted - number) > max(within * number, of_few_rows):
                wrong.append((table, what, trend, predicted, number))
        assert growth.rows.at(len(sample)) == growth.held[-1].rows
    assert wrong == []


@pytest.mark.parametrize(
    ("numbers", "course", "at_ten_times", "at_a_thousand_times"),
    [
        ([10, 40, 160], "goes on", 1600, 160_000),
        ([110, 140, 260], "goes on", 1700, 160_100),
        ([3, 3, 3], "ends", 3, 3),
        ([20, 24, 24], "ends", 24, 24),
        ([10, 20, 40], "slows down", 40 * 10**0.5, None),
        ([10, 80, 640], "is not seen", None, None),
        ([9, 15, 18], "slows down", 21 - 3 * 0.1**0.5, None),
    ],
    ids=["proportion", "proportion and some", "none", "ended", "root", "power", "saturating"],
)
def test_what_the_later_records_add_tells_what_a_larger_load_makes(numbers, course, at_ten_times, at_a_thousand_times):
    trend = Trend(tuple(zip([100, 400, 1600], numbers, strict=True)))
    assert trend.course == course
    assert trend.at(16_000) == (at_ten_times and pytest.approx(at_ten_times, rel=0.001))
    assert trend.at(1_600_000) == (at_a_thousand_times and pytest.approx(at_a_thousand_times, rel=0.01))
    assert [trend.at(records) for records in (0, 400, 1600)] == [0, *numbers[1:]]


def test_a_few_samples_are_judged_from_nothing_on_and_one_shows_nothing():
    def trend(*counts):
        return Trend.of([Held(records, rows, rows, rows) for records, rows in counts], lambda held: held.rows)

    assert trend((1, 1), (3, 3)).at(300) == 300
    assert trend((1, 1), (3, 1)).at(300) == 1
    assert 2 < trend((1, 1), (3, 2)).at(30) < 20
    assert trend((1, 1)).at(300) is None


def sized(name, records_a_day, days=90, servers=20):
    design, (variant, *_others) = find_variants(name)
    sample = sample_stored(design, variant)
    return sample, sizing(sample, 1, records_a_day, days, SplitPolicy(), servers)


@pytest.mark.long
def test_the_size_of_rows_that_are_written_again_is_that_of_rows_that_remain(monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 4_000)
    sample, needed = sized("monitoring:latest", 10**8)
    points, latest = needed.of("NONE")
    assert (points.table, latest.table) == ("points_with_latest", "latest_points")
    assert points.rows == pytest.approx(9e9 / 60, rel=0.1)  # a row has the 60 points of an hour
    assert points.file_bytes == pytest.approx(9e9 * 59, rel=0.05)
    assert (latest.rows, latest.file_bytes, latest.regions) == (None, None, None)
    assert (
        "rows repeat: 18 in 345 sample records, 18 in 1,380, 24 in 5,220, so the samples do not show"
        in sample.tables[1].growth.words
    )
    _sample, small = sized("monitoring:latest", 5_000, days=1)
    assert small.of("NONE")[1].rows == 24
    assert needed.verdicts == small.verdicts == []


def test_what_is_too_much_for_the_servers_is_said_with_the_limit_and_its_source(monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 1_000)
    _sample, needed = sized("logs", 1.3e11, days=2000, servers=3)
    calls, sent, regions = needed.verdicts
    assert re.match(r"too much for 3 servers: 1,5[0-9]{2},[0-9]{3} RPCs a second; one has at most about 25,500", calls)
    assert "hbase.regionserver.handler.count" in calls
    assert calls.endswith("so 60 servers or more")
    assert ("MB of puts a second" in sent, "HDP 3.1" in sent) == (True, True)
    assert ("regions" in regions, "HBase Reference Guide" in regions) == (True, True)
