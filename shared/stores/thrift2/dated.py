"""Puts whose cells have timestamps of their own, as plain values and as Thrift2's structs."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from .idl import idl

DatedRow: TypeAlias = tuple[bytes, Mapping[tuple[bytes, int], bytes]]
"""A row, and its values by column and timestamp."""


def thrift2_puts(rows: Iterable[DatedRow]) -> list[Any]:
    """Thrift2's puts of some rows, for its putMultiple."""
    put, value_of = idl().TPut, idl().TColumnValue
    return [
        put(row, [value_of(*column.split(b":", 1), value, time_ms) for (column, time_ms), value in cells.items()])
        for row, cells in rows
    ]
