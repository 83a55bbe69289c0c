"""Tables as the service sees them: found or refused, created from descriptors, described again."""

import hashlib
from collections.abc import Iterable

from Hbase_thrift import AlreadyExists, ColumnDescriptor, IOError, TRegionInfo

from .columns import family_of
from .engine import Engine, Family, Table
from .rules import family_name, illegal_argument, io_error, shown, table_name

FOREVER_S = 2**31 - 1

_COMPRESSIONS = {"NONE", "GZ", "LZO", "SNAPPY", "LZ4", "BZIP2", "ZSTD", "LZMA", "BROTLI"}
_BLOOM_FILTERS = {"NONE", "ROW", "ROWCOL"}


def find_table(engine: Engine, name: bytes) -> Table:
    """The table, enabled or not, or the error that it is not there."""
    tables = engine.tables()
    table = tables.get(name) or tables.get(table_name(name))
    if table is None:
        raise io_error("TableNotFoundException", shown(name))
    return table


def enabled_table(engine: Engine, name: bytes) -> Table:
    """The table to read from or write to."""
    table = find_table(engine, name)
    if not table.enabled:
        raise io_error("TableNotEnabledException", f"{shown(name)} is disabled")
    return table


def check_families(table: Table, columns: Iterable[bytes]) -> None:
    """Refuses a column of a family that the table does not have."""
    for column in columns:
        if family_of(column) not in table.families:
            raise no_such_family(table, column)


def no_such_family(table: Table, column: bytes) -> IOError:
    """The error for a column of a family that the table does not have."""
    return io_error(
        "regionserver.NoSuchColumnFamilyException",
        f"Column family {shown(family_of(column))} does not exist in region {shown(_region_name(table))}"
        f" in table '{shown(table.name)}'",
    )


def create_table(engine: Engine, given_name: bytes, descriptors: Iterable[ColumnDescriptor]) -> None:
    """Creates a table of the default namespace, the only one there is."""
    name = table_name(given_name)
    families: dict[bytes, Family] = {}
    for descriptor in descriptors:
        family = _family(descriptor)
        if family.name in families:
            raise illegal_argument(f"Family '{shown(family.name)}' already exists so cannot be added")
        families[family.name] = family
    if b":" in name:
        raise io_error("NamespaceNotFoundException", shown(name.partition(b":")[0]))
    with engine.writing():
        if name in engine.tables():
            raise AlreadyExists(message=b"table name already in use")
        if not families:
            raise io_error("DoNotRetryIOException", "Table should have at least one column family.")
        engine.create_table(name, families.values())


def _family(descriptor: ColumnDescriptor) -> Family:
    name = family_name(descriptor.name)
    if descriptor.maxVersions <= 0:
        raise illegal_argument(f"Maximum versions must be positive (got {descriptor.maxVersions})")
    compression = shown(descriptor.compression).upper()  # HBase: in any case, while a bloom filter is upper case only
    if compression not in _COMPRESSIONS:
        raise illegal_argument(f"Unsupported compression algorithm name: {shown(descriptor.compression)}")
    bloom_filter = shown(descriptor.bloomFilterType)
    if bloom_filter not in _BLOOM_FILTERS:
        raise illegal_argument(f"No enum constant org.apache.hadoop.hbase.regionserver.BloomType.{bloom_filter}")
    return Family(
        name,
        descriptor.maxVersions,
        descriptor.timeToLive if descriptor.timeToLive > 0 else FOREVER_S,
        compression,
        bloom_filter,
        descriptor.inMemory,
        descriptor.blockCacheEnabled,
    )


def column_descriptor(family: Family) -> ColumnDescriptor:
    """The family as HBase describes it: its name ends with a colon."""
    return ColumnDescriptor(
        name=family.name + b":",
        maxVersions=family.max_versions,
        compression=family.compression.encode(),
        inMemory=bool(family.in_memory),
        bloomFilterType=family.bloom_filter.encode(),
        blockCacheEnabled=bool(family.block_cache),
        timeToLive=family.time_to_live_s,
    )


def only_region(table: Table) -> TRegionInfo:
    """The one region of a table: nothing splits it."""
    return TRegionInfo(
        startKey=b"",
        endKey=b"",
        id=table.created_ms,
        name=_region_name(table),
        version=1,
        serverName=b"embedded",
        port=0,
    )


def _region_name(table: Table) -> bytes:
    """HBase: table, start row, id and the MD5 of those three."""
    name = b"%s,,%d" % (table.name, table.created_ms)
    return b"%s.%s." % (name, hashlib.md5(name, usedforsecurity=False).hexdigest().encode())
