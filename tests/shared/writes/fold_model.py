"""A model of the fold of a day: events become sums, while writers still write, folders die and messages are late.

An event is a cell in two rows: first in the day's list, then in its user's row. A folder closes the day by
`checkAndPut`, finds the users in the day's list, and folds their rows, then the day's row: it counts the events, puts
the sum by `checkAndPut` against a missing cell, and deletes the events that it counted.

A writer acknowledges only after a read of the day, sent after the replies to its puts, says open. A reader takes the
sum if a row has one, and counts the events otherwise.

A sum is here the set of the events that it counts, so that a world shows which ones it lacks.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from attrs import frozen

from tests.shared.writes.exploring import Explored, Turn, explore

Event: TypeAlias = str
"""The user, then a letter: `1a`. Its cell has one timestamp, so that a tombstone also hides the same put again."""
Message: TypeAlias = tuple[Any, ...]

DAY = "day"


@frozen
class Rules:
    """What the fold keeps. Each is there to be broken by a test."""

    closes_first: bool = True
    """The day is closed before its events are counted."""
    checks_sum: bool = True
    """A sum is put only against a missing cell."""
    reads_day_after: bool = True
    """A writer reads the day after its puts; otherwise before them."""
    sum_hides_events: bool = True
    """A reader of a row with a sum ignores its events."""
    sum_before_delete: bool = True
    """The sum is stored before the events are deleted."""


class Row(NamedTuple):
    """A row: its events, the tombstones over events, and its sum, if it has one."""

    events: frozenset[Event] = frozenset()
    tombstones: frozenset[Event] = frozenset()
    sum: tuple[Event, ...] | None = None

    @property
    def visible(self) -> frozenset[Event]:
        return self.events - self.tombstones


class Process(NamedTuple):
    """A writer of one event, or a folder; `at` is its next step, and `memory` is what it knows."""

    name: str
    event: Event | None
    at: str
    memory: tuple[Any, ...]


class World(NamedTuple):
    """Everything, at one moment. `late` and `compactions` are how many of them may still happen."""

    is_open: bool
    rows: tuple[tuple[str, Row], ...]
    processes: tuple[Process, ...]
    network: frozenset[Message]
    acknowledged: frozenset[Event]
    first_sums: tuple[tuple[str, tuple[Event, ...]], ...]
    """The sums as they were stored first."""
    late: int
    compactions: int

    def row(self, name: str) -> Row:
        return dict(self.rows).get(name, Row())

    def with_row(self, name: str, row: Row) -> "World":
        return self._replace(rows=tuple(sorted({**dict(self.rows), name: row}.items())))


def user_of(event: Event) -> str:
    """The row of the event's user."""
    return f"user {event[0]}"


def count_of(rules: Rules, row: Row) -> tuple[Event, ...]:
    """What a reader counts in a row."""
    if row.sum is None:
        return tuple(sorted(row.visible))
    return row.sum if rules.sum_hides_events else (*row.sum, *sorted(row.visible))


def applied(rules: Rules, world: World, message: Message) -> World:
    """The world after a call arrived."""
    match message:
        case ("put", name, event):
            row = world.row(name)
            return world.with_row(name, row._replace(events=row.events | {event}))
        case ("close",):
            return world._replace(is_open=False)
        case ("sum", name, counted):
            row = world.row(name)
            if row.sum is not None and rules.checks_sum:
                return world
            first_sums = world.first_sums if row.sum is not None else (*world.first_sums, (name, counted))
            return world.with_row(name, row._replace(sum=counted))._replace(first_sums=tuple(sorted(first_sums)))
        case ("delete", name, events):
            row = world.row(name)
            return world.with_row(name, row._replace(tombstones=row.tombstones | events))
    raise ValueError(f"message: must be put, close, sum or delete (got {message})")


def compacted(world: World) -> World:
    """The world after a major compaction that keeps no tombstone."""
    rows = tuple((name, Row(row.visible, frozenset(), row.sum)) for name, row in world.rows)
    return world._replace(rows=rows, compactions=world.compactions - 1)


def steps(rules: Rules, world: World) -> Iterator[tuple[str, World]]:
    """Everything that can happen next."""
    if world.compactions and any(row.tombstones for _, row in world.rows):
        yield "compaction", compacted(world)
    for message in world.network:
        yield f"late {message}", applied(rules, world._replace(network=world.network - {message}), message)
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
        return applied(self.rules, world, message)

    # A writer

    def _begin(self) -> Iterator[tuple[str, World]]:
        read = None if self.rules.reads_day_after else self.world.is_open
        yield f"{self.process.name} begins", self.then("put_in_list", read)

    def _put_in_list(self, read: bool | None) -> Iterator[tuple[str, World]]:
        yield from self._sent(("put", DAY, self.process.event), "put_at_user", read)

    def _put_at_user(self, read: bool | None) -> Iterator[tuple[str, World]]:
        assert self.process.event
        yield from self._sent(("put", user_of(self.process.event), self.process.event), "acknowledge", read)

    def _acknowledge(self, read: bool | None) -> Iterator[tuple[str, World]]:
        if self.world.is_open if read is None else read:
            acknowledged = self.world.acknowledged | {self.process.event}
            yield f"{self.process.name} acknowledges", self.then("end", acknowledged=acknowledged)
        else:
            yield f"{self.process.name} says that it may not be counted", self.then("end")

    # A folder

    def _close(self) -> Iterator[tuple[str, World]]:
        if self.rules.closes_first:
            yield from self._sent(("close",), "find")
        else:
            yield f"{self.process.name} does not close", self.then("find")

    def _find(self) -> Iterator[tuple[str, World]]:
        day = self.world.row(DAY)
        names = sorted({user_of(event) for event in day.visible})
        yield f"{self.process.name} finds {names}", self.then("count", (*names, DAY))

    def _count(self, names: tuple[str, ...]) -> Iterator[tuple[str, World]]:
        if not names:
            following = self.then("end") if self.rules.closes_first else self.then("end", is_open=False)
            yield f"{self.process.name} has folded", following
            return
        row = self.world.row(names[0])
        counted = row.visible
        if row.sum is not None and self.rules.checks_sum:
            yield f"{self.process.name} finds a sum in {names[0]}", self.then("delete", names, counted)
        else:
            following = "put_sum" if self.rules.sum_before_delete else "delete"
            yield f"{self.process.name} counts {sorted(counted)} in {names[0]}", self.then(following, names, counted)

    def _put_sum(self, names: tuple[str, ...], counted: frozenset[Event]) -> Iterator[tuple[str, World]]:
        message = ("sum", names[0], tuple(sorted(counted)))
        if self.rules.sum_before_delete:
            yield from self._sent(message, "delete", names, counted)
        else:
            yield from self._sent(message, "count", names[1:])

    def _delete(self, names: tuple[str, ...], counted: frozenset[Event]) -> Iterator[tuple[str, World]]:
        following = ("count", names[1:]) if self.rules.sum_before_delete else ("put_sum", names, counted)
        if counted:
            yield from self._sent(("delete", names[0], counted), *following)
        else:
            yield f"{self.process.name} has nothing to delete", self.then(*following)


def fault_of(rules: Rules, world: World) -> str | None:
    """What is wrong in a world, or None.

    At every moment each acknowledged event is counted once in its day and once at its user, no event is counted twice,
    and a sum is what it was at first. Events that were not acknowledged are counted or not.
    """
    for name, row in world.rows:
        counted = count_of(rules, row)
        if len(counted) > len({*counted}):
            return f"{name} counts twice: {counted}"
    for event in world.acknowledged:
        for name in (DAY, user_of(event)):
            if event not in count_of(rules, world.row(name)):
                return f"{name} does not count {event}: {world.row(name)}"
    for name, first in world.first_sums:
        if world.row(name).sum != first:
            return f"the sum of {name} was {first} and is {world.row(name).sum}"
    return None


def world_of(*events: Event, folders: int = 1, late: int = 0, compactions: int = 0) -> World:
    """The first world: an open day without events, a writer for each event, and folders."""
    writers = [Process(f"W{number} {event}", event, "begin", ()) for number, event in enumerate(events)]
    folding = [Process(f"F{number}", None, "close", ()) for number in range(folders)]
    return World(True, (), (*writers, *folding), frozenset(), frozenset(), (), late, compactions)


def explore_fold(world: World, rules: Rules | None = None, most: int = 100_000) -> Explored:
    """Every world that the fold reaches from this one."""
    kept = rules or Rules()
    return explore(world, partial(steps, kept), partial(fault_of, kept), most)
