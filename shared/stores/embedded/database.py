"""Opens or creates the SQLite database under the embedded store, or refuses it with one line that says what to do."""

import os
import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from ..outcomes.connection_errors import StoreError
from .checksums import add_checksums
from .damage import check_log, check_pages, check_structure, has_access, log_of
from .failures import ADVICE, DAMAGED, explain, group_of, one_line
from .schema import APPLICATION_ID, FORMAT, MIGRATIONS, SCHEMA

# How long opening a read-only store is tried again while another process opens or closes it.
_SETTLING_S = 0.5

FileState: TypeAlias = tuple[int, int, int]
"""A file's inode, size in bytes and time in nanoseconds: one of them changes if the file is replaced or written."""

Files: TypeAlias = list[tuple[int, int]]
"""The device and inode of a file, of its log and of its log's index; shorter if one of them is not at its path."""


class SharedDatabase(sqlite3.Connection):
    """A database file whose statements wait up to `wait_s` seconds for another process.

    SQLite itself would retry only every 0.1 s, and might meet another writer each time.
    """

    wait_s = 0.0
    _no_wait_until_s = 0.0

    def execute(  # type: ignore[override]
        self, sql: str, parameters: Sequence[object] = (), pause: Callable[[float], object] = time.sleep
    ) -> sqlite3.Cursor:
        """Runs a statement, again while another process blocks it; `pause` waits between two attempts, in seconds."""
        try:
            return sqlite3.Connection.execute(self, sql, parameters)
        except sqlite3.OperationalError as error:
            if group_of(error) != "SQLITE_BUSY":
                raise
        begin_s = time.monotonic()
        deadline_s = begin_s + self.wait_s
        while True:
            pause(random.uniform(0.0005, 0.003))
            try:
                return sqlite3.Connection.execute(self, sql, parameters)
            except sqlite3.OperationalError as error:
                ends_s = deadline_s if self._no_wait_until_s < begin_s else begin_s
                if group_of(error) != "SQLITE_BUSY" or time.monotonic() > ends_s:
                    raise

    def stop_waiting(self, for_s: float) -> None:
        """Stops running statements, and those that begin within `for_s` seconds, from waiting for another process."""
        self._no_wait_until_s = time.monotonic() + for_s


def open_database(path: str | None, wait_s: float) -> tuple[sqlite3.Connection, FileState | None, bool]:
    """The database at `path`, or an empty one in memory; every commit outlives this process.

    A writer waits `wait_s` seconds for another writer. A file of an earlier format is migrated to this one. A file that
    cannot be written is opened for reading. If it is read without locks, its state is returned too, and reads are valid
    as long as `state_of` returns the same state. The last value says whether the whole file was checked.
    Raises StoreError for a file that is not a store.
    """
    if path is not None:
        _check_path(path)
    read_only = path is not None and not _is_writable(path)
    deadline_s = time.monotonic() + min(wait_s, _SETTLING_S)
    while True:
        state = state_of(path) if path is not None and read_only else None
        try:
            database, is_checked = _connect(path, wait_s, read_only, state)
            return database, state, is_checked
        except UnicodeDecodeError as error:  # SQLite quotes a damaged catalogue in its message
            raise StoreError(f"{path}: {DAMAGED}") from error
        except sqlite3.Error as error:
            log_is_closed = read_only and state is None and group_of(error) in ("SQLITE_CANTOPEN", "SQLITE_READONLY")
            if path is None or not (log_is_closed or (state and state != state_of(path))):
                raise StoreError(explain(error, path, wait_s)) from error
            # Another process may be making or removing a log right now.
            if time.monotonic() > deadline_s:
                log = log_of(path)
                raise StoreError(
                    f"{path}: its log, {log}, cannot be read from here: open the store once with rights to"
                    f" write its folder, or copy both files to a folder that you may write: {one_line(error)}"
                    if log
                    else explain(error, path, wait_s)
                ) from error
        time.sleep(0.01)


def _connect(
    path: str | None, wait_s: float, read_only: bool, state: FileState | None
) -> tuple[sqlite3.Connection, bool]:
    # Any thread may call; the service lets one thread in at a time.
    database = sqlite3.connect(
        _location(path, read_only, state),
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
        factory=SharedDatabase if path else sqlite3.Connection,
    )
    if isinstance(database, SharedDatabase):
        database.wait_s = wait_s
    try:
        add_checksums(database)
        database.execute("pragma cell_size_check = on")
        version = _format_of(database, path)
        if path is not None and not read_only:
            check_log(database, path)
        _prepare(database, path, version, read_only)
        is_checked = path is None or check_pages(database, path)
        if path is not None and not read_only:
            _write_ahead(database)
    except BaseException:
        database.close()
        raise
    return database, is_checked


def _check_path(path: str) -> None:
    folder = os.path.dirname(os.path.abspath(path))
    if "\0" in path:
        raise StoreError(f"path: must not contain NUL (got {path!r})")
    if os.path.isdir(path):
        raise StoreError(f"{path}: is a folder, name a file in it")
    if not os.path.isdir(folder):
        raise StoreError(f"{path}: the folder {folder} does not exist, create it first")
    if not os.path.exists(path):
        if not _may_write(folder):
            raise StoreError(f"{path}: {folder} cannot be written, make it writable or choose another path")
    elif not os.path.isfile(path):
        raise StoreError(f"{path}: is a pipe, a socket or a device, name a file")
    elif not has_access(path, os.R_OK):
        raise StoreError(f"{path}: cannot be read, make it readable")
    elif os.path.getsize(path) == 1:  # SQLite reads it as an empty file
        raise StoreError(f"{path}: {ADVICE['SQLITE_NOTADB']}: it is one byte long")
    elif os.path.getsize(path) == 0 and log_of(path) == f"{path}-wal":  # SQLite would remove the log
        raise StoreError(f"{path}: {DAMAGED}: it is empty, but has a log")


def _is_writable(path: str) -> bool:
    # SQLite needs two more files next to a store, and would silently open a read-only one.
    folder = os.path.dirname(os.path.abspath(path))
    return _may_write(folder) and (not os.path.exists(path) or _may_write(path))


def _may_write(path: str) -> bool:
    return has_access(path, os.W_OK)


def _location(path: str | None, read_only: bool, state: FileState | None) -> str:
    """The URI of a file; given only its name, SQLite would not open a file called `:memory:`."""
    if path is None:
        return ":memory:"
    uri = Path(os.path.abspath(path)).as_uri()
    if not read_only:
        return uri
    # Without a log the file has all data, and SQLite need not write other files to coordinate with a writer.
    return f"{uri}?immutable=1" if state else f"{uri}?mode=ro"


def state_of(path: str) -> FileState | None:
    """The state of a file that no process is writing; None if it has a log, which shows that one is, or was."""
    try:
        status = os.stat(path)  # before the check for a log: a writer makes the log first and removes it last
    except OSError:
        return None
    return None if log_of(path) else (status.st_ino, status.st_size, status.st_mtime_ns)


def files_at(path: str) -> Files:
    """The files at a store's path now; unless one is moved, those that an open store has open."""
    files: Files = []
    with suppress(FileNotFoundError):
        for name in (path, f"{path}-wal", f"{path}-shm"):
            status = os.stat(name)
            files.append((status.st_dev, status.st_ino))
    return files


def _prepare(database: sqlite3.Connection, path: str | None, version: int | None, read_only: bool) -> None:
    """Creates the tables in a new file, and migrates an earlier format to this one."""
    if version == FORMAT:
        return
    if read_only:
        wanted = "an empty file" if version is None else f"of format {version}, to be migrated to format {FORMAT}"
        raise StoreError(f"{path}: is {wanted}, and cannot be written: make the file and its folder writable")
    if version is not None:
        _lock_out_others(database, path, version)
    database.execute("begin immediate")
    try:
        version = _format_of(database, path)  # another process may have been first
        if version is None:
            _execute_all(database, SCHEMA)
        else:
            check_structure(database, "pragma integrity_check(1)")  # the migration would lose unreadable records
            for earlier in range(version, FORMAT):
                _execute_all(database, MIGRATIONS[earlier])
        database.execute("commit")
    finally:
        if database.in_transaction:
            database.execute("rollback")
        database.execute("pragma locking_mode = normal")


def _lock_out_others(database: sqlite3.Connection, path: str | None, version: int) -> None:
    """Keeps all other processes out. Raises StoreError if one has the file open.

    That process may run an earlier release, to which the migrated file would seem damaged.
    """
    try:
        database.execute("pragma locking_mode = exclusive")
        database.execute("pragma journal_mode = delete")  # fails if another process uses the write-ahead log
    except sqlite3.OperationalError as error:
        if group_of(error) != "SQLITE_BUSY":
            raise
        raise StoreError(
            f"{path}: has format {version} and is open in another process, which may not read format {FORMAT}:"
            " end that process"
        ) from error


def _execute_all(database: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";\n"):
        database.execute(statement)


def _format_of(database: sqlite3.Connection, path: str | None) -> int | None:
    """The format of a store; None for an empty file. Raises StoreError for a file that is not a store."""
    application_id, version, tables = database.execute(
        "select application_id, user_version, (select count(*) from sqlite_master)"
        " from pragma_application_id, pragma_user_version"
    ).fetchone()
    if (application_id, version, tables) == (0, 0, 0):
        return None
    if application_id != APPLICATION_ID:
        raise StoreError(f"{path}: is an SQLite file but not a store of rowbook, choose another path")
    if not 1 <= version <= FORMAT:
        raise StoreError(
            f"{path}: has format {version} and this rowbook reads up to format {FORMAT}, use the one that wrote it"
        )
    return int(version)


def _write_ahead(database: sqlite3.Connection) -> None:
    """Turns on the write-ahead log: readers do not wait for a writer, and a commit survives a killed process.

    `normal`, like HBase's own log, does not wait for the disk: a power cut may lose the last commits, but never leaves
    half of one. `full` would wait for the disk at every single put.
    """
    database.execute("pragma journal_mode = wal")
    database.execute("pragma synchronous = normal")
    database.execute("select 1 from tables limit 1").fetchone()  # creates the log, if it does not exist yet
