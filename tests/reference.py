"""Runs generated functions without the reference that they fall back on, so that a broken one is noticed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class FellBack(Exception):
    """A generated function gave up and called its reference, which is right but slow."""


def _fall_back(*given: Any) -> Any:
    raise FellBack(f"nothing generated is right for {given!r:.300}")


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
