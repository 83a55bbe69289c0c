"""An explorer of models: it visits every state that some order of steps reaches, and shows the way to a bad one.

A model is a state that can be a member of a set, and a function that yields every step from it. Nothing is drawn at
random, so a model without a bad state has none.
"""

from collections.abc import Callable, Hashable, Iterator
from typing import TypeAlias, TypeVar

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
