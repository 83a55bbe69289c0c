"""A cell as the engine stores it and as filters see it."""

from typing import TypeAlias

Cell: TypeAlias = tuple[bytes, int, bytes]
"""A version of a cell within its row: column (family:qualifier), timestamp, value."""


def family_of(column: bytes) -> bytes:
    """The family in the name of a column or of a family."""
    return column.partition(b":")[0]


def cell_sort_key(column: bytes) -> tuple[bytes, bytes, bytes]:
    """The key by which HBase sorts columns: family, then qualifier, so `cf:z` before `cf1:a` although '1' < ':'."""
    return column.partition(b":")
