"""HBase's rules for names, sizes and timestamps, and the errors it answers with."""

from collections import Counter
from collections.abc import Iterable

from Hbase_thrift import IllegalArgument

from ..keys import MAX_ROW_BYTES
from .engine import LATEST_MS, Put, now_ms
from .thrift1 import IOError

MAX_FAMILY_BYTES = 127

# HBase: the region server refuses a cell of more than MAX_CELL_BYTES, the gateway one of more than MAX_SENT_CELL_BYTES
# before it sends anything.
MAX_CELL_BYTES = 10_485_756
MAX_SENT_CELL_BYTES = 10_485_760


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


def table_name(name: bytes | None) -> bytes:
    """The name without `default:`. HBase: letters and digits of any language, `_`, `-` and `.`, after `namespace:`."""
    given = shown(name)
    namespace, colon, qualifier = given.rpartition(":")
    words = [namespace, qualifier] if colon else [qualifier]
    for word in words:
        if not word or word[0] in ".-" or not all(letter.isalnum() or letter in "_-." for letter in word):
            raise IllegalTableNameError(
                f"Illegal table name {given!r}: wants letters, digits, _ - . and no . or - in front"
            )
    if qualifier == "zookeeper":
        raise IllegalTableNameError("Illegal table name 'zookeeper'")
    return (qualifier if namespace == "default" else given).encode()


def family_name(name: bytes | None) -> bytes:
    """The family that a column descriptor names, up to its first colon."""
    if not name:
        raise illegal_argument("column name is empty")
    family = name.partition(b":")[0]
    if not family:
        raise illegal_argument("Column Family name can not be empty")
    if family.startswith(b".") or any(byte < 0x20 or byte == 0x7F or byte in b"/\\" for byte in family):
        raise illegal_argument(f"Family {shown(family)!r}: must not start with . or hold control characters, / or \\")
    if len(family) > MAX_FAMILY_BYTES:
        raise illegal_argument(f"Column family name: at most {MAX_FAMILY_BYTES} bytes (got {len(family)})")
    return family


def sent(row: bytes | None) -> bytes:
    """A row that is there. HBase: one that is not is a NullPointerException, which no call declares."""
    if row is None:
        raise TypeError("row: was not sent")
    return row


def check_row(row: bytes | None) -> None:
    """Refuses a row key of no bytes and of more than MAX_ROW_BYTES."""
    row = sent(row)
    if not row:
        raise UncheckedError(f"Row length is 0: wants 1..{MAX_ROW_BYTES} bytes")
    if len(row) > MAX_ROW_BYTES:
        raise UncheckedError(f"Row length {len(row)} is > {MAX_ROW_BYTES}")


def last_read(before: int | None) -> int:
    """The last timestamp that a read sees. HBase: its bound is exclusive, whatever the IDL and happybase say."""
    check_time(before)
    return LATEST_MS if before is None else before - 1


def cell_bytes(put: Put) -> int:
    """HBase: 20 bytes + row + family + qualifier + value; the colon of the column's name is not stored."""
    return 19 + len(put[0]) + len(put[1]) + len(put[3])


def check_time(timestamp: int | None) -> None:
    """Refuses a timestamp below 0, to read before or to write at."""
    if timestamp is not None and timestamp < 0:
        raise UncheckedError(f"Timestamp cannot be negative (got {timestamp})")


def write_time(timestamp: int | None) -> int:
    """HBase: no timestamp, and the greatest one, mean the server's clock, which is read under the lock."""
    return now_ms() if timestamp is None or timestamp == LATEST_MS else timestamp
