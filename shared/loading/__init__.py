"""Files become records: formats, values, and errors by line.

May import `keys`, `records` and cattrs.
"""

from .formats import CSV, FORMATS, LONGEST, Format, Rows
from .reading import Line, Lines, UnknownField, UnknownUnit, UnreadableFile, read_lines, read_records
from .values import read_value

__all__ = [
    "CSV",
    "FORMATS",
    "LONGEST",
    "Format",
    "Line",
    "Lines",
    "Rows",
    "UnknownField",
    "UnknownUnit",
    "UnreadableFile",
    "read_lines",
    "read_records",
    "read_value",
]
