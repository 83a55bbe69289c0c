"""Arguments for creating a table: families as for happybase's `create_table`, with two more options; split points."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from Hbase_thrift import ColumnDescriptor

from ...keys.limits import MAX_ROW_BYTES

FamilyOptions: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Families by name, each with happybase's options, such as `max_versions`, and those of `BEYOND_THRIFT1`."""

BEYOND_THRIFT1 = ("block_size", "keep_tombstones_ms")
"""A family's options that do not fit in a descriptor of Thrift1: bytes, and milliseconds that tombstones are kept."""

MAX_KEEP_MS = 2**63 - 1


def descriptors(families: FamilyOptions) -> tuple[list[ColumnDescriptor], dict[bytes, dict[str, int]]]:
    """Thrift1's descriptors of the families, and by family the given options of `BEYOND_THRIFT1`.

    Raises ValueError if `keep_tombstones_ms` is not 0..2^63-1.
    """
    columns: list[ColumnDescriptor] = []
    beyond: dict[bytes, dict[str, int]] = {}
    for name, options in families.items():
        fields = {_camel_case(option): value for option, value in options.items() if option not in BEYOND_THRIFT1}
        columns.append(ColumnDescriptor(name=name if name.endswith(":") else f"{name}:", **fields))
        keep_ms = options.get("keep_tombstones_ms", 0)
        if type(keep_ms) is not int or not 0 <= keep_ms <= MAX_KEEP_MS:
            raise ValueError(f"keep_tombstones_ms: must be 0..{MAX_KEEP_MS} (got {keep_ms!r})")
        beyond[name.removesuffix(":").encode()] = {
            option: options[option] for option in BEYOND_THRIFT1 if option in options
        }
    return columns, beyond


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
