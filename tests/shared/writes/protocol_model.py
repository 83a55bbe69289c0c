"""A model of the write protocol: one source row, two rows derived from it, writers, recoverers and the network.

It does what `shared/writes/intents.py` does, one call at a time, and leaves out what cannot matter: values are names,
the process of a slot is the slot, and a process reads its clock once. Between any two calls another process goes on;
at any call a process dies, a reply is lost, or the call arrives once more later, or only later.

A record is its state, a name, or None. It has two derived cells: `line STATE`, a line of a moving list without a value,
and `fixed`, a cell whose key never changes and whose value is the state.

`Rules` are what the protocol keeps. `fault_of` says what is wrong in a world; with one rule broken the explorer must
find such a world.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from attrs import frozen

from tests.shared.writes.exploring import Explored, Turn, explore

State: TypeAlias = str | None
Message: TypeAlias = tuple[Any, ...]
"""A call under way: its kind, then its arguments."""

FIXED = "fixed"
MARKER = ""


@frozen
class Rules:
    """What the protocol keeps. Each is there to be broken by a test."""

    spacing: int = 3
    """The times of two revisions differ by at least so much."""
    line_first: bool = True
    """The new line of a moving list is put before the decision, and not in the mend."""
    loser_raises: bool = True
    """A writer whose reply was lost raises a source that still has the revision it read."""
    recoverer_raises: bool = True
    """A recoverer raises the source before it mends, whatever revision it has."""
    spares_current: bool = True
    """A delete spares the cells of the record as it is now."""
    compares_source: bool = True
    """The source is decided by `checkAndPut`, not by a plain put."""


class Source(NamedTuple):
    """The source's cell. A missing one is revision 0."""

    revision: int
    time: int
    writes: frozenset[str]
    state: State


class Intent(NamedTuple):
    """A write under way."""

    started: int
    write_id: str
    revision: int
    touched: frozenset[str]


class Cell(NamedTuple):
    """A derived cell: its newest put and the newest tombstone over it."""

    key: str
    put: int | None
    value: str
    tombstone: int | None

    @property
    def is_visible(self) -> bool:
        return self.put is not None and (self.tombstone is None or self.put > self.tombstone)


class Wish(NamedTuple):
    """What a write wants: to claim a free row, to change a record, or to delete it."""

    kind: str
    state: State
    clock: int


class Process(NamedTuple):
    """A writer or a recoverer; `at` is its next step, and `memory` is what it knows."""

    name: str
    wish: Wish | None
    clock: int
    at: str
    memory: tuple[Any, ...]
    attempt: int


class World(NamedTuple):
    """Everything, at one moment. `late`, `compactions` and `pauses` are how many of them may still happen.

    A writer that lost tries `attempts` times.
    """

    source: Source
    cells: tuple[Cell, ...]
    slots: tuple[tuple[int, Intent | None], ...]
    processes: tuple[Process, ...]
    network: frozenset[Message]
    answers: frozenset[tuple[str, bool]]
    late: int
    compactions: int
    pauses: int
    attempts: int
    was_compacted: bool


def derived(state: State) -> dict[str, str]:
    """The derived cells of a record."""
    return {} if state is None else {f"line {state}": MARKER, FIXED: state}


# ---- the store


def applied(world: World, message: Message) -> World:
    """The world after a call arrived."""
    match message:
        case ("decide", read, decided):
            return world._replace(source=decided) if read is None or world.source == read else world
        case ("put", key, time, value):
            return world._replace(cells=_with_cell(world.cells, key, partial(_put, time=time, value=value)))
        case ("delete", key, time):
            return world._replace(cells=_with_cell(world.cells, key, partial(_delete, time=time)))
        case ("slot", number, time, intent):
            stored_time, _ = world.slots[number]
            slots = (*world.slots[:number], (time, intent), *world.slots[number + 1 :])
            return world if time < stored_time else world._replace(slots=slots)
    raise ValueError(f"message: must be decide, put, delete or slot (got {message})")


def _with_cell(cells: tuple[Cell, ...], key: str, change: Any) -> tuple[Cell, ...]:
    stored = next((cell for cell in cells if cell.key == key), Cell(key, None, "", None))
    return tuple(sorted([*(cell for cell in cells if cell.key != key), change(stored)]))


def _put(cell: Cell, time: int, value: str) -> Cell:
    return cell if cell.put is not None and time < cell.put else cell._replace(put=time, value=value)


def _delete(cell: Cell, time: int) -> Cell:
    return cell._replace(tombstone=time if cell.tombstone is None else max(time, cell.tombstone))


def compacted(world: World) -> World:
    """The world after a major compaction that keeps no tombstone."""
    cells = tuple(cell._replace(tombstone=None) for cell in world.cells if cell.is_visible)
    return world._replace(cells=cells, compactions=world.compactions - 1, was_compacted=True)


# ---- the processes


def steps(rules: Rules, world: World) -> Iterator[tuple[str, World]]:
    """Everything that can happen next."""
    if world.compactions and any(cell.tombstone is not None for cell in world.cells):
        yield "compaction", compacted(world)
    for message in world.network:
        yield f"late {message}", applied(world._replace(network=world.network - {message}), message)
    for number, process in enumerate(world.processes):
        if process.at != "end":
            yield from _Turn(rules, world, number).steps()


class _Turn(Turn):
    world: World
    process: Process

    def __init__(self, rules: Rules, world: World, number: int) -> None:
        super().__init__(world, number)
        self.rules = rules

    def applied(self, world: World, message: Message) -> World:
        return applied(world, message)

    @property
    def can_die(self) -> bool:
        return self.process.at != "wait"

    def then(self, at: str, *memory: Any, attempt: int = 0, **changes: Any) -> World:
        return self._with(
            self.process._replace(at=at, memory=memory, attempt=attempt or self.process.attempt), **changes
        )

    def _checked(self, read: Source, new: Source, stored: World, refused: World, lost: World) -> Any:
        """A `checkAndPut`: stored, refused, or applied later; the worlds after each, without the source's change."""
        name, message = self.process.name, ("decide", read if self.rules.compares_source else None, new)
        if self.world.source == read or not self.rules.compares_source:
            yield f"{name} stores {new}", applied(stored, message)
            yield f"{name} stores {new}, reply lost", applied(lost, message)
        else:
            yield f"{name} is refused", refused
        if self.world.late:
            network = self.world.network | {message}
            yield f"{name} does not hear of {new}", lost._replace(late=self.world.late - 1, network=network)

    def _revision(self, source: Source, state: State, *write_id: str) -> Source:
        time = max(self.process.clock, source.time + self.rules.spacing)
        return Source(source.revision + 1, time, source.writes | {*write_id}, state)

    # A writer

    def _read(self) -> Iterator[tuple[str, World]]:
        name, wish, source = self.process.name, self.process.wish, self.world.source
        assert wish
        is_allowed = (source.state is None) == (wish.kind == "claim")
        if self.process.attempt > self.world.attempts:
            yield f"{name} is told to try again", self.then("end")
        elif source.state == wish.state:
            yield f"{name} completes {source}", self.then("complete_again", source)
        elif not is_allowed:
            yield f"{name} is refused at {source}", self.then("end")
        else:
            touched = frozenset({**derived(source.state), **derived(wish.state)})
            intent = Intent(2 * self.process.attempt, f"{name}.{self.process.attempt}", source.revision, touched)
            yield f"{name} reads {source}", self.then("announce", intent, source)

    def _complete_again(self, source: Source) -> Iterator[tuple[str, World]]:
        if source.state is None:
            yield f"{self.process.name} has nothing to complete", self.then("end")
        else:
            yield from self._sent(("put", FIXED, source.time, source.state), "end")

    def _announce(self, intent: Intent, read: Source) -> Iterator[tuple[str, World]]:
        yield from self._sent(("slot", self.number, intent.started, intent), "put_line", intent, read)

    def _put_line(self, intent: Intent, read: Source) -> Iterator[tuple[str, World]]:
        assert self.process.wish
        state = self.process.wish.state
        if self.rules.line_first and state is not None:
            yield from self._sent(("put", f"line {state}", read.time + 1, MARKER), "decide", intent, read)
        else:
            yield f"{self.process.name} puts no line", self.then("decide", intent, read)

    def _decide(self, intent: Intent, read: Source) -> Iterator[tuple[str, World]]:
        assert self.process.wish
        decided = self._revision(read, self.process.wish.state, intent.write_id)
        settling = self.then("settle", intent, self.number)
        yield from self._checked(read, decided, self.then("mend", intent, self.number, decided), settling, settling)

    def _settle(self, intent: Intent, slot: int) -> Iterator[tuple[str, World]]:
        source = self.world.source
        leaves_open = source.revision <= intent.revision and intent.write_id not in source.writes
        if leaves_open and self.rules.loser_raises:
            yield f"{self.process.name} must raise", self.then("raise", intent, slot, source)
        else:
            yield f"{self.process.name} settles at {source}", self.then("mend", intent, slot, source)

    # A recoverer

    def _wait(self) -> Iterator[tuple[str, World]]:
        for number, (_, intent) in enumerate(self.world.slots):
            if intent is not None:
                yield f"{self.process.name} takes {intent.write_id}", self.then("give_up", intent, number)

    def _give_up(self, intent: Intent, slot: int) -> Iterator[tuple[str, World]]:
        following = "raise" if self.rules.recoverer_raises else "mend"
        source = self.world.source
        yield f"{self.process.name} reads {source}", self.then(following, intent, slot, source)

    # Both

    def _raise(self, intent: Intent, slot: int, read: Source) -> Iterator[tuple[str, World]]:
        raised = self._revision(read, read.state)
        again = self.then("give_up" if self._gives_up(intent) else "settle", intent, slot)
        yield from self._checked(read, raised, self.then("mend", intent, slot, raised), again, self.then("end"))

    def _gives_up(self, intent: Intent) -> bool:
        return self.process.wish is None or "given up" in intent.touched

    def _mend(self, intent: Intent, slot: int, source: Source, done: int = 0) -> Iterator[tuple[str, World]]:
        cells = derived(source.state)
        keys = [FIXED] if self.rules.line_first else sorted(cells)
        kept = cells.keys() if self.rules.spares_current else ()
        messages: list[Message] = [("put", key, source.time, cells[key]) for key in keys if key in cells]
        messages += [("delete", key, source.time - 1) for key in sorted(intent.touched - {"given up", *kept})]
        if done < len(messages):
            yield from self._sent(messages[done], "mend", intent, slot, source, done + 1)
            return
        yield f"{self.process.name} has mended", self.then("forget", intent, slot, source)
        if self.world.pauses:
            late = intent._replace(touched=intent.touched | {"given up"} | (cells.keys() & {FIXED}))
            name = f"{self.process.name} mended for longer than the window"
            yield name, self.then("give_up", late, slot, pauses=self.world.pauses - 1)

    def _forget(self, intent: Intent, slot: int, source: Source) -> Iterator[tuple[str, World]]:
        message = ("slot", slot, intent.started + 1, None)
        if self.process.wish is None:
            yield from self._sent(message, "wait")
        else:
            yield from self._sent(message, "answer", intent, source)

    def _answer(self, intent: Intent, source: Source) -> Iterator[tuple[str, World]]:
        is_accepted = intent.write_id in source.writes
        answers = self.world.answers | {(intent.write_id, is_accepted)}
        name = f"{self.process.name} {'is accepted' if is_accepted else 'starts again'}"
        following = self.then("end") if is_accepted else self.then("read", attempt=self.process.attempt + 1)
        yield name, following._replace(answers=answers)


# ---- what must hold


def fault_of(world: World) -> str | None:
    """What is wrong in a world, or None.

    At every moment a record has its line, and an answer is right. Once no write is pending and no message under way,
    a record has all its derived cells; if no tombstone was dropped, there are no others.
    """
    visible = {cell.key: cell.value for cell in world.cells if cell.is_visible}
    state = world.source.state
    if state is not None and f"line {state}" not in visible:
        return f"the list lacks the line of {world.source}"
    for write_id, is_accepted in world.answers:
        if is_accepted != (write_id in world.source.writes):
            return f"{write_id} was answered {is_accepted}, the source is {world.source}"
    is_quiet = all(process.at in ("end", "wait") for process in world.processes) and not world.network
    if is_quiet and all(intent is None for _, intent in world.slots):
        wanted = derived(state)
        if any(visible.get(key) != value for key, value in wanted.items()):
            return f"a cell of {world.source} is lost or old: {visible}"
        if not world.was_compacted and visible.keys() != wanted.keys():
            return f"cells that belong to no record: {visible}, the source is {world.source}"
    return None


def world_of(
    *wishes: Wish,
    state: State = "placed",
    recoverers: int = 1,
    late: int = 0,
    compactions: int = 0,
    pauses: int = 0,
    attempts: int = 1,
) -> World:
    """The first world: a record, or none, and a writer for each wish."""
    source = Source(0, 0, frozenset(), None) if state is None else Source(1, 10, frozenset(), state)
    cells = tuple(sorted(Cell(key, 10, value, None) for key, value in derived(state).items()))
    writers = [Process(f"W{number}", wish, wish.clock, "read", (), 1) for number, wish in enumerate(wishes)]
    recovering = [Process(f"R{number}", None, 11, "wait", (), 0) for number in range(recoverers)]
    slots = ((0, None),) * len(wishes)
    nothing: frozenset[Any] = frozenset()
    processes = (*writers, *recovering)
    return World(
        source, cells, slots, processes, nothing, nothing, late, compactions, pauses, attempts, was_compacted=False
    )


def explore_protocol(world: World, rules: Rules | None = None, most: int = 100_000) -> Explored:
    """Every world that the protocol reaches from this one."""
    return explore(world, partial(steps, rules or Rules()), fault_of, most)
