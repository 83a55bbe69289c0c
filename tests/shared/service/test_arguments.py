"""The arguments of a call, read from a request: each by its type, or refused in one line."""

import gc
import weakref
from collections.abc import Iterable
from typing import Literal

import attrs
import pytest

from shared.keys import InvalidQuestion
from shared.records import integer, text
from shared.service import read_arguments


@attrs.frozen
class Ticket:
    ticket_id: str = attrs.field(validator=text())
    due_ms: int = attrs.field(validator=integer(0))
    tie: bytes = b""


class Tickets:
    """The methods of a repository; each returns what it gets."""

    def put(self, ticket: Ticket) -> Ticket:
        return ticket

    def put_all(self, tickets: Iterable[Ticket]) -> list[Ticket]:
        return [*tickets]

    def move(self, ticket: Ticket, names: Iterable[str], day: int = 7) -> object:
        return ticket, [*names], day

    def of(self, team: str, since_ms: int | None = None, state: Literal["open", "done"] = "open") -> object:
        return team, since_ms, state


TICKETS = Tickets()
ONE = {"ticket_id": "1", "due_ms": "2026-01-12", "tie": "00ff"}
DUE_MS = 1_768_176_000_000


@pytest.mark.parametrize(
    ("method", "given", "result"),
    [
        (TICKETS.put, ONE, Ticket("1", DUE_MS, b"\0\xff")),
        (TICKETS.put, {"ticket_id": "1", "due_ms": DUE_MS}, Ticket("1", DUE_MS)),
        (TICKETS.put_all, [ONE, ONE], [Ticket("1", DUE_MS, b"\0\xff")] * 2),
        (TICKETS.put_all, [], []),
        (TICKETS.move, {"ticket": ONE, "names": ["a"]}, (Ticket("1", DUE_MS, b"\0\xff"), ["a"], 7)),
        (TICKETS.of, {"team": "net"}, ("net", None, "open")),
        (TICKETS.of, {"team": "", "since_ms": "0", "state": "done"}, ("", 0, "done")),
    ],
)
def test_arguments_are_read_by_their_types(method, given, result) -> None:
    assert method(**read_arguments(method, given)) == result


@pytest.mark.parametrize(
    ("method", "given", "refusal"),
    [
        (TICKETS.put, [], "Ticket: must be an object with ticket_id, due_ms, tie (got [])"),
        (TICKETS.put, {}, "Ticket.ticket_id: is missing"),
        (TICKETS.put, {"ticket": ONE}, "Ticket.ticket: is unknown (names: ticket_id, due_ms, tie)"),
        (TICKETS.put, {**ONE, "ticket_id": ""}, "Ticket.ticket_id: must be text, not empty (got '')"),
        (TICKETS.put, {**ONE, "ticket_id": 1.5}, "Ticket.ticket_id: must be text (got 1.5)"),
        (TICKETS.put, {**ONE, "due_ms": -1}, "Ticket.due_ms: must be 0.. (got -1)"),
        (TICKETS.put, {**ONE, "due_ms": True}, "Ticket.due_ms: must be an int (got True)"),
        (TICKETS.put, {**ONE, "tie": "0"}, "Ticket.tie: must be bytes in hex (got '0')"),
        (
            TICKETS.put_all,
            ONE,
            "tickets: must be a list (got {'ticket_id': '1', 'due_ms': '2026-01-12', 'tie': '00ff'})",
        ),
        (TICKETS.put_all, [ONE, None], "Ticket: must be an object with ticket_id, due_ms, tie (got None)"),
        (TICKETS.move, {"ticket": ONE, "names": "ab"}, "names: must be a list (got 'ab')"),
        (TICKETS.move, {"ticket": ONE, "names": [True]}, "names: must be text (got True)"),
        (TICKETS.move, {"ticket": ONE, "names": [], "day": "1.5"}, "day: must be an int (got '1.5')"),
        (TICKETS.of, {}, "of.team: is missing"),
        (TICKETS.of, {"team": "net", "sinse_ms": "0"}, "of.sinse_ms: is unknown (names: team, since_ms, state)"),
        (TICKETS.of, {"team": "net", "state": "shut"}, "state: must be one of open, done (got 'shut')"),
        (TICKETS.of, None, "of: must be an object with team, since_ms, state (got None)"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(method, given, refusal) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        read_arguments(method, given)
    assert str(refused.value) == refusal


def test_a_repository_is_not_kept_for_its_methods() -> None:
    tickets = Tickets()
    read_arguments(tickets.put, ONE)
    known = weakref.ref(tickets)
    del tickets
    gc.collect()
    assert known() is None
