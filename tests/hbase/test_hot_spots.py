"""The hot spots in the README of `logs` are what the keys give, and what a real HBase counts."""

import re

import pytest

from domains.logs.design import DESIGN
from tests.programs.hbase.named import INFO_VARIABLE, named_hbase
from tests.programs.hot_spots.logs import BLOCK, block, measured_spreads, predicted_spreads


def test_the_readme_has_what_the_keys_give() -> None:
    there = BLOCK.text
    hbase = re.search(r"of HBase (\d+\.\d+\.\d+\S*),", there)
    assert hbase, "run make hot-spots"
    assert there == block(predicted_spreads(), hbase[1])


def test_the_figures_show_what_the_readme_concludes() -> None:
    """The README concludes this below the figures."""
    last = {spread.variant.name: max(spread.tenths[-1]) / sum(spread.tenths[-1]) for spread in predicted_spreads()}
    whole = {spread.variant.name: max(spread.whole) / sum(spread.whole) for spread in predicted_spreads()}
    assert (whole["time-first"] < 0.25, last["time-first"]) == (True, 1)
    assert (whole["slices"] < 0.25, last["slices"] > 0.7) == (True, True)
    tenths = {spread.variant.name: spread.tenths for spread in predicted_spreads()}
    assert all(sum(rows > 0 for rows in tenth) <= 2 for tenth in tenths["time-first"])
    for name in ("time-first", "slices"):
        wandering = [tenth.index(max(tenth)) for tenth in tenths[name]]
        assert (wandering, wandering[0], wandering[-1]) == (sorted(wandering), 0, 7)
    assert min(whole["modulo"], last["modulo"]) > 0.6
    events = list(DESIGN.loads[0].sample_records())
    of_web_1 = [event for event in events if event.host == "web-1"]
    assert len(of_web_1) / len(events) > 0.2
    (table,) = next(variant.tables for variant in DESIGN.variants if variant.name == "salted")
    assert len({table.row(event)[:1] for event in of_web_1}) == 1


@pytest.mark.hbase
def test_region_servers_count_what_the_keys_give() -> None:
    named = named_hbase()
    if named.thrift2_port is None or named.info_url is None:
        pytest.skip(f"the HBase that was named has no thrift2_port, or no {INFO_VARIABLE}")
    assert measured_spreads(named) == predicted_spreads()
