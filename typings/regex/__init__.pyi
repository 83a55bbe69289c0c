"""The calls of regex that the suite uses."""

from typing import Generic, TypeVar

T = TypeVar("T", str, bytes)

VERSION0: int
ASCII: int
DOTALL: int
IGNORECASE: int

class error(Exception): ...
class Match(Generic[T]): ...

class Pattern(Generic[T]):
    def search(self, string: T, *, concurrent: bool | None = ..., timeout: float | None = ...) -> Match[T] | None: ...

def compile(pattern: T, flags: int = ..., *, cache_pattern: bool = ...) -> Pattern[T]: ...
