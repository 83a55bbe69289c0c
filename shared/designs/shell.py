r"""Ranges of rows as statements of the HBase shell.

    scan 'orders_by_seller', {STARTROW => "s-17\x00\x01", STOPROW => "s-17\x00\x02"}

Keys are in double quotes, where Ruby reads \x and two hex digits as one byte.
"""

from ..keys import RowRange

MAX_LINE = 120
"""Characters of a line; a longer statement is broken into several."""


def statement(table: str, rows: RowRange) -> str:
    """The `get` of one row, or the `scan` of a range, its start inclusive and its stop exclusive."""
    if rows.stop == rows.start + b"\0":
        return f"get '{table}', {quoted(rows.start)}"
    options = [f"STARTROW => {quoted(rows.start)}"] if rows.start else []
    options += [] if rows.stop is None else [f"STOPROW => {quoted(rows.stop)}"]
    if not options:
        return f"scan '{table}'"
    start = f"scan '{table}', {{"
    line = f"{start}{', '.join(options)}}}"
    if len(line) <= MAX_LINE:
        return line
    between = ",\n" + " " * len(start)
    return f"{start}{between.join(options)}}}"


def quoted(row: bytes) -> str:
    """A row key as Ruby reads it between double quotes: printable ASCII as it is, all else escaped."""
    return '"' + "".join(map(_letter, row)) + '"'


def _letter(byte: int) -> str:
    return chr(byte) if 0x20 <= byte <= 0x7E and byte not in b'"#\\' else f"\\x{byte:02X}"
