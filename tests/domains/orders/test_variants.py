"""The variants side by side, with the samples loaded: every sample is found in each, and what each stores."""

from contextlib import ExitStack

import pytest

from domains.orders import BuyerLine, SellerLine
from domains.orders.design import DESIGN
from shared.designs.comparison import measure_variant

NAMES = [variant.name for variant in DESIGN.variants]


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


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_is_found_by_its_number(loaded, samples, name):
    _, orders = loaded[name]
    assert [orders.order(order.order_number) for order in samples] == samples


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("ask", "of", "line_of"), [("of_seller", "seller_id", SellerLine.of), ("of_buyer", "buyer_id", BuyerLine.of)]
)
def test_every_list_is_that_of_the_samples_whole_and_page_by_page(loaded, samples, name, ask, of, line_of):
    _, orders = loaded[name]
    for who in {getattr(order, of) for order in samples}:
        expected = [line_of(order) for order in samples if getattr(order, of) == who]
        expected.sort(key=lambda line: line.order_number, reverse=name == "oldest-first")
        expected.sort(key=lambda line: -line.placed_ms)
        query = getattr(orders, ask)(who)
        assert query.page(1000).records == list(query) == expected
        paged, cursor = [], None
        while len(paged) < len(expected):
            page = query.page(7, cursor)
            paged, cursor = paged + page.records, page.cursor
        assert (paged, cursor) == (expected, None)


@pytest.mark.parametrize("name", NAMES)
def test_every_order_takes_a_row_and_one_in_each_list(loaded, name):
    assert loaded[name][0].rows_per_record == (3 if name == "without-intents" else 4)


def test_an_intent_takes_three_calls_more_than_the_plain_form_and_no_lasting_bytes(loaded):
    with_intents, plain = loaded["orders"][0], loaded["without-intents"][0]
    # Each call but two: the clock is compared once for each connection.
    assert with_intents.rpcs_per_record == 7 + 2 / len(list(DESIGN.loads[0].sample_records()))
    assert plain.rpcs_per_record == 4
    assert (with_intents.intent_bytes_per_record > 0, plain.intent_bytes_per_record) == (True, 0)


def test_the_calls_are_those_of_tables_that_do_not_have_the_order(new_store):
    connection = new_store(*DESIGN.main.tables)
    first, again = (measure_variant(connection, DESIGN, DESIGN.main) for _ in range(2))
    assert again.rpcs_per_record == pytest.approx(first.rpcs_per_record, abs=0.01)
    assert again.intent_bytes_per_record == pytest.approx(first.intent_bytes_per_record, abs=2)
    assert again.bytes_per_record == first.bytes_per_record


def bytes_stored(loaded, name):
    return loaded[name][0].bytes_per_record


def test_the_direction_of_time_takes_no_bytes(loaded):
    assert bytes_stored(loaded, "oldest-first") == bytes_stored(loaded, "orders")


def test_a_hash_of_two_bytes_is_stored_once_because_an_order_is_one_cell(loaded):
    more = bytes_stored(loaded, "hashed-number") - bytes_stored(loaded, "orders")
    assert more == pytest.approx(2)


def test_a_whole_order_in_the_sellers_list_takes_a_tenth_more(loaded):
    assert 1.05 < bytes_stored(loaded, "index-table") / bytes_stored(loaded, "orders") < 1.15


def test_an_order_in_one_cell_and_a_list_by_status_take_less_than_an_order_in_six_cells(loaded):
    assert 0.9 < bytes_stored(loaded, "orders") / bytes_stored(loaded, "without-intents") < 1


def test_new_numbers_after_a_hash_do_not_all_come_after_the_last_row(loaded):
    assert loaded["orders"][0].busiest_shares[0] == 1
    assert loaded["hashed-number"][0].busiest_shares[0] < 0.3
