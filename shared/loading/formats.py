"""What a format of text files is: how a file begins, and how its lines become the values of records.

CSV (`csv_format.py`) and JSON lines (`json_lines.py`), which every design reads, are defined like a design's own
formats. Formats need not check for bytes that are not UTF-8, nor for lines that are too long: `reading.py` refuses
them.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import attrs

Values: TypeAlias = dict[str, Any]
"""The values of a row by column."""
ParsedRows: TypeAlias = Iterator[tuple[int, int, Values | str]]
"""First and last line of each row of a file, with its values, or with the reason why it has none."""
FormatRows: TypeAlias = Iterator[tuple[int, int, Values | str | None]]
"""First and last line of each row of a file, with its values, the reason why it has none, or None if it is ignored."""

MAX_LINE_CHARACTERS = 10 * 1024 * 1024
"""The most characters of a line, or of an event of several lines. HBase accepts no cell of more bytes, by default
(hbase.client.keyvalue.maxsize)."""


@attrs.frozen
class Format:
    """A format of text files."""

    name: str
    """The name to choose it by: `csv`."""
    title: str
    """Its name in messages: `CSV`."""
    recognizes: Callable[[str], bool]
    """Whether a file has this format, judged by its first line that is not blank."""
    read: Callable[[Iterable[str], Path], FormatRows]
    """The rows of a file's lines, which include blank lines and keep their line ends.

    It returns nothing for a header, a comment or a blank line, and None for any other line that it ignores.
    A byte that is not UTF-8 is a lone surrogate; rows with such values are refused later.
    """
    header: Callable[[str], list[str]] | None = None
    """The columns that the first line names, if it is a header, or those of each line; ValueError for a line that is
    not a header."""
    line_ends: tuple[str, ...] = ("\n",)
    """A lone carriage return ends a line in old CSV files, and is a character like any other in logs."""
    has_milliseconds: bool = False
    """Whether `read` returns all times in milliseconds, so that no unit has to be guessed."""
    has_year: bool = True
    """Whether its times have a year. Otherwise `read` returns them as syslog writes them, `Apr  6 14:19:16`, and the
    caller of `read_lines` gives the year of the first line; see `SyslogTimes`."""
    tells_year: Callable[[str], bool] | None = None
    """Whether the times of a file with this first line have a year, if files of the format differ in it; `has_year`
    is then that of the file."""
    has_cells: bool = False
    """Whether values are texts of cells, of which an empty one is None if the field may be None; see `cells.py`."""
    may_lack_time: bool = False
    """Whether lines may lack a time. Then `read` leaves out its column, and the caller of `read_lines` gives the time
    of those lines."""
    write: Callable[[Any], str] | None = None
    """The line of a record, without a line end; None if `rowbook scan --lines` cannot write it."""
    time_column: str = ""
    """The column with the time of a line, for a record's only time if that has no column; empty if none is known.

    `read` returns it as an int of milliseconds, as text in ISO 8601 with all digits that it has, or as a number of
    `time_unit`. Text without a zone is the local time of the program that wrote it, or UTC: the format does not say.
    """
    time_unit: str = ""
    """What the numbers in that column count, one of `UNITS`; empty for milliseconds."""
    wanted: str = ""
    """The lines that become records, for messages, if others are ignored: `lines in which sshd accepts a user`."""
