"""No question of one shop, which is a tenant, reads a row of another one."""

import pytest

from domains.catalog.design import DESIGN, ONE
from shared.designs import metered
from tests.domains.variants import only

PRODUCTS = [*DESIGN.loads[0].sample_records()][::30]


def range_of(table, catalog, shop):
    """The rows of a shop in a table."""
    code = catalog.names.known_code("shop", shop) if hasattr(catalog, "names") else shop
    (range_,) = table.plan(shop=code).ranges
    return range_


def arguments_of(pattern, product):
    """Arguments of a question about a product: its own values; of a period, all times."""
    times = {"since_ms": 0, "until_ms": product.listed_ms + 1}
    return {name: times.get(name, getattr(product, name, None)) for name in pattern.sample}


@only(DESIGN, "catalog", "one-table", "numbered-codes")
@pytest.mark.parametrize("pattern", DESIGN.patterns, ids=lambda pattern: pattern.question)
def test_a_question_reads_the_rows_of_its_shop_alone_and_finds_its_products_alone(rowbook_samples, variant, pattern):
    with rowbook_samples(DESIGN, variant) as connection:
        tables = {connection.table(table.name).name: table for table in variant.tables}
        catalog = variant.open(connection)
        for product in PRODUCTS:
            with metered(connection) as cost:
                answer = pattern.ask(catalog, **arguments_of(pattern, product))
                found = [answer] if pattern is ONE else [*answer]
            assert product in found
            assert {one.shop for one in found} == {product.shop}
            assert cost.reads
            for read in cost.reads:
                of_shop = range_of(tables[read.table], catalog, product.shop)
                assert of_shop.start <= read.rows.start < read.rows.stop <= of_shop.stop
