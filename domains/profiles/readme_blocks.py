"""A block of the page of `profiles` only: what each way to store the orders of one user costs, side by side."""

from contextlib import closing
from typing import Any

from shared.designs import Design, Variant, metered, scratch_store, stored_cells
from shared.designs.pages import below, markdown_table
from shared.tables import physical_tables

from .records import OrderSummary, Profile
from .variants.one_cell import NewestOfUser
from .variants.versions import LastOrderOfUser

USER = "12345"
COLUMNS = ("variant", "page: RPCs", "page: bytes", "add: RPCs", "orders stored", "bytes stored")


def own_blocks(design: Design) -> dict[str, str]:
    """The reads, the writes and the bytes of one user in every variant."""
    of_profiles, of_orders = design.loads
    profile = next(record for record in of_profiles.sample_records() if record.user_id == USER)
    orders = [order for order in of_orders.sample_records() if order.user_id == USER]
    rows = [(variant.marked_name, *_costs_of(variant, profile, orders)) for variant in design.variants]
    caption = (
        f"User {USER} with a profile and {len(orders)} orders, which are added as they arrive. The bytes of a page are "
        "those that the client receives; the bytes stored are those of all cells, before compression."
    )
    return {"ways": below(caption, markdown_table(COLUMNS, rows))}


def _costs_of(variant: Variant, profile: Profile, orders: list[OrderSummary]) -> tuple[str, ...]:
    with closing(scratch_store(variant.tables)) as connection:
        repository = variant.open(connection)
        repository.store(profile)
        with metered(connection) as adding:
            for order in orders:
                repository.add_order(order)
        with metered(connection) as reading:
            repository.page(USER)
        tables = physical_tables(variant.tables)
        stored = sum(size for table in tables for _row, size in stored_cells(connection, table))
        kept = orders_stored(connection, variant)
    return f"{reading.rpcs}", f"{reading.bytes_fetched:,}", f"{adding.rpcs / len(orders):.3g}", f"{kept}", f"{stored:,}"


def orders_stored(connection: Any, variant: Variant) -> int:
    """The orders in the table of a variant, in whatever form it stores them."""
    table = variant.tables[1]
    stored = [
        (row, record) for row, cells in connection.table(table.name).scan() for record in table.records(row, cells)
    ]
    row, record = stored[0]
    if isinstance(record, LastOrderOfUser):
        return len(connection.table(table.name).cells(row, b"o:order"))
    return len(record.orders) if isinstance(record, NewestOfUser) else len(stored)
