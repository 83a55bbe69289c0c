"""One wide row for each user: the profile, and the newest orders, each in a cell of its own.

Two layouts declare the table `profiles`: families `p` and `a` hold a profile, `o` holds orders. The qualifier of an
order is a key, so the orders of a row are sorted, the newest first. One get reads all that a page shows. The variants
store the same orders in other ways. RPCs that read a page with ten orders, RPCs that add an order, and the orders of a
user that remain stored:

    variant       an order is stored in                           page  add  stored
    profiles      [user], a cell o:[time][order]                  1     2.1  the newest 10 to 20
    one-cell      [user], the cell o:orders, with all others      1     2.0  the newest 10
    versions      [user], a version of the cell o:order           2     1.0  wrong: 10, but one of each millisecond
    orders-table  [user][time][order], a row                      4     1.0  all
    slots         user_[user], a cell user:order_0 to _9          1     2.0  wrong: the 10 that arrived last

If several writers add orders of one user at once, `profiles` stores one more for each of them, so 35 with 16 writers,
and no more if writers crash (`newest_orders.py`). In `one-cell` such writers wait for each other. In `slots` one of
them replaces the orders of the others.

Each order that `profiles` deletes leaves a tombstone, which pages and writes read past until a major compaction. The
other variants delete no orders.
"""

from typing import Any, NamedTuple

from shared.keys import Descending, Int64, KeyLayout, TrailingText, part, row_key
from shared.tables import TEXT, Column, Family, ItemCells, OtherColumns, RecordCells, TableLayout

from .records import OrderSummary, Profile

SHOWN = 10
"""The newest orders that a page shows. A row always has them."""
TRIM_AT = 20
"""A writer that finds this many orders in a row deletes all but the newest `SHOWN`. A lower number trims more often."""


@row_key
class RowOfUser:
    """The profile and the newest orders of one user.

    Order:  by user, as text.
    Serves: the page of a user; the profile alone; the newest orders alone; users whose ids share a prefix.
    Costs:  one get. An order is a get and a put, and for one in ten orders a delete. If ids count up, new users go to
            the last region, but the orders of all users do not.
    Fixed:  the id is the whole key. A row is never split, so it must not grow without bound.
    Source: S3.7, "user_" + userId; the constant prefix costs five bytes in every cell and distinguishes nothing.
    """

    user_id: str = part(TrailingText, "who; any text, unique")


@row_key
class NewestFirst:
    """The place of an order in its row: the qualifier of its cell.

    Order:  newest first, then by order id.
    Serves: the newest N orders: the first N cells of the family.
    Costs:  eight bytes and the order id for each order, and the row key once more.
    Fixed:  the width and the direction of time; changing them means another family.
    Source: S2.8, S3.7, user:order_0 to user:order_9: as text, order_10 sorts before order_2; and a new order has to
            move all others.
    """

    time_ms: int = part(Descending(Int64), "when placed, milliseconds since 1970 UTC, newest first")
    order_id: str = part(TrailingText, "distinguishes orders of one millisecond")


PROFILE_CELLS = RecordCells(
    Profile,
    {
        "name": Column("p:n", TEXT),
        "email": Column("p:e", TEXT),
        "age": Column("p:a"),
        "time_ms": Column("p:t"),
        "attributes": OtherColumns("a", TEXT),
    },
)
"""A later release may add a column with a default to `p`, which earlier ones do not read. An attribute may become a
field where it is, as `Column("a:city", TEXT)`; earlier releases still read it as an attribute, so `a` holds texts."""
ORDER_CELLS = ItemCells(OrderSummary, "o", KeyLayout(NewestFirst), value=("item", "amount"))

FAMILIES = {"p": Family(), "a": Family(), "o": Family()}
"""HBase stores each family in files of its own: to list profiles reads no orders."""

PROFILES = TableLayout("profiles", "the profile of a user", KeyLayout(RowOfUser), PROFILE_CELLS, FAMILIES)
NEWEST = TableLayout("profiles", "the newest orders of a user", PROFILES.key, ORDER_CELLS, FAMILIES)


class ProfileTables(NamedTuple):
    """The profiles, and the orders of users: in the same rows or, in a variant, in a table of their own."""

    profiles: TableLayout[Any, Profile]
    orders: TableLayout[Any, Any]


TABLES = ProfileTables(PROFILES, NEWEST)
