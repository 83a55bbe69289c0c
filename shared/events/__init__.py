"""What happens to a program at work: retries, lost sockets, recoveries, clock checks, calls.

Events go to the logger `rowbook.events`, with fields, and to one hook, for metrics. May import no other room.
"""

from .reporting import EVENTS, LOGGER, EventKind, Hook, is_hooked, report, set_hook

__all__ = ["EVENTS", "LOGGER", "EventKind", "Hook", "is_hooked", "report", "set_hook"]
