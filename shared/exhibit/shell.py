r"""Gets and scans as statements of the HBase shell.

    scan 'orders_by_seller', {STARTROW => "s-17\x00\x01", STOPROW => "s-17\x00\x02", LIMIT => 11}

Keys are in double quotes, where Ruby reads \x and two hex digits as one byte.
"""

from collections.abc import Sequence

from ..keys.ranges import RowRange

MAX_LINE = 120
"""Characters of a line; a longer statement is broken into several."""


def statement(
    table: str,
    rows: RowRange,
    *,
    reverse: bool = False,
    filter: bytes | None = None,
    before_ms: int | None = None,
    column: bytes | None = None,
    versions: int = 1,
    families: Sequence[str] = (),
    limit: int | None = None,
) -> str:
    """The `get` of one row, or the `scan` of a range; of cells before a time, of versions of a column, or of families.

    HBase reads STARTROW and leaves out STOPROW. A reverse scan starts at the range's stop, which is the higher key; no
    row may be equal to either end of the range.
    """
    of_cells = [] if column is None else [f"COLUMN => {quoted(column)}", f"VERSIONS => {versions}"]
    of_cells += [] if before_ms is None else [f"TIMERANGE => [0, {before_ms}]"]
    if rows.stop == rows.start + b"\0" and filter is None:
        of_row = f", {{{', '.join(of_cells)}}}" if of_cells else ""
        return f"get '{table}', {quoted(rows.start)}{of_row}"
    first, last = (rows.stop, rows.start) if reverse else (rows.start, rows.stop)
    options = [f"STARTROW => {quoted(first)}"] if first else []
    options += [f"STOPROW => {quoted(last)}"] if last else []
    options += ["REVERSED => true"] if reverse else []
    options += [] if filter is None else [f"FILTER => {quoted(filter)}"]
    options += of_cells + ([f"COLUMNS => {list(families)}"] if families else [])
    options += [] if limit is None else [f"LIMIT => {limit}"]
    if not options:
        return f"scan '{table}'"
    start = f"scan '{table}', {{"
    line = f"{start}{', '.join(options)}}}"
    if len(line) <= MAX_LINE:
        return line
    between = ",\n" + " " * len(start)
    return f"{start}{between.join(options)}}}"


def quoted(data: bytes) -> str:
    """A row key, or a filter, as Ruby reads it between double quotes: printable ASCII as it is, all else escaped."""
    return '"' + "".join(map(_letter, data)) + '"'


def _letter(byte: int) -> str:
    return chr(byte) if 0x20 <= byte <= 0x7E and byte not in b'"#\\' else f"\\x{byte:02X}"
