"""Files become records: formats of files, values, and errors by line.

May import `keys`, `records` and cattrs.
"""

from .detection import FORMATS
from .errors import UnknownField, UnknownUnit, UnreadableFile
from .formats import MAX_LINE_CHARACTERS, Format, ParsedRows
from .reading import Line, Lines, read_lines, read_records
from .values import read_value

__all__ = [
    "FORMATS",
    "MAX_LINE_CHARACTERS",
    "Format",
    "Line",
    "Lines",
    "ParsedRows",
    "UnknownField",
    "UnknownUnit",
    "UnreadableFile",
    "read_lines",
    "read_records",
    "read_value",
]
