"""An explorer of models: it visits every state that some order of steps reaches, and shows the way to a bad one.

A model is a state that can be a member of a set, and a function that yields every step from it. Nothing is drawn at
random, so a model without a bad state has none.
"""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeAlias, TypeVar

from attrs import frozen

State = TypeVar("State", bound=Hashable)

Steps: TypeAlias = Callable[[State], Iterator[tuple[str, State]]]
"""Every step from a state: what happens, and the state after it."""


@frozen
class Explored:
    """What an exploration came to."""

    states: int
    fault: str | None
    """What is wrong in the first bad state; None if no state is bad."""
    path: tuple[str, ...]
    """The steps to it."""

    def __str__(self) -> str:
        return "\n".join([f"{self.states:,} states: {self.fault or 'none is bad'}", *self.path])


class TooManyStates(Exception):
    """A model that is larger than its test says."""


def explore(first: State, steps: Steps[State], fault_of: Callable[[State], str | None], most: int) -> Explored:
    """Visits at most `most` states, depth first, and ends at the first bad one."""
    seen = {first}
    stack: list[tuple[State, tuple[str, object] | None]] = [(first, None)]
    while stack:
        state, way = stack.pop()
        if fault := fault_of(state):
            return Explored(len(seen), fault, tuple(_steps_of(way)))
        for name, following in steps(state):
            if following not in seen:
                seen.add(following)
                stack.append((following, (name, way)))
        if len(seen) > most:
            raise TooManyStates(f"more than {most:,} states")
    return Explored(len(seen), None, ())


def _steps_of(way: object) -> list[str]:
    names: list[str] = []
    while isinstance(way, tuple):
        name, way = way
        names.append(name)
    return names[::-1]


class Turn:
    """The next step of one process, in every way it can go.

    A world is a NamedTuple with its `processes`, the `network`, which are calls without a reply that may still arrive,
    and `late`, how many more of them there may be. A process is at one step and has a memory, which are the name and
    the arguments of a method of the subclass, after an underscore.
    """

    def __init__(self, world: Any, number: int) -> None:
        self.world = world
        self.number = number
        self.process = world.processes[number]

    def applied(self, world: Any, message: Any) -> Any:
        """The world after a call arrived."""
        raise NotImplementedError

    @property
    def can_die(self) -> bool:
        """Whether it makes a difference if the process dies here."""
        return True

    def steps(self) -> Iterator[tuple[str, Any]]:
        if self.can_die:
            yield f"{self.process.name} dies", self.then("end")
        yield from getattr(self, f"_{self.process.at}")(*self.process.memory)

    def then(self, at: str, *memory: Any, **changes: Any) -> Any:
        """The world in which this process is about to take step `at`."""
        return self._with(self.process._replace(at=at, memory=memory), **changes)

    def _with(self, process: Any, **changes: Any) -> Any:
        processes = (*self.world.processes[: self.number], process, *self.world.processes[self.number + 1 :])
        return self.world._replace(processes=processes, **changes)

    def _sent(self, message: Any, at: str, *memory: Any) -> Iterator[tuple[str, Any]]:
        """A call: answered; answered, and once more later; or not answered, and applied later."""
        name = f"{self.process.name} {message}"
        yield name, self.applied(self.then(at, *memory), message)
        if self.world.late:
            under_way = {"late": self.world.late - 1, "network": self.world.network | {message}}
            yield f"{name}, and again later", self.applied(self.then(at, *memory, **under_way), message)
            yield f"{name}, given up", self.then("end", **under_way)
