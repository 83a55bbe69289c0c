"""Puts that the server dates: a put that would lose a version in this millisecond waits for the next one.

A delete of the same millisecond would hide the put, and an earlier put of the same cell and millisecond would be
replaced, so the family would keep one version fewer. HBase loses both. A call to its gateway needs about a millisecond,
so this is rare there, and applications live with it; this store is faster and would lose most of them. It still loses
those that the client dates.
"""

import inspect
import logging
import time
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from .engine import Engine, TooSoon
from .stored_tables import now_ms

Write = TypeVar("Write", bound=Callable[..., Any])

_LIBRARIES = (__name__.removesuffix(".embedded.dating"), "happybase", "thriftpy2", "contextlib", "functools")

_log = logging.getLogger(__name__)
_has_warned = False


def waits_once(write: Write) -> Write:
    """Runs a transaction again in the next millisecond if it raises TooSoon; the second attempt does not wait.

    So a call never waits longer than that, even if others keep writing the same cells.
    """

    @wraps(write)
    def waiting(engine: Engine, *arguments: Any) -> Any:
        try:
            return write(engine, *arguments)
        except TooSoon as too_soon:
            if too_soon.args:
                warn_of_lost_put(*too_soon.args)
            next_millisecond(too_soon.clock_ms)
        engine.has_waited = True
        try:
            return write(engine, *arguments)
        finally:
            engine.has_waited = False

    return cast(Write, waiting)


def next_millisecond(last_ms: int) -> int:
    """Waits until the clock shows another millisecond, and returns the new one."""
    while (now := now_ms()) == last_ms:
        time.sleep(0.0002)
    return now


def warn_of_lost_put(table: bytes, row: bytes, column: bytes) -> None:
    """Warns, once in a process, that HBase may lose such a put: in the log, and a caller in this process also directly.

    A caller in this process gets a RuntimeWarning at its own line.
    """
    global _has_warned
    if _has_warned:
        return
    _has_warned = True
    text = (
        f"a put without a timestamp came in the millisecond of a delete of its cell, and waited for the next one: HBase"
        f" may lose such a put (table {table!r}, row {row!r:.100}, column {column!r:.100})"
    )
    level = _callers_level()
    _log.log(logging.WARNING if level is None else logging.INFO, text)
    if level is not None:
        warnings.warn(text, RuntimeWarning, stacklevel=level)


def _callers_level() -> int | None:
    """The stack level of the code that called the store, for `warnings.warn`; None in a server's thread."""
    frame, level = inspect.currentframe(), 0
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(_LIBRARIES):
            return None if module == "threading" else level
        frame, level = frame.f_back, level + 1
    return None
