"""Writes over several rows, stopped at each of their calls: what readers see then, and what completes the writes.

A design names its writes and what its readers see (`Write`, `View`); `CrashTests` runs them. A crash point is a write,
one of its calls that change the store, the rows of this call that are stored, and whether the writer dies or only loses
the reply. Each point has a store of its own, so what it leaves is compared with all that a run without a crash leaves.
"""

import random
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property, partial
from itertools import chain, combinations, count, product
from typing import Any, Protocol, TypeAlias

import attrs
import happybase
import pytest

from shared.tables import TableLayout
from shared.writes import KEEP_TOMBSTONES_MS, IntentWriter
from tests.watched_connection import (
    Call,
    ReplyLost,
    Script,
    Stop,
    WatchedConnection,
    WriterDied,
    dying_at,
    dying_before,
    paused_at,
    stopped_at,
    undisturbed,
)

ALL_SUBSETS_ROWS = 4
"""The largest batch, in rows, of which every subset is stored; of larger ones some are."""
SUBSETS_OF_LARGE = 14
EVERY_OTHER = frozenset(range(0, 10_000, 2))
ONE_IN = 4
"""A sample of crash points has one in so many."""
RETRIES = 100


def by_name(writes: Iterable["Write"]) -> Callable[..., pytest.MarkDecorator]:
    """Makes a decorator that runs a test for the writes of these names, or for all if it has none."""
    named = {write.name: write for write in writes}

    def of(*names: str) -> pytest.MarkDecorator:
        names = names or tuple(named)
        return pytest.mark.parametrize("write", [named[name] for name in names], ids=names)

    return of


# ---- crash points -----------------------------------------------------------------------------------


def crash_points(calls: Iterable[Call]) -> list[Stop]:
    """Every way to stop each of these calls."""
    return [
        Stop(number, stored, is_death)
        for number, call in enumerate(calls)
        for stored in subsets(len(call.rows))
        for is_death in (True, False)
    ]


def subsets(count: int) -> list[frozenset[int]]:
    """The subsets of so many rows that may be stored if a call is cut short; of many rows, some, always the same."""
    rows = range(count)
    if count <= ALL_SUBSETS_ROWS:
        return [frozenset(subset) for size in range(count + 1) for subset in combinations(rows, size)]
    drawn = random.Random(count)
    some = (frozenset(row for row in rows if drawn.random() < 0.5) for _ in range(SUBSETS_OF_LARGE))
    return list(dict.fromkeys([frozenset[int](), *some, frozenset(rows)]))


def sample(points: Iterable[tuple[Stop, bool]]) -> list[tuple[Stop, bool]]:
    """One in four of the crash points of each call, and at least one."""
    by_call: dict[int, list[tuple[Stop, bool]]] = {}
    for stop, repairs_first in points:
        by_call.setdefault(stop.call, []).append((stop, repairs_first))
    drawn = random.Random(len(by_call))
    return [point for of_call in by_call.values() for point in drawn.sample(of_call, -(-len(of_call) // ONE_IN))]


# ---- what stores hold -------------------------------------------------------------------------------

Contents: TypeAlias = dict[str, dict[bytes, Any]]
"""What each row holds, by table."""


def kept(table: TableLayout[Any, Any], keep_ms: int = KEEP_TOMBSTONES_MS) -> TableLayout[Any, Any]:
    """The table, whose tombstones outlast a compaction for so long."""
    families = {name: attrs.evolve(family, keep_tombstones_ms=keep_ms) for name, family in table.families.items()}
    return attrs.evolve(table, families=families)


def dropped(table: TableLayout[Any, Any]) -> TableLayout[Any, Any]:
    """The table, whose tombstones no compaction keeps."""
    return kept(table, 0)


def sources(writer: Any) -> dict[bytes, Any]:
    """All records of the source table, by row."""
    found = {row: writer.source_of(row, cells).record for row, cells in writer.rows(writer.source.name).scan()}
    return {row: record for row, record in found.items() if record is not None}


def sources_and_lines(repository: Any, tables: Iterable[TableLayout[Any, Any]]) -> Contents:
    """All records of the source table, and the cells of all rows derived from them; asserts that they agree."""
    assert [*map(str, repository.upkeep.verify())] == []
    writer = repository.writer
    records = sources(writer)
    derived = [table.name for table in tables if table.name not in (writer.source.name, writer.intents.name)]
    lines = {name: dict(writer.rows(name).scan()) for name in derived}
    assert {*chain.from_iterable(map(writer.derived, records.values()))} == {
        (name, row, column) for name, rows in lines.items() for row, cells in rows.items() for column in cells
    }
    return {writer.source.name: records, **lines}


# ---- what a design names ----------------------------------------------------------------------------


class CrashEngine(Protocol):
    """What the crash tests need of an engine."""

    compacts: bool
    """Whether `paused` compacts."""
    is_slow: bool
    """Whether a store takes so long that tests visit a sample of the crash points."""

    def shared_store(self, *tables: TableLayout[Any, Any]) -> AbstractContextManager[happybase.Connection]:
        """A connection to rows of its own in these tables, which are empty."""

    def paused(
        self, connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]
    ) -> AbstractContextManager[None]:
        """A block in which a writer is paused and others work. At its end all files of the tables are compacted."""


@attrs.define
class Store:
    """An empty store of one crash point."""

    connection: happybase.Connection
    open: Callable[[Any], Any]

    def repository(self, script: Script = undisturbed) -> Any:
        """A repository of a process of its own."""
        return self.open(WatchedConnection(self.connection, script))

    def die(self, run: Callable[[Any], object], *, before: Callable[[Call], bool]) -> None:
        """Lets a writer die before its first such call."""
        with suppress(WriterDied):
            run(self.repository(dying_before(before)))
            raise AssertionError("the writer made no such call")


@attrs.frozen
class Write:
    """A write over several rows."""

    name: str
    run: Callable[[Any], object]
    """The write, on a repository. The same call again must be harmless, and completes it."""
    removes_lines: bool = attrs.field(default=False, kw_only=True)
    """The write removes lines of lists that lag. The same call again does not remove them, only `recover` does."""
    is_recovered: bool = attrs.field(default=True, kw_only=True)
    """`recover` completes the write; otherwise only the same call again does."""
    before: Callable[[Store], object] = attrs.field(default=lambda store: None)
    """Stores what the write finds."""
    rivals: Mapping[str, Callable[[Any], object]] = attrs.field(factory=dict)
    """Other writes of the same rows, which run in the middle of this one."""


def itself(value: object) -> object:
    return value


@attrs.frozen
class View:
    """What readers see in one way, as values that can be compared."""

    name: str
    see: Callable[[Any], Iterable[Any]]
    """The values, from a repository."""
    identity: Callable[[Any], object] = itself
    """What no two values may share."""
    lags: bool = False
    """While a write is under way, values may be missing or old, never both old and new. Otherwise the view always shows
    what is decided, in step with all other such views."""


Seen: TypeAlias = dict[str, tuple[Any, ...]]


@attrs.frozen
class State:
    """A store as a run without a crash leaves it."""

    seen: Seen
    contents: Contents


@attrs.frozen
class Clean:
    """A write without a crash."""

    calls: tuple[Call, ...]
    before: State
    after: State

    @property
    def points(self) -> list[Stop]:
        return crash_points(self.calls)

    @property
    def deaths(self) -> list[Stop]:
        """The crash points at which a writer dies, without those after a whole call, which are those before the next.

        The last call is the end of the write: a death after it leaves nothing to do.
        """
        return [stop for stop in self.points if stop.is_death and len(stop.stored) < len(self.calls[stop.call].rows)]


@attrs.frozen
class Outcome:
    """What two writers were answered, and what they left."""

    answers: tuple[object, object]
    state: State


STOPPED = "stopped"


@attrs.frozen(slots=False)
class CrashTests:
    """Stops the writes of a variant. Each method asserts, and returns the number of crashes that it visited."""

    engine: CrashEngine
    tables: tuple[TableLayout[Any, Any], ...]
    open: Callable[[Any], Any]
    views: tuple[View, ...]
    refusals: tuple[type[Exception], ...]
    """The exceptions with which a write is refused, having stored nothing."""
    contents: Callable[[Any, Iterable[TableLayout[Any, Any]]], Contents] = sources_and_lines
    """What the tables hold when nothing is under way, as a repository reads them."""
    points_at_most: int | None = None
    """If a write has more crash points, `check_a_stop_at_each_call` visits a sample of them, always the same."""

    # ---- stores

    @contextmanager
    def store(self, before: Callable[[Store], object], keeps_tombstones: bool | None = None) -> Generator[Store]:
        """A store whose tables keep their tombstones when they are compacted, or do not; if omitted, as declared."""
        change = itself if keeps_tombstones is None else kept if keeps_tombstones else dropped
        with self.engine.shared_store(*map(change, self.tables)) as connection:
            store = Store(connection, self.open)
            before(store)
            yield store

    def see(self, store: Store) -> Seen:
        repository = store.repository()
        seen = {view.name: tuple(view.see(repository)) for view in self.views}
        for view in self.views:
            identities = [view.identity(value) for value in seen[view.name]]
            assert len({*identities}) == len(identities), f"{view.name}: shown twice: {seen[view.name]}"
        return seen

    def settled(self, store: Store, *, recovers: bool = True) -> Contents:
        """What a store holds after `recover`, which must leave nothing under way and nothing that disagrees."""
        repository = store.repository()
        if recovers:
            assert repository.upkeep.recover(older_than_ms=0).failed == ()
        assert repository.upkeep.pending() == []
        return self.contents(repository, self.tables)

    def state(self, store: Store) -> State:
        """What readers see in a store, and what it holds."""
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
            self._clean[write.name] = Clean(tuple(connection.calls), before, after)
        return self._clean[write.name]

    def points(self, writes: Iterable[Write]) -> dict[str, tuple[int, int]]:
        """The number of calls and of crash points of each write."""
        cleans = {write.name: self.clean(write) for write in writes}
        return {name: (len(clean.calls), len(clean.points)) for name, clean in cleans.items()}

    def _paused(self, store: Store, compacts: bool) -> AbstractContextManager[None]:
        return self.engine.paused(store.connection, self.tables) if compacts else nullcontext()

    def _check_readers(self, store: Store, clean: Clean, *, may_leave_lines: bool = False) -> bool:
        """Checks what readers see in the middle of a write; returns whether it is decided.

        With `may_leave_lines`, views that lag may show lines that no record has.
        """
        seen = self.see(store)
        exact, exact_before, exact_after = (
            {view.name: state[view.name] for view in self.views if not view.lags}
            for state in (seen, clean.before.seen, clean.after.seen)
        )
        if exact == exact_before != exact_after:
            assert seen == clean.before.seen or may_leave_lines
            return False
        assert exact == exact_after
        for view in self.views:
            if view.lags:
                values, before, after = ({*state[view.name]} for state in (seen, clean.before.seen, clean.after.seen))
                assert before & after <= values <= before | after, view.name
        return True

    def _answer(self, run: Callable[[Any], object], repository: Any) -> object:
        try:
            return "answered", run(repository)
        except self.refusals as refusal:
            return "refused", type(refusal).__name__
        except (WriterDied, ReplyLost):
            return STOPPED

    # ---- crash points

    def check_a_stop_at_each_call(self, write: Write, *, all_replies_lost: bool = True) -> int:
        """The writer stops at every crash point; then the same call again, or a recoverer, completes the write.

        Without `all_replies_lost`, only those of `checkAndPut`: other calls end a write whether it dies or not. And on
        a slow engine only a sample, always the same, with every call.
        """
        clean = self.clean(write)
        points = [
            (stop, repairs_first)
            for stop in clean.points
            if stop.is_death or all_replies_lost or clean.calls[stop.call].name == "checkAndPut"
            for repairs_first in (False, True)
        ]
        if self.engine.is_slow and not all_replies_lost:
            points = sample(points)
        if self.points_at_most is not None and len(points) > self.points_at_most:
            points = random.Random(len(points)).sample(points, self.points_at_most)
        for stop, repairs_first in points:
            with self.store(write.before) as store:
                connection = WatchedConnection(store.connection, stopped_at(stop))
                answer = self._answer(write.run, self.open(connection))
                assert connection.is_stopped
                is_decided = self._check_readers(store, clean)
                if answer != STOPPED:  # the writer found out that its call had arrived
                    assert not stop.is_death
                    assert is_decided
                    assert self.settled(store, recovers=False) == clean.after.contents
                if repairs_first:
                    settled = self.settled(store)
                    if write.is_recovered:
                        assert settled == (clean.after if is_decided else clean.before).contents
                write.run(store.repository())
                if write.removes_lines:
                    assert self._check_readers(store, clean)
                else:
                    assert self.see(store) == clean.after.seen
                assert self.settled(store) == clean.after.contents
        stops = {stop for stop, _ in points}
        assert self.points_at_most is not None or {stop.call for stop in stops} == {*range(len(clean.calls))}
        return len(stops)

    def check_a_crash_of_the_recoverer_too(self, write: Write) -> int:
        """The writer dies, then the recoverer dies at each of its calls, then a second recoverer completes the write.

        And at the same calls the recoverer is only paused, while the same write runs again.
        """
        clean = self.clean(write)
        visited = 0
        for stop in clean.deaths:
            for number in count():
                for is_paused in (False, True):
                    with self.store(write.before) as store:
                        assert self._answer(write.run, store.repository(stopped_at(stop))) == STOPPED
                        is_reached: list[bool] = []

                        def again(store: Store = store, is_reached: list[bool] = is_reached) -> None:
                            is_reached.append(True)
                            write.run(store.repository())

                        script = paused_at(number, again) if is_paused else dying_at(number)
                        connection = WatchedConnection(store.connection, script)
                        with suppress(WriterDied):
                            self.open(connection).upkeep.recover(older_than_ms=0)
                        is_decided = self._check_readers(store, clean)
                        assert is_decided or not is_reached
                        assert self.settled(store) == (clean.after if is_decided else clean.before).contents
                if number >= len(connection.calls):
                    break
                visited += 1
        return visited

    def check_a_pause_at_each_call(self, write: Write, *, compacts: bool = False, keeps_tombstones: bool = True) -> int:
        """The writer is paused before each call while another process recovers, and finishes, or dies at a later call.

        With `compacts`, all tables are compacted meanwhile, if the engine can do that. Unless they keep their
        tombstones, a dead writer may then leave lines without a record, which views that do not lag never show, and
        `repair` removes.
        """
        compacts = compacts and self.engine.compacts
        keeps = keeps_tombstones if compacts else None
        visited = 0
        for paused_number in range(len(self.clean(write).calls)):
            for number in count(paused_number):
                visited += 1
                if not self.check_a_pause(write, paused_number, number, compacts=compacts, keeps_tombstones=keeps):
                    break
        return visited

    def check_a_pause(
        self,
        write: Write,
        paused_number: int,
        dying_number: int | None,
        *,
        compacts: bool = False,
        keeps_tombstones: bool | None = None,
    ) -> bool:
        """One point of `check_a_pause_at_each_call`; returns whether the writer died."""
        clean = self.clean(write)
        may_leave_lines = compacts and not keeps_tombstones
        with self.store(write.before, keeps_tombstones) as store:

            def meanwhile() -> None:
                with self._paused(store, compacts):
                    self.settled(store)

            then = undisturbed if dying_number is None else dying_at(dying_number)
            connection = WatchedConnection(store.connection, paused_at(paused_number, meanwhile, then))
            answer = self._answer(write.run, self.open(connection))
            is_decided = self._check_readers(store, clean, may_leave_lines=may_leave_lines)
            if may_leave_lines:
                repairs = [*store.repository().upkeep.repair()]
                assert {found.kind for found, _ in repairs} <= {"dangling", "left-over"}
                assert all(is_mended for _, is_mended in repairs), repairs
            assert answer == STOPPED or is_decided, "a writer was answered, and what it wrote is not there"
            assert self.settled(store) == (clean.after if is_decided else clean.before).contents
        return connection.is_stopped

    def check_late_calls(self, write: Write) -> int:
        """A call has no reply, and is executed only after the writer has ended and the same write has run again.

        And only after another write has run instead, and after recovery.
        """
        clean = self.clean(write)
        instead = [write.run, *write.rivals.values()]
        for number in range(len(clean.calls)):
            for other, recovers in product(instead, (False, True)):
                with self.store(write.before) as store:
                    stop = Stop(number, is_death=False)
                    connection = WatchedConnection(store.connection, stopped_at(stop))
                    answer = self._answer(write.run, self.open(connection))
                    assert answer == STOPPED or self._check_readers(store, clean)
                    self._answer(other, store.repository())
                    if recovers:
                        self.settled(store)
                    before = self.state(store) if recovers else self._exact(self.see(store))
                    connection.deliver()
                    assert self._exact(self.see(store)) == (self._exact(before.seen) if recovers else before)
                    after = self.state(store)
                    assert after == before if recovers else self._exact(after.seen) == before
                    if other == write.run:
                        assert after == clean.after
        return len(clean.calls)

    def check_rivals(self, write: Write, *, dies: bool = False, compacts: bool = False) -> int:
        """Another write runs in the middle of this one, before each of its calls: it is as if one came after the other.

        With `dies`, this one dies at each later call too: it is as if it had come before, after, or not at all. With
        `compacts`, all tables, which keep their tombstones, are compacted after the other write, if the engine can.
        """
        clean = self.clean(write)
        compacts = compacts and self.engine.compacts
        visited = 0
        for rival in write.rivals.values():
            serial = [self._one_after_the_other(write, rival, is_first) for is_first in (True, False)]
            with self.store(write.before) as store:
                rival_alone = (self._answer(rival, store.repository()), self.state(store))
            for paused_number in range(len(clean.calls)):
                for number in count(paused_number) if dies else (-1,):
                    with self.store(write.before, compacts or None) as store:
                        answers: list[object] = []

                        script = paused_at(
                            paused_number,
                            partial(self._run_rival, rival, store, answers, compacts),
                            dying_at(number),
                        )
                        connection = WatchedConnection(store.connection, script)
                        answer = self._answer(write.run, self.open(connection))
                        exact = self._exact(self.see(store))
                        state = self.state(store)
                        assert exact == self._exact(state.seen)
                        if answer == STOPPED:
                            possible = [(outcome.answers[1], outcome.state) for outcome in serial]
                            assert (*answers, state) in [*possible, rival_alone]
                        else:
                            assert Outcome((answer, *answers), state) in serial
                    visited += 1
                    if not connection.is_stopped:
                        break
        return visited

    def _run_rival(self, rival: Callable[[Any], object], store: Store, answers: list[object], compacts: bool) -> None:
        with self._paused(store, compacts):
            answers.append(self._answer(rival, store.repository()))

    def _exact(self, seen: Seen) -> Seen:
        return {view.name: seen[view.name] for view in self.views if not view.lags}

    def _one_after_the_other(self, write: Write, rival: Callable[[Any], object], is_first: bool) -> Outcome:
        with self.store(write.before) as store:
            runs = (write.run, rival) if is_first else (rival, write.run)
            answers = [self._answer(run, store.repository()) for run in runs]
            first, second = answers if is_first else reversed(answers)
            return Outcome((first, second), self.state(store))

    def check_a_store_that_fails_often(self, writes: Iterable[Callable[[Any], object]], every: int = 3) -> int:
        """Each third call fails, and each write is sent again until it is answered; `recover` then has a sound store.

        A write that needs three calls before it decides never decides: give another `every`. By turns none, all,
        and every other one of the rows of a failed call are stored.
        """
        runs = [*writes]
        with self.store(lambda store: None) as store:
            for run in runs:
                run(store.repository())
            clean = self.state(store)
        with self.store(lambda store: None) as store:
            calls, failures = count(1), count()
            stored = frozenset[int](), frozenset(range(10_000)), EVERY_OTHER

            def fails(number: int, _call: Call) -> Stop | None:
                if next(calls) % every:
                    return None
                return Stop(number, stored[next(failures) % len(stored)], is_death=False)

            repository = store.repository(fails)
            for run in runs:
                for _ in range(RETRIES):
                    with suppress(ReplyLost):
                        run(repository)
                        break
                else:
                    raise AssertionError(f"failed {RETRIES} times")
            assert self._exact(self.see(store)) == self._exact(clean.seen)
            assert self.settled(store) == clean.contents
        return next(failures)

    # ---- what a README shows

    def steps(self, write: Write) -> Iterator[tuple[str, Seen]]:
        """Each call of the write in words, and what readers see if the writer dies after it; first, before all calls.

        The comparison of clocks, which a process makes once in ten minutes, is left out.
        """
        clean = self.clean(write)
        with self.store(write.before) as store:
            writers = writers_of(store.repository())
        yield "", clean.before.seen
        for number, call in enumerate(clean.calls):
            with self.store(write.before) as store:
                self._answer(write.run, store.repository(stopped_at(Stop(number, frozenset(range(len(call.rows)))))))
                if call.name != "mutateRows":
                    yield step_name(writers, call), self.see(store)


@attrs.frozen
class Steps:
    """What a README shows of the writes of a design."""

    tests: CrashTests
    writes: tuple[Write, ...]
    shown: tuple[str, ...]
    """The writes of which every step is shown."""
    columns: tuple[str, ...]
    """The views that are shown."""
    words: Callable[[tuple[Any, ...]], str]
    """What a view shows, in a word or two."""

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Write, call, and what each view shows after this call."""
        for write in self.writes:
            name = f"`{write.name}`"
            for call, seen in self.tests.steps(write) if write.name in self.shown else ():
                yield name, call or "-", *(self.words(seen[column]) for column in self.columns)
                name = ""

    def points(self) -> dict[str, tuple[int, int]]:
        """The number of calls and of crash points of each write."""
        return self.tests.points(self.writes)


def writers_of(repository: Any) -> list[IntentWriter[Any]]:
    """The writers of a repository, each with a source and intents of its own."""
    return [value for value in vars(repository).values() if isinstance(value, IntentWriter)]


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
        intent = writer.intents.record(row, {mutation.column: mutation.value for mutation in mutations})
        return "intent ended" if intent.source_row is None else "intent put"
    return f"{writer.source.holds} decided (`checkAndPut`)"
