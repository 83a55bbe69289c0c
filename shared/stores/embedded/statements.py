"""The SQL of the embedded store's engine: how cells, tombstones and the catalogue are read and written."""

from itertools import product

READ_ROW = "select {picked} from cells where table_id = ? and row = ? and ts <= ? {ordered}"
READ_COLUMNS = (
    "select {picked} from cells where table_id = ? and row = ? and column >= ? and column < ? and ts <= ? {ordered}"
)
SCAN = "select row, {picked} from cells where table_id = ? and row >= ? and row < ? {ordered}"
_ASCENDING = " order by row, column, ts"
_DESCENDING = " order by row desc, column desc, ts desc"
_UP = {"picked": "column, ts, value", "ordered": _ASCENDING}
_DOWN = {"picked": "column, ts, value", "ordered": _DESCENDING}
# SQLite: with max(), the other columns come from the row that has the maximum.
_NEWEST = {"picked": "column, max(ts), value", "ordered": "group by row, column order by row, column"}
_SCAN_ALL = "select row, column, ts, value from cells where table_id = ?1 and row >= ?2 and row < ?3"
_SCAN_WITH_TOMBSTONES = f"""
{_SCAN_ALL} union all
select row, column, ts, null as value from tombstones where table_id = ?1 and row >= ?2 and row < ?3
"""
_CELLS = "select table_id, row, column, ts, value, checksum from cells"
_TOMBSTONES = "select table_id, row, column, ts, null as value, checksum from tombstones"
ALL_CELLS = f"{_CELLS} order by table_id, row, column, ts"
ALL_TOMBSTONES = f"{_TOMBSTONES} order by table_id, row, column"
NEWEST_OF_COLUMN = READ_COLUMNS.format(**_DOWN) + " limit 1"
PUT = "insert or replace into cells values (?1, ?2, ?3, ?4, ?5, ?6)"
PUT_UNLESS_HIDDEN = """
insert or replace into cells select ?1, ?2, ?3, ?4, ?5, ?6 where not exists
    (select 1 from tombstones where table_id = ?1 and row = ?2 and column in (?3, ?7) and ts >= ?4)
"""
WITHOUT_REPLACING = {put: put.replace(" or replace", "", 1) for put in (PUT, PUT_UNLESS_HIDDEN)}
DELETE = "delete from cells where table_id = ? and row = ? and column >= ? and column < ? and ts <= ?"
PUT_TOMBSTONE = """
insert into tombstones values (?, ?, ?, ?, ?)
on conflict do update set ts = excluded.ts, checksum = excluded.checksum where excluded.ts > ts
"""
ROW_AT_OFFSET = """
select row from {part} where table_id = ? and row >= ? and row < ? order by row {direction} limit 1 offset ?
"""
DELETED_AT = "select row, column from tombstones where table_id = ? and ts = ?"
COUNT_DELETED_ROWS = """
select count(distinct row) from tombstones as deleted where table_id = ?1 and row >= ?2 and row < ?3
    and not exists (select 1 from cells where table_id = ?1 and row = deleted.row)
"""
PRUNE = """
delete from cells where table_id = ?1 and row = ?2 and column = ?3 and exists
    (select 1 from cells where table_id = ?1 and row = ?2 and column = ?3 order by ts desc limit 1 offset ?4 + ?5)
    and ts <= (select ts from cells where table_id = ?1 and row = ?2 and column = ?3 order by ts desc limit 1 offset ?4)
"""
PRUNE_FAMILY = """
delete from cells where table_id = ?1 and (row, column, ts) in (
    select row, column, ts from (
        select row, column, ts, row_number() over (partition by row, column order by ts desc) as age
        from cells where table_id = ?1 and column >= ?2 and column < ?3 and row >= ?5 and row < ?6
    ) where age > ?4
)
"""
DROP_TOMBSTONES = """
delete from tombstones where table_id = ?1 and column > ?2 and column < ?3 and ?4 <
    (select count(*) from cells where table_id = ?1 and row = tombstones.row and column = tombstones.column
        and ts > tombstones.ts and ts >= ?5) and row >= ?6 and row < ?7
"""
PURGE_TOMBSTONES = """
delete from tombstones where table_id = ?1 and (column = ?2 or column >= ?3 and column < ?4) and ts < ?5
"""
EXPIRE = "delete from cells where table_id = ? and column >= ? and column < ? and ts < ?"
READ_STATEMENTS = {
    (read, newest_only): read.format(**(_NEWEST if newest_only else _UP))
    for read in (READ_ROW, READ_COLUMNS, SCAN)
    for newest_only in (False, True)
}
"""The templates above filled in, by the template and whether SQLite picks the newest version of each column."""

SCAN_DOWN = SCAN.format(**_DOWN)
CATALOGUE = """
select id, tables.name, created_ms, enabled, table_id, families.name, max_versions, time_to_live_s, compression,
    bloom_filter, in_memory, block_cache
from tables left join families on table_id = id order by tables.name, families.name
"""
CATALOGUE_TYPES = [int, bytes, int, int, int, bytes, int, int, str, str, int, int]
SEAL_TABLE = "update tables set checksum = record_checksum(id, name, created_ms, enabled) where id = ?"
READ_SPLITS = "select row from splits where table_id = ? order by row"
READ_BLOCK_SIZES = "select family, bytes from block_sizes where table_id = ?"
READ_KEPT_TOMBSTONES = "select family, ms from kept_tombstones where table_id = ?"


def scan_all(*, down: bool, with_tombstones: bool = False) -> str:
    """The scan of all versions of a range of rows, in either direction; tombstones come as cells without a value."""
    return (_SCAN_WITH_TOMBSTONES if with_tombstones else _SCAN_ALL) + (_DESCENDING if down else _ASCENDING)


# The last condition is always true: it makes SQLite expect the same parameters everywhere.
_EXTENTS = {
    "columns": "row = ?2 and column >= ?3 and column < ?6",
    "row": "row = ?2 and ?6 = x''",
    "rows": "row >= ?2 and row < ?5 and ?6 = x''",
}


def _read_records(*, extent: str, down: bool, with_tombstones: bool, alone: bool) -> str:
    up, back = "table_id, row, column, ts", "table_id desc, row desc, column desc, ts desc"
    # Not the comparison of tuples below: for those SQLite silently skips rows that damage has put outside the range.
    bounds = _EXTENTS[extent]
    tombstones = f" union all {_TOMBSTONES} where table_id = ?1 and {bounds}" if with_tombstones else ""
    inside = f"{_CELLS} where table_id = ?1 and {bounds}{tombstones} order by {back if down else up}"
    if alone:
        return inside
    before = f"{_CELLS} where (table_id, row, column) < (?1, ?2, ?3) order by {back} limit 1"
    after = f"{_CELLS} where (table_id, row, column) >= (?4, ?5, ?6) order by {up} limit 1"
    parts = (after, inside, before) if down else (before, inside, after)
    return " union all ".join(f"select * from ({part})" for part in parts)


READ_RECORDS = {
    (extent, down, with_tombstones, alone): _read_records(
        extent=extent, down=down, with_tombstones=with_tombstones, alone=alone
    )
    for extent in _EXTENTS
    for down, with_tombstones, alone in product((False, True), repeat=3)
}
"""Read the cells of a range with their checksums, and the nearest cells before and after it.

The parameters are table, row and column of the first place (inclusive) and of the last one (exclusive). The keys: the
range's extent in `_EXTENTS`; whether to read it downwards; whether to read tombstones, too; whether to read it alone.
"""
