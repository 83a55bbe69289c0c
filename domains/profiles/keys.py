"""One wide row for each user: the profile, and the newest orders, each in a cell of its own.

Two layouts share the table `profiles`: one has the profile, its fields in family `p` and its other attributes in `a`;
one has the orders, in `o`. The qualifier of an order is a key, so the orders of a row are sorted, the newest first. One
get reads all that a page shows.
"""

from shared.keys import Descending, Int64, KeyLayout, TrailingText, part, row_key
from shared.sources import Table
from shared.tables import TEXT, Column, Family, ItemCells, OtherColumns

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
    Costs:  one get; for a prefix, one scan, which reads one row more than the page. An order is a get and a put, and
            for one in ten orders a delete. Users with one name: a full table scan. If ids count up, new users go to the
            last region; orders go to the regions of their users.
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


FAMILIES = {"p": Family(), "a": Family(), "o": Family()}
"""HBase stores each family in files of its own, so a list of profiles reads no orders."""

PROFILES = Table(
    "profiles",
    RowOfUser,
    Profile,
    {
        "name": Column("p:n", TEXT),
        "email": Column("p:e", TEXT),
        "age": "p:a",
        "time_ms": "p:t",
        "attributes": OtherColumns("a", TEXT),
    },
    dated_by="time_ms",
    holds="the profile of a user",
    families=FAMILIES,
)
"""A later release may add a column with a default to `p`, which earlier ones do not read. An attribute may become a
field and stay in `a`, as `Column("a:city", TEXT)`. Earlier releases read it as an attribute, so it must be text."""
NEWEST = Table(
    "profiles",
    RowOfUser,
    OrderSummary,
    ItemCells(OrderSummary, "o", KeyLayout(NewestFirst), value=("item", "amount"), at_least=2),
    dated_by="time_ms",
    holds="the newest orders of a user",
    families=FAMILIES,
)
TABLES = (*PROFILES.tables, *NEWEST.tables)
