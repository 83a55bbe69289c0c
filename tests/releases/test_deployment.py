"""The order in which a release is deployed, as the page of orders says it, each step with both releases at work."""

import re

import pytest

from tests.releases.test_at_work import LATER_STATUS


@pytest.fixture
def placed(start, present, later):
    """A process of each release, on a store where the earlier one has placed the orders 1 and 2."""
    earlier, newer = start(present), start(later)
    newer.do("create")
    for number in (1, 2):
        earlier.do("place", number)
    return earlier, newer


# ---- a new list


def test_a_list_is_whole_once_every_process_derives_it_and_repair_has_filled_it(start, placed, later):
    earlier, newer = placed
    newer.do("place", 3)
    assert newer.do("by_priority") == [[3, 1]], "the lines of 1 and 2 are missing"
    newer.do("repair")
    earlier.do("place", 4)
    assert newer.do("by_priority") == [[1, 1], [2, 1], [3, 1]], "too early: the earlier release is still at work"
    earlier.kill()
    assert len(newer.do("verify")) == 1
    assert newer.do("repair") == newer.do("verify") == []
    reader = start(later)
    newer.do("place", 5)
    assert newer.do("raise_priority", 4) == 2
    assert reader.do("by_priority") == [[4, 2], [1, 1], [2, 1], [3, 1], [5, 1]]


def test_a_write_of_the_release_before_leaves_the_new_list_as_it_is(placed):
    earlier, newer = placed
    newer.do("repair")
    newer.do("raise_priority", 1)
    earlier.do("change_status", 1, "paid")
    assert earlier.do("recover") == []
    assert newer.do("by_priority") == [[1, 2], [2, 1]]
    assert newer.do("verify") == []


# ---- a new status


def test_a_status_is_written_once_every_process_reads_it(start, placed, later):
    earlier, newer = placed
    for status in ("paid", "shipped"):
        newer.do("change_status", 1, status)
    assert earlier.do("order", 1)["status"] == "shipped", "the release that knows the status does not write it yet"
    earlier.kill()
    reader = start(later)
    newer.do("change_status", 1, "refunded")
    assert reader.do("order", 1)["status"] == "refunded"
    assert reader.do("of_seller", "refunded") == [1]
    assert reader.do("repair") == reader.do("verify") == []


def test_a_status_that_is_written_too_early_is_refused_in_words_and_kept(placed):
    earlier, newer = placed
    for status in ("paid", "shipped", "refunded"):
        newer.do("change_status", 1, status)
    for command in (["order", 1], ["change_status", 1, "cancelled"], ["orders"]):
        assert re.fullmatch(LATER_STATUS, earlier.refusal(*command)), command
    earlier.do("change_status", 2, "paid")
    earlier.do("recover")
    assert newer.do("orders") == {"1": ["refunded", 1], "2": ["paid", 1]}
