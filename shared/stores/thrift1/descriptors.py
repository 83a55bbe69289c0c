"""What a table is created with: families as happybase's `create_table` takes them, block sizes and split points."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from Hbase_thrift import ColumnDescriptor

from ...keys import MAX_ROW_BYTES

Options: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Families by name, with happybase's options, as `max_versions`; and with `block_size`, in bytes."""


def descriptors(families: Options) -> tuple[list[ColumnDescriptor], dict[bytes, int]]:
    """The descriptors of Thrift1, and the block sizes that were given, which are no part of them."""
    found: list[ColumnDescriptor] = []
    block_sizes: dict[bytes, int] = {}
    for name, options in families.items():
        fields = {_camel_case(option): value for option, value in options.items() if option != "block_size"}
        found.append(ColumnDescriptor(name=name if name.endswith(":") else f"{name}:", **fields))
        if "block_size" in options:
            block_sizes[name.removesuffix(":").encode()] = options["block_size"]
    return found, block_sizes


def split_rows(split_points: Iterable[str | bytes]) -> list[bytes]:
    """The first rows of regions, as bytes; ValueError for split points that are no rows, or not each another."""
    rows = [each.encode() if isinstance(each, str) else each for each in split_points]
    for number, row in enumerate(rows):
        if not 1 <= len(row) <= MAX_ROW_BYTES or row in rows[:number]:
            wanted = f"each must be 1..{MAX_ROW_BYTES} bytes, and there once"
            raise ValueError(f"split_points: {wanted} (got {row[:100]!r}, {len(row)} bytes, as number {number})")
    return rows


def _camel_case(option: str) -> str:
    """`max_versions` -> `maxVersions`."""
    first, *rest = option.split("_")
    return first + "".join(map(str.capitalize, rest))
