"""What a browser's Python lacks, and what takes its place: the worker calls `prepare` before it imports anything else.

Three packages have no build for browsers: thriftpy2, regex and numpy. thriftpy2 skips its compiled module if Python
claims to be PyPy. Python's own `re` matches the patterns of filters, without a deadline. Modules that use numpy can be
imported, so that the keys of `tsdb` can be explored, but not compute.
"""

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar


def prepare() -> None:
    """Puts in place what is missing; CLOCK_BOOTTIME reads CLOCK_MONOTONIC, because browsers lack it."""
    sys.modules["__pypy__"] = ModuleType("__pypy__")
    sys.modules["regex"] = _PatternsOfRe("regex")
    clock_gettime_ns, boot, monotonic = time.clock_gettime_ns, time.CLOCK_BOOTTIME, time.CLOCK_MONOTONIC
    time.clock_gettime_ns = lambda clock: clock_gettime_ns(monotonic if clock == boot else clock)


class _PatternsOfRe(ModuleType):
    """The little of the package regex that filters use, made of `re`."""

    VERSION0, ASCII, DOTALL, IGNORECASE, error = 0, re.ASCII, re.DOTALL, re.IGNORECASE, re.error

    @staticmethod
    def compile(pattern: str, flags: int, *, cache_pattern: bool) -> Any:
        """An object with the methods of a pattern, which take a deadline that they do not keep."""
        compiled = re.compile(pattern, flags)
        return SimpleNamespace(search=lambda text, **_of_regex: compiled.search(text))


class NeedsNumpy(ValueError):
    """Something computes with numpy."""


class _NumpyStandIn(ModuleType):
    """A stand-in for numpy: importing modules may name and call anything of it; later calls raise NeedsNumpy."""

    __path__: ClassVar[list[str]] = []
    is_importing = False

    def __getattr__(self, name: str) -> "_NumpyStandIn":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _types: Any) -> "_NumpyStandIn":
        return self

    def __or__(self, _other: Any) -> "_NumpyStandIn":
        return self

    __ror__ = __or__

    def __call__(self, *_values: Any, **_named: Any) -> "_NumpyStandIn":
        if self.is_importing:
            return self
        raise NeedsNumpy("needs numpy, which is not part of this page")


@contextmanager
def without_numpy() -> Iterator[None]:
    """Lets modules be imported that use numpy; does nothing if there is one."""
    if find_spec("numpy") is not None:
        yield
        return
    names = ("numpy", "numpy.typing")
    sys.modules.update({name: _NumpyStandIn(name) for name in names})
    _NumpyStandIn.is_importing = True
    try:
        yield
    finally:
        _NumpyStandIn.is_importing = False
        for name in names:
            del sys.modules[name]
