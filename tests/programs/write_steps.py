"""What a page shows of writes over several rows: each call, and what readers see if the writer dies after it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs

from shared.intents import IntentWriter
from shared.intents.writer import writers_of
from shared.testing import Call, Stop, Write, stopped_at
from shared.testing.crash_tests import CrashTests


@attrs.frozen
class Step:
    """A call of a write, and what readers see if the writer dies after it."""

    call: str
    """The call in words; empty for what readers see before all calls."""
    decides: bool
    """Whether it is the `checkAndPut` of a source."""
    seen: tuple[str, ...]
    """What each view shows, in a word or two."""


@attrs.frozen
class Steps:
    """What a page shows of the writes of a design."""

    tests: CrashTests
    writes: tuple[Write, ...]
    shown: tuple[str, ...]
    """The writes of which every step is shown."""
    columns: tuple[str, ...]
    """The views that are shown."""
    words: Callable[[tuple[Any, ...]], str]
    """A function that says in a word or two what a view shows."""

    def of(self, write: Write) -> Iterator[Step]:
        """The state before the write, then each of its calls.

        The comparison of clocks, which a process makes once in ten minutes, is left out.
        """
        clean = self.tests.clean(write)
        with self.tests.store(write.before) as store:
            writers = writers_of(store.repository())
        yield Step("", False, self._seen(clean.before.seen))
        for number, call in enumerate(clean.calls):
            if call.name != "mutateRows":
                with self.tests.store(write.before) as store:
                    stop = Stop(number, frozenset(range(len(call.rows))))
                    self.tests.answer(write.run, store.repository(stopped_at(stop)))
                    seen = self._seen(self.tests.see(store))
                yield Step(step_name(writers, call), call.name == "checkAndPut", seen)

    def _seen(self, seen: Mapping[str, tuple[Any, ...]]) -> tuple[str, ...]:
        return tuple(self.words(seen[column]) for column in self.columns)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Write, call, and what each view shows after this call."""
        for write in self.writes:
            name = f"`{write.name}`"
            for step in self.of(write) if write.name in self.shown else ():
                yield name, step.call or "-", *step.seen
                name = ""

    @property
    def compares_clocks(self) -> bool:
        """Whether the first write of a connection compares the clocks."""
        with self.tests.store(self.writes[0].before) as store:
            return bool(writers_of(store.repository()))

    @property
    def longest(self) -> Write:
        """The write with the most calls of those that are shown."""
        shown = (write for write in self.writes if write.name in self.shown)
        return max(shown, key=lambda write: len(self.tests.clean(write).calls))

    def points(self) -> dict[str, tuple[int, int]]:
        """The number of calls and of crash points of each write."""
        return self.tests.points(self.writes)


def step_name(writers: Iterable[IntentWriter[Any]], call: Call) -> str:
    """A call of one of these writers in words."""
    for writer in writers:
        if call.table == writer.source.name and call.name == "checkAndPut":
            return f"`checkAndPut` {writer.source.holds}"
        if call.table == writer.intents.name:
            return _step_of_intent(writer, call)
    if call.name == "checkAndPut":
        return f"`checkAndPut` in `{call.table}`"
    is_delete = all(mutation.isDelete for _, mutations in call.rows for mutation in mutations)
    lines = "" if len(call.rows) == 1 else f" {len(call.rows)} lines"
    return f"delete{lines} from `{call.table}`" if is_delete else f"put{lines} into `{call.table}`"


def _step_of_intent(writer: IntentWriter[Any], call: Call) -> str:
    """A call that changes an intent."""
    ((row, mutations),) = call.rows
    cells = {mutation.column: mutation.value or b"" for mutation in mutations}
    intent = writer.intents.record(row, cells)
    return "end the intent" if intent.source_row is None else "put the intent"
