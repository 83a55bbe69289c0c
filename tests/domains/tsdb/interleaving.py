"""Two calls of real code at work at once, in every order of their calls to the store.

Each runs in a thread of its own, and only one at a time: before each call to the store it waits for its turn. A run
follows a list of turns, and then lets the first one go on. What both have read, and what the store holds, is compared
with earlier runs: from a state that was seen before, no run goes on.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import happybase

from shared.testing import WatchedConnection

State: TypeAlias = tuple[Any, ...]
Run: TypeAlias = Callable[[Any], Callable[[], Any]]
"""Gets a connection, prepares, and returns what is then run call by call."""
PASSED_OVER = "scannerGetList", "scannerClose"
"""Calls without a turn of their own: a scan of few rows reads them when it is opened."""


class Seen(BaseException):
    """An earlier run went on from here; not an `Exception`, so that no code handles it."""


class Actor:
    """Code in a thread of its own, which waits for a turn before each call to the store."""

    def __init__(self, connection: happybase.Connection, run: Run, number: int) -> None:
        self.answer: Any = None
        self.is_done = False
        self.replies: list[int] = []
        """What the store has answered, as hashes."""
        self._is_aborted = False
        self.is_prepared = False
        self._turn, self._ended = threading.Semaphore(0), threading.Semaphore(0)
        self.connection = _HashingConnection(self, connection)
        self._thread = threading.Thread(target=self._work, args=(run,), name=f"actor{number:03}", daemon=True)
        self._thread.start()
        self._ended.acquire()

    def step(self) -> None:
        """One call to the store, and all that follows up to the next one."""
        self._turn.release()
        self._ended.acquire()

    def abort(self) -> None:
        """Ends the thread at its next call."""
        self._is_aborted = True
        if not self.is_done:
            self.step()
        self._thread.join()

    def wait(self) -> None:
        """Waits for a turn, once the code is prepared."""
        if not self.is_prepared:
            return
        self._ended.release()
        self._turn.acquire()
        if self._is_aborted:
            raise Seen

    def _work(self, run: Run) -> None:
        try:
            go_on = run(self.connection)
            self.is_prepared = True
            self.answer = go_on()
        except Seen:
            pass
        except Exception as error:
            self.answer = error
        self.is_done = True
        self._ended.release()


class _HashingConnection(WatchedConnection):
    def __init__(self, actor: Actor, connection: happybase.Connection) -> None:
        super().__init__(connection)
        self._actor = actor

    def send(self, name: str, *arguments: Any) -> Any:
        if name not in PASSED_OVER:
            self._actor.wait()
        reply = super().send(name, *arguments)
        if self._actor.is_prepared:
            self._actor.replies.append(hash(repr(reply)) if name != "scannerOpenWithScan" else 0)
        return reply


def every_order(
    new_store: Callable[[], happybase.Connection],
    runs: tuple[Run, ...],
    state: Callable[[happybase.Connection], Any],
    interruptions: int | None = None,
) -> Iterator[tuple[happybase.Connection, list[Any]]]:
    """Each run that ends: its store, and the answer or the error of each actor. `state` is what the store holds.

    With `interruptions`, only the runs in which an actor that could go on has to wait so often at most.
    """
    visited: set[State] = set()
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        turns = waiting.pop()
        connection = new_store()
        actors = [Actor(connection, run, number) for number, run in enumerate(runs)]
        done: list[int] = []
        left = interruptions
        while able := [number for number, actor in enumerate(actors) if not actor.is_done]:
            last = done[-1] if done and done[-1] in able else None
            if len(done) < len(turns):
                turn = turns[len(done)]
            else:
                turn = able[0] if last is None or left is None else last
                here = (
                    state(connection),
                    left is not None and (left, last),
                    *((actor.is_done, *actor.replies) for actor in actors),
                )
                if here in visited:
                    break
                visited.add(here)
                if last is None or left is None or left > 0:
                    waiting += [(*done, other) for other in able if other != turn]
            if left is not None and last is not None:
                left -= turn != last
            actors[turn].step()
            done.append(turn)
        else:
            yield connection, [actor.answer for actor in actors]
            continue
        for actor in actors:
            actor.abort()
