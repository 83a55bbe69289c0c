"""A method for each write and each question."""

from typing import TYPE_CHECKING

from shared.keys import between
from shared.queries import Query
from shared.tables import BoundTable
from shared.writes import put_all

from .keys import TABLES, TicketTables
from .records import Ticket

if TYPE_CHECKING:
    import happybase


class TicketRepository:
    """Stores tickets, and lists those of a team.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, connection: "happybase.Connection", tables: TicketTables = TABLES) -> None:
        self._tickets = BoundTable(connection, tables.tickets)

    def store(self, ticket: Ticket) -> None:
        """Stores a ticket. Storing it again changes nothing. Costs: one put."""
        put_all([ticket], self._tickets)

    def of_team(self, team: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Ticket]:
        """A team's tickets opened from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more.
        """
        return Query(self._tickets, self._tickets.plan(team=team, time_ms=between(since_ms, until_ms)))
