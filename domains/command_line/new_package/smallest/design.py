"""The loads and questions of this package, for the command `rowbook` and for the tests."""

from pathlib import Path

from shared.designs import AccessPattern, Design, Load, Variant

from . import keys
from .records import Ticket
from .repository import TicketRepository

SAMPLES = Path(__file__).parent / "samples"

LATEST = AccessPattern("a team's latest tickets", TicketRepository.of_team, {"team": "network"}, limit=5)

DESIGN = Design(
    name="smallest",
    question="Which tickets does a team have to answer, newest first?",
    loads=(Load("tickets", Ticket, TicketRepository.store, SAMPLES / "tickets.csv"),),
    patterns=(LATEST,),
    repository=TicketRepository,
    variants=(Variant(keys, "the design itself"),),
    without_upkeep="puts each ticket into one row, so a crash leaves nothing half done",
)
