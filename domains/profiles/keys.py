"""One wide row for each user: the profile, and the newest orders, each in a cell of its own.

Two layouts share the table `profiles`: one has the profile, its fields in family `p` and its other attributes in `a`;
one has the orders, in `o`. The qualifier of an order is a key, so the orders of a row are sorted, the newest first. One
get reads all that a page shows. The variants store the same orders in other ways. RPCs that read a page with ten
orders, RPCs that add an order, and the orders of a user that remain stored:

    variant       an order is stored in                           page  add  stored
    profiles      [user], a cell o:[time][order]                  1     2.1  the newest 10 to 20
    one-cell      [user], the cell o:orders, with all others      1     2.0  the newest 10
    versions      [user], a version of the cell o:order           2     1.0  wrong: 10, one for each millisecond
    orders-table  [user][time][order], a row                      4     1.0  all
    slots         user_[user], a cell user:order_0 to _9          1     2.0  wrong: the 10 that arrived last

A profile is stored by a get and a put. Two RPCs that add an order are a get and a put, and `profiles` also deletes for
one order in ten. If an order has ten newer ones, `profiles` and `one-cell` get and do not put. The page of
`orders-table` is a get, and a scan of three RPCs.

Several writers may add orders of one user at once. In `profiles` at most 19 orders and one for each writer are then
stored, so 35 with 16 writers, also after crashes (`newest_orders.py`). In `one-cell` one writer succeeds at a time, and
the others read again. In `slots` one writer replaces the orders of the others. A crash leaves nothing to recover, and
the same call again changes nothing, except in `slots`.

Each order that `profiles` deletes leaves a tombstone, which pages and writes read past until a major compaction. The
other variants delete no orders.

Choose `profiles` if pages are read more often than orders are added. To keep all orders and read a page in one get, add
each order to `orders-table` first, then to `profiles`.
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
    Costs:  one get; for a prefix, one scan of the page's rows and one more. An order is a get and a put, and for one in
            ten orders a delete. Users with one name: a full table scan. If ids count up, new users go to the last
            region; orders go to the regions of their users.
    Fixed:  the id is the whole key. A row is never split, so it must not grow without bound.
    Source: S3.7, "user_" + userId; the constant prefix costs five bytes in every cell and distinguishes nothing.
    """

    user_id: str = part(TrailingText, "who; any text, unique")


@row_key
class NewestFirst:
    """The place of an order in its row: the qualifier of its cell.

    Order:  newest first, then by order id.
    Serves: the newest N orders: the first N cells of the family.
    Costs:  for each order eight bytes, its id, and the row key, which HBase stores again with each cell.
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
field and stay in `a`, as `Column("a:city", TEXT)`. Earlier releases read it as an attribute, so it must be text."""
ORDER_CELLS = ItemCells(OrderSummary, "o", KeyLayout(NewestFirst), value=("item", "amount"), at_least=2)

FAMILIES = {"p": Family(), "a": Family(), "o": Family()}
"""HBase stores each family in files of its own, so a list of profiles reads no orders."""

PROFILES = TableLayout("profiles", "the profile of a user", KeyLayout(RowOfUser), PROFILE_CELLS, FAMILIES)
NEWEST = TableLayout("profiles", "the newest orders of a user", PROFILES.key, ORDER_CELLS, FAMILIES)


class ProfileTables(NamedTuple):
    """The profiles, and the orders of users: in the same rows, or in a table of their own."""

    profiles: TableLayout[Any, Profile]
    orders: TableLayout[Any, Any]


TABLES = ProfileTables(PROFILES, NEWEST)
