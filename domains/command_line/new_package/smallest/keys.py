"""One table: the tickets of each team, newest first."""

from typing import NamedTuple

from shared.keys import Descending, EscapedText, Int64, KeyLayout, part, row_key
from shared.tables import TEXT, Column, RecordCells, TableLayout

from .records import Ticket


@row_key
class TicketOfTeam:
    """One ticket in the list of its team.

    Order:  by team, newest first, then by id.
    Serves: a team's tickets in a period; a team's latest N tickets.
    Costs:  one scan of the page's rows and one more row, which tells whether there is a next page.
    Fixed:  the widths and the direction of time; changing them means a new table.
    Source: none
    """

    team: str = part(EscapedText, "who has to answer; any text")
    time_ms: int = part(Descending(Int64), "when opened, milliseconds since 1970 UTC, newest first")
    ticket_id: str = part(EscapedText, "distinguishes tickets of one millisecond")


TICKETS = TableLayout(
    "tickets", "one ticket", KeyLayout(TicketOfTeam), RecordCells(Ticket, {"title": Column("t:title", TEXT)})
)


class TicketTables(NamedTuple):
    """All tables of the package."""

    tickets: TableLayout[TicketOfTeam, Ticket]


TABLES = TicketTables(TICKETS)
