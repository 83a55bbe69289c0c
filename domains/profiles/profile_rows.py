"""Profiles in the rows of their users, whatever else these rows hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shared.keys import starting_with
from shared.queries import Query
from shared.records import check_text
from shared.sources import Table
from shared.writes import refuse_expired

from .keys import RowOfUser
from .records import Profile

if TYPE_CHECKING:
    import happybase


class ProfileRows:
    """Stores profiles, finds them by user and by name, and erases rows.

    Every cell is dated by its profile, so storing a profile again changes nothing, and no write needs recovery.
    """

    def __init__(self, connection: "happybase.Connection", profiles: Table[Profile]) -> None:
        self._profiles = profiles.on(connection)
        self._of_profile = {column.partition(b":")[0] for column in self._profiles.layout.cells.columns}
        """The families of a profile. Its other ones in the row are those of orders."""

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

    # ---- questions

    def profile(self, user_id: str) -> Profile | None:
        """A user's profile, or None. Costs: one get."""
        return self._profiles.ask(user_id=user_id).first()

    def profiles(self, id_prefix: str) -> Query[Profile]:
        """The profiles of users whose ids start with `id_prefix`. Costs: one scan of a page's rows and one more."""
        check_text("id_prefix", id_prefix, empty=False)
        return self._profiles.ask(user_id=starting_with(id_prefix))

    def named(self, name: str) -> Query[Profile]:
        """The profiles with a name, by user. Costs: a full table scan with a server-side filter.

        If you often ask for names, give them a table of their own.
        """
        check_text("name", name, empty=False)
        return self._profiles.ask_all().on_server("name", name)

    def profile_and_cells(self, user_id: str, *families: bytes) -> tuple[Profile | None, Mapping[bytes, bytes]]:
        """A user's profile, or None, and the cells of these families in its row. Costs: one get."""
        row = self._profiles.row(RowOfUser(user_id))
        cells = self._profiles.rows.row(row, columns=sorted(self._of_profile.union(families)))
        return next(iter(self._profiles.layout.records(row, cells)), None), cells

    # ---- upkeep

    def erase(self, user_id: str) -> int:
        """Deletes everything in the row of a user; returns how many rows of the user remain.

        The profile is deleted up to its own newest date, and the orders up to theirs: one may be dated long after the
        other, and a common date would hide what is stored later. If a call dies, the same call again finishes it. A row
        remains if something newer was stored meanwhile. A profile stays hidden until a major compaction unless it
        is dated after the erased one, and so does an order unless it is dated after the newest erased one.
        Costs: two gets, two deletes.
        """
        check_text("user_id", user_id, empty=False)
        row, rows = self._profiles.row(RowOfUser(user_id)), self._profiles.rows
        of_orders = {family.encode() for family in self._profiles.layout.families} - self._of_profile
        stored = rows.row(row, include_timestamp=True)
        for families in (self._of_profile, of_orders):
            dates = [written_ms for column, (_, written_ms) in stored.items() if column.partition(b":")[0] in families]
            if dates:
                rows.delete(row, sorted(families), timestamp=max(dates))
        return int(bool(rows.row(row)))
