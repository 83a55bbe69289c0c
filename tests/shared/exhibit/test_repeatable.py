"""A sample that is stored again has the same bytes, so its files have one size; later writes have their own dates."""

import os
import time

import pytest

from shared.exhibit.heat_tables import sample_records
from shared.exhibit.regions.sampling import sampled
from shared.exhibit.repeatable import BEGIN_MS, same_bytes_each_time
from shared.intents.slots import SLOTS
from shared.writes import CLOCK
from tests.designs import design_named


@pytest.mark.parametrize("name", ["documents", "feeds", "orders"])
def test_the_files_of_a_sample_have_the_same_size_each_time(name):
    design = design_named(name)
    records = sample_records(design)[:40]
    files = [[table.files for table in sampled(design, design.main, records).tables] for _ in range(2)]
    assert files[0] == files[1]
    assert all(size.growing_bytes for table in files[0] for sizes in table.values() for size in sizes.values())


def test_after_the_block_clocks_and_random_bytes_go_on():
    process, last_ms = SLOTS.process, CLOCK.now_ms()
    with same_bytes_each_time():
        dated, drawn = CLOCK.now_ms(), os.urandom(8)
    with same_bytes_each_time():
        assert (CLOCK.now_ms(), os.urandom(8)) == (dated, drawn)
    assert dated == BEGIN_MS
    assert os.urandom(8) != drawn
    after_ms = CLOCK.now_ms()
    assert last_ms < after_ms <= max(last_ms + 1, time.time_ns() // 1_000_000)
    assert SLOTS.process == process
