"""The SQL of the embedded store's engine: how cells, tombstones and the catalogue are read and written."""

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
NEWEST_OF_COLUMN = READ_COLUMNS.format(**_DOWN) + " limit 1"
PUT = "insert or replace into cells values (?1, ?2, ?3, ?4, ?5)"
PUT_UNLESS_HIDDEN = """
insert or replace into cells select ?1, ?2, ?3, ?4, ?5 where not exists
    (select 1 from tombstones where table_id = ?1 and row = ?2 and column in (?3, ?6) and ts >= ?4)
"""
WITHOUT_REPLACING = {put: put.replace(" or replace", "", 1) for put in (PUT, PUT_UNLESS_HIDDEN)}
DELETE = "delete from cells where table_id = ? and row = ? and column >= ? and column < ? and ts <= ?"
PUT_TOMBSTONE = """
insert into tombstones values (?, ?, ?, ?)
on conflict do update set ts = max(ts, excluded.ts)
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
CATALOGUE = "select * from tables left join families on table_id = id order by tables.name, families.name"
CATALOGUE_TYPES = [int, bytes, int, int, int, bytes, int, int, bytes, bytes, int, int]
READ_SPLITS = "select row from splits where table_id = ? order by row"
READ_BLOCK_SIZES = "select family, bytes from block_sizes where table_id = ?"
READ_KEPT_TOMBSTONES = "select family, ms from kept_tombstones where table_id = ?"


def scan_all(*, down: bool, with_tombstones: bool = False) -> str:
    """The scan of all versions of a range of rows, in either direction; tombstones come as cells without a value."""
    return (_SCAN_WITH_TOMBSTONES if with_tombstones else _SCAN_ALL) + (_DESCENDING if down else _ASCENDING)
