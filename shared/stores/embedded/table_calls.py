"""Calls on tables: looks them up, creates, enables, disables and drops them, and describes families and regions."""

import hashlib
from collections.abc import Iterable, Mapping

from Hbase_thrift import AlreadyExists, ColumnDescriptor, TRegionInfo

from ...keys.limits import BLOCK_BYTES, FOREVER_S
from ..filters.cells import family_of
from ..thrift1.errors import illegal_argument, io_error, java_io_error, name_text
from ..thrift1.idl import IOError
from .engine import Engine
from .rules import family_name, is_namespace, table_name
from .stored_rows import ABOVE_ALL_ROWS
from .stored_tables import StoredFamily, StoredTable
from .turns import Watch, let_others_in

_COMPRESSIONS = {"NONE", "GZ", "LZO", "SNAPPY", "LZ4", "BZIP2", "ZSTD", "LZMA", "BROTLI"}
_BLOOM_FILTERS = {"NONE", "ROW", "ROWCOL"}
_MIN_BLOCK_BYTES, _MAX_BLOCK_BYTES = 1024, 16 * 1024 * 1024


def find_table(engine: Engine, name: bytes) -> StoredTable:
    """The table, enabled or not; raises TableNotFoundException."""
    tables = engine.tables()
    table = tables.get(name) or tables.get(table_name(name))
    if table is None:
        raise io_error("TableNotFoundException", name_text(name))
    return table


def enabled_table(engine: Engine, name: bytes) -> StoredTable:
    """The table, to read from or write to; raises if it is missing or disabled."""
    table = find_table(engine, name)
    if not table.enabled:
        raise io_error("TableNotEnabledException", f"{name_text(name)} is disabled")
    return table


def check_families(table: StoredTable, columns: Iterable[bytes]) -> None:
    """Refuses a column of a family that the table does not have."""
    error = first_unknown_family(table, columns)
    if error:
        raise error


def first_unknown_family(table: StoredTable, columns: Iterable[bytes]) -> IOError | None:
    """The error for the first column whose family the table does not have, or None."""
    for column in columns:
        if family_of(column) not in table.families:
            return _no_such_family(table, column)
    return None


def _no_such_family(table: StoredTable, column: bytes) -> IOError:
    """The error for a column of a family that the table does not have."""
    return io_error(
        "regionserver.NoSuchColumnFamilyException",
        f"Column family {name_text(family_of(column))} does not exist in region {name_text(_region_name(table))}"
        f" in table '{name_text(table.name)}'",
    )


def create_table(
    engine: Engine,
    given_name: bytes,
    descriptors: Iterable[ColumnDescriptor],
    beyond: Mapping[bytes, Mapping[str, int]] | None = None,
    split_rows: Iterable[bytes] = (),
) -> None:
    """Creates a table, whose namespace must exist.

    `beyond`, by family the options of `BEYOND_THRIFT1`, and `split_rows`, the split points, do not fit in a descriptor
    of Thrift1.
    """
    name = table_name(given_name)
    families: dict[bytes, StoredFamily] = {}
    for descriptor in descriptors:
        family = _stored_family(descriptor, beyond or {})
        if family.name in families:
            raise illegal_argument(f"Family '{name_text(family.name)}' already exists so cannot be added")
        families[family.name] = family
    namespace, colon, _ = name.rpartition(b":")
    with engine.writing():
        if colon and not engine.has_namespace(namespace):
            raise io_error("NamespaceNotFoundException", name_text(namespace))
        if name in engine.tables():
            raise AlreadyExists(message=b"table name already in use")
        if not families:
            raise io_error("DoNotRetryIOException", "Table should have at least one column family.")
        for family in families.values():
            _check_block_size(family)
        engine.create_table(name, families.values(), split_rows)


def create_namespace(engine: Engine, name: bytes) -> None:
    """Creates a namespace, unless it exists."""
    if not is_namespace(name_text(name)):
        raise io_error("DoNotRetryIOException", f"Illegal namespace {name_text(name)!r}: wants letters, digits and _")
    with engine.writing():
        if not engine.has_namespace(name):
            engine.create_namespace(name)


def drop_table(engine: Engine, name: bytes, watch: Watch) -> None:
    """Deletes a disabled table: its rows in several turns with the engine, then the table itself.

    If that is interrupted, the table stays, disabled and without some of its rows; deleting it again continues.
    """
    has_rows = True
    while has_rows:
        with engine.lock, engine.writing():
            table = engine.tables().get(table_name(name))
            if table is None:
                raise java_io_error("table does not exist")
            if table.enabled:
                text = f"Not DISABLED; tableName={name_text(table.name)}, state=ENABLED"
                raise io_error("TableNotDisabledException", text)
            has_rows = engine.drop_rows(table)
            if not has_rows:
                engine.drop_table(table)
        if has_rows:
            watch(())
            let_others_in()


def enable_table(engine: Engine, name: bytes) -> None:
    """Enables a disabled table."""
    with engine.writing():
        table = find_table(engine, name)
        if table.enabled:
            raise io_error("TableNotDisabledException", name_text(table.name))
        engine.enable_table(table, True)


def disable_table(engine: Engine, name: bytes, watch: Watch) -> None:
    """Disables an enabled table. HBase: that flushes it, and a flush drops surplus versions."""
    low: bytes | None = b""
    while low is not None:
        if low:
            watch(())
            let_others_in()
        with engine.lock, engine.writing():
            table = enabled_table(engine, name)
            end = engine.turn_end_row(table, low)
            engine.flush(table, low, end or ABOVE_ALL_ROWS)
            if end is None:
                engine.enable_table(table, False)
        low = end


def _stored_family(descriptor: ColumnDescriptor, beyond: Mapping[bytes, Mapping[str, int]]) -> StoredFamily:
    name = family_name(descriptor.name)
    if descriptor.maxVersions <= 0:
        raise illegal_argument(f"Maximum versions must be positive (got {descriptor.maxVersions})")
    compression = name_text(
        descriptor.compression
    ).upper()  # HBase: in any case, while a bloom filter is upper case only
    if compression not in _COMPRESSIONS:
        raise illegal_argument(f"Unsupported compression algorithm name: {name_text(descriptor.compression)}")
    bloom_filter = name_text(descriptor.bloomFilterType)
    if bloom_filter not in _BLOOM_FILTERS:
        raise illegal_argument(f"No enum constant org.apache.hadoop.hbase.regionserver.BloomType.{bloom_filter}")
    options = beyond.get(name, {})
    return StoredFamily(
        name,
        descriptor.maxVersions,
        descriptor.timeToLive if descriptor.timeToLive > 0 else FOREVER_S,
        compression,
        bloom_filter,
        descriptor.inMemory,
        descriptor.blockCacheEnabled,
        options.get("block_size", BLOCK_BYTES),
        options.get("keep_tombstones_ms", 0),
    )


def _check_block_size(family: StoredFamily) -> None:
    if not _MIN_BLOCK_BYTES <= family.block_bytes <= _MAX_BLOCK_BYTES:
        raise io_error(
            "DoNotRetryIOException",
            f"Block size for column family {name_text(family.name)}  must be between 1K and 16MB.",
        )


def column_descriptor(family: StoredFamily) -> ColumnDescriptor:
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


def regions_of(table: StoredTable) -> list[TRegionInfo]:
    """The regions of a table, between its split points; they are never split further."""
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
    """The region named `name`. HBase: the last region up to `name`, in the order of table and start row."""
    table, _, rest = name.partition(b",")
    start, _, region_id = rest.rpartition(b",")
    last = (table, start, region_id)
    last_region = None
    for stored_table in engine.tables().values():
        for region in regions_of(stored_table):
            if not name or (stored_table.name, region.startKey, region.name.rpartition(b",")[2]) <= last:
                last_region = region
    if last_region is None:
        raise java_io_error(f"Cannot find row in hbase:meta, row={name_text(name)}")
    return last_region


def _region_name(table: StoredTable, start: bytes = b"") -> bytes:
    """The name of a region. HBase: table, start row, id, and the MD5 of these three."""
    name = b"%s,%s,%d" % (table.name, start, table.created_ms)
    return b"%s.%s." % (name, hashlib.md5(name, usedforsecurity=False).hexdigest().encode())
