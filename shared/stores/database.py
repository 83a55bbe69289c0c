"""The SQLite database under the embedded store: opened, created, or refused with one line that says what to do."""

import os
import sqlite3
import time
from pathlib import Path

FORMAT = 2
_APPLICATION_ID = 0x726F7762  # "rowb"; SQLite keeps it at offset 68 of the file

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

# One row of `tombstones` per column (family:qualifier) or family (without colon) of a row that was deleted: the latest
# timestamp up to which. What a tombstone masks is not in `cells`: a delete removes it, a later put does not store it.
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

_SCHEMA = f"""
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
pragma application_id = {_APPLICATION_ID};
pragma user_version = {FORMAT};
"""

# What brings a file from its format to the next one, in one transaction.
_MIGRATIONS = {
    # Format 1 had room for tombstones in the key of a cell, and none in it.
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

_ADVICE = {
    "SQLITE_BUSY": "another process is writing to it, try again when that is done",
    "SQLITE_FULL": "the disk is full, free some space and try again",
    "SQLITE_READONLY": "it cannot be written, make the file and its folder writable",
    "SQLITE_CANTOPEN": "it cannot be opened, make the file and its folder writable",
    "SQLITE_IOERR": "the disk failed, check it",
    "SQLITE_CORRUPT": "the file is damaged, restore it from a copy",
    "SQLITE_NOTADB": "it is not a store, choose another path",
}


class StoreError(ValueError):
    """A store that cannot be opened: its URL, its file or its folder. One line that says what to do."""


def explain(error: sqlite3.Error, path: str | None, wait_s: float) -> str:
    """One line for a failure of SQLite: the file, what to do, and SQLite's own words."""
    # `SQLITE_IOERR_WRITE` and its like start with the name of their group.
    group = "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
    advice = _ADVICE.get(group, "SQLite refused")
    waited = f" (waited {wait_s:g} s)" if group == "SQLITE_BUSY" else ""
    return f"{path or 'store in memory'}: {advice}{waited}: {error}"


def open_database(path: str | None, wait_s: float) -> sqlite3.Connection:
    """The database at `path`, or an empty one in memory; every commit outlives this process.

    A writer waits `wait_s` seconds for another writer. A file of an earlier format is brought to this one. A file that
    cannot be written is opened for reading. Raises StoreError for whatever is not a store.
    """
    if path is not None:
        _check_path(path)
    read_only = path is not None and not _is_writable(path)
    try:
        # Any thread may call; the service lets in one at a time.
        database = sqlite3.connect(
            _location(path, read_only), uri=True, timeout=wait_s, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(database, path, read_only)
            if path is not None and not read_only:
                _write_ahead(database, wait_s)
        except BaseException:
            database.close()
            raise
    except sqlite3.Error as error:
        raise StoreError(explain(error, path, wait_s)) from error
    return database


def _check_path(path: str) -> None:
    folder = os.path.dirname(os.path.abspath(path))
    if "\0" in path:
        raise StoreError(f"path: must not contain NUL (got {path!r})")
    if os.path.isdir(path):
        raise StoreError(f"{path}: is a folder, name a file in it")
    if not os.path.isdir(folder):
        raise StoreError(f"{path}: the folder {folder} does not exist, create it first")
    if not os.path.exists(path) and not _may_write(folder):
        raise StoreError(f"{path}: {folder} cannot be written, make it writable or choose another path")


def _is_writable(path: str) -> bool:
    # SQLite needs two more files beside a store, and would open a read-only one without a word.
    folder = os.path.dirname(os.path.abspath(path))
    return _may_write(folder) and (not os.path.exists(path) or _may_write(path))


def _may_write(path: str) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _location(path: str | None, read_only: bool) -> str:
    """The URI of a file; by its name alone, a file called `:memory:` would be memory to SQLite."""
    if path is None:
        return ":memory:"
    uri = Path(os.path.abspath(path)).as_uri()
    if not read_only:
        return uri
    # Without a log all is in the file itself, and SQLite need not write beside it to coordinate with a writer.
    return f"{uri}?mode=ro" if os.path.exists(f"{path}-wal") else f"{uri}?immutable=1"


def _prepare(database: sqlite3.Connection, path: str | None, read_only: bool) -> None:
    """Creates the tables in a new file, and brings an earlier format to this one."""
    version = _format_of(database, path)
    if version == FORMAT:
        return
    if read_only:
        wanted = "an empty file" if version is None else f"of format {version}, to be brought to format {FORMAT}"
        raise StoreError(f"{path}: is {wanted}, and cannot be written: make the file and its folder writable")
    database.execute("begin immediate")
    try:
        version = _format_of(database, path)  # another process may have been first
        if version is None:
            _execute_all(database, _SCHEMA)
        else:
            for earlier in range(version, FORMAT):
                _execute_all(database, _MIGRATIONS[earlier])
        database.execute("commit")
    finally:
        if database.in_transaction:
            database.execute("rollback")


def _execute_all(database: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";\n"):
        database.execute(statement)


def _format_of(database: sqlite3.Connection, path: str | None) -> int | None:
    """The format of a store, None where nothing was ever stored; StoreError for what is not a store, left unchanged."""
    application_id, version, tables = database.execute(
        "select application_id, user_version, (select count(*) from sqlite_master)"
        " from pragma_application_id, pragma_user_version"
    ).fetchone()
    if (application_id, version, tables) == (0, 0, 0):
        return None
    if application_id != _APPLICATION_ID:
        raise StoreError(f"{path}: is an SQLite file but not a store of rowbook, choose another path")
    if version > FORMAT:
        raise StoreError(
            f"{path}: has format {version} and this rowbook reads up to format {FORMAT}, use the one that wrote it"
        )
    return int(version)


def _write_ahead(database: sqlite3.Connection, wait_s: float) -> None:
    """Readers go on while one process writes, and a commit is with the operating system before it is acknowledged.

    `normal`, like HBase's own log, does not wait for the disk: a killed process loses nothing, a power cut may lose the
    last commits, and neither leaves half of one. `full` would wait for the disk at every single put.
    """
    deadline = time.monotonic() + wait_s
    while True:
        try:
            database.execute("pragma journal_mode = wal")
            break
        except sqlite3.OperationalError as error:
            # SQLite does not wait by itself here. Only the first two processes on a new file can meet.
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    database.execute("pragma synchronous = normal")
