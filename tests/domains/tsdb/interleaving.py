"""Two calls of real code at work at once, in every order of their calls to the store.

Code that goes on is run from its start: its earlier calls are answered as they were, the next one is sent to a copy of
the store, and it ends before the one after. From a state that was seen before, with the same answers, nothing goes on.
"""

from collections.abc import Callable, Iterator
from math import inf
from typing import Any, TypeAlias

import attrs
import happybase

from shared.testing import WatchedConnection

Run: TypeAlias = Callable[[Any], Callable[[], Any]]
"""Gets a connection, prepares, and returns what is then run call by call."""
PASSED_OVER = "scannerGetList", "scannerClose"
"""Calls without a turn of their own: a scan of few rows reads them when it is opened."""


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

    @property
    def seen(self) -> str:
        """The replies, without the numbers of scanners."""
        return repr([reply for name, reply in self.replies if name != "scannerOpenWithScan"])

    def after(self, connection: happybase.Connection, calls: int) -> "Actor":
        """The same code after so many more calls, or when it has ended; the calls that prepare do not count."""
        answering = _Answering(connection, self)
        go_on = self.run(answering)
        answering.left = calls
        is_done, answer = True, None
        try:
            answer = go_on()
        except NotItsTurn:
            is_done = False
        except Exception as error:
            answer = error
        return Actor(self.run, (*answering.replies,), is_done, answer)


class _Answering(WatchedConnection):
    """Answers the calls of an actor that were sent before, and sends `left` more."""

    def __init__(self, connection: happybase.Connection, actor: Actor) -> None:
        super().__init__(connection)
        self._earlier = iter(actor.replies)
        self.replies = [*actor.replies]
        self.left = inf

    def send(self, name: str, *arguments: Any) -> Any:
        for _, reply in self._earlier:
            return reply
        self.left -= name not in PASSED_OVER
        if self.left < 0:
            raise NotItsTurn
        reply = super().send(name, *arguments)
        self.replies.append((name, reply))
        return reply


def every_order(
    store: Any,
    runs: tuple[Run, ...],
    state: Callable[[happybase.Connection], Any],
    interruptions: float = inf,
) -> Iterator[tuple[happybase.Connection, list[Any]]]:
    """Each run that ends: its store, and the answer or the error of each actor. `state` is what the store holds.

    With `interruptions`, only the runs in which an actor that could go on has to wait so often at most.
    """
    visited = set[Any]()
    waiting: list[tuple[Any, list[Actor], int | None, float]]
    waiting = [(store, [Actor(run).after(store, 0) for run in runs], None, interruptions)]
    while waiting:
        connection, actors, last, left = waiting.pop()
        able = [number for number, actor in enumerate(actors) if not actor.is_done]
        if not able:
            yield connection, [actor.answer for actor in actors]
        last = last if last in able else None
        here = state(connection), left < inf and (left, last), *((actor.is_done, actor.seen) for actor in actors)
        if here in visited:
            continue
        visited.add(here)
        for turn in able:
            if (still_left := left - (last not in (None, turn))) >= 0:
                copy = connection.copy()
                acted = [actor.after(copy, 1) if number == turn else actor for number, actor in enumerate(actors)]
                waiting.append((copy, acted, turn, still_left))
