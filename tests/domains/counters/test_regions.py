"""The writes by region in the README are what the keys give, and what a real HBase counts."""

import re

import pytest

from tests.programs.hbase.named import INFO_VARIABLE, named_hbase
from tests.programs.hot_spots.counters import BLOCK, block, measured_spreads, predicted_spreads


def test_the_readme_has_what_the_keys_give():
    there = BLOCK.text
    hbase = re.search(r"of HBase (\d+\.\d+\.\d+\S*),", there)
    assert hbase, "run python -m tests.programs.hot_spots.counters"
    assert there == block(predicted_spreads(), hbase[1])


def test_the_figures_show_what_the_readme_concludes():
    largest = {spread.table: max(spread.regions) / sum(spread.regions) for spread in predicted_spreads()}
    assert [largest[name] for name in ("logins_by_day", "login_counts_by_day", "login_totals")] == [1, 1, 1]
    assert largest["login_shards"] < 0.2 < largest["logins_by_day_salted"] < 0.5
    assert max(largest["logins"], largest["login_counts"]) < 0.3


@pytest.mark.hbase
def test_region_servers_count_what_the_keys_give():
    named = named_hbase()
    if named.thrift2_port is None or named.info_url is None:
        pytest.skip(f"the HBase that was named has no thrift2_port, or no {INFO_VARIABLE}")
    assert measured_spreads(named) == predicted_spreads()
