"""The floors of the benchmarks do what the suite does, so that a ratio compares like with like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.orders import TABLES, Order, OrderRepository
from shared.keys import KeyLayout
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.benchmarks.bench_keys import Key
from tests.programs.benchmarks.by_hand import keys as by_hand
from tests.programs.benchmarks.by_hand.orders import Orders

KEYS = KeyLayout(Key)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 65_535), st.integers(-(2**63), 2**63 - 1))
def test_keys_by_hand_are_those_of_the_suite(host, kind, at_ms):
    row = KEYS.encode(Key(host, kind, at_ms))
    assert by_hand.encode(by_hand.Key(host, kind, at_ms)) == row
    assert by_hand.decode(row, Key) == Key(host, kind, at_ms)


@given(st.binary(max_size=20) | st.binary(max_size=8).map(lambda head: head + b"\0\1" + bytes(10)))
def test_rows_by_hand_are_refused_where_the_suite_refuses_them(row):
    try:
        expected = KEYS.decode(row)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011  # its own, or that of UTF-8
            by_hand.decode(row, Key)
    else:
        assert by_hand.decode(row, Key) == expected


@pytest.mark.parametrize("change", [{"host": 1}, {"kind": True}, {"at_ms": 1.0}, {"kind": -1}, {"kind": 65_536}])
@pytest.mark.parametrize("cls", [Key, by_hand.Key])
def test_values_that_a_key_cannot_hold_are_refused_by_both(cls, change):
    encode = KEYS.encode if cls is Key else by_hand.encode
    for wrong in (change, {"at_ms": 2**63}, {"at_ms": -(2**63) - 1}, {"host": "x" * 32_756}):
        with pytest.raises((ValueError, TypeError)):
            encode(cls(**{"host": "a", "kind": 1, "at_ms": 1} | wrong))


def test_orders_by_hand_are_those_of_the_suite():
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    ours, hand = OrderRepository(connection), Orders(*(connection.table(table.name) for table in TABLES))
    placed = [
        Order(f"n-{number}", f"s-{number % 3}", "b\0", number, "lamp", (-1) ** number * 10**21) for number in range(9)
    ]
    for number, order in enumerate(placed):
        (ours, hand)[number % 2].place(order)
    assert hand.cancel("n-0") == ours.order("n-0") == hand.order("n-0")
    assert ours.cancel("n-1") == ours.order("n-1") == hand.order("n-1")
    assert (list(ours.upkeep.verify()), ours.writer.pending()) == ([], [])
    for question in ({}, {"status": "cancelled"}, {"since_ms": 2, "until_ms": 7}):
        assert hand.of_seller("s-1", **question) == list(ours.of_seller("s-1", **question))
    assert hand.of_buyer("b\0") == list(ours.of_buyer("b\0"))
    assert hand.with_status("cancelled") == list(ours.with_status("cancelled"))
    assert hand.numbered("n-") == list(ours.numbered("n-"))
