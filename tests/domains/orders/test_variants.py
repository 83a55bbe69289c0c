"""The samples in every variant: each is found, and storing them a second time costs the same calls."""

import pytest

from domains.orders import BuyerLine, SellerLine
from domains.orders.design import DESIGN
from shared.designs.comparison import measure_variant


def test_every_sample_is_found_by_its_number_and_every_list_is_that_of_the_samples(rowbook_samples, variant):
    samples = list(DESIGN.loads[0].sample_records())
    with rowbook_samples(DESIGN, variant) as connection:
        orders = variant.open(connection)
        assert [orders.order(order.order_number) for order in samples[::5]] == samples[::5]
        for ask, field, line_of in (
            (orders.of_seller, "seller_id", SellerLine.of),
            (orders.of_buyer, "buyer_id", BuyerLine.of),
        ):
            for person in {getattr(order, field) for order in samples}:
                expected = [line_of(order) for order in samples if getattr(order, field) == person]
                expected.sort(key=lambda line: line.order_number, reverse=variant.name == "oldest-first")
                expected.sort(key=lambda line: -line.placed_ms)
                assert list(ask(person)) == expected


def test_the_calls_are_those_of_tables_that_do_not_have_the_order(new_store):
    connection = new_store(*DESIGN.main.tables)
    first, again = (measure_variant(connection, DESIGN, DESIGN.main) for _ in range(2))
    assert again.rpcs_per_record == pytest.approx(first.rpcs_per_record, abs=0.01)
    assert again.intent_bytes_per_record == pytest.approx(first.intent_bytes_per_record, abs=2)
    assert again.bytes_per_record == first.bytes_per_record
