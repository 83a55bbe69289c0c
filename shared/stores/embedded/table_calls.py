"""Tables as the service sees them: found or refused, created from descriptors, described again."""

import hashlib
from collections.abc import Iterable, Mapping

from Hbase_thrift import AlreadyExists, ColumnDescriptor, TRegionInfo

from ...keys.limits import BLOCK_BYTES, FOREVER_S
from ..filters.cells import family_of
from ..thrift1.errors import illegal_argument, io_error, java_io_error, shown
from ..thrift1.idl import IOError
from .engine import ABOVE_ALL_ROWS, Engine, Family, Table
from .rules import family_name, table_name
from .turns import Watch, let_others_in

_COMPRESSIONS = {"NONE", "GZ", "LZO", "SNAPPY", "LZ4", "BZIP2", "ZSTD", "LZMA", "BROTLI"}
_BLOOM_FILTERS = {"NONE", "ROW", "ROWCOL"}
_MIN_BLOCK_BYTES, _MAX_BLOCK_BYTES = 1024, 16 * 1024 * 1024


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
    error = first_unknown_family(table, columns)
    if error:
        raise error


def first_unknown_family(table: Table, columns: Iterable[bytes]) -> IOError | None:
    """The error for the first column of a family that the table does not have."""
    for column in columns:
        if family_of(column) not in table.families:
            return _no_such_family(table, column)
    return None


def _no_such_family(table: Table, column: bytes) -> IOError:
    """The error for a column of a family that the table does not have."""
    return io_error(
        "regionserver.NoSuchColumnFamilyException",
        f"Column family {shown(family_of(column))} does not exist in region {shown(_region_name(table))}"
        f" in table '{shown(table.name)}'",
    )


def create_table(
    engine: Engine,
    given_name: bytes,
    descriptors: Iterable[ColumnDescriptor],
    block_sizes: Mapping[bytes, int] | None = None,
    split_rows: Iterable[bytes] = (),
) -> None:
    """Creates a table of the default namespace, the only one there is.

    Block sizes, in bytes by family, and the first rows of regions are what a descriptor of Thrift1 has no room for.
    """
    name = table_name(given_name)
    families: dict[bytes, Family] = {}
    for descriptor in descriptors:
        family = _family(descriptor, block_sizes or {})
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
        for family in families.values():
            _check_block_size(family)
        engine.create_table(name, families.values(), split_rows)


def drop_table(engine: Engine, name: bytes, watch: Watch) -> None:
    """Deletes a table that is disabled: its rows in several turns with the engine, then the table itself.

    If that is broken off, the table is there, disabled and without some of its rows; deleting it again goes on.
    """
    has_rows = True
    while has_rows:
        with engine.lock, engine.writing():
            table = engine.tables().get(table_name(name))
            if table is None:
                raise java_io_error("table does not exist")
            if table.enabled:
                text = f"Not DISABLED; tableName={shown(table.name)}, state=ENABLED"
                raise io_error("TableNotDisabledException", text)
            has_rows = engine.drop_rows(table)
            if not has_rows:
                engine.drop_table(table)
        if has_rows:
            watch(())
            let_others_in()


def enable_table(engine: Engine, name: bytes) -> None:
    """Enables a table that is disabled."""
    with engine.writing():
        table = find_table(engine, name)
        if table.enabled:
            raise io_error("TableNotDisabledException", shown(table.name))
        engine.enable_table(table, True)


def disable_table(engine: Engine, name: bytes, watch: Watch) -> None:
    """Disables a table that is enabled. HBase: that flushes it, and a flush drops surplus versions."""
    low: bytes | None = b""
    while low is not None:
        if low:
            watch(())
            let_others_in()
        with engine.lock, engine.writing():
            table = enabled_table(engine, name)
            end = engine.part_end(table, low)
            engine.flush(table, low, end or ABOVE_ALL_ROWS)
            if end is None:
                engine.enable_table(table, False)
        low = end


def _family(descriptor: ColumnDescriptor, block_sizes: Mapping[bytes, int]) -> Family:
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
        block_sizes.get(name, BLOCK_BYTES),
    )


def _check_block_size(family: Family) -> None:
    if not _MIN_BLOCK_BYTES <= family.block_bytes <= _MAX_BLOCK_BYTES:
        raise io_error(
            "DoNotRetryIOException",
            f"Block size for column family {shown(family.name)}  must be between 1K and 16MB.",
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


def regions_of(table: Table) -> list[TRegionInfo]:
    """The regions of a table: as many as its split points make, for nothing splits them further."""
    starts = (b"", *table.splits)
    return [
        TRegionInfo(
            startKey=start,
            endKey=end,
            id=table.created_ms,
            name=_region_name(table, start),
            version=1,
            serverName=b"embedded",
            port=0,
        )
        for start, end in zip(starts, (*table.splits, b""), strict=True)
    ]


def region_at(engine: Engine, name: bytes) -> TRegionInfo:
    """HBase: of the regions of all tables, in the order of table and start row, the last one up to `name`."""
    table, _, rest = name.partition(b",")
    start, _, region_id = rest.rpartition(b",")
    last = (table, start, region_id)
    found = None
    for each in engine.tables().values():
        for region in regions_of(each):
            if not name or (each.name, region.startKey, region.name.rpartition(b",")[2]) <= last:
                found = region
    if found is None:
        raise java_io_error(f"Cannot find row in hbase:meta, row={shown(name)}")
    return found


def _region_name(table: Table, start: bytes = b"") -> bytes:
    """HBase: table, start row, id and the MD5 of those three."""
    name = b"%s,%s,%d" % (table.name, start, table.created_ms)
    return b"%s.%s." % (name, hashlib.md5(name, usedforsecurity=False).hexdigest().encode())
