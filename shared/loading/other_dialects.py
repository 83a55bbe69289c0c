"""What the first lines of a file say of how they are written, when they have been read as CSV of another kind."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice

import attrs

from ..keys.errors import shown
from .columns import Field, check_columns
from .csv_format import CSV, columns_with, delimiters_in
from .errors import UnreadableFile
from .formats import Format
from .log_layouts import layout_format, usual_layout
from .text_files import FirstLine, TextFile

_LOG_LINE = re.compile(r"[^\w#]*[0-9]|.*[0-9]:[0-9]{2}:[0-9]{2}")
"""The start of a line of a log, which no header has: a number, or a time of a day anywhere."""
_SEPARATOR = re.compile(r'"?sep=([^"])"?\s*')
"""A line before the header, from which spreadsheets take the delimiter."""
_FEW_WORDS = 3
"""The most words of a cell that may be a time."""
_HEADER = "give header = [...] in --describe"
_SEARCHED_LINES = 50
"""So many lines are searched for a table that does not begin in the first one."""
_FEW_COLUMNS = 2
"""A line with so many cells may be any text with a comma in it."""
_EQUAL_LINES = 3
"""So many lines with the same number of cells are a table."""


def other_dialect(fields: list[Field], first: FirstLine, file: TextFile, detected: Format) -> str:
    """What the first lines say of the dialect of CSV that they are in, if that is not the one that was read."""
    assert detected.header is not None
    line = first.text
    if detected is CSV and (known := usual_layout(line)):
        layout, header = ":".join(known), layout_format(*known).header
        names = ", ".join(header(line) if header else [])
        return f"looks like a log of {known[0]}: give --layout {shown(layout)}, and map fields to {names}"
    if separator := _SEPARATOR.fullmatch(line):
        return f"has its header in the next line: give --skip 1 --delimiter {shown(separator[1])}"
    with suppress(ValueError):
        read = detected.header(line)
        for delimiter in delimiters_in(line):
            columns = columns_with(line, delimiter)
            if len(columns) > max(len(read), _FEW_COLUMNS):
                said = f"looks like CSV with {shown(delimiter)}: give --delimiter {shown(delimiter)}"
                return said + _then(fields, columns)
        if file.size_bytes is not None and (table := _table_in(islice(file.lines(first, ("\n",)), _SEARCHED_LINES))):
            sign = "" if table.delimiter == "," else f" --delimiter {shown(table.delimiter)}"
            said = f"looks like CSV from line {table.skip + 1} on: give --skip {table.skip}{sign}"
            return said + _then(fields, table.columns)
        if _has_values(read):
            return f"has no header: {_HEADER}, its {len(read)} columns (got {shown(line.strip())})"
    return ""


def _then(fields: list[Field], columns: list[str]) -> str:
    """What remains to be said when these are the columns."""
    try:
        check_columns(fields, columns)
    except UnreadableFile as error:
        return f"; then {error}{f'; if it has no header, {_HEADER}' if _has_values(columns) else ''}"
    return ""


def _has_values(cells: Sequence[str]) -> bool:
    """Whether the cells of a first line may be values; in a log, many words come before the first comma."""
    has_number = any(re.match("[-+]?[0-9]", cell) for cell in cells)
    return has_number and len(cells) > _FEW_COLUMNS and len(cells[0].split()) <= _FEW_WORDS


def starts_as_log(line: str) -> bool:
    """Whether a line may be one of a log."""
    return _LOG_LINE.match(line) is not None


@attrs.frozen
class _Table:
    """A table of CSV that begins after some lines of another kind."""

    skip: int
    """How many lines come before it."""
    delimiter: str
    columns: list[str]


def _table_in(lines: Iterable[str]) -> _Table | None:
    """The first lines with the same number of cells, at least three, if these are not the first of all."""
    read = [*lines]
    for skip in range(1, len(read) - _EQUAL_LINES + 1):
        for delimiter in delimiters_in(read[skip]):
            columns = columns_with(read[skip], delimiter)
            before, *others = (len(columns_with(line, delimiter)) for line in read[skip - 1 : skip + _EQUAL_LINES])
            if before != len(columns) > _FEW_COLUMNS and {*others} == {len(columns)}:
                return _Table(skip, delimiter, columns)
    return None
