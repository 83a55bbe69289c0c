"""Writes over several rows as rows of a README's table: each call, and what readers see if the writer dies after it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs

from ..writes import IntentWriter, writers_of
from .crash_tests import CrashTests
from .stopped_writes import Seen, Write
from .watched_connection import Call, Stop, stopped_at


def steps(tests: CrashTests, write: Write) -> Iterator[tuple[str, Seen]]:
    """Each call of the write in words, and what readers see if the writer dies after it; first, before all calls.

    The comparison of clocks, which a process makes once in ten minutes, is left out.
    """
    clean = tests.clean(write)
    with tests.store(write.before) as store:
        writers = writers_of(store.repository())
    yield "", clean.before.seen
    for number, call in enumerate(clean.calls):
        with tests.store(write.before) as store:
            tests.answer(write.run, store.repository(stopped_at(Stop(number, frozenset(range(len(call.rows)))))))
            if call.name != "mutateRows":
                yield step_name(writers, call), tests.see(store)


@attrs.frozen
class Steps:
    """The writes of a design that a README shows step by step."""

    tests: CrashTests
    writes: tuple[Write, ...]
    shown: tuple[str, ...]
    """The writes of which every step is shown."""
    columns: tuple[str, ...]
    """The views that are shown."""
    words: Callable[[tuple[Any, ...]], str]
    """A function that says in a word or two what a view shows."""

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Write, call, and what each view shows after this call."""
        for write in self.writes:
            name = f"`{write.name}`"
            for call, seen in steps(self.tests, write) if write.name in self.shown else ():
                yield name, call or "-", *(self.words(seen[column]) for column in self.columns)
                name = ""

    def points(self) -> dict[str, tuple[int, int]]:
        """The number of calls and of crash points of each write."""
        return self.tests.points(self.writes)


def step_name(writers: Iterable[IntentWriter[Any]], call: Call) -> str:
    """A call of one of these writers in words."""
    for writer in writers:
        if call.table in (writer.intents.name, writer.source.name):
            return _step_of_source(writer, call)
    is_delete = all(mutation.isDelete for _, mutations in call.rows for mutation in mutations)
    lines = "line" if len(call.rows) == 1 else f"{len(call.rows)} lines"
    return f"{lines} in `{call.table}` {'deleted' if is_delete else 'put'}"


def _step_of_source(writer: IntentWriter[Any], call: Call) -> str:
    """A call that changes a source, or the intents of its writer."""
    if call.table == writer.intents.name:
        ((row, mutations),) = call.rows
        cells = {mutation.column: mutation.value or b"" for mutation in mutations}
        intent = writer.intents.record(row, cells)
        return "intent ended" if intent.source_row is None else "intent put"
    return f"{writer.source.holds} decided (`checkAndPut`)"
