"""Makes a failing sequence smaller: fewer operations, then fewer and shorter arguments, as long as it still fails."""

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from attrs import evolve, fields

from tests.programs.compare.filters import Combined, Comparator, Single
from tests.programs.compare.operations import Moment, Operation, Operations, is_random

Fails: TypeAlias = Callable[[Operations], bool]
"""Whether a sequence shows the difference that is being shrunk."""


def shrunk(operations: Operations, fails: Fails, *, within_s: float) -> list[Operation]:
    """A sequence that fails and of which, where the time is enough, no piece can go."""
    until_s = time.monotonic() + within_s

    def still_fails(candidate: Operations) -> bool:
        return time.monotonic() < until_s and not any(map(is_random, candidate)) and fails(candidate)

    best = list(operations)
    while time.monotonic() < until_s:
        smaller = _with_simpler_arguments(_with_fewer(best, still_fails), still_fails)
        if smaller == best:
            break
        best = smaller
    return best


def _with_fewer(operations: list[Operation], fails: Fails) -> list[Operation]:
    """Without the operations that do not matter: first half of them at a time, in the end each alone."""
    size = len(operations) // 2
    while size:
        end = len(operations)
        while end > 0:
            start = max(end - size, 0)
            candidate = operations[:start] + operations[end:]
            if candidate and fails(candidate):
                operations = candidate
            end = start
        size //= 2
    return operations


def _with_simpler_arguments(operations: list[Operation], fails: Fails) -> list[Operation]:
    for index in range(len(operations) - 1, -1, -1):
        is_smaller = True
        while is_smaller:
            is_smaller = False
            for simpler in _simpler_operations(operations[index]):
                candidate = [*operations[:index], simpler, *operations[index + 1 :]]
                if fails(candidate):
                    operations, is_smaller = candidate, True
                    break
    return operations


def _simpler_operations(operation: Operation) -> Iterator[Operation]:
    if operation.fetch not in ([], [1000]):
        yield evolve(operation, fetch=[1000])
    if len(operation.fetch) > 1:
        yield from (evolve(operation, fetch=[size]) for size in set(operation.fetch) - {0})
    for name, value in operation.arguments.items():
        for simpler in _simpler(value):
            yield evolve(operation, arguments={**operation.arguments, name: simpler})


def _simpler(value: Any) -> Iterator[Any]:
    """Values of the same type that say less, those that say least first."""
    match value:
        case bytes():
            yield from _shorter(value)
        case dict():
            for name in value:
                if name not in _NEEDED and not (name == "columns" and "values" in value):
                    yield {key: item for key, item in value.items() if key != name}
            for name, item in value.items():
                yield from ({**value, name: simpler} for simpler in _simpler(item))
        case list():
            yield from (value[:index] + value[index + 1 :] for index in range(len(value)))
            for index, item in enumerate(value):
                yield from ([*value[:index], simpler, *value[index + 1 :]] for simpler in _simpler(item))
        case bool():
            if value:
                yield False
        case int():
            yield from (number for number in (1, 2, 3, 5) if abs(number) < abs(value))
        case Moment():
            yield from (1, 5, 9)
        case Combined():
            yield from value.filters
            if len(value.filters) > 1:
                yield from (evolve(value, filters=fewer) for fewer in _simpler(value.filters) if fewer)
            else:
                yield from (evolve(value, filters=[simpler]) for simpler in _simpler(value.filters[0]))
        case Single() | Comparator():
            yield from _simpler_attribute(value)


# Fields without which a call would mean something else, or nothing.
_NEEDED = {"row", "column", "mutations", "isDelete", "ammount", "values"}


def _shorter(text: bytes) -> Iterator[bytes]:
    if not text:
        return
    if len(text) > 2:
        yield text[: len(text) // 2]
    yield text[:-1]
    if len(text) > 1:
        yield text[1:]
    for plain in (b"a", b"b"):
        if len(text) == 1 and text > plain:
            yield plain


def _simpler_attribute(value: Any) -> Iterator[Any]:
    for attribute in fields(type(value)):
        if attribute.name not in ("name", "kind"):
            yield from (
                evolve(value, **{attribute.name: simpler}) for simpler in _simpler(getattr(value, attribute.name))
            )
