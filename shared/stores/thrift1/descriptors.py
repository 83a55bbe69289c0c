"""Arguments for creating a table: families as for happybase's `create_table`, block sizes and split points."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from Hbase_thrift import ColumnDescriptor

from ...keys import MAX_ROW_BYTES

FamilyOptions: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Families by name, each with happybase's options, such as `max_versions`, and `block_size` in bytes."""


def descriptors(families: FamilyOptions) -> tuple[list[ColumnDescriptor], dict[bytes, int]]:
    """Thrift1's descriptors of the families, and the given block sizes by family, which do not fit in descriptors."""
    columns: list[ColumnDescriptor] = []
    block_sizes: dict[bytes, int] = {}
    for name, options in families.items():
        fields = {_camel_case(option): value for option, value in options.items() if option != "block_size"}
        columns.append(ColumnDescriptor(name=name if name.endswith(":") else f"{name}:", **fields))
        if "block_size" in options:
            block_sizes[name.removesuffix(":").encode()] = options["block_size"]
    return columns, block_sizes


def split_rows(split_points: Iterable[str | bytes]) -> list[bytes]:
    """Split points as bytes; ValueError for a split point that is not a valid row key or occurs twice."""
    rows = [point.encode() if isinstance(point, str) else point for point in split_points]
    for number, row in enumerate(rows):
        if not 1 <= len(row) <= MAX_ROW_BYTES or row in rows[:number]:
            wanted = f"each must be 1..{MAX_ROW_BYTES} bytes and occur once"
            raise ValueError(f"split_points: {wanted} (got {row[:100]!r}, {len(row)} bytes, as number {number})")
    return rows


def _camel_case(option: str) -> str:
    """`max_versions` -> `maxVersions`."""
    first, *rest = option.split("_")
    return first + "".join(map(str.capitalize, rest))
