"""`rowbook recover --every`: recovers again and again, until a signal ends it."""

import time

import attrs
from rich.console import Console

from ...keys.errors import message_of, shown
from ...records import show_time
from ...records.lengths import parse_length, show_length
from ..named.stores import open_upkeep
from ..screen import terminal
from ..screen.failures import outcome
from ..screen.signals import INTERRUPTED, WORDS, Ended, Signals
from ..screen.wrong_usage import WrongUsage

WRONG_USAGE = 2
_LEAST_MS, _MOST_MS = 1000, 24 * 60 * 60 * 1000


def pause_ms(text: str) -> int:
    """The pause that `--every` gives, in milliseconds."""
    try:
        pause = parse_length(text)
    except ValueError as error:
        raise WrongUsage(f"--every: {error}") from None
    if not _LEAST_MS <= pause <= _MOST_MS:
        raise WrongUsage(f"--every: must be 1s..1d (got {shown(text)})")
    return pause


def recover_every(
    out: Console, errors: Console, name: str, store: str, older_than_ms: int | None, every_ms: int, *, as_json: bool
) -> int:
    """Recovers, then pauses, until Ctrl-C or SIGTERM; returns the exit code, 130 or 0.

    Each run opens the store anew. A run that settles something prints a line. Errors are printed on stderr, and the
    next run tries again. A signal ends a run in its middle, which is harmless: the next one completes it.
    """
    terminal.line(errors, f"{name}: recovers every {show_length(every_ms)}; Ctrl-C or SIGTERM ends it")
    try:
        with Signals(raises=True) as signals:
            while True:
                _recover(out, errors, name, store, older_than_ms, as_json=as_json)
                signals.pause(every_ms / 1000)
    except Ended as end:
        terminal.line(errors, WORDS[end.received])
        return INTERRUPTED if end.received.name == "SIGINT" else 0


def _recover(out: Console, errors: Console, name: str, store: str, older_than_ms: int | None, *, as_json: bool) -> None:
    try:
        with open_upkeep(name, store) as upkeep:
            recovery = upkeep.recover(older_than_ms)
    except Exception as error:
        message, code = outcome(error) or (f"{type(error).__name__}: {message_of(error)}", 1)
        if code == WRONG_USAGE:
            raise
        terminal.line(errors, f"{_now()} {name}: {message}")
        return
    if as_json and (recovery.settled or recovery.failed):
        terminal.json_object(out, {"name": name, "time_ms": _now_ms(), **attrs.asdict(recovery)})
        return
    if recovery.settled:
        waiting = f", {recovery.waiting} younger" if recovery.waiting else ""
        terminal.line(out, f"{_now()} {name}: {recovery.settled} settled{waiting}")
    for reason in recovery.failed:
        terminal.line(errors, f"{_now()} {name}: not settled: {reason}")


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _now() -> str:
    return show_time(_now_ms())
