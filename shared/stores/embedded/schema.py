"""The tables in the SQLite file of an embedded store, and the migrations from earlier formats."""

FORMAT = 3
APPLICATION_ID = 0x726F7762  # "rowb"; SQLite keeps it at offset 68 of the file

# The last column of each table is a checksum of the others in its row; see `checksums.py`. Format 2 had none.
_CHECKSUM = ",\n    checksum integer not null"

# One row of `cells` per version of a cell; `column` is family:qualifier as one blob. SQLite compares blobs as HBase
# compares rows, and a column's last version is its newest.
_CELLS = """
create table cells (
    table_id integer not null,
    row blob not null,
    column blob not null,
    ts integer not null,
    value blob not null{checksum},
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
    ts integer not null{checksum},
    primary key (table_id, row, column)
) without rowid;
create index latest_tombstones on tombstones (table_id, ts)
"""

# A table has one region more than it has split points; each is the first row of a region.
_SPLITS = """
create table splits (
    table_id integer not null,
    row blob not null{checksum},
    primary key (table_id, row)
) without rowid
"""

# What format 2 had only in files that needed it: families with another block size than HBase's default, families whose
# tombstones outlast a major compaction, the id of the store, and the namespaces other than `default`.
_LATER_TABLES = """
create table if not exists block_sizes (
    table_id integer not null,
    family blob not null,
    bytes integer not null{checksum},
    primary key (table_id, family)
) without rowid;
create table if not exists kept_tombstones (
    table_id integer not null,
    family blob not null,
    ms integer not null{checksum},
    primary key (table_id, family)
) without rowid;
create table if not exists cluster (id blob not null{checksum});
create table if not exists namespaces (name blob not null primary key{checksum}) without rowid
"""

CATALOGUE_TABLES = {
    "tables": "id, name, created_ms, enabled",
    "families": "table_id, name, max_versions, time_to_live_s, compression, bloom_filter, in_memory, block_cache",
    "splits": "table_id, row",
    "block_sizes": "table_id, family, bytes",
    "kept_tombstones": "table_id, family, ms",
    "cluster": "id",
    "namespaces": "name",
}
"""The tables of the catalogue, with the columns that their checksums cover."""

SCHEMA = f"""
create table tables (
    id integer primary key autoincrement, -- never used twice: a reader with an old id finds nothing
    name blob not null unique,
    created_ms integer not null,
    enabled integer not null{_CHECKSUM}
);
create table families (
    table_id integer not null,
    name blob not null,
    max_versions integer not null,
    time_to_live_s integer not null,
    compression text not null,
    bloom_filter text not null,
    in_memory integer not null,
    block_cache integer not null{_CHECKSUM},
    primary key (table_id, name)
) without rowid;
{_CELLS.format(checksum=_CHECKSUM)};
{_TOMBSTONES.format(checksum=_CHECKSUM)};
{_SPLITS.format(checksum=_CHECKSUM)};
{_LATER_TABLES.format(checksum=_CHECKSUM)};
pragma application_id = {APPLICATION_ID};
pragma user_version = {FORMAT};
"""


def _add_checksum(table: str, checksum: str) -> str:
    added = f"alter table {table} add column checksum integer not null default 0"
    return f"{added};\nupdate {table} set checksum = {checksum};\n"


# The statements that migrate a file from its format to the next one, in one transaction.
MIGRATIONS = {
    # Format 1 reserved room for tombstones in the key of a cell, but never stored one.
    1: f"""
alter table cells rename to cells_1;
{_CELLS.format(checksum="")};
insert into cells select table_id, row, column, ts, value from cells_1;
drop table cells_1;
{_TOMBSTONES.format(checksum="")};
{_SPLITS.format(checksum="")};
pragma user_version = 2;
""",
    2: f"""
{_LATER_TABLES.format(checksum="")};
{_add_checksum("cells", "cell_checksum(table_id, row, column, ts, value)")}
{_add_checksum("tombstones", "cell_checksum(table_id, row, column, ts)")}
{"".join(_add_checksum(table, f"record_checksum({columns})") for table, columns in CATALOGUE_TABLES.items())}
pragma user_version = 3;
""",
}
