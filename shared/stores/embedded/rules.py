"""HBase's rules for names, sizes and timestamps, and the errors it raises if they are broken."""

from ...keys.limits import LATEST_MS, MAX_ROW_BYTES
from ..thrift1.errors import IllegalTableNameError, UncheckedError, illegal_argument, name_text
from .engine import Put
from .stored_tables import now_ms

MAX_FAMILY_BYTES = 127

# HBase: the region server refuses a cell of more than MAX_CELL_BYTES; the gateway does not send a cell of more than
# MAX_SENT_CELL_BYTES at all.
MAX_SENT_CELL_BYTES = 10_485_760


def table_name(name: bytes | None) -> bytes:
    """The name without `default:`. HBase: letters and digits of any language, `_`, `-` and `.`, after `namespace:`."""
    given = name_text(name)
    namespace, colon, qualifier = given.rpartition(":")
    is_legal = qualifier and qualifier[0] not in ".-" and all(_is_of_name(letter, "_-.") for letter in qualifier)
    if not is_legal or (colon and not is_namespace(namespace)):
        raise IllegalTableNameError(
            f"Illegal table name {given!r}: wants letters, digits, _ - . and not . or - at the start"
        )
    if qualifier == "zookeeper":
        raise IllegalTableNameError("Illegal table name 'zookeeper'")
    return (qualifier if namespace == "default" else given).encode()


def is_namespace(name: str) -> bool:
    """Whether this may be the name of a namespace. HBase: letters and digits of any language, and `_`."""
    return bool(name) and all(_is_of_name(letter, "_") for letter in name)


def _is_of_name(letter: str, others: str) -> bool:
    return letter.isalnum() or letter in others


def family_name(name: bytes | None) -> bytes:
    """The family that a column descriptor names, up to its first colon."""
    if not name:
        raise illegal_argument("column name is empty")
    family = name.partition(b":")[0]
    if not family:
        raise illegal_argument("Column Family name can not be empty")
    if family.startswith(b".") or any(byte < 0x20 or byte == 0x7F or byte in b"/\\" for byte in family):
        raise illegal_argument(
            f"Family {name_text(family)!r}: must not start with . or hold control characters, / or \\"
        )
    if len(family) > MAX_FAMILY_BYTES:
        raise illegal_argument(f"Column family name: at most {MAX_FAMILY_BYTES} bytes (got {len(family)})")
    return family


def required_row(row: bytes | None) -> bytes:
    """The row, if it was sent. HBase: a missing one is a NullPointerException, which no call declares."""
    if row is None:
        raise TypeError("row: was not sent")
    return row


def check_row(row: bytes | None) -> None:
    """Refuses an empty row key and one of more than MAX_ROW_BYTES."""
    row = required_row(row)
    if not row:
        raise UncheckedError(f"Row length is 0: wants 1..{MAX_ROW_BYTES} bytes")
    if len(row) > MAX_ROW_BYTES:
        raise UncheckedError(f"Row length {len(row)} is > {MAX_ROW_BYTES}")


def last_read(before: int | None) -> int:
    """The last timestamp that a read sees. HBase: the bound is exclusive, although the IDL and happybase differ."""
    check_time(before)
    return LATEST_MS if before is None else before - 1


def cell_bytes(put: Put) -> int:
    """The size of a cell. HBase: 20 bytes + row + family + qualifier + value, without the colon of the column."""
    return 19 + len(put[0]) + len(put[1]) + len(put[3])


def check_time(timestamp: int | None) -> None:
    """Refuses a timestamp below 0, to read before or to write at."""
    if timestamp is not None and timestamp < 0:
        raise UncheckedError(f"Timestamp cannot be negative (got {timestamp})")


def write_time(timestamp: int | None) -> int:
    """The timestamp of a write. HBase: if none or the greatest is given, the server's clock, read under the lock."""
    return now_ms() if timestamp is None or timestamp == LATEST_MS else timestamp
