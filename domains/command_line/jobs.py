"""Work in processes of their own, several at a time; Ctrl-C ends each of them as it would end this one."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from .usage import CommandFailed

T = TypeVar("T")
A = TypeVar("A")


def in_processes(run: Callable[[T], A], items: Sequence[T], jobs: int, is_last: Callable[[A], bool]) -> list[A]:
    """What `run` returns for each item, in order; `jobs` forked processes call it, each for one item at a time.

    After an answer that `is_last`, and after Ctrl-C, no further item is begun. Items without an answer are missing from
    the result. `run` has to turn every exception, KeyboardInterrupt too, into an answer. Raises CommandFailed if a
    process is killed.
    """
    context: Any = multiprocessing.get_context("fork")
    answers: dict[int, A] = {}
    waiting = list(enumerate(items))
    workers: dict[Connection, Any] = {}
    for _ in range(min(jobs, len(items))):
        ours, theirs = context.Pipe()
        worker = context.Process(target=_work, args=(run, items, theirs, [*workers, ours]))
        worker.start()
        theirs.close()
        workers[ours] = worker
        ours.send(waiting.pop(0)[0])
    while workers:
        try:
            for end in wait([*workers]):
                assert isinstance(end, Connection)
                try:
                    number, answer = end.recv()
                    answers[number] = answer
                    if is_last(answer):
                        waiting.clear()
                    if waiting:
                        end.send(waiting.pop(0)[0])
                        continue
                except (EOFError, OSError):  # OSError: it was sent an item that it has not received
                    raise CommandFailed("a process of --jobs was killed; run the same command to resume") from None
                end.close()
                workers.pop(end).join()
        except KeyboardInterrupt:
            waiting.clear()
            for worker in workers.values():
                with suppress(ProcessLookupError):
                    os.kill(worker.pid, signal.SIGINT)
        except CommandFailed:
            for worker in workers.values():
                worker.terminate()
            raise
    return [answers[number] for number in sorted(answers)]


def _work(run: Callable[[T], A], items: Sequence[T], end: Connection, of_parent: Sequence[Connection]) -> None:
    """Answers for the items that the parent sends, until it closes its end."""
    for other in of_parent:
        other.close()
    signal.signal(signal.SIGINT, _interrupt_once)
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            number: int = end.recv()
            end.send((number, run(items[number])))


def _interrupt_once(*_: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt
