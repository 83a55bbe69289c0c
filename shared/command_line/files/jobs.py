"""Work in processes of their own, several at a time; Ctrl-C ends each of them as it would end this one.

A pool of the standard library does not tell after Ctrl-C how far each process came.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from ..screen.wrong_usage import CommandFailed

T = TypeVar("T")
A = TypeVar("A")


def in_processes(
    run: Callable[[T], A], items: Sequence[T], jobs: int, is_last: Callable[[A], bool]
) -> tuple[list[A], bool]:
    """What `run` returns for each item, in order, and whether Ctrl-C came; it runs in `jobs` forked processes.

    After an answer that `is_last`, and after Ctrl-C, no further item is begun. Items without an answer are missing from
    the result. `run` has to turn every exception, KeyboardInterrupt too, into an answer. Raises CommandFailed if a
    process is killed.
    """
    context: Any = multiprocessing.get_context("fork")
    answers: dict[int, A] = {}
    waiting = list(enumerate(items))
    workers: dict[Connection, Any] = {}
    was_interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal was_interrupted
        was_interrupted = True
        waiting.clear()
        for worker in workers.values():  # which Ctrl-C has reached too, but not `kill` of this process alone
            with suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGINT)

    def give_next(end: Connection) -> None:
        if waiting:
            end.send(waiting.pop(0)[0])
        else:
            end.close()
            workers.pop(end).join()

    earlier = signal.signal(signal.SIGINT, interrupt)
    try:
        for _ in range(min(jobs, len(items))):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_work, args=(run, items, theirs, [*workers, ours]))
            worker.start()
            theirs.close()
            workers[ours] = worker
            give_next(ours)
        while workers:
            for end in wait([*workers]):
                assert isinstance(end, Connection)
                try:
                    number, answer = end.recv()
                except EOFError:
                    if not was_interrupted:
                        raise
                    waiting.clear()
                else:
                    answers[number] = answer
                    if is_last(answer):
                        waiting.clear()
                give_next(end)
    except (EOFError, OSError):  # OSError: it was sent an item that it has not received
        for worker in workers.values():
            worker.terminate()
        raise CommandFailed("a process of --jobs was killed; run the same command to resume") from None
    finally:
        signal.signal(signal.SIGINT, earlier)
    return [answers[number] for number in sorted(answers)], was_interrupted


def _work(run: Callable[[T], A], items: Sequence[T], end: Connection, of_parent: Sequence[Connection]) -> None:
    """Answers for the items that the parent sends, until it closes its end. Ctrl-C ends a run, and nothing else."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in of_parent:
        other.close()
    with suppress(EOFError, OSError):
        while True:
            number: int = end.recv()
            answered: list[A] = []
            with suppress(KeyboardInterrupt):
                signal.signal(signal.SIGINT, _interrupt_once)
                answered.append(run(items[number]))
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            if not answered:
                return
            end.send((number, answered[0]))


def _interrupt_once(*_: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt
