"""Profiles and the newest orders of users; one method for each question and each write."""

from typing import TYPE_CHECKING

from shared.sources import Table

from .keys import NEWEST, PROFILES
from .newest_orders import NewestOrders
from .profile_rows import ProfileRows
from .records import OrderSummary, Profile, UserPage, page_of

if TYPE_CHECKING:
    import happybase


class ProfileRepository(ProfileRows):
    """Stores profiles, adds orders, and finds both by user.

    Everything of a user is in one row. Every cell is dated by its own record, so storing a record again changes
    nothing, and no write needs recovery.

    Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        profiles: Table[Profile] = PROFILES,
        newest: Table[OrderSummary] = NEWEST,
    ) -> None:
        super().__init__(connection, profiles)
        self._orders = NewestOrders(connection, newest)

    def add_order(self, order: OrderSummary) -> None:
        """Adds an order to the newest ones of its user, whether or not a profile is stored.

        An order with ten newer ones is not stored. Raises Expired if the order is older than a TTL of its family.
        Costs: see `NewestOrders.add`.
        """
        self._orders.add(order)

    def page(self, user_id: str) -> UserPage | None:
        """A user's profile and newest ten orders, or None. Costs: one get."""
        profile, cells = self.profile_and_cells(user_id, b"o")
        return page_of(profile, self._orders.in_cells(user_id, cells))

    def newest_orders(self, user_id: str) -> list[OrderSummary]:
        """A user's newest ten orders, the newest first. Costs: one scan of the first eleven cells of a row."""
        return self._orders.newest(user_id)
