"""Calls that are made side by side, by the helpers of a connection."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from ..queries.side_by_side import helpers_of

if TYPE_CHECKING:
    import happybase

T = TypeVar("T")
A = TypeVar("A")


def side_by_side(connection: "happybase.Connection", make: Callable[[T], A], items: Sequence[T]) -> list[A]:
    """What `make` returns for each item, in order.

    If the connection has helpers, as one of `hbase://` has, they call it; otherwise, as on happybase's own connection,
    only this thread. After an exception no further call begins; it is raised once those under way have ended.
    """
    helpers = helpers_of(connection)
    if helpers is None or len(items) <= 1:
        return [make(item) for item in items]
    answers: dict[int, A] = {}
    waiting = iter(enumerate(items))
    taking, stopped = threading.Lock(), threading.Event()

    def make_calls() -> None:
        try:
            while not stopped.is_set():
                with taking:
                    taken = next(waiting, None)
                if taken is None:
                    return
                number, item = taken
                answers[number] = make(item)
        except BaseException:
            stopped.set()
            raise

    under_way = [helpers.begin(make_calls) for _ in range(min(helpers.most, len(items)))]
    try:
        for work in under_way:
            work.result()
    except BaseException:  # also Ctrl-C
        stopped.set()
        for work in under_way:
            with suppress(BaseException):
                work.result()
        raise
    return [answers[number] for number in range(len(items))]
