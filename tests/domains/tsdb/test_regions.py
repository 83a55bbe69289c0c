"""The writes by region in the README are what the keys give, and what a real HBase counts."""

import re

import pytest

from tests.programs.hbase.named import INFO_VARIABLE, named_hbase
from tests.programs.hot_spots.tsdb import BLOCK, REGIONS, block, measured_spreads, predicted_spreads


def test_the_readme_has_what_the_keys_give():
    there = BLOCK.text
    hbase = re.search(r"of HBase (\d+\.\d+\.\d+\S*),", there)
    assert hbase, "run python -m tests.programs.hot_spots.tsdb"
    assert there == block(predicted_spreads(), hbase[1])


def test_a_busy_metric_is_in_one_region_without_a_salt_and_in_all_with_one():
    unsalted, salted = predicted_spreads()
    assert unsalted.regions.count(0) == REGIONS - 1
    assert 0 not in salted.regions
    assert max(salted.regions) < 2 * sum(salted.regions) / REGIONS


@pytest.mark.hbase
def test_region_servers_count_what_the_keys_give():
    named = named_hbase()
    if named.thrift2_port is None or named.info_url is None:
        pytest.skip(f"the HBase that was named has no thrift2_port, or no {INFO_VARIABLE}")
    assert measured_spreads(named) == predicted_spreads()
