"""The errors with which HBase's Thrift1 gateway answers, and the error for a store that cannot be opened."""

from collections import Counter
from collections.abc import Iterable

from Hbase_thrift import IllegalArgument

from .idl import IOError


class StoreError(ValueError):
    """A store that cannot be opened: its URL, its file or its folder. One line that says what to do."""


class UncheckedError(Exception):
    """What HBase's handler does not catch: its client gets a TApplicationException that names only the call."""


class IllegalTableNameError(UncheckedError):
    """A table name that HBase refuses; the calls that write report it as IllegalArgument."""


def io_error(java_class: str, message: str) -> IOError:
    """HBase: an IOError's text starts with the Java exception; as bytes, which is how happybase's wire brings it.

    All but those of its client, which has tried several times already, are DoNotRetryIOExceptions.
    """
    can_retry = java_class.startswith("client.RetriesExhausted")
    return IOError(f"org.apache.hadoop.hbase.{java_class}: {message}".encode(), can_retry)


def java_io_error(message: str) -> IOError:
    """HBase: a plain IOException, which may be tried again."""
    return IOError(f"java.io.IOException: {message}".encode(), True)


def failed_actions(errors: Iterable[IOError]) -> IOError:
    """HBase: one error for all rows of a call that were refused, counted by reason."""
    reasons = Counter(shown(error.message) for error in errors)
    counted = ", ".join(f"{reason}: {_times(count, 'time')}" for reason, count in reasons.items())
    return io_error(
        "client.RetriesExhaustedWithDetailsException",
        f"Failed {_times(reasons.total(), 'action')}: {counted}, servers with issues: embedded",
    )


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def illegal_argument(message: str) -> IllegalArgument:
    """The declared exception for what the caller got wrong."""
    return IllegalArgument(message=message.encode())


def shown(name: bytes | None) -> str:
    """A name or a message as text."""
    return (name or b"").decode(errors="backslashreplace")
