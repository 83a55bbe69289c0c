"""Two calls of real code at work at once, in every order of their calls to the store.

Code that goes on is run from its start: its earlier calls are answered as they were, the next one is sent to a copy of
the store, and it ends before the one after. From a state that was seen before, with the same answers, nothing goes on.

If told to, a call is also stopped: its process dies, or only its reply is lost, whatever rows of it are stored; or it
gets no reply, and is executed at any later moment.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import Any, TypeAlias

import attrs
import happybase

from shared.testing import ReplyLost, Stop, WatchedConnection, WriterDied
from shared.testing.crash_points import crash_points

Run: TypeAlias = Callable[[Any], Callable[[], Any]]
"""Gets a connection, prepares, and returns what is then run call by call."""
OPEN_SCANNER = "scannerOpenWithScan"
MANY_ROWS = 10_000
"""More rows than a scan of these tests has."""
LOST = "lost"
"""The reply of a call whose reply is lost."""


class NotItsTurn(BaseException):
    """The next call is that of another actor; not an `Exception`, so that no code handles it."""


@attrs.frozen
class Actor:
    """Code that runs call by call, and how far it is."""

    run: Run
    replies: tuple[tuple[str, Any], ...] = ()
    """What the store has answered, with the names of the calls."""
    is_done: bool = False
    answer: Any = None
    is_late: bool = False
    """Whether this is a call that is executed late, or never."""
    sent: tuple[Any, ...] = ()
    """The name and the arguments of the last call that changes the store."""
    stops: tuple[Stop, ...] = ()
    """The ways to stop this call."""

    @property
    def seen(self) -> str:
        """The replies as text, to compare states."""
        return repr(self.replies)

    def after(self, connection: happybase.Connection, calls: int, stop: Stop | None = None) -> "Actor":
        """The same code after so many more calls, or when it has ended; the calls that prepare do not count.

        With `stop`, the last of these calls ends like this.
        """
        answering = _Answering(connection, self, stop)
        go_on = self.run(answering)
        answering.left = calls
        is_done, answer = True, None
        try:
            answer = go_on()
        except NotItsTurn:
            is_done = False
        except (Exception, WriterDied) as error:
            answer = error
        stops = () if stop else tuple(crash_points(answering.calls))
        return Actor(self.run, (*answering.replies,), is_done, answer, self.is_late, answering.sent, stops)

    def late(self) -> "Actor":
        """The call that was sent last, executed at any later moment."""
        name, *arguments = self.sent
        return Actor(lambda connection: partial(getattr(connection.client, name), *arguments), is_late=True)


class _Answering(WatchedConnection):
    """Answers the calls of an actor that were sent before, and sends `left` more.

    A scan has one turn: all its rows are read when it is opened.
    """

    def __init__(self, connection: happybase.Connection, actor: Actor, stop: Stop | None) -> None:
        super().__init__(connection, lambda _number, _call: stop)
        self._earlier = iter(actor.replies)
        self.replies = [*actor.replies]
        self.left = inf
        self.sent: tuple[Any, ...] = ()
        self._rows: list[list[Any]] = []
        """The rows that each scanner has not returned yet."""

    def send(self, name: str, *arguments: Any) -> Any:
        if name == "scannerGetList":
            scanner, number = arguments
            rows, self._rows[scanner] = self._rows[scanner][:number], self._rows[scanner][number:]
            return rows
        if name == "scannerClose":
            return None
        reply = self._reply(name, *arguments)
        if name != OPEN_SCANNER:
            return reply
        self._rows.append(reply)
        return len(self._rows) - 1

    def _reply(self, name: str, *arguments: Any) -> Any:
        """What the store answers or has answered; the rows of a scan that is opened."""
        for _, reply in self._earlier:
            if reply == LOST:
                raise ReplyLost
            return reply
        self.left -= 1
        if self.left < 0:
            raise NotItsTurn
        self.sent = name, *arguments
        try:
            reply = super().send(name, *arguments)
        except ReplyLost:
            self.replies.append((name, LOST))
            raise
        if name == OPEN_SCANNER:
            scanner, reply = reply, super().send("scannerGetList", reply, MANY_ROWS)
            assert len(reply) < MANY_ROWS
            super().send("scannerClose", scanner)
        self.replies.append((name, reply))
        return reply


def every_order(
    store: Any,
    runs: tuple[Run, ...],
    state: Callable[[happybase.Connection], Any],
    interruptions: float = inf,
    *,
    stops: int = 0,
    check_step: Callable[[Any, Any], object] = lambda _before, _after: None,
) -> Iterator[tuple[happybase.Connection, list[Any]]]:
    """Each run that ends: its store, and the answer or the error of each actor. `state` is what the store holds.

    With `interruptions`, only the runs in which an actor that could go on has to wait so often at most. With `stops`,
    also those in which so many calls are stopped. `check_step` gets the states before and after each step.
    """
    visited = set[Any]()
    waiting: list[tuple[Any, list[Actor], int | None, float, int, Any]]
    waiting = [(store, [Actor(run).after(store, 0) for run in runs], None, interruptions, stops, None)]
    while waiting:
        connection, actors, last, left, stops_left, before = waiting.pop()
        stored = state(connection)
        if before is not None:
            check_step(before, stored)
        able = [number for number, actor in enumerate(actors) if not actor.is_done]
        if all(actors[number].is_late for number in able):
            yield connection, [actor.answer for actor in actors[: len(runs)]]
        last = last if last in able else None
        here = stored, left < inf and (left, last), stops_left, *((actor.is_done, actor.seen) for actor in actors)
        if here in visited:
            continue
        visited.add(here)
        for turn in able:
            if (still_left := left - (last not in (None, turn))) < 0:
                continue
            copy = connection.copy()
            acted = actors[turn].after(copy, 1)
            waiting.append((copy, _with(actors, turn, acted), turn, still_left, stops_left, stored))
            if stops_left and not actors[turn].is_late:
                for stop in acted.stops:
                    copy = connection.copy()
                    stopped = actors[turn].after(copy, 1, stop)
                    others = _with(actors, turn, stopped)
                    waiting.append((copy, others, turn, still_left, stops_left - 1, stored))
                    if not stop.stored:
                        waiting.append(
                            (copy.copy(), [*others, stopped.late()], turn, still_left, stops_left - 1, stored)
                        )


def _with(actors: list[Actor], number: int, acted: Actor) -> list[Actor]:
    return [*actors[:number], acted, *actors[number + 1 :]]
