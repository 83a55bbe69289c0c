"""Runs generated functions without the reference to which they fall back, so that a test notices a broken one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from shared.keys import InvalidKey
from shared.tables import InvalidRecord


class FellBack(Exception):
    """A generated function called its reference, which is right but slow."""


def _fall_back(*arguments: Any) -> Any:
    raise FellBack(f"no generated function is right for {arguments!r:.300}")


@contextmanager
def without_reference(*functions: Callable[..., Any]) -> Iterator[None]:
    """Within the block, the reference of these generated functions raises `FellBack`."""
    scopes = [function.__globals__ for function in functions]
    references = [scope["reference"] for scope in scopes]
    try:
        for scope in scopes:
            scope["reference"] = _fall_back
        yield
    finally:
        for scope, reference in zip(scopes, references, strict=True):
            scope["reference"] = reference


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns, or the words in which it refuses its arguments."""
    try:
        return function(*arguments)
    except (InvalidKey, InvalidRecord) as error:
        return f"{type(error).__name__}: {error}"
