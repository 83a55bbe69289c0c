"""The errors that HBase's Thrift1 gateway returns."""

from collections import Counter
from collections.abc import Iterable

from Hbase_thrift import IllegalArgument

from .idl import IOError


class UncheckedError(Exception):
    """An error that HBase's handler does not catch: the client's TApplicationException then names only the call."""


class IllegalTableNameError(UncheckedError):
    """A table name that HBase refuses; the calls that write report it as IllegalArgument."""


def io_error(java_class: str, message: str) -> IOError:
    """An IOError of HBase. Its text starts with the Java exception; it is bytes, as happybase receives it.

    All are DoNotRetryIOExceptions except those of HBase's own client, which has already tried several times.
    """
    can_retry = java_class.startswith("client.RetriesExhausted")
    return IOError(f"org.apache.hadoop.hbase.{java_class}: {message}".encode(), can_retry)


def java_io_error(message: str) -> IOError:
    """A plain IOException of HBase, after which the call may be tried again."""
    return IOError(f"java.io.IOException: {message}".encode(), True)


def failed_actions(errors: Iterable[IOError]) -> IOError:
    """The one error for all refused rows of a call. HBase: it counts them by reason."""
    reasons = Counter(name_text(error.message) for error in errors)
    counted = ", ".join(f"{reason}: {_times(count, 'time')}" for reason, count in reasons.items())
    return io_error(
        "client.RetriesExhaustedWithDetailsException",
        f"Failed {_times(reasons.total(), 'action')}: {counted}, servers with issues: embedded",
    )


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def illegal_argument(message: str) -> IllegalArgument:
    """The declared exception for wrong arguments."""
    return IllegalArgument(message=message.encode())


def name_text(name: bytes | None) -> str:
    """The name of a table, column or row, or a message, as text."""
    return (name or b"").decode(errors="backslashreplace")
