"""Pages in the order of another key: every row once and in order, from a plan that is read whole for each page."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.designs import metered
from shared.keys import (
    InvalidQuestion,
    KeyLayout,
    Salt,
    TimeBucket,
    UInt8,
    any_of,
    between,
    starting_with,
)
from tests.engines import examples
from tests.shared.keys.oracle import matches
from tests.shared.queries.paging import (
    BY_HOST,
    BY_HOST_NEWEST_FIRST,
    HOSTS,
    ITEMS,
    LAYOUTS,
    TIMES,
    item_page,
    key_table,
    page,
    pages_of,
    records_of,
)
from tests.shared.specimens import ByHost, ByHostOnly, ByTimeOnly, Falling, OfKind
from tests.shared.stocked import stocked_table


def host_and_time(key: Any) -> tuple[str, int]:
    return key.host, key.at_s


def time_down(key: Any) -> int:
    """What the table's own order says of the time of a key: it decides between keys that are equal in another order."""
    return -key.at_s if isinstance(key, Falling) else key.at_s


PREFIXES = [Salt(of="at_s", buckets=4), TimeBucket(of="at_s", every_ms=10, codec=UInt8)]
ORDERS: dict[str, tuple[KeyLayout[Any], Callable[[Any], Any]]] = {
    "host": (BY_HOST, host_and_time),
    "host, newest first": (BY_HOST_NEWEST_FIRST, lambda key: (key.host, -key.at_s)),
    "host alone": (KeyLayout(ByHostOnly), lambda key: (key.host, time_down(key))),
    "time alone": (KeyLayout(ByTimeOnly), lambda key: (key.at_s, key.host)),
    "after a salt": (KeyLayout(ByHost, *PREFIXES[:1]), host_and_time),
    "after a salt and slices": (KeyLayout(ByHost, *PREFIXES), lambda key: (key.at_s // 10, key.host, key.at_s)),
}
"""Orders into which the client sorts, each with the place of a key in it."""


@settings(max_examples=examples(60), derandomize=True, database=None)
@given(
    st.sampled_from(list(LAYOUTS)),
    st.sets(st.tuples(st.sampled_from(TIMES[:-1]), st.sampled_from(HOSTS)), max_size=25),
    st.booleans(),
    st.integers(1, 30),
    st.sampled_from([{}, {"host": "a"}, {"host": starting_with("a")}, {"at_s": between(9, 12)}]),
    st.sampled_from([*ORDERS]),
)
def test_the_pages_in_another_order_are_the_sorted_answer(engine, name, stored, reverse, limit, where, order_name):
    layout, (order, place) = LAYOUTS[name], ORDERS[order_name]
    keys = [layout.key_class(*values) for values in stored]
    plan = layout.plan(at_s=between(0, 250))
    with stocked_table(engine, map(layout.encode, keys)) as table:
        pages = pages_of(table, layout, plan, limit=limit, reverse=reverse, where=where, order=order)
    kept = [key for key in keys if matches(where, key)]
    assert sorted(kept, key=place, reverse=reverse) == records_of(pages)
    assert [limit] * (len(pages) - 1) == [len(answer.records) for answer in pages[:-1]]
    assert [len(keys)] * len(pages) == [answer.rows_read for answer in pages]
    assert {(*where, "order")} == {answer.client_work for answer in pages}


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
