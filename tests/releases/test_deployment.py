"""The order in which a release is deployed, as the page of orders says it, each step with both releases at work."""

import re

import pytest

from tests.releases.changes import CHANGES, change
from tests.releases.releases import (
    COLUMN_IN_LIST,
    RENAMED,
    WITHOUT_COLUMN,
    WITHOUT_LIST,
    keys_of_sellers,
    salted,
)
from tests.releases.test_at_work import LATER_STATUS

__all__ = ["CHANGES"]

further = pytest.mark.further
ANOTHER_LAYOUT = r"LayoutMismatch: table orders_by_s\w+: its keys are .*: another layout needs a table of another name"


@pytest.fixture
def placed(start, before, later):
    """A process of each release, on a store where the earlier one has placed the orders 1 and 2."""
    earlier, newer = start(before), start(later)
    newer.do("create")
    for number in (1, 2):
        earlier.do("place", number)
    return earlier, newer


# ---- a new list


@change("a new list or index", "code that writes it, then `repair`, then code that reads it")
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


# ---- a new status


@further
@change("a new code, such as a status", "code that reads it, then code that writes it")
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
    numbers, unknown, _ = earlier.do("page", 10)
    assert numbers == [2], "the list of the seller has the other orders"
    assert re.fullmatch(r"orders_by_seller: row .*SellerLine\.status: must be .*'refunded'.*", *unknown)
    earlier.do("change_status", 2, "paid")
    earlier.do("recover")
    assert newer.do("orders") == {"1": ["refunded", 1], "2": ["paid", 1]}


# ---- columns


@further
@change("a new column in a list", "code that writes it, then `repair`")
def test_a_column_of_a_list_is_whole_once_every_process_writes_it_and_repair_has_run(start, before, made):
    earlier, newer = start(before), start(made(COLUMN_IN_LIST))
    newer.do("create")
    for number, actor in ((1, earlier), (2, newer), (3, newer), (4, newer)):
        actor.do("place", number)
    assert newer.do("buyers") == {"1": None, "2": "b-2", "3": "b-0", "4": "b-1"}
    for reader, other in ((earlier, newer), (newer, earlier)):
        numbers, _, cursor = reader.do("page", 1)
        assert [numbers, other.do("page", 3, cursor)[0]] == [[4], [3, 2, 1]], "the other release continues the page"
    earlier.do("change_status", 2, "paid")
    assert newer.do("buyers")["2"] == "b-2", "the earlier release keeps the column"
    assert [finding.split(" row ")[0] for finding in newer.do("verify")] == ["orders_by_seller: differing"]
    earlier.kill()
    assert newer.do("repair") == newer.do("verify") == []
    assert newer.do("buyers")["1"] == "b-1"


@further
@change("a dropped column", "code that no longer reads it, then `dropped` in `Source`")
def test_a_column_that_a_release_drops_goes_with_the_next_write_of_its_record(start, later, made):
    earlier, newer = start(later), start(made(WITHOUT_COLUMN))
    earlier.do("create")
    for number in (1, 2):
        earlier.do("place", number)
        earlier.do("raise_priority", number)
    newer.do("change_status", 1, "paid")
    assert earlier.do("orders") == {"1": ["paid", 1], "2": ["placed", 2]}, "the default again"


@further
@change("a renamed attribute, part of a key, or class", "any order")
def test_a_release_with_other_names_reads_and_writes_the_same_rows(start, before, made):
    earlier, newer = start(before), start(made(RENAMED))
    earlier.do("create")
    for number, actor in ((1, earlier), (2, newer), (3, earlier)):
        actor.do("place", number)
    earlier.do("change_status", 2, "paid")
    newer.do("change_status", 1, "paid")
    for reader, other in ((earlier, newer), (newer, earlier)):
        numbers, _, cursor = reader.do("page", 1)
        assert [numbers, other.do("page", 2, cursor)[0]] == [[3], [2, 1]], "the other release continues the page"
        assert reader.do("of_seller", "paid") == [1, 2]
        assert reader.do("verify") == []
    assert newer.do("order", 3)["title"] == earlier.do("order", 3)["item"] == "lamp"


@further
@change("another type or packing of a column; a new column without a default", "a new column", keeps_table=False)
@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (("keys.py", '"amount": Column("o:a", BIG_INT)', '"amount": "o:a"'), r"Order\.amount: .*"),
        (("keys.py", '"item": "o:i"', '"item": "o:n"'), r"Order\.item: no cell o:n"),
    ],
    ids=["packing", "no default"],
)
def test_a_column_that_means_something_else_is_refused_when_it_is_read(placed, start, made, edit, reason):
    assert re.fullmatch(rf"InvalidRow: orders: row 6e 2d 31: {reason}", start(made((edit,))).refusal("order", 1))


# ---- a list that is given up


@further
@change("a dropped list", "code that no longer reads it, then `dropped_lists` in `Source`, then drop its table")
@pytest.mark.parametrize("is_dropped", [False, True], ids=["kept", "dropped"])
def test_recover_settles_writes_that_name_a_list_which_is_dropped_since(start, placed, later, made, is_dropped):
    _, earlier = placed
    earlier.do("repair")
    earlier.begin("die_while_raising_priority", 1)
    with pytest.raises(AssertionError, match="the process ended"):
        earlier.reply()
    newer = start(made(WITHOUT_LIST, "later"))
    if is_dropped:
        start(later).do("drop", "orders_by_priority")
    assert newer.do("recover") == newer.do("repair") == newer.do("verify") == []
    assert newer.do("orders") == {"1": ["placed", 2], "2": ["placed", 1]}
    assert newer.do("raise_priority", 1) == 3


# ---- keys


@further
@change("more buckets", "a new list, as above; then drop the earlier one", keeps_table=False)
def test_a_list_in_more_buckets_is_a_new_list_in_a_table_of_another_name(start, made):
    earlier = start(made(salted(8)))
    earlier.do("create")
    for number in (1, 2):
        earlier.do("place", number)
    assert re.fullmatch(ANOTHER_LAYOUT, start(made(salted(16))).refusal("page", 10))
    newer = start(made((*salted(16), ("keys.py", '"orders_by_seller"', '"orders_by_seller_16"'))))
    newer.do("create")
    newer.do("place", 3)
    assert newer.refusal("of_seller").startswith("UnfilledList: table orders_by_seller_16: ")
    earlier.kill()
    assert newer.do("repair") == newer.do("verify") == []
    assert newer.do("page", 10)[0] == [3, 2, 1], "newest first over all buckets"


OTHER_KEYS = {
    "another direction": keys_of_sellers("Int64"),
    "a first prefix": salted(8),
    "another code": (("keys.py", '"paid": 2,', '"paid": 6,'),),
}


@change(
    "another slice, prefix, codec, width or direction; another name or byte of a code",
    "as for more buckets",
    keeps_table=False,
)
@pytest.mark.parametrize(
    "edits",
    [
        pytest.param(edits, id=name, marks=() if name == "another direction" else further)
        for name, edits in OTHER_KEYS.items()
    ],
)
def test_a_release_with_another_layout_under_the_same_name_is_refused_before_it_reads_or_writes(start, made, edits):
    at_work, refused = start(made()), start(made(edits))
    at_work.do("create")
    at_work.do("place", 1)
    for command in (["create"], ["place", 2], ["order", 1], ["recover"], ["verify"]):
        assert re.fullmatch(ANOTHER_LAYOUT, refused.refusal(*command)), command
    at_work.do("place", 2)
    assert [*at_work.do("orders")] == ["1", "2"]
    assert at_work.do("verify") == []


THREE_VERSIONS = (
    ("keys.py", "OrderBySeller, SellerLine)", 'OrderBySeller, SellerLine, families={"o": Family(max_versions=3)})'),
    ("keys.py", "import BIG_INT, Column", "import BIG_INT, Column, Family"),
)


@further
@change("options of a family, such as a TTL", "`alter` in the HBase shell, then code that declares them")
def test_other_options_of_a_family_are_refused_only_where_tables_are_created(placed, start, made):
    newer = start(made(THREE_VERSIONS))
    assert "must have max_versions 3 (has max_versions 1)" in newer.refusal("create")
    newer.do("place", 3)
    assert newer.do("verify") == []
