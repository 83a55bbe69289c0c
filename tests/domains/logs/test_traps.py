"""The traps: the wrong way fails as predicted, the right way gives what was wanted. Numbers are counted anew here."""

import struct
from collections import Counter
from contextlib import ExitStack

import pytest

from domains.logs import LOGS
from domains.logs.design import DESIGN
from domains.logs.traps import LONG_MAX
from domains.logs.variants import salted, time_first
from fixtures.logs import make_samples
from shared.designs.traps import TRAP_COLUMNS, trap_row


@pytest.fixture(scope="module")
def outcomes(engine):
    """By the name of a trap, what came of it."""
    with ExitStack() as stores, pytest.MonkeyPatch.context() as patch:
        patch.setattr("shared.designs.traps.connect", lambda _url: stores.enter_context(engine.store()))
        yield {trap.name: trap.run(DESIGN) for trap in DESIGN.traps}


def test_the_traps_are_nine(outcomes):
    assert list(outcomes) == [
        "prefix without a terminator",
        "decimal text without padding",
        "MAX - time of another width",
        "time first",
        "negative numbers without a sign flip",
        "events of one millisecond",
        "padding inside a value",
        "delimiter inside a value",
        "bucket of the time",
    ]


@pytest.mark.parametrize("trap", DESIGN.traps, ids=lambda trap: trap.name)
def test_a_trap_is_a_row_of_the_page_and_comes_out_the_same_again(outcomes, trap):
    row = trap_row(trap, DESIGN)
    assert len(row) == len(TRAP_COLUMNS)
    assert row[2:] == (outcomes[trap.name].task, outcomes[trap.name].wrong, outcomes[trap.name].right)
    assert all(row)


# ---- prefix without a terminator --------------------------------------------------------------------


def test_a_bare_name_as_prefix_finds_the_hosts_that_begin_with_it_too(outcomes, samples):
    of = Counter(event.host for event in samples)
    wanted, foreign = of["host1"], of["host12"] + of["host123"]
    outcome = outcomes["prefix without a terminator"]
    assert outcome.task == f"the {wanted} events of host1"
    assert outcome.wrong == f"{wanted + foreign} rows, {foreign} of them of host12, host123"
    assert outcome.right == f"{wanted} rows, of host1"
    assert (wanted, foreign) == (49, 88)


def test_with_its_terminator_a_host_is_not_a_prefix_of_another(samples):
    rows = sorted(LOGS.row(event) for event in samples)
    assert sum(row.startswith(b"host1") for row in rows) == 49 + 88
    assert sum(row.startswith(b"host1\0\1") for row in rows) == 49


# ---- decimal text without padding -------------------------------------------------------------------


def test_as_text_1_up_to_5_are_445_numbers_and_5_up_to_15_none(outcomes):
    rows = sorted(str(number) for number in range(1, 1001))
    counts = [sum(since <= row < until for row in rows) for since, until in (("1", "5"), ("5", "15"))]
    outcome = outcomes["decimal text without padding"]
    assert outcome.task == "numbers 1 up to 5, and 5 up to 15"
    assert outcome.wrong == f"{counts[0]} rows, and {counts[1]}" == "445 rows, and 0"
    assert outcome.right == "4 rows, and 10"


# ---- MAX - time of another width --------------------------------------------------------------------


def test_thirteen_digits_are_nineteen_and_their_first_thirteen_another_time(outcomes):
    hour = range(1_700_000_000_000, 1_700_003_600_000, 1000)
    digits = [f"{2**63 - 1 - time_ms:013d}" for time_ms in hour]
    assert {len(text) for text in digits} == {19}
    first_read = 2**63 - 1 - int(min(digits)[:13])
    cut_rows = len({text[:13] for text in digits})
    outcome = outcomes["MAX - time of another width"]
    assert outcome.task == f"one hour, an event a second, newest first: 3600 rows, the first at {hour[-1]}"
    assert outcome.wrong == f"read as 13 digits, the first is at {first_read}; cut to 13 digits, {cut_rows} rows"
    assert (first_read, cut_rows) == (9_223_362_813_484_438_956, 4)
    assert outcome.right == "3600 rows, the first at 1700003599000"


def test_the_published_figures_of_thirteen_digits_are_these():
    assert LONG_MAX - int(str(LONG_MAX - 1_700_000_000_000)[:13]) == 9_223_362_813_484_438_953
    assert len({str(LONG_MAX - 1_700_000_000_000 - second * 1000)[:13] for second in range(86_400)}) == 87


# ---- time first -------------------------------------------------------------------------------------


def busiest(table, samples):
    """The part of the last minute's rows that falls into one of eight equal parts of the rows before it."""
    border_ms = max(event.time_ms for event in samples) - 60_000
    before = sorted(table.row(event) for event in samples if event.time_ms <= border_ms)
    borders = [before[len(before) * eighth // 8] for eighth in range(1, 8)]
    new = Counter(
        sum(border <= table.row(event) for border in borders) for event in samples if event.time_ms > border_ms
    )
    return max(new.values()) / new.total(), new


def test_with_the_time_first_all_new_rows_go_into_one_range(outcomes, samples):
    share, new = busiest(time_first.TABLE, samples)
    assert (share, [*new]) == (1, [7])
    outcome = outcomes["time first"]
    assert outcome.task == f"the {new.total()} writes of one minute on 8 ranges of equal size"
    assert new.total() == make_samples.LAST_MINUTE == 200
    assert outcome.wrong == "100% of them in one range"


def test_after_a_bucket_of_the_host_new_rows_go_into_all_ranges(outcomes, samples):
    share, new = busiest(salted.TABLE, samples)
    assert outcomes["time first"].right == f"{share:.0%} in the busiest, after a bucket of the host"
    assert share < 0.3
    assert len(new) > 4


# ---- negative numbers without a sign flip -----------------------------------------------------------


def test_as_they_are_negative_numbers_come_after_all_others(outcomes):
    numbers = sorted([-2, -1, 0, 1, 5], key=lambda number: struct.pack(">q", number))
    assert numbers == [0, 1, 5, -2, -1]
    outcome = outcomes["negative numbers without a sign flip"]
    assert outcome.task == "those below 5 of -2, -1, 0, 1, 5"
    assert outcome.wrong == ", ".join(map(str, numbers[: numbers.index(5)])) == "0, 1"
    assert outcome.right == "-2, -1, 0, 1"


# ---- keys that end too early, or whose borders move ---------------------------------------------------


def test_eleven_samples_share_host_kind_and_time_with_another(outcomes, samples):
    outcome = outcomes["events of one millisecond"]
    keys = len({(event.host, event.event, event.time_ms) for event in samples})
    assert (outcome.task, outcome.wrong, outcome.right) == ("1400 events stored", f"{keys} rows", "1400 rows")
    assert keys == 1400 - 11


@pytest.mark.parametrize("name", ["padding inside a value", "delimiter inside a value"])
def test_two_events_are_one_row_where_a_value_holds_what_ends_it(outcomes, name):
    assert (outcomes[name].wrong, outcomes[name].right) == ("1 row", "2 rows")


def test_whole_seconds_are_in_one_bucket_of_the_time_and_in_as_many_of_the_host_as_hosts_are(outcomes, samples):
    whole = [event for event in samples if event.time_ms % 1000 == 0]
    outcome = outcomes["bucket of the time"]
    buckets = len({salted.TABLE.row(event)[0] for event in whole})
    assert outcome.task == f"{len(whole)} events of whole seconds in 8 buckets"
    assert (outcome.wrong, outcome.right) == ("1 bucket used", f"{buckets} buckets used, computed from the host")
    assert buckets > 4
