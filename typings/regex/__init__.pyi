"""The calls of regex that the suite uses."""

from collections.abc import Mapping
from typing import Generic, TypeVar

T = TypeVar("T", str, bytes)

VERSION0: int
ASCII: int
DOTALL: int
IGNORECASE: int

class error(Exception): ...

class Match(Generic[T]):
    def groupdict(self) -> dict[str, T | None]: ...

class Pattern(Generic[T]):
    groupindex: Mapping[str, int]

    def fullmatch(
        self, string: T, *, partial: bool = ..., concurrent: bool | None = ..., timeout: float | None = ...
    ) -> Match[T] | None: ...
    def search(self, string: T, *, concurrent: bool | None = ..., timeout: float | None = ...) -> Match[T] | None: ...

def compile(pattern: T, flags: int = ..., *, cache_pattern: bool = ...) -> Pattern[T]: ...
