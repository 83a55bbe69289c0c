"""No question of one shop, which is a tenant, reads a row of another one, whatever its arguments are."""

import inspect
from itertools import pairwise

import attrs
from hypothesis import given
from hypothesis import strategies as st

from domains.catalog import TABLES
from domains.catalog.design import BY_ID, CATEGORY, CATEGORY_IN_REGION, DESIGN, NEW, ONE, REGION
from shared.designs import metered

QUESTIONS = (ONE, REGION, CATEGORY_IN_REGION, NEW, BY_ID, CATEGORY)
PRODUCTS = [*DESIGN.loads[0].sample_records()]
SHOPS = sorted({product.shop for product in PRODUCTS})


def range_of(table, repository, shop):
    """The rows of a shop in a table."""
    code = repository.names.known_code("shop", shop) if hasattr(repository, "names") else shop
    (range_,) = table.plan(shop=code).ranges
    return range_


def is_within(inner, outer):
    return outer.start <= inner.start and inner.stop is not None and inner.stop <= outer.stop


def arguments_of(pattern, product):
    """Arguments of a question about a product: its own values; of a period, all times."""
    times = {"since_ms": 0, "until_ms": product.listed_ms + 1}
    return {name: times.get(name, getattr(product, name, None)) for name in pattern.sample}


def test_every_question_names_its_shop_first():
    assert DESIGN.patterns == QUESTIONS
    for pattern in DESIGN.patterns:
        for variant in DESIGN.variants:
            method = getattr(getattr(variant.open, "func", variant.open), pattern.method.__name__, pattern.method)
            _self, first, *_others = inspect.signature(method).parameters
            assert first == "shop"


def test_a_question_reads_the_rows_of_its_shop_alone_and_finds_its_products_alone(rowbook_samples, variant):
    tables = {table.name.encode(): table for table in variant.tables if "shop" in table.key.part_named}
    with rowbook_samples(DESIGN, variant) as connection:
        catalog = variant.open(connection)
        for product in PRODUCTS[::12]:
            for pattern in QUESTIONS:
                with metered(connection) as cost:
                    answer = pattern.ask(catalog, **arguments_of(pattern, product))
                    found = [answer] if pattern is ONE else [*answer]
                assert product in found
                assert {one.shop for one in found} == {product.shop}
                of_shop = {name: range_of(table, catalog, product.shop) for name, table in tables.items()}
                assert cost.reads
                assert all(is_within(read.rows, own_range(of_shop, read.table)) for read in cost.reads)


def own_range(of_shop, name):
    """The range of the shop in the table of this name, with a prefix of the connection or without one."""
    (range_,) = (range_ for table, range_ in of_shop.items() if name.endswith(table))
    return range_


NAMES = st.text(st.sampled_from("aT_\0\x01\x7f\xff店-"), min_size=1, max_size=4)


@given(st.sets(NAMES, min_size=2, max_size=8), NAMES)
def test_the_ranges_of_two_shops_never_touch_whatever_their_names_are(shops, other):
    for table in (TABLES.products, TABLES.by_id, TABLES.by_listing):
        ranges = sorted((range_ for shop in shops for range_ in table.plan(shop=shop).ranges), key=lambda of: of.start)
        assert all(before.stop <= after.start for before, after in pairwise(ranges))
        for shop in shops:
            (range_,) = table.plan(shop=shop).ranges
            row = table.row(attrs.evolve(PRODUCTS[0], shop=shop, region=other))
            assert range_.start <= row < range_.stop
