"""Writers that take turns: each call of one of them is sent when a schedule says so, and any of them may die."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from shared.tables import TableLayout, check_layouts
from shared.testing import WatchedConnection, WriterDied

Writer = Callable[[Any], object]
"""What a writer does, with a connection of its own."""


class InTurn:
    """Writers in threads, of which exactly one runs at any time; all others wait before a call to the store.

    The connection of each has compared the layouts of the `tables`. `choose` gets the numbers of the waiting writers,
    and returns the one whose call is sent next. If `dies` is true for a number, that writer is killed instead. `after`
    is called after each turn.
    """

    def __init__(
        self,
        connection: Any,
        tables: Sequence[TableLayout[Any, Any]],
        choose: Callable[[Sequence[int]], int],
        dies: Callable[[int], bool] = lambda _number: False,
        after: Callable[[], object] = lambda: None,
    ) -> None:
        self._connection = connection
        self._tables = tables
        self._choose = choose
        self._dies = dies
        self._after = after
        self._turns: list[threading.Semaphore] = []
        self._dead: set[int] = set()
        self._stopped = threading.Semaphore(0)
        self._errors: list[BaseException] = []

    def run(self, writers: Sequence[Writer]) -> None:
        """Runs the writers until each has ended or is dead. Raises the first error of a writer."""
        waiting: set[int] = set()
        self._turns = [threading.Semaphore(0) for _ in writers]

        def work(number: int, writer: Writer) -> None:
            def before_call(_call: int) -> None:
                if not is_ready:
                    return
                waiting.add(number)
                self._stopped.release()
                self._turns[number].acquire()
                if number in self._dead:
                    raise WriterDied

            is_ready = False
            connection = WatchedConnection(self._connection, before_call=before_call)
            check_layouts(connection, self._tables)
            is_ready = True
            try:
                writer(connection)
            except WriterDied:
                pass
            except BaseException as error:
                self._errors.append(error)
            self._stopped.release()

        threads = [threading.Thread(target=work, args=numbered, daemon=True) for numbered in enumerate(writers)]
        for thread in threads:
            thread.start()
            self._stopped.acquire()
        while waiting:
            number = self._choose(sorted(waiting))
            waiting.remove(number)
            if self._dies(number):
                self._dead.add(number)
            self._turns[number].release()
            self._stopped.acquire()
            self._after()
        for thread in threads:
            thread.join()
        if self._errors:
            raise self._errors[0]


def rounds() -> Callable[[Sequence[int]], int]:
    """A schedule in which all waiting writers send one call each, then all send the next one."""
    left: list[int] = []

    def choose(waiting: Sequence[int]) -> int:
        if not left:
            left.extend(waiting)
        return left.pop(0)

    return choose
