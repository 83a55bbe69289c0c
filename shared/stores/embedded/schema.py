"""The tables in the SQLite file of an embedded store, and the migrations from earlier formats."""

FORMAT = 2
APPLICATION_ID = 0x726F7762  # "rowb"; SQLite keeps it at offset 68 of the file

# One row of `cells` per version of a cell; `column` is family:qualifier as one blob. SQLite compares blobs as HBase
# compares rows, and a column's last version is its newest.
_CELLS = """
create table cells (
    table_id integer not null,
    row blob not null,
    column blob not null,
    ts integer not null,
    value blob not null,
    primary key (table_id, row, column, ts)
) without rowid
"""

# One row of `tombstones` per deleted column (family:qualifier) or family (without colon) of a row: the latest timestamp
# up to which it was deleted. Versions that a tombstone hides are not in `cells`: a delete removes them, a later put
# does not store them.
_TOMBSTONES = """
create table tombstones (
    table_id integer not null,
    row blob not null,
    column blob not null,
    ts integer not null,
    primary key (table_id, row, column)
) without rowid;
create index latest_tombstones on tombstones (table_id, ts)
"""

# A table has one region more than it has split points; each is the first row of a region.
_SPLITS = """
create table splits (
    table_id integer not null,
    row blob not null,
    primary key (table_id, row)
) without rowid
"""

# A family with another block size than HBase's default has a row here. The first such family creates this table: so it
# needs no new format, and an earlier rowbook, which does not know it, can still read everything else.
BLOCK_SIZES = """
create table if not exists block_sizes (
    table_id integer not null,
    family blob not null,
    bytes integer not null,
    primary key (table_id, family)
) without rowid
"""
HAS_BLOCK_SIZES = "select 1 from sqlite_master where type = 'table' and name = 'block_sizes'"

# A family whose tombstones outlast a major compaction has a row here. The first such family creates this table, too.
KEPT_TOMBSTONES = """
create table if not exists kept_tombstones (
    table_id integer not null,
    family blob not null,
    ms integer not null,
    primary key (table_id, family)
) without rowid
"""
HAS_KEPT_TOMBSTONES = "select 1 from sqlite_master where type = 'table' and name = 'kept_tombstones'"

# The id of the store, like that of an HBase cluster: the first request for it creates this table, in the same way.
CLUSTER = "create table if not exists cluster (id blob not null)"
HAS_CLUSTER = "select 1 from sqlite_master where type = 'table' and name = 'cluster'"

# The namespaces other than `default`: the first one creates this table, in the same way.
NAMESPACES = "create table if not exists namespaces (name blob not null primary key) without rowid"
HAS_NAMESPACES = "select 1 from sqlite_master where type = 'table' and name = 'namespaces'"

SCHEMA = f"""
create table tables (
    id integer primary key autoincrement, -- never used twice: a reader with an old id finds nothing
    name blob not null unique,
    created_ms integer not null,
    enabled integer not null
);
create table families (
    table_id integer not null,
    name blob not null,
    max_versions integer not null,
    time_to_live_s integer not null,
    compression text not null,
    bloom_filter text not null,
    in_memory integer not null,
    block_cache integer not null,
    primary key (table_id, name)
) without rowid;
{_CELLS};
{_TOMBSTONES};
{_SPLITS};
pragma application_id = {APPLICATION_ID};
pragma user_version = {FORMAT};
"""

# The statements that migrate a file from its format to the next one, in one transaction.
MIGRATIONS = {
    # Format 1 reserved room for tombstones in the key of a cell, but never stored one.
    1: f"""
alter table cells rename to cells_1;
{_CELLS};
insert into cells select table_id, row, column, ts, value from cells_1;
drop table cells_1;
{_TOMBSTONES};
{_SPLITS};
pragma user_version = 2;
""",
}
