"""Writes over several rows, stopped at their calls: the stores of crash points, and what readers see in them.

A design names its writes and what its readers see (`Write`, `View`). A crash point is a write, one of its calls that
change the store, the rows of this call that are stored, and whether the writer dies or only loses the reply. Each point
has a store of its own, whose contents are compared with those of a run without a crash.
"""

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from typing import Any

import attrs
import happybase

from ..tables import TableLayout
from .contents import Contents, dropped, kept, sources_and_lines
from .engines import Engine, Tables
from .stopped_writes import Clean, Opened, Seen, State, StoppedWrites, Store, View, Write
from .watched_connection import ReplyLost, WatchedConnection, WriterDied

STOPPED = "stopped"
"""Stands for the answer of a writer that was stopped."""


@attrs.frozen(slots=False)
class CrashTests:
    """The writes of a variant, and stores in which they are stopped.

    The checks of `stop_checks` and `rival_checks` stop them: each asserts, and returns how many crashes it visited.
    """

    engine: Engine
    tables: tuple[TableLayout[Any, Any], ...]
    open: Callable[[Any], Any]
    views: tuple[View, ...]
    refusals: tuple[type[Exception], ...]
    """The exceptions with which a write is refused, having stored nothing."""
    contents: Callable[[Any, Iterable[TableLayout[Any, Any]]], Contents] = sources_and_lines
    """The contents of the tables when nothing is under way, as a repository reads them."""

    # ---- stores

    @cached_property
    def _kept(self) -> Tables:
        return tuple(map(kept, self.tables))

    @cached_property
    def _dropped(self) -> Tables:
        return tuple(map(dropped, self.tables))

    @cached_property
    def _stocks(self) -> dict[Callable[[Store], object], Callable[[happybase.Connection], object]]:
        return {}

    @contextmanager
    def store(self, before: Callable[[Store], object], keeps_tombstones: bool | None = None) -> Generator[Store]:
        """A store whose tables keep their tombstones when they are compacted, or do not; if omitted, as declared."""
        tables = self.tables if keeps_tombstones is None else self._kept if keeps_tombstones else self._dropped
        if before not in self._stocks:
            self._stocks[before] = lambda connection: before(Store(connection, self.open))
        with self.engine.stocked_store(self._stocks[before], *tables) as connection:
            yield Store(connection, self.open)

    def see(self, store: Store) -> Seen:
        """What each view shows; asserts that none shows a record twice."""
        repository = store.repository()
        seen = {view.name: tuple(view.see(repository)) for view in self.views}
        for view in self.views:
            identities = [view.identity(value) for value in seen[view.name]]
            assert len({*identities}) == len(identities), f"{view.name}: shown twice: {seen[view.name]}"
        return seen

    def settled(self, store: Store, *, recovers: bool = True) -> Contents:
        """The contents of a store after `recover`, which must leave nothing under way and nothing that disagrees."""
        repository = store.repository()
        if recovers:
            assert repository.upkeep.recover(older_than_ms=0).failed == ()
        assert repository.upkeep.pending() == []
        return self.contents(repository, self.tables)

    def state(self, store: Store) -> State:
        """What readers see in a store, and its contents."""
        stored = self.settled(store)
        return State(self.see(store), stored)

    @cached_property
    def _clean(self) -> dict[str, Clean]:
        return {}

    def clean(self, write: Write) -> Clean:
        """The write without a crash: what is seen before and after it, and its calls."""
        if write.name not in self._clean:
            with self.store(write.before) as store:
                seen_before = self.see(store)
                before = self.state(store)
            with self.store(write.before) as store:
                connection = WatchedConnection(store.connection)
                write.run(self.open(connection))
                seen_after = self.see(store)
                after = self.state(store)
            assert (seen_before, seen_after) == (before.seen, after.seen)
            between = tuple(self._after_some(write, count) for count in range(1, len(write.one_by_one)))
            self._clean[write.name] = Clean(tuple(connection.calls), before, after, between)
        return self._clean[write.name]

    def _after_some(self, write: Write, count: int) -> State:
        """The state after the first few records of a write of several."""
        with self.store(write.before) as store:
            for run in write.one_by_one[:count]:
                run(store.repository())
            return self.state(store)

    def points(self, writes: Iterable[Write]) -> dict[str, tuple[int, int]]:
        """The number of calls and of crash points of each write."""
        cleans = {write.name: self.clean(write) for write in writes}
        return {name: (len(clean.calls), len(clean.points)) for name, clean in cleans.items()}

    def paused(self, store: Store, compacts: bool) -> AbstractContextManager[None]:
        """A block in which a writer is paused; at its end the tables are compacted if told to."""
        return self.engine.paused(store.connection, self.tables) if compacts else nullcontext()

    def check_readers(self, store: Store, clean: Clean, *, may_leave_lines: bool = False) -> State:
        """Checks what readers see in the middle of a write; returns the state that it has decided.

        That is the one before or after it, or one between two of its decisions. With `may_leave_lines`, views that lag
        may show lines that no record has.
        """
        seen = self.see(store)
        exact = self.exact(seen)
        if exact == self.exact(clean.before.seen) != self.exact(clean.after.seen):
            assert seen == clean.before.seen or may_leave_lines
            return clean.before
        (decided, *_) = [state for state in (clean.after, *clean.between) if exact == self.exact(state.seen)]
        for view in self.views:
            if view.lags:
                values, before, after = ({*state[view.name]} for state in (seen, clean.before.seen, clean.after.seen))
                assert before & after <= values <= before | after, view.name
        return decided

    def answer(self, run: Callable[[Any], object], repository: Any) -> object:
        """A writer's answer: a result, the name of a refusal, or `STOPPED`."""
        try:
            return "answered", run(repository)
        except self.refusals as refusal:
            return "refused", type(refusal).__name__
        except (WriterDied, ReplyLost):
            return STOPPED

    def exact(self, seen: Seen) -> Seen:
        """The part of `seen` that comes from views that do not lag."""
        return {view.name: seen[view.name] for view in self.views if not view.lags}


def crash_tests(engine: Engine, stopped: StoppedWrites, variant: Opened) -> CrashTests:
    """The crash tests of a variant of a design."""
    views = tuple(view for view in stopped.views if variant.name not in view.not_in)
    return CrashTests(engine, variant.tables, variant.open, views, stopped.refusals, stopped.contents)
