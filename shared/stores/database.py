"""The SQLite database under the embedded store: opened, created, or refused with one line that says what to do."""

import os
import sqlite3
import time

FORMAT = 1
_APPLICATION_ID = 0x726F7762  # "rowb"; SQLite keeps it at offset 68 of the file

# One row per version of a cell. `kind` is HBase's type code: 4 is a put, tombstones are 8, 10, 12 and 14. `column` is
# family:qualifier as one blob. SQLite compares blobs as HBase compares rows; a column's last version is its newest.
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
create table cells (
    table_id integer not null,
    row blob not null,
    column blob not null,
    ts integer not null,
    kind integer not null,
    value blob not null,
    primary key (table_id, row, column, ts, kind)
) without rowid;
pragma application_id = {_APPLICATION_ID};
pragma user_version = {FORMAT};
"""

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

    A writer waits `wait_s` seconds for another writer. Raises StoreError for whatever is not a store of this format.
    """
    if path is not None:
        _check_path(path)
    try:
        # Any thread may call; the service lets in one at a time.
        where = os.path.abspath(path) if path else ":memory:"  # to SQLite a path of that name would be memory too
        database = sqlite3.connect(where, timeout=wait_s, isolation_level=None, check_same_thread=False)
        try:
            if _is_new(database, path):
                _create(database, path)
            if path is not None:
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
    # SQLite needs two more files beside a store, and would open a read-only one without a word.
    for needed in (folder, path):
        if os.path.exists(needed) and not os.access(
            needed, os.W_OK, effective_ids=os.access in os.supports_effective_ids
        ):
            raise StoreError(f"{path}: {needed} cannot be written, make it writable or choose another path")


def _is_new(database: sqlite3.Connection, path: str | None) -> bool:
    """Whether nothing was ever stored here; raises StoreError for what is not ours, before anything is changed."""
    application_id, version, tables = database.execute(
        "select application_id, user_version, (select count(*) from sqlite_master)"
        " from pragma_application_id, pragma_user_version"
    ).fetchone()
    if (application_id, version, tables) == (0, 0, 0):
        return True
    if application_id != _APPLICATION_ID:
        raise StoreError(f"{path}: is an SQLite file but not a store of rowbook, choose another path")
    if version != FORMAT:
        raise StoreError(
            f"{path}: has format {version} and this rowbook reads format {FORMAT}, use the one that wrote it"
        )
    return False


def _create(database: sqlite3.Connection, path: str | None) -> None:
    database.execute("begin immediate")
    try:
        if _is_new(database, path):  # another process may have been first
            for statement in _SCHEMA.split(";\n"):
                database.execute(statement)
        database.execute("commit")
    finally:
        if database.in_transaction:
            database.execute("rollback")


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
