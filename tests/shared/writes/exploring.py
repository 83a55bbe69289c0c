"""An explorer of models: it visits every state that some order of steps reaches, and shows the way to a bad one.

A model is a state that can be a member of a set, and a function that yields every step from it. Nothing is drawn at
random, so a model without a bad state has none.
"""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeAlias, TypeVar

from attrs import frozen

State = TypeVar("State", bound=Hashable)

Steps: TypeAlias = Callable[[State], Iterator[tuple[Any, State]]]
"""Every step from a state: what happens, and the state after it."""


@frozen
class Explored:
    """What an exploration came to."""

    states: int
    is_cut: bool
    """Whether it ended at its limit, with states unvisited."""
    fault: str | None
    """What is wrong in the first bad state; None if no state is bad."""
    path: tuple[str, ...]
    """The steps to it."""

    def __str__(self) -> str:
        end = ", cut" if self.is_cut else ""
        return "\n".join([f"{self.states:,} states{end}: {self.fault or 'none is bad'}", *self.path])


def explore(
    first: State,
    steps: Steps[State],
    fault_of: Callable[[State], str | None],
    most: int,
    shown: Callable[[Any], str] = str,
) -> Explored:
    """Visits every state, depth first; ends at the first bad one, or once it has seen more than `most`.

    `shown` gives the words for what happens in a step.
    """
    seen = {first}
    stack: list[tuple[State, tuple[Any, Any] | None]] = [(first, None)]
    while stack:
        state, way = stack.pop()
        if fault := fault_of(state):
            return Explored(len(seen), False, fault, tuple(map(shown, _steps_of(way))))
        for what, following in steps(state):
            if following not in seen:
                seen.add(following)
                stack.append((following, (what, way)))
        if len(seen) > most:
            return Explored(len(seen), True, None, ())
    return Explored(len(seen), False, None, ())


def _steps_of(way: tuple[Any, Any] | None) -> list[Any]:
    steps: list[Any] = []
    while way is not None:
        what, way = way
        steps.append(what)
    return steps[::-1]
