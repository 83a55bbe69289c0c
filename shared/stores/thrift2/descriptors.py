"""Thrift2's descriptors of families, from those of Thrift1 and what these cannot say, and back."""

from collections.abc import Iterable
from typing import Any

from Hbase_thrift import ColumnDescriptor

from ...keys.limits import FOREVER_S, PURGE_DELETES
from ..thrift1.descriptors import FamilyOptions, descriptors
from .idl import idl

_PURGE = PURGE_DELETES.encode()


def family_descriptors(families: FamilyOptions) -> list[Any]:
    """The descriptors of families with happybase's options and `BEYOND_THRIFT1`.

    Raises ValueError for a compression or a bloom filter that Thrift2 has no number for.
    """
    thrift1_families, beyond = descriptors(families)
    return [_descriptor(family, beyond) for family in thrift1_families]


def thrift1_descriptors(
    families: Iterable[Any],
) -> tuple[list[ColumnDescriptor], dict[bytes, dict[str, int]]]:
    """The same as Thrift1 and the store have them: Thrift1's descriptors, and by family the options beyond these."""
    plain: list[ColumnDescriptor] = []
    beyond: dict[bytes, dict[str, int]] = {}
    for family in families:
        options: dict[str, Any] = {
            "bloomFilterType": _enum_name(idl().TBloomFilterType, family.bloomnFilterType, "ROW"),
            "compression": _enum_name(idl().TCompressionAlgorithm, family.compressionType, "NONE"),
            "maxVersions": family.maxVersions or 1,
            "timeToLive": family.timeToLive or FOREVER_S,
            "blockCacheEnabled": family.blockCacheEnabled is not False,
            "inMemory": bool(family.inMemory),
        }
        plain.append(ColumnDescriptor(name=family.name + b":", **options))
        own = {"block_size": family.blockSize, "keep_tombstones_ms": keep_tombstones_ms(family)}
        beyond[family.name] = {name: value for name, value in own.items() if value is not None}
    return plain, beyond


def described(block_sizes: dict[bytes, int], keep_ms: dict[bytes, int]) -> list[Any]:
    """The descriptors that answer a question about families: names, block sizes, times for keeping tombstones."""
    return [
        idl().TColumnFamilyDescriptor(name=name, blockSize=size, configuration=_configuration(keep_ms[name]))
        for name, size in block_sizes.items()
    ]


def keep_tombstones_ms(family: Any) -> int:
    """How long a compaction of all files keeps the tombstones of a family, by its descriptor, in milliseconds."""
    configuration: dict[bytes, bytes] = family.configuration or {}
    return int(configuration.get(_PURGE, 0))


def _descriptor(family: ColumnDescriptor, beyond: dict[bytes, dict[str, int]]) -> Any:
    name = decoded(family.name).removesuffix(":").encode()
    return idl().TColumnFamilyDescriptor(
        name=name,
        configuration=_configuration(beyond[name].get("keep_tombstones_ms", 0)) or None,
        blockSize=beyond[name].get("block_size"),
        bloomnFilterType=_enum_value(idl().TBloomFilterType, "bloom_filter_type", family.bloomFilterType),
        compressionType=_enum_value(idl().TCompressionAlgorithm, "compression", decoded(family.compression).upper()),
        maxVersions=family.maxVersions,
        timeToLive=family.timeToLive if family.timeToLive > 0 else FOREVER_S,
        blockCacheEnabled=family.blockCacheEnabled,
        inMemory=family.inMemory,
    )


def _configuration(keep_ms: int) -> dict[bytes, bytes]:
    return {_PURGE: b"%d" % keep_ms} if keep_ms else {}


def _enum_value(names: Any, option: str, name: bytes | str) -> int:
    number: int | None = names._NAMES_TO_VALUES.get(decoded(name))
    if number is None:
        raise ValueError(f"{option}: must be one of {', '.join(names._NAMES_TO_VALUES)} (got {decoded(name)!r})")
    return number


def _enum_name(names: Any, number: int | None, default: str) -> bytes:
    name: str = default if number is None else names._VALUES_TO_NAMES[number]
    return name.encode()


def decoded(name: bytes | str) -> str:
    """A name as text."""
    return name.decode() if isinstance(name, bytes) else name
