"""The traps: the published way fails as predicted, the right way does not. Numbers are counted anew here."""

from collections import Counter
from contextlib import ExitStack

import pytest

from domains.monitoring.design import DESIGN
from domains.monitoring.keys import POINT_CELLS, POINTS
from domains.monitoring.variants import bucketed, hashed_bucket
from shared.designs.traps import TRAP_COLUMNS, trap_row

from .asking import latest_of_buckets, point

END_MS = 1_768_210_200_000


@pytest.fixture(scope="module")
def outcomes(engine):
    """By the name of a trap, what came of it."""
    with ExitStack() as stores, pytest.MonkeyPatch.context() as patch:
        patch.setattr("shared.designs.traps.connect", lambda _url: stores.enter_context(engine.store()))
        yield {trap.name: trap.run(DESIGN) for trap in DESIGN.traps}


def test_the_traps_are_four(outcomes):
    assert list(outcomes) == [
        "bucket without a time inside",
        "buckets of time against hot spots",
        "time after the host",
        "a row for each point",
    ]


@pytest.mark.parametrize("trap", DESIGN.traps, ids=lambda trap: trap.name)
def test_a_trap_is_a_row_of_the_page_and_comes_out_the_same_again(outcomes, trap):
    row = trap_row(trap, DESIGN)
    assert len(row) == len(TRAP_COLUMNS)
    assert row[2:] == (outcomes[trap.name].task, outcomes[trap.name].wrong, outcomes[trap.name].right)
    assert all(row)


def test_a_bucket_keeps_72_of_1380_points(outcomes, samples):
    outcome = outcomes["bucket without a time inside"]
    kept = len(latest_of_buckets(samples))
    assert (len(samples), kept) == (1380, 72)
    assert outcome.task == "the 1,380 points of an hour"
    assert outcome.wrong == f"{kept} points; {len(samples) - kept:,} were overwritten"
    assert outcome.right == "1,380 points"
    assert kept == 6 * 3 * 4  # hosts, metrics, quarters of the hour


def busiest(table, samples):
    """The share of the last quarter's writes that fall into one of eight equal parts of the rows before them."""
    border_ms = max(each.time_ms for each in samples) - 15 * 60_000
    before = sorted(table.row(each) for each in samples if each.time_ms <= border_ms)
    borders = [before[len(before) * eighth // 8] for eighth in range(1, 8)]
    new = Counter(sum(border <= table.row(each) for border in borders) for each in samples if each.time_ms > border_ms)
    return max(new.values()) / new.total(), len(new)


def test_with_the_bucket_first_all_writes_of_a_moment_go_into_one_range(outcomes, samples):
    share, ranges = busiest(bucketed.TABLE, samples)
    assert (share, ranges) == (1, 1)
    outcome = outcomes["buckets of time against hot spots"]
    assert outcome.task == "the writes of the last 15 minutes, spread over 8 ranges of older rows"
    assert outcome.wrong == "100% of them in one range"


def test_with_the_hash_of_the_host_first_they_go_into_several(outcomes, samples):
    share, ranges = busiest(hashed_bucket.TABLE, samples)
    outcome = outcomes["buckets of time against hot spots"]
    assert outcome.right == f"{share:.0%} in the busiest range, with the hash of the host first"
    assert share < 0.4
    assert ranges > 4


def test_the_busiest_range_has_the_host_with_the_most_points(samples):
    new = [each for each in samples if each.time_ms > END_MS - 15 * 60_000]
    hosts = Counter(each.host for each in new)
    assert max(hosts, key=hosts.get) == "web-1"
    assert round(hosts["web-1"] / len(new), 2) == 0.35


def test_after_the_host_no_range_binds_the_time(outcomes):
    outcome = outcomes["time after the host"]
    of_a_day, of_an_hour = 3 * 24 * 6, 3 * 6
    assert outcome.task == f"{of_an_hour} points of one hour, of all hosts"
    assert outcome.wrong == f"{of_a_day} points read for {of_an_hour}"
    assert outcome.right == f"{of_an_hour} points read for {of_an_hour}, by the key [metric][hour][host]"


def test_a_series_day_is_24_wide_rows_or_1440_tall_ones_with_as_many_bytes(outcomes):
    outcome = outcomes["a row for each point"]
    assert outcome.task == "the 1,440 points of a series-day"
    besides = 20 + len("p") + 9  # KeyValue, family, value
    tall = 1440 * (besides + len("web-1_1768208345000_cpu") + len("v"))
    (column,) = POINT_CELLS.pack(point())
    wide = 1440 * (besides + len(POINTS.row(point())) + len(column) - len("p:"))
    assert (tall, wide) == (77_760, 77_760)
    sent_tall = 1440 * (len("web-1_1768208345000_cpu") + len("p:v") + 9)
    sent_wide = 24 * len(POINTS.row(point())) + 1440 * (len("p:") + 4 + 9)
    assert outcome.wrong == (
        f"1,440 rows, {tall:,} bytes stored; read in 5 RPCs and {sent_tall:,} bytes, or by 100 points in 46 and 50,890"
    )
    assert outcome.right == (
        f"24 rows, {wide:,} bytes stored; read in 9 RPCs and {sent_wide:,} bytes, or by 100 points in 87 and 30,460"
    )
    assert (sent_tall, sent_wide) == (50_400, 22_080)
