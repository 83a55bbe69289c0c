"""The SQLite database under the embedded store: opened, created, or refused with one line that says what to do."""

import os
import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from ..thrift1.errors import StoreError
from .damage import check_log, check_pages, check_structure, log_of, may
from .failures import ADVICE, DAMAGED, explain, group_of, one_line
from .schema import APPLICATION_ID, FORMAT, MIGRATIONS, SCHEMA

# A store that cannot be written is tried for so long while somebody else opens or closes it.
_SETTLING_S = 0.5

FileState: TypeAlias = tuple[int, int, int]
"""What changes when a file is replaced or written: its inode, size in bytes and time in nanoseconds."""

Files: TypeAlias = list[tuple[int, int]]
"""The device and inode of a file, of its log and of its log's index; shorter if one is not at its path."""


class SharedDatabase(sqlite3.Connection):
    """A file whose statements wait `wait_s` seconds for another process.

    SQLite by itself would look every 0.1 s whether it is its turn, and may find another writer there each time.
    """

    wait_s = 0.0
    _no_wait_until_s = 0.0

    def execute(  # type: ignore[override]
        self, sql: str, parameters: Sequence[object] = (), pause: Callable[[float], object] = time.sleep
    ) -> sqlite3.Cursor:
        """Runs a statement, in its turn; `pause` passes the seconds between two attempts."""
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
        """Lets no statement wait for another process any more, nor one that begins in the next `for_s` seconds."""
        self._no_wait_until_s = time.monotonic() + for_s


def open_database(path: str | None, wait_s: float) -> tuple[sqlite3.Connection, FileState | None]:
    """The database at `path`, or an empty one in memory; every commit outlives this process.

    A writer waits `wait_s` seconds for another writer. A file of an earlier format is brought to this one. A file that
    cannot be written is opened for reading; where that relies on nobody else writing it, its state comes too, and what
    is read holds while `state_of` answers the same. Raises StoreError for whatever is not a store.
    """
    if path is not None:
        _check_path(path)
    read_only = path is not None and not _is_writable(path)
    deadline_s = time.monotonic() + min(wait_s, _SETTLING_S)
    while True:
        state = state_of(path) if path is not None and read_only else None
        try:
            return _open(path, wait_s, read_only, state), state
        except UnicodeDecodeError as error:  # SQLite quotes a damaged catalogue in its message
            raise StoreError(f"{path}: {DAMAGED}") from error
        except sqlite3.Error as error:
            log_is_closed = read_only and state is None and group_of(error) in ("SQLITE_CANTOPEN", "SQLITE_READONLY")
            if path is None or not (log_is_closed or (state and state != state_of(path))):
                raise StoreError(explain(error, path, wait_s)) from error
            # Another process may just be making a log, or removing it.
            if time.monotonic() > deadline_s:
                log = log_of(path)
                raise StoreError(
                    f"{path}: the log beside it, {log}, cannot be read from here: open the store once with rights to"
                    f" write its folder, or copy both files to a folder that you may write: {one_line(error)}"
                    if log
                    else explain(error, path, wait_s)
                ) from error
        time.sleep(0.01)


def _open(path: str | None, wait_s: float, read_only: bool, state: FileState | None) -> sqlite3.Connection:
    # Any thread may call; the service lets in one at a time.
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
        database.text_factory = bytes  # of a damaged record, Python could not decode it
        database.execute("pragma cell_size_check = on")
        version = _format_of(database, path)
        if path is not None and not read_only:
            check_log(database, path)
        _prepare(database, path, version, read_only)
        if path is not None:
            check_pages(database, path)
            if not read_only:
                _write_ahead(database)
    except BaseException:
        database.close()
        raise
    return database


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
    elif not may(path, os.R_OK):
        raise StoreError(f"{path}: cannot be read, make it readable")
    elif os.path.getsize(path) == 1:  # which SQLite takes for an empty file
        raise StoreError(f"{path}: {ADVICE['SQLITE_NOTADB']}: it is one byte long")
    elif os.path.getsize(path) == 0 and log_of(path) == f"{path}-wal":  # which SQLite would remove
        raise StoreError(f"{path}: {DAMAGED}: it is empty, and has a log beside it")


def _is_writable(path: str) -> bool:
    # SQLite needs two more files beside a store, and would open a read-only one without a word.
    folder = os.path.dirname(os.path.abspath(path))
    return _may_write(folder) and (not os.path.exists(path) or _may_write(path))


def _may_write(path: str) -> bool:
    return may(path, os.W_OK)


def _location(path: str | None, read_only: bool, state: FileState | None) -> str:
    """The URI of a file; by its name alone, a file called `:memory:` would be memory to SQLite."""
    if path is None:
        return ":memory:"
    uri = Path(os.path.abspath(path)).as_uri()
    if not read_only:
        return uri
    # Without a log all is in the file itself, and SQLite need not write beside it to coordinate with a writer.
    return f"{uri}?immutable=1" if state else f"{uri}?mode=ro"


def state_of(path: str) -> FileState | None:
    """The state of a file that nobody is writing; None where a log beside it says that somebody is, or was."""
    try:
        found = os.stat(path)  # before the look for a log: a writer makes the log first and removes it last
    except OSError:
        return None
    return None if log_of(path) else (found.st_ino, found.st_size, found.st_mtime_ns)


def files_at(path: str) -> Files:
    """The files that are at a store's path now; while the store is open, they are those that it has open."""
    files: Files = []
    with suppress(FileNotFoundError):
        for name in (path, f"{path}-wal", f"{path}-shm"):
            status = os.stat(name)
            files.append((status.st_dev, status.st_ino))
    return files


def _prepare(database: sqlite3.Connection, path: str | None, version: int | None, read_only: bool) -> None:
    """Creates the tables in a new file, and brings an earlier format to this one."""
    if version == FORMAT:
        return
    if read_only:
        wanted = "an empty file" if version is None else f"of format {version}, to be brought to format {FORMAT}"
        raise StoreError(f"{path}: is {wanted}, and cannot be written: make the file and its folder writable")
    database.execute("begin immediate")
    try:
        version = _format_of(database, path)  # another process may have been first
        if version is None:
            _execute_all(database, SCHEMA)
        else:
            check_structure(database, "pragma integrity_check(1)")  # what cannot be read would be left behind for good
            for earlier in range(version, FORMAT):
                _execute_all(database, MIGRATIONS[earlier])
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
    if application_id != APPLICATION_ID:
        raise StoreError(f"{path}: is an SQLite file but not a store of rowbook, choose another path")
    if not 1 <= version <= FORMAT:
        raise StoreError(
            f"{path}: has format {version} and this rowbook reads up to format {FORMAT}, use the one that wrote it"
        )
    return int(version)


def _write_ahead(database: sqlite3.Connection) -> None:
    """Readers go on while one process writes, and a commit is with the operating system before it is acknowledged.

    `normal`, like HBase's own log, does not wait for the disk: a killed process loses nothing, a power cut may lose the
    last commits, and neither leaves half of one. `full` would wait for the disk at every single put.
    """
    database.execute("pragma journal_mode = wal")
    database.execute("pragma synchronous = normal")
    database.execute("select 1 from tables limit 1").fetchone()  # makes the log, if there is none yet
