"""Orders in the row of their user against a table of their own: RPCs of a page, and of the orders added meanwhile."""

from contextlib import closing

from shared.designs import Design, Variant, metered, scratch_store
from shared.exhibit import Crossing, Panel, Series, lower_where

from ..records import OrderSummary

ORDERS_FOR_EACH_PAGE = (1, 2, 4, 8, 16)
USER = "12345"


def wide_row_against_table(design: Design) -> Crossing:
    """The RPCs of one page and of so many orders, in the variants that may be copied."""
    orders: list[OrderSummary] = [order for order in design.loads[1].sample_records() if order.user_id == USER]
    variants = [variant for variant in design.variants if variant.is_to_copy]
    costs = {variant.name: _costs_of(variant, orders) for variant in variants}
    series = [
        Series(name, [page + number * add for number in ORDERS_FOR_EACH_PAGE]) for name, (page, add) in costs.items()
    ]
    (wide_page, wide_add), (table_page, table_add) = costs[design.name], costs["orders-table"]
    most = (table_page - wide_page) / (wide_add - table_add)
    return Crossing(
        "Orders in the user's row against a table of their own",
        f"The fewest RPCs: {lower_where(ORDERS_FOR_EACH_PAGE, 'orders for each page', *series)}",
        ORDERS_FOR_EACH_PAGE,
        (Panel("RPCs of a page, and of the orders added before it", "orders added for each page read", series),),
        f"A page is {wide_page} RPC in `profiles` and {table_page} in `orders-table`; to add an order takes "
        f"{wide_add:.2f} and {table_add:g}, on average over the {len(orders)} orders of user {USER}. So `profiles` "
        f"needs fewer RPCs if fewer than {most:.1f} orders are added for each page that is read.",
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
