"""Profiles and the newest orders of users; one method for each question and each write."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from shared.keys import starting_with
from shared.queries import Query, equal
from shared.records import check_text
from shared.tables import BoundTable, TableLayout
from shared.writes import refuse_expired

from .keys import TABLES, ProfileTables, RowOfUser
from .newest_orders import NewestOrders, OrdersOfUsers
from .records import OrderSummary, Profile, UserPage

if TYPE_CHECKING:
    import happybase


class ProfileRepository:
    """Stores profiles, adds orders, and finds both by user.

    Everything of a user is in one row. Every cell is dated by its own record, so storing a record again changes
    nothing, and no write needs recovery. A variant that stores orders in another way passes `orders`.

    Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    lacks: ClassVar[Mapping[str, str]] = {
        "orders_of": "needs a table of orders, because the row of a user has the newest ones only"
    }
    """Why a question of the variant `orders-table` has no method here, by its name."""

    def __init__(
        self,
        connection: "happybase.Connection",
        tables: ProfileTables = TABLES,
        *,
        orders: "Callable[[happybase.Connection, TableLayout[Any, Any]], OrdersOfUsers]" = NewestOrders,
    ) -> None:
        self._profiles = BoundTable(connection, tables.profiles)
        self._of_profile = {column.partition(b":")[0] for column in tables.profiles.cells.columns}
        """The families of a profile. Its other ones in the row are those of orders."""
        self._orders = orders(connection, tables.orders)

    # ---- writes

    def store(self, profile: Profile) -> None:
        """Stores a profile in place of an older one; changes nothing if the stored one is as new, or newer.

        A put deletes nothing, so the columns of attributes that the new profile lacks are deleted before it. Until the
        put, readers see the old profile without them; if the writer dies there, the same call again completes it. Of
        two writers that store profiles of one user at once, the newer one stays, but it may keep an attribute that only
        the older one has.
        Raises Expired if the profile is older than a TTL of its families.
        Costs: 1 get, 1 put; 1 delete if the new profile lacks attributes that the old one has.
        """
        refuse_expired([profile], self._profiles)
        row, new = self._profiles.row(profile), self._profiles.layout.cells.pack(profile)
        stored = self._profiles.rows.row(row, columns=[*self._profiles.layout.cells.columns])
        old = next(iter(self._profiles.layout.records(row, stored)), None)
        if old is not None:
            if old.time_ms >= profile.time_ms:
                return
            if gone := self._profiles.layout.cells.pack(old).keys() - new.keys():
                self._profiles.rows.delete(row, sorted(gone), timestamp=profile.time_ms - 1)
        self._profiles.rows.put(row, new, timestamp=profile.time_ms)

    def add_order(self, order: OrderSummary) -> None:
        """Adds an order to the newest ones of its user, whether or not a profile is stored.

        An order with ten newer ones is not stored. Raises Expired if the order is older than a TTL of its family.
        Costs: see `NewestOrders.add`.
        """
        self._orders.add(order)

    # ---- questions

    def page(self, user_id: str) -> UserPage | None:
        """A user's profile and newest ten orders, or None. Costs: one get."""
        row = self._profiles.row(RowOfUser(user_id))
        cells = self._profiles.rows.row(row, columns=sorted(self._of_profile.union(self._orders.families)))
        profile = next(iter(self._profiles.layout.records(row, cells)), None)
        orders = self._orders.of_page(user_id, cells)
        return UserPage(profile, tuple(orders)) if profile is not None or orders else None

    def newest_orders(self, user_id: str) -> list[OrderSummary]:
        """A user's newest ten orders, the newest first. Costs: one scan of the first eleven cells of a row."""
        return self._orders.newest(user_id)

    def profile(self, user_id: str) -> Profile | None:
        """A user's profile, or None. Costs: one get."""
        return Query(self._profiles, self._profiles.plan(user_id=user_id)).first()

    def profiles(self, id_prefix: str) -> Query[Profile]:
        """The profiles of users whose ids start with `id_prefix`. Costs: one scan of a page's rows and one more."""
        check_text("id_prefix", id_prefix, empty=False)
        return Query(self._profiles, self._profiles.plan(user_id=starting_with(id_prefix)))

    def named(self, name: str) -> Query[Profile]:
        """The profiles with a name, by user. Costs: a full table scan with a server-side filter.

        If you often ask for names, give them a table of their own.
        """
        check_text("name", name, empty=False)
        cells: Any = self._profiles.layout.cells
        server = equal(cells, "name", name)
        return Query(self._profiles, self._profiles.whole_table()).filtered(server)

    # ---- upkeep

    def erase(self, user_id: str) -> int:
        """Deletes everything of a user; returns how many rows of the user remain.

        The profile is deleted up to its own newest date, and the orders up to theirs: one may be dated long after the
        other, and a common date would hide what is stored later. If a call dies, the same call again finishes it. A row
        remains if something newer was stored meanwhile. A profile stays hidden until a major compaction unless it
        is dated after the erased one, and so does an order unless it is dated after the newest erased one.
        Costs: two gets, two deletes.
        """
        check_text("user_id", user_id, empty=False)
        remaining = self._orders.erase(user_id)
        row, rows = self._profiles.row(RowOfUser(user_id)), self._profiles.rows
        of_orders = {family.encode() for family in self._profiles.layout.families} - self._of_profile
        stored = rows.row(row, include_timestamp=True)
        for families in (self._of_profile, of_orders):
            dates = [written_ms for column, (_, written_ms) in stored.items() if column.partition(b":")[0] in families]
            if dates:
                rows.delete(row, sorted(families), timestamp=max(dates))
        return remaining + bool(rows.row(row))
