"""Calls that are made side by side, by as many threads as a connection lets requests be in flight."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import happybase

T = TypeVar("T")
A = TypeVar("A")


def side_by_side(connection: "happybase.Connection", make: Callable[[T], A], items: Sequence[T]) -> list[A]:
    """What `make` returns for each item, in order.

    If the connection has `in_flight`, as one of `hbase://` has, so many threads call it; otherwise, as on happybase's
    own connection, only this thread. After an exception no further call begins; it is raised once those under way have
    ended.
    """
    threads = min(getattr(connection, "in_flight", 1), len(items))
    if threads <= 1:
        return [make(item) for item in items]
    answers: dict[int, A] = {}
    waiting = iter(enumerate(items))
    taking, stopped = threading.Lock(), threading.Event()

    def work() -> None:
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

    with ThreadPoolExecutor(threads) as pool:
        workers = [pool.submit(copy_context().run, work) for _ in range(threads)]
        try:
            for worker in workers:
                worker.result()
        finally:
            stopped.set()  # also after Ctrl-C; leaving the block waits for the calls under way
    return [answers[number] for number in range(len(items))]
