"""Every write of a catalog and what it changes, in every variant; the thin index, and what withdrawn products leave."""

import attrs
import pytest

from domains.catalog import Product, UnknownProduct
from domains.catalog.design import DESIGN
from shared.designs import metered
from shared.keys import InvalidKey
from shared.testing import stored_cells
from shared.writes import KEEP_TOMBSTONES_MS
from tests.domains.clocks import SetClock

BY_NAME = {variant.name: variant for variant in DESIGN.variants}
LAMP = Product("Taobao", "EU", "lamps", "p-1", 1_580_976_517_000, "a lamp", 4_900)
ELSEWHERE = attrs.evolve(LAMP, region="US", category="books", price=10**30)
NEIGHBOURS = [
    *(attrs.evolve(LAMP, shop="Tao"), attrs.evolve(LAMP, region="EU-north")),
    *(attrs.evolve(LAMP, category="lamps2"), attrs.evolve(LAMP, product_id="p-12")),
]
"""Products whose names start as those of LAMP do."""


def only(*names):
    """Runs a test for these variants."""
    return pytest.mark.parametrize("variant", [BY_NAME[name] for name in names], ids=names)


indexed = only(*(name for name in BY_NAME if name != "one-table"))


@pytest.fixture
def catalog(connection, variant):
    catalog = variant.open(connection)
    for product in (LAMP, ELSEWHERE, *NEIGHBOURS):
        catalog.store(product)
    return catalog


def asked(catalog, product=LAMP):
    """The product, if it is found by its key; then those found in its region, by its id and by its time."""
    place = product.shop, product.region, product.category
    period = product.listed_ms, product.listed_ms + 1
    return (
        catalog.product(*place, product.product_id),
        [*catalog.in_region(*place)],
        [
            one
            for one in catalog.with_id(product.shop, product.product_id)
            if one.region == product.region and one.category == product.category
        ],
        [*catalog.new_in(*place, *period)],
    )


def contents(connection, variant):
    return {table.name: [*connection.table(table.name).scan(include_timestamp=True)] for table in variant.tables}


# ---- questions


@only("catalog", "one-table")
def test_any_text_is_a_name_and_a_delimiter_inside_it_mixes_nothing(connection, variant):
    catalog = variant.open(connection)
    mixed = [attrs.evolve(LAMP, region=region, category=name) for region, name in [("EU", "n_x"), ("EU_n", "x")]]
    mixed += [attrs.evolve(LAMP, region="a\0b"), attrs.evolve(LAMP, region="a", category="\0b")]
    for product in mixed:
        catalog.store(product)
    for product in mixed:
        assert [*catalog.in_region(product.shop, product.region)] == [product]


@only("delimited")
def test_a_name_with_the_delimiter_is_refused_whole(connection, variant):
    catalog = variant.open(connection)
    for field in ("shop", "region", "category", "product_id"):
        with pytest.raises(InvalidKey, match=rf"{field}: must not contain the delimiter '_'"):
            catalog.store(attrs.evolve(LAMP, **{field: "a_b"}))
    assert not any(stored_cells(connection, variant.tables).values())


# ---- writes


def test_storing_a_product_again_changes_nothing_and_another_one_under_its_key_replaces_it(
    connection, variant, catalog
):
    before = contents(connection, variant)
    catalog.store(LAMP)
    assert contents(connection, variant) == before
    later = attrs.evolve(LAMP, listed_ms=LAMP.listed_ms + 5, title="the lamp", price=-1)
    catalog.store(later)
    assert asked(catalog, later) == (later, [later, NEIGHBOURS[3]], [later], [later])
    assert [*catalog.new_in("Taobao", "EU", "lamps", LAMP.listed_ms, LAMP.listed_ms + 1)] == NEIGHBOURS[3:]


def test_a_new_price_shows_everywhere_and_that_of_an_unknown_product_is_refused(catalog):
    cheaper = catalog.change_price(attrs.evolve(LAMP, title="an old title"), 10**25)
    assert cheaper == attrs.evolve(LAMP, price=10**25)
    assert asked(catalog) == (cheaper, [cheaper, NEIGHBOURS[3]], [cheaper], [cheaper, NEIGHBOURS[3]])
    unknown = r"^Product.product_id: .* offers no product 'p-9' in region .*, category "
    with pytest.raises(UnknownProduct, match=unknown):
        catalog.change_price(attrs.evolve(LAMP, product_id="p-9"), 1)


def test_a_withdrawn_product_is_gone_from_its_place_alone_and_may_come_back(catalog):
    for _ in range(2):
        catalog.withdraw(LAMP)
        assert asked(catalog) == (None, NEIGHBOURS[3:], [], NEIGHBOURS[3:])
    assert {*catalog.with_id("Taobao", "p-1")} == {ELSEWHERE, *NEIGHBOURS[1:3]}
    catalog.store(LAMP)
    assert asked(catalog) == (LAMP, [LAMP, NEIGHBOURS[3]], [LAMP], [LAMP, NEIGHBOURS[3]])


@only("one-table")
def test_a_product_that_comes_back_in_the_millisecond_in_which_it_was_withdrawn_is_not_hidden(connection, variant):
    catalog = variant.open(connection, clock=SetClock(1_800_000_000_000))
    for _ in range(3):
        catalog.store(LAMP)
        assert asked(catalog) == (LAMP, [LAMP], [LAMP], [LAMP])
        catalog.withdraw(LAMP)
        assert asked(catalog) == (None, [], [], [])


@indexed
def test_a_new_product_costs_a_get_four_puts_and_a_decision_a_new_price_three_calls_without_an_index(catalog):
    writes = [
        lambda: catalog.store(attrs.evolve(LAMP, product_id="p-2")),
        lambda: catalog.store(LAMP),
        lambda: catalog.change_price(LAMP, 1),
        lambda: catalog.withdraw(LAMP),
    ]
    costs = []
    for write in writes:
        with metered(catalog.writer.rows(catalog.writer.source.name).connection) as cost:
            write()
        costs.append((len(cost.reads), cost.rpcs - len(cost.reads)))
    reads = 2 if hasattr(catalog, "names") else 1  # a write of coded products reads the code of its shop, too
    assert costs == [(reads, 5), (reads, 0), (reads, 3), (reads, 5)]


# ---- the thin index


@indexed
def test_an_index_row_holds_a_key_alone_and_one_that_leads_to_no_product_is_not_shown(connection, variant, catalog):
    index = connection.table(variant.tables.by_id.name)
    rows = [*index.scan()]
    assert [[*cells] for _row, cells in rows] == [[b"p:x"]] * 6
    index.put(rows[0][0] + b"x" if variant.name in ("catalog", "delimited") else rows[0][0], {b"p:x": b"\xc3"})
    found = {product for shop in ("Taobao", "Tao") for product in catalog.with_id(shop, "p-1")}
    assert found == {LAMP, ELSEWHERE, *NEIGHBOURS[:3]}


@indexed
def test_a_lost_row_of_an_index_is_found_and_put_again(connection, variant, catalog):
    for table in (variant.tables.by_id, variant.tables.by_listing):
        index = connection.table(table.name)
        row = next(row for row, _cells in index.scan())
        ((_value, put_ms),) = index.row(row, include_timestamp=True).values()
        index.delete(row, [b"p:x"], timestamp=put_ms)
        assert [(finding.kind, finding.table, finding.row) for finding in catalog.upkeep.verify()] == [
            ("missing", table.name, row)
        ]
        assert [is_mended for _finding, is_mended in catalog.upkeep.repair()] == [True]
        assert row in dict(index.scan())


# ---- withdrawn products


@indexed
def test_withdrawn_products_are_read_in_vain_until_they_are_forgotten(passes, connection, variant, catalog):
    for product in (LAMP, ELSEWHERE, NEIGHBOURS[0]):
        catalog.withdraw(product)
    assert catalog.forget_withdrawn("Taobao") == 2  # too young
    passes(2 * KEEP_TOMBSTONES_MS + 60_000)
    catalog = variant.open(connection)
    products = connection.table(variant.tables.products.name)
    assert len([*products.scan()]) == 6
    assert catalog.forget_withdrawn("Taobao") == 0
    assert len([*products.scan()]) == 4  # another shop's is kept
    assert asked(catalog) == (None, NEIGHBOURS[3:], [], NEIGHBOURS[3:])
    catalog.store(LAMP)
    assert catalog.product("Taobao", "EU", "lamps", "p-1") == LAMP
    assert [*catalog.upkeep.verify()] == []
