"""The measured blocks in the READMEs are what the keys give, and what a real HBase counts."""

import re

import pytest

from domains.logs.design import DESIGN
from tests.programs.hbase.stores import named_with
from tests.programs.hot_spots import counters, logs, tsdb

BLOCKS = [logs.BLOCK, counters.BLOCK, tsdb.BLOCK]
of_each_design = pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.design)


@of_each_design
def test_the_readme_has_what_the_keys_give(block):
    hbase = re.search(r"of HBase (\d+\.\d+\.\d+\S*),", block.text)
    assert hbase, "run make hot-spots"
    assert block.text == block.text_of(block.predicted(), hbase[1])


def test_the_figures_of_logs_show_what_its_readme_concludes():
    spreads = {spread.variant: spread for spread in logs.BLOCK.predicted()}
    last = {name: max(spread.stages[-1]) / sum(spread.stages[-1]) for name, spread in spreads.items()}
    whole = {name: max(spread.regions) / sum(spread.regions) for name, spread in spreads.items()}
    assert (whole["time-first"] < 0.25, last["time-first"]) == (True, 1)
    assert (whole["slices"] < 0.25, last["slices"] > 0.7) == (True, True)
    assert all(sum(rows > 0 for rows in tenth) <= 2 for tenth in spreads["time-first"].stages)
    for name in ("time-first", "slices"):
        wandering = [tenth.index(max(tenth)) for tenth in spreads[name].stages]
        assert (wandering, wandering[0], wandering[-1]) == (sorted(wandering), 0, 7)
    assert min(whole["modulo"], last["modulo"]) > 0.6
    events = list(DESIGN.loads[0].sample_records())
    of_web_1 = [event for event in events if event.host == "web-1"]
    assert len(of_web_1) / len(events) > 0.2
    (table,) = next(variant.tables for variant in DESIGN.variants if variant.name == "salted")
    assert len({table.row(event)[:1] for event in of_web_1}) == 1


def test_the_figures_of_counters_show_what_its_readme_concludes():
    largest = {spread.table: max(spread.regions) / sum(spread.regions) for spread in counters.BLOCK.predicted()}
    assert [largest[name] for name in ("logins_by_day", "login_counts_by_day", "login_totals")] == [1, 1, 1]
    assert largest["login_shards"] < 0.2 < largest["logins_by_day_salted"] < 0.5
    assert max(largest["logins"], largest["login_counts"]) < 0.3


def test_a_busy_metric_is_in_one_region_without_a_salt_and_in_all_with_one():
    unsalted, salted = tsdb.BLOCK.predicted()
    assert unsalted.regions.count(0) == tsdb.REGIONS - 1
    assert 0 not in salted.regions
    assert max(salted.regions) < 2 * sum(salted.regions) / tsdb.REGIONS


@pytest.mark.hbase
@of_each_design
def test_region_servers_count_what_the_keys_give(block):
    assert block.measured(named_with("thrift2_port", "info_url")) == block.predicted()
