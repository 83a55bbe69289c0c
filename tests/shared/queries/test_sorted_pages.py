"""Pages in the order of another key: what is refused as too much to sort; `test_key_order.py` has the law."""

import pytest

from shared.designs import metered
from shared.keys import (
    InvalidQuestion,
    KeyLayout,
    TimeBucket,
    UInt8,
    any_of,
    between,
    starting_with,
)
from tests.shared.queries.paging import (
    ITEMS,
    item_page,
    key_table,
    page,
)
from tests.shared.specimens import ByTimeOnly, OfKind


@pytest.mark.parametrize("reverse", [False, True])
def test_more_rows_than_can_be_sorted_are_refused(items, reverse):
    table = items(7)
    options = {"limit": 2, "order": ITEMS, "reverse": reverse}
    assert item_page(table, read_at_most=7, **options).rows_read == 7
    with pytest.raises(InvalidQuestion) as refused:
        item_page(table, read_at_most=6, **options)
    assert str(refused.value) == (
        "a sorted page reads all rows of its ranges, which hold more than 6: "
        "ask with a condition on number, the first part of the row key that has none"
    )
    # However few of them are kept, and on every page.
    with pytest.raises(InvalidQuestion, match="which hold more than 6:"):
        item_page(table, read_at_most=6, where={"number": 3}, **options)
    cursor = item_page(table, **options).cursor
    with pytest.raises(InvalidQuestion, match="which hold more than 6:"):
        item_page(table, read_at_most=6, cursor=cursor, **options)


BY_KIND = KeyLayout(OfKind)
IN_SLICES = KeyLayout(OfKind, TimeBucket(of="at_s", every_ms=10, codec=UInt8))
CONDITION_ON = "with a condition on {}, the first part of the row key that has none"


@pytest.mark.parametrize(
    ("layout", "question", "advice"),
    [
        # Only the client compares this interval: a shorter one would be refused as well.
        (BY_KIND, {"host": "a", "at_s": between(5, 7)}, CONDITION_ON.format("kind")),
        (BY_KIND, {"host": "a", "kind": "k", "at_s": between(5, 7)}, "for a shorter interval"),
        (BY_KIND, {"host": "a", "kind": "k", "at_s": between()}, "for a shorter interval"),
        (BY_KIND, {"host": "a", "kind": "k", "at_s": between(5, 6)}, "in the order of the row key"),
        (BY_KIND, {"host": starting_with("a")}, "for a longer prefix"),
        (BY_KIND, {"host": any_of(["a", "b"])}, f"for fewer values at once or {CONDITION_ON.format('kind')}"),
        (IN_SLICES, {"at_s": between(5, 11)}, f"for a shorter interval or {CONDITION_ON.format('host')}"),
        (IN_SLICES, {"at_s": between(5, 7)}, CONDITION_ON.format("host")),
        (IN_SLICES, {"host": starting_with("a"), "at_s": between(5, 7)}, "for a longer prefix"),
        (
            IN_SLICES,
            {"host": starting_with("a"), "at_s": between(5, 11)},
            "for a shorter interval or for a longer prefix",
        ),
        (IN_SLICES, {"host": "a", "kind": "k", "at_s": between(5, 7)}, "for a shorter interval"),
    ],
)
def test_a_refusal_to_sort_advises_what_makes_the_ranges_smaller(stocked, layout, question, advice):
    table = stocked([layout.encode(OfKind("a", "k", 5, tie)) for tie in (1, 2)])
    plan = layout.narrow(**question)
    with pytest.raises(InvalidQuestion) as refused:
        page(table, key_table(layout), plan, limit=1, order=KeyLayout(ByTimeOnly), read_at_most=1)
    assert str(refused.value).partition(": ")[2] == f"ask {advice}"


def test_what_is_refused_as_too_much_to_sort_is_not_read_to_its_end(items):
    table = items(5000)
    with metered(table.connection) as cost, pytest.raises(InvalidQuestion, match="which hold more than 1500:"):
        item_page(table, limit=1, order=ITEMS, read_at_most=1500)
    assert cost.rows_fetched <= 2000
