"""What the pages of `profiles` measure for themselves."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs

from shared.designs import Design, Variant, metered, scratch_store
from shared.designs.ruler import cell_lines
from shared.exhibit import below, filled, markdown_table, stored_cells, text_block
from shared.exhibit.markdown import MAX_LINE
from shared.tables.layouts import physical_tables

from ..keys import PROFILES, TABLES
from ..records import OrderSummary, Profile
from ..repository import ProfileRepository
from .variants.one_cell import NewestOfUser
from .variants.versions import LastOrderOfUser

# ---- orders in the row of their user against a table of their own: RPCs of a page, and of the orders added meanwhile


USER = "12345"


def _fewer_calls(design: Design) -> str:
    """How many orders for each page make the table of their own need fewer RPCs."""
    orders: list[OrderSummary] = [order for order in design.loads[1].sample_records() if order.user_id == USER]
    by_name = {variant.name: variant for variant in design.variants}
    (wide_page, wide_add), (table_page, table_add) = (
        _costs_of(by_name[name], orders) for name in (design.name, "orders-table")
    )
    most = (table_page - wide_page) / (wide_add - table_add)
    return (
        f"A page is {wide_page} RPC in `profiles` and {table_page} in `orders-table`; adding an order takes "
        f"{wide_add:.2f} and {table_add:g}, on average over the {len(orders)} orders of user {USER}. So `profiles` "
        f"needs fewer RPCs if fewer than {most:.1f} orders are added for each page read."
    )


def _costs_of(variant: Variant, orders: list[OrderSummary]) -> tuple[int, float]:
    """The RPCs of a page, and those of an order on average."""
    with closing(scratch_store(variant.tables)) as connection:
        repository = variant.open(connection)
        with metered(connection) as adding:
            for order in orders:
                repository.add_order(order)
        with metered(connection) as reading:
            assert repository.page(USER).orders
    return reading.rpcs, adding.rpcs / len(orders)


# ---- blocks of the page of `profiles` only: the cells of a row, what each way to store orders costs, and tombstones


SHOWN_ORDERS = 1
"""The orders of the row whose cells are shown."""
COLUMNS = ("variant", "page: RPCs", "page: bytes", "add: RPCs", "orders stored", "bytes stored", "tombstones")
TOMBSTONES = Path(__file__).parents[3] / "fixtures" / "profiles" / "tombstones.json"


def own_blocks(design: Design) -> dict[str, str]:
    """The cells of one row in both layouts; one user's reads, writes and bytes in every variant; pages on HBase."""
    of_profiles, of_orders = design.loads
    profile = next(record for record in of_profiles.sample_records() if record.user_id == USER)
    orders = [order for order in of_orders.sample_records() if order.user_id == USER]
    return {
        "cells": _cells_block(profile, orders),
        "ways": _ways_block(design, profile, orders),
        "tombstones": _tombstones_block(),
        "fewer-calls": filled(_fewer_calls(design)),
    }


def _cells_block(profile: Profile, orders: list[OrderSummary]) -> str:
    """The cells of a row, as each of its two layouts reads them."""
    with closing(scratch_store(TABLES)) as connection:
        repository = ProfileRepository(connection)
        repository.store(attrs.evolve(profile, attributes={"city": "Lyon"}))
        for order in orders[:SHOWN_ORDERS]:
            repository.add_order(order)
        ((_row, cells),) = connection.table(PROFILES.layout.name).scan()
    lines: list[str] = []
    for table in TABLES:
        claimed = {column.partition(b":")[0] for column in table.cells.columns}
        of_table = {column: value for column, value in cells.items() if column.partition(b":")[0] in claimed}
        lines += [f"# {table.holds}", "\n".join(text for _kind, text in cell_lines(table, of_table, MAX_LINE)), ""]
    return below(
        f"User {USER} with an attribute and {SHOWN_ORDERS} order: names, values, and columns or bytes.",
        text_block("\n".join(lines[:-1])),
    )


def _ways_block(design: Design, profile: Profile, orders: list[OrderSummary]) -> str:
    """What the ways to store orders cost that may be copied."""
    ways = [variant for variant in design.variants if variant.is_to_copy]
    rows = [(variant.name, *_costs_in_words(variant, profile, orders)) for variant in ways]
    caption = (
        f"User {USER} has a profile and gets {len(orders)} orders. Bytes of a page are what the client receives; bytes "
        "stored are before compression:"
    )
    return below(caption, markdown_table(COLUMNS, rows))


def _costs_in_words(variant: Variant, profile: Profile, orders: list[OrderSummary]) -> tuple[str, ...]:
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
    return (
        f"{reading.rpcs}",
        f"{reading.bytes_fetched:,}",
        f"{adding.rpcs / len(orders):.3g}",
        f"{kept}",
        f"{stored:,}",
        f"{adding.tombstones}",
    )


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


def _tombstones_block() -> str:
    """The time of a page in rows with tombstones, as `python -m tests.programs tombstones` recorded it."""
    recorded: dict[str, Any] = json.loads(TOMBSTONES.read_text(encoding="utf-8"))
    caption = (
        f"Milliseconds to read a page, and the newest orders, of a row with {recorded['orders']} orders and "
        f"tombstones, on HBase {recorded['hbase']}: medians of {recorded['rounds']} calls on {recorded['cores']} busy "
        f"cores ({recorded['date']}, `python -m tests.programs tombstones`)."
    )
    columns = {
        "page, in memory": "page_memory_ms",
        "page, in a file": "page_file_ms",
        "page, compacted": "page_compacted_ms",
        "newest, in memory": "newest_memory_ms",
        "newest, in a file": "newest_file_ms",
    }
    rows = [
        [f"{row['tombstones']:,}", *(f"{row[figure]:,.1f}" for figure in columns.values())] for row in recorded["rows"]
    ]
    return "\n\n".join([filled(caption), markdown_table(("tombstones", *columns), rows)])
