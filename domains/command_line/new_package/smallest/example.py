"""The story of the package: open tickets, and list them.

Run it: python -m domains.smallest.example
"""

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .records import Ticket
from .repository import TicketRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    tickets = TicketRepository(connection)

    monday, tuesday = parse_time("2026-01-12T09:00"), parse_time("2026-01-13T09:00")
    slow = Ticket("network", monday, "t-1", "the line is slow")
    down = Ticket("network", tuesday, "t-2", "the line is down")
    for ticket in (slow, down, Ticket("network-2", tuesday, "t-3", "of another team")):
        tickets.store(ticket)
    print("the tickets of the team, newest first:", *tickets.of_team("network"), sep="\n")
    assert list(tickets.of_team("network")) == [down, slow]
    assert list(tickets.of_team("network", since_ms=tuesday)) == [down]


if __name__ == "__main__":
    main()
