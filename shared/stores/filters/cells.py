"""A cell as the engine stores it and as filters see it."""

from typing import TypeAlias

Cell: TypeAlias = tuple[bytes, int, bytes]
"""A version of a cell within its row: column (family:qualifier), timestamp, value."""


def family_of(column: bytes) -> bytes:
    """The family of a column's name, or of a family's own."""
    return column.partition(b":")[0]


def in_cell_order(column: bytes) -> tuple[bytes, bytes, bytes]:
    """HBase sorts by family, then qualifier: `cf:z` before `cf1:a`, although '1' sorts before ':'."""
    return column.partition(b":")
