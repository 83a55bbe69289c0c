"""The story of the design: store products, find them by region, category, id and time, withdraw one, survive a crash.

Run it: python -m domains.catalog.example
"""

from contextlib import suppress
from typing import Any

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .records import Product
from .repository import CatalogRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    catalog = CatalogRepository(connection)

    monday, tuesday = parse_time("2026-01-12T09:00"), parse_time("2026-01-13T09:00")
    lamp = Product("Taobao", "EU", "lamps", "p-1", monday, title="a lamp", price=4_900)
    lamp_north = Product("Taobao", "EU_north", "lamps", "p-1", tuesday, title="a lamp", price=5_900)
    lantern = Product("Taobao", "EU", "lamps", "p-12", tuesday, title="a lantern", price=900)
    other = Product("Tao", "EU", "lamps", "p-1", monday, title="a lamp of another shop", price=1)
    for product in (lamp, lamp_north, lantern, other):
        catalog.store(product)
    catalog.store(lamp)  # a retry: the same product again changes nothing

    print("what Taobao offers in EU, and nothing of EU_north or of Tao:")
    in_region = list(catalog.in_region("Taobao", "EU"))
    print(*in_region, sep="\n")
    assert in_region == [lamp, lantern]
    print("where Taobao offers p-1, and nothing of p-12:")
    places = list(catalog.with_id("Taobao", "p-1"))
    print(*places, sep="\n")
    assert places == [lamp, lamp_north]
    assert catalog.new_in("Taobao", "EU", "lamps").first() == lantern

    cheaper = catalog.change_price(lamp, 3_900)
    assert catalog.product("Taobao", "EU", "lamps", "p-1") == cheaper
    catalog.withdraw(lantern)
    assert list(catalog.in_region("Taobao", "EU", "lamps")) == [cheaper]

    with suppress(PowerCut):
        dying: Any = CatalogRepository(connection)
        dying.writer.check_and_put = _cut_the_power  # the step that decides; the indexes are put before it
        dying.store(Product("Taobao", "EU", "lamps", "p-2", tuesday, title="a torch", price=700))
    print("a writer died before it had stored p-2; rows of the index that lead to no product are not shown:")
    assert list(catalog.with_id("Taobao", "p-2")) == []
    assert len(catalog.writer.pending()) == 1
    print("recovery removes them:", catalog.upkeep.recover(older_than_ms=0))
    assert list(catalog.upkeep.verify()) == []


class PowerCut(Exception):
    """The writer is dead."""


def _cut_the_power(*_arguments: object) -> None:
    raise PowerCut


if __name__ == "__main__":
    main()
