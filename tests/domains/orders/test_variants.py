"""The variants side by side, with the samples loaded: every sample is found in each, and what each stores."""

from contextlib import ExitStack

import pytest

from domains.orders import BuyerLine, SellerLine
from domains.orders.design import DESIGN
from shared.designs.comparison import measure_variant


@pytest.fixture(scope="module")
def samples():
    return list(DESIGN.loads[0].sample_records())


@pytest.fixture(scope="module")
def loaded(engine):
    """For each variant its costs, and the repository with the samples."""
    with ExitStack() as stores:
        by_variant = {}
        for variant in DESIGN.variants:
            connection = stores.enter_context(engine.store(*variant.tables))
            by_variant[variant.name] = measure_variant(connection, DESIGN, variant), variant.open(connection)
        yield by_variant


@pytest.mark.parametrize("name", [variant.name for variant in DESIGN.variants])
def test_every_sample_is_found_by_its_number_and_every_list_is_that_of_the_samples(loaded, samples, name):
    _, orders = loaded[name]
    assert [orders.order(order.order_number) for order in samples[::5]] == samples[::5]
    for question, field, line_of in (("of_seller", "seller_id", SellerLine.of), ("of_buyer", "buyer_id", BuyerLine.of)):
        for person in {getattr(order, field) for order in samples}:
            expected = [line_of(order) for order in samples if getattr(order, field) == person]
            expected.sort(key=lambda line: line.order_number, reverse=name == "oldest-first")
            expected.sort(key=lambda line: -line.placed_ms)
            assert list(getattr(orders, question)(person)) == expected


def test_an_intent_takes_three_calls_and_no_lasting_bytes_and_each_list_one_row(loaded, samples):
    costs = {name: cost for name, (cost, _) in loaded.items()}
    assert {name: cost.rows_per_record for name, cost in costs.items()} == {
        name: 3 if name == "without-intents" else 4 for name in costs
    }
    with_intents, plain = costs["orders"], costs["without-intents"]
    # The clock is compared once for each connection, in two calls.
    assert (with_intents.rpcs_per_record, plain.rpcs_per_record) == (7 + 2 / len(samples), 4)
    assert (with_intents.intent_bytes_per_record > 0, plain.intent_bytes_per_record) == (True, 0)


def test_the_calls_are_those_of_tables_that_do_not_have_the_order(loaded, new_store):
    connection = new_store(*DESIGN.main.tables)
    first, again = (measure_variant(connection, DESIGN, DESIGN.main) for _ in range(2))
    assert again.rpcs_per_record == pytest.approx(first.rpcs_per_record, abs=0.01)
    assert again.intent_bytes_per_record == pytest.approx(first.intent_bytes_per_record, abs=2)
    assert again.bytes_per_record == first.bytes_per_record
