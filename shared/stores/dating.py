"""Puts that the server dates: one in the millisecond of a delete waits for the next millisecond.

HBase hides such a put. Its gateway takes about a millisecond for a call, so there it is rare and applications live with
it; this store is faster and would hide most of them. A put that the client dates is hidden here as well.
"""

import logging
import sys
import time
import warnings
from collections.abc import Sequence

from .engine import Engine, Put, Table, family_of, now_ms
from .rules import shown

_LIBRARIES = (__package__, "happybase", "thriftpy2", "contextlib", "functools")

_log = logging.getLogger(__name__)
_is_told = False


def put_dated(engine: Engine, table: Table, puts: Sequence[Put], clock_ms: int | None) -> Sequence[Put]:
    """Stores puts and returns them as they were stored.

    Those with the timestamp `clock_ms` were dated by the server; with None the client dated all of them. If a delete of
    that very millisecond hides one, they all move to the next one.
    """
    latest = engine.latest_tombstone(table)
    if clock_ms is not None and latest is not None and latest >= clock_ms and engine.waits_for_deletes:
        hidden = _first_hidden(engine, table, puts, clock_ms)
        if hidden:
            _tell(table, hidden)
            later_ms = _next_millisecond(clock_ms)
            puts = [(row, column, later_ms if at == clock_ms else at, value) for row, column, at, value in puts]
    engine.put(table, puts, latest)
    return puts


def _first_hidden(engine: Engine, table: Table, puts: Sequence[Put], clock_ms: int) -> Put | None:
    """The first put that a delete of the millisecond hides.

    A tombstone of a later timestamp is none of those: it was set by a client, and waiting for it could take for ever.
    """
    deleted = engine.deleted_up_to(table, clock_ms)
    if not deleted:
        return None
    dated = (put for put in puts if put[2] == clock_ms)
    return next((put for put in dated if (put[0], put[1]) in deleted or (put[0], family_of(put[1])) in deleted), None)


def _next_millisecond(last_ms: int) -> int:
    while (now := now_ms()) == last_ms:
        time.sleep(0.0002)
    return now


def _tell(table: Table, put: Put) -> None:
    """Says once in a process that HBase may lose such a put: in the log, and to a caller in process as a warning."""
    global _is_told
    if _is_told:
        return
    _is_told = True
    text = (
        f"a put without a timestamp came in the millisecond of a delete of its cell, and waited for the next one: HBase"
        f" may lose such a put (table {shown(table.name)}, row {put[0]!r:.100}, column {put[1]!r:.100})"
    )
    level = _callers_level()
    _log.log(logging.WARNING if level is None else logging.INFO, text)
    if level is not None:
        warnings.warn(text, RuntimeWarning, stacklevel=level)


def _callers_level() -> int | None:
    """How many frames up the code stands that called the store; None in a server's thread, which has none."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None:
        level, frame = level + 1, frame.f_back
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(_LIBRARIES):
            return None if module == "threading" else level
    return None
