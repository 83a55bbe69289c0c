"""Tickets of a team: one table, one question. Rename them, and add what your service needs."""

from .keys import TABLES
from .records import Ticket
from .repository import TicketRepository

__all__ = ["TABLES", "Ticket", "TicketRepository"]
