"""The events, and where they go: each is a record of a logger, with fields, and a call of one hook.

    retry: call=getRow table=orders attempt=1 waited_ms=30002 reason='no reply within 30 s'

Nothing is printed until the program configures logging, and nothing is computed for a level that is off.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import attrs

Hook: TypeAlias = Callable[[str, Mapping[str, Any]], object]
"""Gets the name of each event and its fields, in the thread in which it happens."""

LOGGER = logging.getLogger("rowbook.events")
LOGGER.addHandler(logging.NullHandler())  # without any handler Python would print warnings on stderr


@attrs.frozen
class EventKind:
    """A kind of event."""

    when: str
    """What has happened."""
    level: int | None
    """The level of its log records; None for an event that only the hook gets."""
    fields: tuple[str, ...]


EVENTS = {
    "call": EventKind(
        "a call over the network ended; `error` is empty, or the class of the exception",
        None,
        ("call", "table", "duration_ms", "attempts", "error"),
    ),
    "slow_call": EventKind(
        "a call over the network lasted a second or longer",
        logging.WARNING,
        ("call", "table", "duration_ms", "attempts", "error"),
    ),
    "retry": EventKind(
        "an attempt failed, and the call is sent again",
        logging.WARNING,
        ("call", "table", "attempt", "waited_ms", "reason"),
    ),
    "reconnect": EventKind("an idle socket was closed, and is replaced", logging.INFO, ("url", "reason")),
    "lost_scanner": EventKind(
        "a scan lost its scanner, and continues with a new one", logging.WARNING, ("call", "table", "reason")
    ),
    "split_batch": EventKind(
        "a batch needed a call for each of its timestamps, because the connection has no Thrift2",
        logging.DEBUG,
        ("table", "calls"),
    ),
    "conflict": EventKind(
        "another writer changed the source first, or the clock was set: the write starts again",
        logging.DEBUG,
        ("table",),
    ),
    "clock_check": EventKind(
        "the clock was compared with the region server's: the least and the most that it may be ahead",
        logging.INFO,
        ("least_ms", "most_ms"),
    ),
    "clock_skew": EventKind("that comparison failed, and the write is refused", logging.ERROR, ("least_ms", "most_ms")),
    "recovery": EventKind(
        "`recover` has gone through the work of a table", logging.INFO, ("table", "settled", "waiting", "failed")
    ),
    "verification": EventKind("`verify` has compared all rows", logging.INFO, ("wrong", "harmless")),
    "failed_recovery": EventKind("`recover` could not complete some work", logging.ERROR, ("table", "reason")),
}
"""All kinds of events, by name."""

_hook: Hook | None = None


def set_hook(hook: Hook | None) -> Hook | None:
    """Passes all later events of this process to `hook`, or to none. Returns the earlier hook, which gets no more.

    A call waits until the hook returns. If the hook raises, the exception is logged, and the call continues.
    """
    global _hook
    earlier, _hook = _hook, hook
    return earlier


def is_hooked() -> bool:
    """Whether there is a hook, which alone gets the event `call`."""
    return _hook is not None


def report(event: str, /, **fields: Any) -> None:
    """Reports an event of `EVENTS`; all its fields must be given."""
    if _hook is not None:
        try:
            _hook(event, fields)
        except Exception:
            LOGGER.exception("the hook failed for %s", event)
    level = EVENTS[event].level
    if level is not None and LOGGER.isEnabledFor(level):
        words = " ".join(
            f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}" for name, value in fields.items()
        )
        LOGGER.log(level, "%s: %s", event, words, extra={"event": event, **fields})
