"""An explorer of the code that writes: every order in which the calls of several processes reach the store.

`Programs` run as processes of their own. Each step of a call, which is one row, is a point at which another process may
go on. At most `Faults.number` times in a run a process dies before a call, loses a reply, or a call arrives later, or
once more later. Time stands still, or jumps once for all, before a call of which another process may notice something;
a compaction may run at any moment. At last a recoverer runs.

A world is the store, where each program stands, and what may still happen. No world is visited twice. If the next call
of a process makes no difference to any other (`_is_apart`), only this process goes on: the other orders lead to the
same worlds. What the other processes may still touch is learned while exploring; if that turns out to be too little,
the exploration is repeated.

In every world a moving list has each line of each record. In every world in which all have ended, the store holds what
the writes leave if they run one after another in some order that fits the answers.
"""

import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, permutations, product
from random import Random
from typing import Any, NamedTuple, TypeAlias

import attrs

from shared.intents import KEEP_TOMBSTONES_MS
from shared.intents.slots import CLOCK_SLOT, PROCESS_BYTES
from shared.intents.writer import writers_of
from shared.testing import Contents
from shared.testing.crash_tests import CrashTests
from tests.shared.intents.replaying import LOST, HandClock, Node, Program, own_process
from tests.shared.intents.small_store import (
    EMPTY,
    Call,
    Cells,
    Change,
    CheckAndPut,
    SmallConnection,
    SmallStore,
    answered,
    compacted,
    touched,
)

START_MS = 1_790_000_000_000
CLOCK_ROW = CLOCK_SLOT.to_bytes(4, "big")


@attrs.frozen
class Scene:
    """What may happen while programs run."""

    faults: int = 0
    """How many calls of a run may go wrong."""
    kinds: tuple[str, ...] = ("dies", "lost", "late", "doubled")
    """What may happen to them: the process dies before, the reply is lost, they arrive later, or once more later."""
    recoverers: int = 0
    """How many processes recover meanwhile."""
    jump_ms: int = 0
    """How far time jumps, at one moment; 0 for not at all."""
    recovers_after_jump: bool = False
    """Recoverers begin only after it."""
    compactions: int = 0
    compacts_last: bool = False
    """A compaction runs only once the last recoverer is about to decide: every write has ended, or has lost a reply."""
    keep_tombstones_ms: int = KEEP_TOMBSTONES_MS
    """How long tombstones outlast it."""
    skews_ms: tuple[int, ...] = ()
    """How far the clocks of the first processes are ahead."""


class Ended(NamedTuple):
    """A process that has ended. `answer` is None if it lost a reply."""

    answer: Any


DEAD = Ended(None)


class At(NamedTuple):
    """A process that waits at a call, some of whose steps were answered."""

    node: Node
    answers: tuple[Any, ...]


Stand: TypeAlias = At | Ended | None
"""Where a process stands; None if it has not begun."""
Late: TypeAlias = tuple[Call, int]
"""A call that is under way without a process that waits for it, from one of its steps on."""


Way: TypeAlias = tuple[Any, Any]
"""The last step to a world, and the way before it."""


class World(NamedTuple):
    """Everything, at one moment."""

    store: "Stored"
    stands: tuple[Stand, ...]
    """Of each process; that of the last recoverer is the last one."""
    late: frozenset[Late]
    faults: int
    is_before_jump: bool
    compactions: int
    began_after: frozenset[tuple[int, int]]
    """Which process began after which other one had ended."""


class Stored:
    """The contents of a store. There is one such object for the same contents."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.after: dict[Any, tuple[Stored, Any]] = {}


@attrs.frozen
class Explored:
    """What an exploration came to."""

    states: int
    is_cut: bool
    """Whether it ended at its limit, with worlds unvisited."""
    fault: str | None
    """What is wrong in the first bad world; None if no world is bad."""
    path: tuple[str, ...]
    """The steps to it."""

    def __str__(self) -> str:
        end = ", cut" if self.is_cut else ""
        return "\n".join([f"{self.states:,} worlds{end}: {self.fault or 'none is bad'}", *self.path])


class Exploration:
    """Programs that run at once on these cells, the first of which are `writes`, and what must hold.

    If the first write decides several records, `parts` are the writes of one record each.
    """

    def __init__(
        self,
        programs: list[Program],
        recover: Program,
        tests: CrashTests,
        cells: Cells,
        scene: Scene,
        writes: int,
        parts: Sequence[Callable[[Any], object]] = (),
    ) -> None:
        self._parts = parts
        self._programs = [*programs, recover]
        self._tests = tests
        self._cells = cells
        self._scene = scene
        self._writes = writes
        self._learned = False
        self._known: dict[frozenset[Any], Stored] = {}
        self._wanted: dict[tuple[int, bytes, bytes], frozenset[Any]] = {}
        self._faults_of: dict[Stored, str | None] = {}
        self._contents_of: dict[Stored, Contents | str] = {}
        self._judged: dict[Any, str | None] = {}
        self._writers = writers_of(tests.open(SmallConnection(lambda call: [None])))
        self._moving = {name.encode() for writer in self._writers for name in writer.moving}
        self._intents = {writer.intents.name.encode() for writer in self._writers}

    # ---- the search

    def explore(self, most: int) -> Explored:
        """Visits every world, depth first; ends at the first bad one, or when it has seen more than `most`."""
        while True:
            self._learned = False
            explored = self._explored(most)
            if not self._learned or explored.fault is not None or explored.is_cut:
                return explored

    def _explored(self, most: int) -> Explored:
        first = self._first()
        seen = {first}
        stack: list[tuple[World, Way | None]] = [(first, None)]
        while stack:
            world, way = stack.pop()
            if fault := self._fault_of(world):
                return Explored(len(seen), False, fault, _path(way))
            for what, following in self._steps(world):
                if following not in seen:
                    seen.add(following)
                    stack.append((following, (what, way)))
            if len(seen) > most:
                return Explored(len(seen), True, None, ())
        return Explored(len(seen), False, None, ())

    def walk(self, dice: Random) -> Explored:
        """Goes from world to world at random, to the first bad one or to one in which all have ended."""
        world, path = self._first(), list[str]()
        while True:
            fault = self._fault_of(world)
            steps = [*self._steps(world)]
            if fault or not steps:
                return Explored(len(path), False, fault, tuple(path))
            what, world = dice.choice(steps)
            path.append(shown_step(what))

    def _first(self) -> World:
        scene, stands = self._scene, (None,) * len(self._programs)
        store = self._stored(self._cells)
        return World(store, stands, frozenset(), scene.faults, scene.jump_ms > 0, scene.compactions, frozenset())

    def _stored(self, cells: Cells) -> Stored:
        key = frozenset(cells.items())
        if key not in self._known:
            self._known[key] = Stored(cells)
        return self._known[key]

    def _now_ms(self, world: World) -> int:
        return START_MS if world.is_before_jump else START_MS + self._scene.jump_ms

    # ---- the steps

    def _steps(self, world: World) -> Iterator[tuple[Any, World]]:
        now_ms = self._now_ms(world)
        standing = [self._standing(world, number, now_ms) for number in range(len(self._programs))]
        for message in world.late:
            if self._is_apart(world, standing, None, message[0]):
                yield self._arrived(world, message, now_ms)
                return
        for number, at in enumerate(standing):
            if at is not None and self._is_apart(world, standing, number, at.node.call):
                yield from self._goes_on(world, number, at, now_ms)
                return
        if world.is_before_jump and any(isinstance(stand, At) for stand in world.stands):
            yield ("time passes",), world._replace(is_before_jump=False)
        if world.compactions and (not self._scene.compacts_last or self._is_about_to_decide(world.stands[-1])):
            after = self._stored(compacted(world.store.cells, self._scene.keep_tombstones_ms, now_ms))
            if after is not world.store:
                yield ("compaction",), world._replace(store=after, compactions=world.compactions - 1)
        for message in world.late:
            yield self._arrived(world, message, now_ms)
        for number, at in enumerate(standing):
            if at is not None:
                yield from self._goes_on(world, number, at, now_ms)

    @staticmethod
    def _is_about_to_decide(stand: Stand) -> bool:
        return isinstance(stand, At) and isinstance(stand.node.call, CheckAndPut)

    def _standing(self, world: World, number: int, now_ms: int) -> At | None:
        """Where a process goes on from; None if it has ended, or must wait for all others."""
        stand = world.stands[number]
        if isinstance(stand, Ended):
            return None
        if stand is not None:
            return stand
        if number == len(self._programs) - 1 and not all(isinstance(other, Ended) for other in world.stands[:-1]):
            return None
        if number >= self._writes and world.is_before_jump and self._scene.recovers_after_jump:
            return None
        node = self._programs[number].at_start(now_ms)
        self._learned |= node.learn()
        return At(node, ())

    def _is_apart(self, world: World, standing: list[At | None], number: int | None, call: Call | None) -> bool:
        """Whether this call makes no difference to what others do, nor to what must hold in every world.

        Puts and deletes commute, so only reads matter, and those changes that a read would see.
        """
        assert call is not None
        if self._is_of_clock(call):
            return True
        if isinstance(call, CheckAndPut) or (isinstance(call, Change) and call.table in self._moving):
            return False
        if world.compactions and isinstance(call, Change):
            return False
        others = [at.node for other, at in enumerate(standing) if at is not None and other != number]
        kind = "read" if isinstance(call, Change) else "change"
        for node in others:
            if _meets(node.touches, kind, call):
                return False
        if any(_meets(touched(message[0]), kind, call) for message in world.late if message[0] is not call):
            return False
        for node in others:
            node.is_relied_on = True
        return True

    def _goes_on(self, world: World, number: int, at: At, now_ms: int) -> Iterator[tuple[Any, World]]:
        name, call = self._programs[number].name, at.node.call
        assert call is not None
        step = len(at.answers)
        store, answer = self._after(world.store, call, step, now_ms)
        if world.stands[number] is None:
            ended = {other for other, stand in enumerate(world.stands) if isinstance(stand, Ended) and stand.answer}
            world = world._replace(began_after=world.began_after | {(number, other) for other in ended})
        heard = self._heard(at, answer, now_ms)
        yield (name, call), self._with(world, number, heard, store=store)
        is_change = isinstance(call, Change | CheckAndPut)
        if not world.faults or not is_change or number == len(self._programs) - 1 or self._is_of_clock(call):
            return
        left = world.faults - 1
        kinds = self._scene.kinds
        late = world.late | {(call, step)}
        if "dies" in kinds:
            yield (name, "dies before", call), self._with(world, number, DEAD, faults=left)
        if "late" in kinds:
            lost = self._heard(at, LOST, now_ms)
            yield (name, "hears nothing of", call), self._with(world, number, lost, late=late, faults=left)
        if "lost" in kinds and step == len(call.rows) - 1:
            lost = self._heard(at, LOST, now_ms)
            yield (name, call, "but hears nothing"), self._with(world, number, lost, store=store, faults=left)
        if "doubled" in kinds and step == 0:
            again = self._with(world, number, heard, store=store, late=late, faults=left)
            yield (name, call, "and again later"), again

    def _is_of_clock(self, call: Call) -> bool:
        return call.table in self._intents and call.rows[0][PROCESS_BYTES:] == CLOCK_ROW

    def _heard(self, at: At, answer: Any, now_ms: int) -> At | Ended:
        """Where a process stands after a step of its call was answered."""
        answers: Any = answer
        if answer is not LOST:
            answers = (*at.answers, answer)
            assert at.node.call is not None
            if len(answers) < len(at.node.call.rows):
                return At(at.node, answers)
        node = at.node.after(answers, now_ms)
        self._learned |= node.learn()
        return At(node, ()) if node.call is not None else Ended(node.answer)

    @staticmethod
    def _with(world: World, number: int, stand: At | Ended, **changes: Any) -> World:
        stands = (*world.stands[:number], stand, *world.stands[number + 1 :])
        return world._replace(stands=stands, **changes)

    def _after(self, store: Stored, call: Call, step: int, now_ms: int) -> tuple[Stored, Any]:
        key = call, step, now_ms
        if key not in store.after:
            cells, answer = answered(store.cells, call, step, now_ms)
            store.after[key] = store if cells is store.cells else self._stored(cells), answer
        return store.after[key]

    def _arrived(self, world: World, message: Late, now_ms: int) -> tuple[Any, World]:
        call, first = message
        store = world.store
        for step in range(first, len(call.rows)):
            store, _ = self._after(store, call, step, now_ms)
        return (call, "arrives late"), world._replace(store=store, late=world.late - {message})

    # ---- what must hold

    def _fault_of(self, world: World) -> str | None:
        if world.store not in self._faults_of:
            self._faults_of[world.store] = self._fault_of_lists(world.store.cells)
        if fault := self._faults_of[world.store]:
            return fault
        if not all(isinstance(stand, Ended) for stand in world.stands):
            return None
        key = world.store, world.stands, world.began_after
        if key not in self._judged:
            self._judged[key] = self._fault_of_end(world)
        return self._judged[key]

    def _fault_of_lists(self, cells: Cells) -> str | None:
        """A line that a moving list lacks."""
        for number, writer in enumerate(self._writers):
            source, decided = writer.source.name.encode(), writer.cells.columns[0]
            for (table, row, column), held in cells.items():
                if (table, column) == (source, decided) and held.is_visible:
                    for key in self._lines(number, row, held.value):
                        if not cells.get(key, EMPTY).is_visible:
                            return f"{key[0].decode()} lacks {key[1]!r} of {row!r}"
        return None

    def _lines(self, number: int, row: bytes, value: bytes) -> frozenset[Any]:
        """The cells of a source's record in moving lists."""
        key = number, row, value
        if key not in self._wanted:
            writer = self._writers[number]
            record = writer.reader.source_of(row, {writer.cells.columns[0]: value}).record
            cells = writer.derived(record) if record is not None else {}
            self._wanted[key] = frozenset((t.encode(), r, c) for t, r, c in cells if t in writer.moving)
        return self._wanted[key]

    def _fault_of_end(self, world: World) -> str | None:
        contents = self._contents_in(world.store)
        if isinstance(contents, str):
            return contents
        ended = [stand for stand in world.stands if isinstance(stand, Ended)]
        if ended[-1].answer is None or ended[-1].answer[1].failed:
            return f"the last recoverer failed: {ended[-1].answer}"
        answers = [stand.answer for stand in ended[: self._writes]]
        for order, serial_answers, serial_contents in self._serial:
            fits = all(
                answer is None or (number in order and serial_answers[number] == answer)
                for number, answer in enumerate(answers)
            )
            keeps_order = all(
                order.index(first) < order.index(then)
                for then, first in world.began_after
                if then in order and first in order
            )
            if fits and keeps_order and serial_contents == contents:
                return None
        return f"no order of the writes gives {answers} and leaves {contents}"

    def _contents_in(self, store: Stored) -> Contents | str:
        """What a store holds, or what is wrong in it."""
        if store not in self._contents_of:
            self._contents_of[store] = self._read(SmallStore(store.cells, START_MS + self._scene.jump_ms))
        return self._contents_of[store]

    def _read(self, store: SmallStore) -> Contents | str:
        with own_process(HandClock(store.now_ms), "reader"):
            repository = self._tests.open(store.connection)
            if repository.upkeep.pending():  # an intent that arrived after the last recoverer
                repository.upkeep.recover(older_than_ms=0)
            if pending := repository.upkeep.pending():
                return f"never settled: {pending}"
            try:
                return self._tests.contents(repository, self._tests.tables)
            except AssertionError as error:
                wrong = [*map(str, repository.upkeep.verify())]
                return f"not true: {traceback.extract_tb(error.__traceback__)[-1].line} {wrong}"

    @cached_property
    def _serial(self) -> list[tuple[tuple[int, ...], dict[int, Any], Contents | str]]:
        """What any of the writes leave if they run one after another, and what they are answered."""
        sizes = range(self._writes + 1)
        orders = [order for size in sizes for order in permutations(range(self._writes), size)]
        serial = [(order, *self._one_after_the_other(order)) for order in orders]
        return [*serial, *self._serial_parts([order for order in orders if 0 not in order])]

    def _serial_parts(
        self, orders: list[tuple[int, ...]]
    ) -> Iterator[tuple[tuple[int, ...], dict[int, Any], Contents | str]]:
        """The same if the first write is several, of which any may be missing, with others in between.

        A recoverer that comes before its decision leaves out one of them, and what follows is decided all the same.
        """
        counts = range(1, len(self._parts) + 1)
        subsets = [some for count in counts for some in combinations(self._parts, count)]
        for others, some in product(orders, subsets):
            count = len(some)
            for places in combinations(range(count + len(others)), len(others)):
                parts, rivals = iter(some), iter(others)
                sequence = [next(rivals) if at in places else next(parts) for at in range(count + len(others))]
                answers, contents = self._one_after_the_other(sequence)
                if count == len(self._parts):
                    yield (*others, 0), {0: ("answered", None), **answers}, contents
                elif 0 not in answers:
                    yield others, answers, contents

    def _one_after_the_other(
        self, order: Sequence[int | Callable[[Any], object]]
    ) -> tuple[dict[int, Any], Contents | str]:
        store = SmallStore(self._cells, START_MS)
        answers: dict[int, Any] = {}
        for number in (*order, len(self._programs) - 1):
            if not isinstance(number, int):
                if 0 in answers:  # a part of the first write was refused, which ended it
                    continue
                with own_process(HandClock(START_MS), "a part"):
                    try:
                        number(self._tests.open(store.connection))
                    except self._programs[0].refusals:
                        answers[0] = self._programs[0].answer(store.connection)
                continue
            program = self._programs[number]
            with own_process(HandClock(START_MS, program.skew_ms), f"{program.name} alone"):
                answers[number] = program.answer(store.connection)
        return answers, self._read(store)


def _meets(touches: set[tuple[str, bytes, bytes | None]], kind: str, call: Call) -> bool:
    """Whether somebody who reads or changes these rows reads, or changes, a row of this call."""
    if isinstance(call, Change) or kind == "change":
        for touched_kind, table, row in touches:
            if touched_kind == kind and table == call.table and (row is None or row in call.rows or not any(call.rows)):
                return True
    return False


def _path(way: Way | None) -> tuple[str, ...]:
    steps: list[str] = []
    while way is not None:
        what, way = way
        steps.append(shown_step(what))
    return tuple(steps[::-1])


def shown_step(what: tuple[str | Call, ...]) -> str:
    """A step in a line, for the path to a bad world."""
    return " ".join(map(str, what))
