"""What a catalog refuses, the thin index, and what withdrawn products leave."""

import attrs
import pytest

from domains.catalog import UnknownProduct
from domains.catalog.shown.design import DESIGN
from shared.intents import KEEP_TOMBSTONES_MS
from shared.keys import InvalidKey
from shared.testing.stored_samples import stored_cells
from tests.domains.clocks import SetClock
from tests.domains.variants import only

from .stopped_writes import LAMP

ELSEWHERE = attrs.evolve(LAMP, region="US", category="books", price=10**30)
NEIGHBOURS = [attrs.evolve(LAMP, **{name: value}) for name, value in {"shop": "Tao", "product_id": "p-12"}.items()]
"""Products whose names start as those of LAMP do."""


@pytest.fixture
def catalog(repository):
    for product in (LAMP, ELSEWHERE, *NEIGHBOURS):
        repository.store(product)
    return repository


@only(DESIGN, "delimited")
def test_a_name_with_the_delimiter_is_refused_whole(connection, variant, repository):
    for field in ("shop", "region", "category", "product_id"):
        with pytest.raises(InvalidKey, match=rf"{field}: must not contain the delimiter '_'"):
            repository.store(attrs.evolve(LAMP, **{field: "a_b"}))
    assert not any(stored_cells(connection, variant.tables).values())


def test_a_new_price_of_an_unknown_product_is_refused_and_that_of_another_title_changes_the_price_alone(catalog):
    assert catalog.change_price(attrs.evolve(LAMP, title="an old title"), 1) == attrs.evolve(LAMP, price=1)
    unknown = r"^Product.product_id: .* offers no product 'p-9' in region .*, category "
    with pytest.raises(UnknownProduct, match=unknown):
        catalog.change_price(attrs.evolve(LAMP, product_id="p-9"), 1)


@only(DESIGN, "one-table")
def test_a_product_that_comes_back_in_the_millisecond_in_which_it_was_withdrawn_is_not_hidden(connection, variant):
    catalog = variant.open(connection, clock=SetClock(1_800_000_000_000))
    for _ in range(2):
        catalog.store(LAMP)
        assert [*catalog.with_id("Taobao", "p-1")] == [LAMP]
        catalog.withdraw(LAMP)
        assert [*catalog.with_id("Taobao", "p-1")] == []


@only(DESIGN, "catalog", "closed-codes")
def test_a_row_of_the_index_that_leads_to_no_product_is_not_shown(connection, variant, catalog):
    index = connection.table(variant.tables[1].name)
    row, _cells = next(index.scan())
    index.put(row + b"x" if variant is DESIGN.main else row, {b"p:x": b"\xc3"})
    assert {*catalog.with_id("Tao", "p-1"), *catalog.with_id("Taobao", "p-1")} == {LAMP, ELSEWHERE, NEIGHBOURS[0]}


@only(DESIGN, "catalog", "numbered-codes")
def test_withdrawn_products_are_read_in_vain_until_they_are_forgotten(passes, connection, variant, catalog):
    for product in (LAMP, ELSEWHERE, NEIGHBOURS[0]):
        catalog.withdraw(product)
    assert catalog.forget_withdrawn("Taobao") == 2  # too young
    passes(2 * KEEP_TOMBSTONES_MS + 60_000)
    catalog = variant.open(connection)
    products = connection.table(variant.tables[0].name)
    assert len([*products.scan()]) == 4
    assert catalog.forget_withdrawn("Taobao") == 0
    assert len([*products.scan()]) == 2  # another shop's is kept
    assert [*catalog.in_region("Taobao", "EU", "lamps")] == [NEIGHBOURS[1]]
    catalog.store(LAMP)
    assert catalog.product("Taobao", "EU", "lamps", "p-1") == LAMP
    assert [*catalog.upkeep.verify()] == []
