"""What a browser's Python lacks, and what takes its place: the worker calls `prepare` before it imports anything else.

Three packages have no build for browsers that can be had. thriftpy2 does without its compiled module where Python says
that it is PyPy. Patterns of filters are matched by Python's own `re`, which knows all that they may have, but has no
deadline. Nothing takes the place of numpy's work: modules that use it can be imported, so that the keys of `tsdb` can
be explored.
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
    """Puts in place what is missing; the clock that counts while a machine sleeps is the one that does not."""
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


class _InPlaceOfNumpy(ModuleType):
    """What a module gets that imports numpy: it can name anything of it, but call it only while it is imported."""

    __path__: ClassVar[list[str]] = []
    is_importing = False

    def __getattr__(self, name: str) -> "_InPlaceOfNumpy":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _types: Any) -> "_InPlaceOfNumpy":
        return self

    def __or__(self, _other: Any) -> "_InPlaceOfNumpy":
        return self

    __ror__ = __or__

    def __call__(self, *_values: Any, **_named: Any) -> "_InPlaceOfNumpy":
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
    sys.modules.update({name: _InPlaceOfNumpy(name) for name in names})
    _InPlaceOfNumpy.is_importing = True
    try:
        yield
    finally:
        _InPlaceOfNumpy.is_importing = False
        for name in names:
            del sys.modules[name]
