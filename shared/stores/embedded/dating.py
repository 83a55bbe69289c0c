"""Puts that the server dates: one that would lose something in this millisecond waits for the next one.

A delete of the same millisecond would hide the put, and a put of the same cell would be replaced by it, a version less
than the family keeps. HBase loses both. Its gateway takes about a millisecond for a call, so there it is rare, and
applications live with it; this store is faster and would lose most of them. What the client dates is lost here too.
"""

import inspect
import logging
import time
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from .engine import Engine, TooSoon, now_ms

Write = TypeVar("Write", bound=Callable[..., Any])

_LIBRARIES = (__name__.removesuffix(".embedded.dating"), "happybase", "thriftpy2", "contextlib", "functools")

_log = logging.getLogger(__name__)
_is_told = False


def waits_once(write: Write) -> Write:
    """Runs a transaction again in the next millisecond if it came too soon; the second time it takes what it gets.

    So a call waits for what came before it, and not without end for others that write the same cells meanwhile.
    """

    @wraps(write)
    def waiting(engine: Engine, *arguments: Any) -> Any:
        try:
            return write(engine, *arguments)
        except TooSoon as too_soon:
            if too_soon.args:
                tell(*too_soon.args)
            next_millisecond(too_soon.clock_ms)
        engine.has_waited = True
        try:
            return write(engine, *arguments)
        finally:
            engine.has_waited = False

    return cast(Write, waiting)


def next_millisecond(last_ms: int) -> int:
    """Waits until the clock shows another millisecond, and returns that."""
    while (now := now_ms()) == last_ms:
        time.sleep(0.0002)
    return now


def tell(table: bytes, row: bytes, column: bytes) -> None:
    """Says once in a process that HBase may lose a put: in the log, and to a caller in this process as a warning."""
    global _is_told
    if _is_told:
        return
    _is_told = True
    text = (
        f"a put without a timestamp came in the millisecond of a delete of its cell, and waited for the next one: HBase"
        f" may lose such a put (table {table!r}, row {row!r:.100}, column {column!r:.100})"
    )
    level = _callers_level()
    _log.log(logging.WARNING if level is None else logging.INFO, text)
    if level is not None:
        warnings.warn(text, RuntimeWarning, stacklevel=level)


def _callers_level() -> int | None:
    """How many frames up the code stands that called the store; None in a server's thread, which has none."""
    frame, level = inspect.currentframe(), 0
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(_LIBRARIES):
            return None if module == "threading" else level
        frame, level = frame.f_back, level + 1
    return None
