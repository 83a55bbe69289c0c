"""Damage in the file of an embedded store that SQLite would not report."""

import os
import sqlite3
import struct
import time
from contextlib import closing, suppress
from pathlib import Path

from ..outcomes.connection_errors import StoreError
from . import statements
from .checksums import verified
from .failures import damage_error, group_of
from .schema import CATALOGUE_TABLES

# Files of up to 4 MiB are checked whole when they are opened, in less than 0.1 s.
_CHECKED_PAGES = 1024


def log_of(path: str | None) -> str | None:
    """The path of a file's log, which has writes that are not in the file yet; None if there is none."""
    for log in (f"{path}-wal", f"{path}-journal"):
        with suppress(OSError):
            if os.path.getsize(log) > 0:
                return log
    return None


def has_access(path: str, access: int) -> bool:
    """Whether this process, as its effective user, may read or write a file or a folder."""
    return os.access(path, access, effective_ids=os.access in os.supports_effective_ids)


def check_database(database: sqlite3.Connection) -> None:
    """Reads the whole file, about 30 MB a second; raises sqlite3.DatabaseError if it finds damage."""
    check_structure(database, "pragma integrity_check(1)")
    _check_catalogue(database)
    # SQLite does not check the order of rows: a page may be whole and in the wrong place.
    for select in (statements.ALL_CELLS, statements.ALL_TOMBSTONES):
        for _ in verified(database.execute(select)):
            pass


def _check_catalogue(database: sqlite3.Connection) -> None:
    for table, columns in CATALOGUE_TABLES.items():
        damaged = f"select 1 from {table} where checksum is not record_checksum({columns}) limit 1"
        if database.execute(damaged).fetchone():
            raise damage_error(f"a record of {table} does not match its checksum")


def check_pages(database: sqlite3.Connection, path: str) -> bool:
    """Checks all of a small file, of a large one only the catalogue, which also shows a damaged header.

    Returns whether it has checked all.
    """
    pages, page_bytes = database.execute("select * from pragma_page_count, pragma_page_size").fetchone()
    # SQLite reads zeros for the missing part of the last page. If the disk was full, the log has that page.
    if os.path.getsize(path) % page_bytes and not log_of(path):
        raise damage_error("its last page is not whole")
    if pages <= _CHECKED_PAGES:
        check_database(database)
        return True
    for table in ("sqlite_schema", *CATALOGUE_TABLES):
        check_structure(database, f"pragma quick_check('{table}')")
    _check_catalogue(database)
    return False


def check_structure(database: sqlite3.Connection, check: str) -> None:
    """Runs one of SQLite's own checks, given as a pragma; raises sqlite3.DatabaseError unless it passes."""
    (report,) = database.execute(check).fetchone()
    if report != "ok":
        raise damage_error(report.splitlines()[-1])  # the first line names the database


def check_log(database: sqlite3.Connection, path: str) -> None:
    """Refuses a damaged log: SQLite reads it up to the first damaged frame and silently drops later commits."""
    log = f"{path}-wal"
    for _ in range(3):  # a frame that another process is writing may look damaged for a moment
        committed = _committed_frames(log)
        if committed == 0:
            return
        try:
            _, read, _ = database.execute("pragma wal_checkpoint(passive)").fetchone()
        except sqlite3.OperationalError as error:
            if group_of(error) in ("SQLITE_FULL", "SQLITE_IOERR"):
                return  # a full disk: reads continue to use the log
            raise
        # Less than 0: another process is copying the log to the file, so it has read it.
        if read < 0 or read >= committed:
            return
        time.sleep(0.01)
    # The last connection to close removes the log, unless it is read-only.
    with closing(sqlite3.connect(f"{Path(os.path.abspath(path)).as_uri()}?mode=ro", uri=True)) as reader:
        reader.execute("select 1 from sqlite_master").fetchone()
        database.close()
    raise StoreError(
        f"{path}: its log {log} is damaged and the last writes are lost: restore both files from a copy, or open and"
        f" close the store once with the program sqlite3 to continue without those writes"
    )


# SQLite's "WAL format": a header of 32 bytes (magic, version, bytes in a page, number, salt of 8 bytes, checksum of 8),
# then for each page a frame of 24 bytes (page, 0 or, where a transaction ends, the size of the database, salt,
# checksum) and the page. Frames with another salt are left over from before SQLite restarted the log.
_LOG_HEADER = struct.Struct(">I4xI4x8s2I")
_FRAME = struct.Struct(">4xI8s8x")
_LOG_MAGIC = 0x377F0682  # one more if the checksums are of big-endian words


def _committed_frames(log: str) -> int:
    """The number of frames up to the last commit that is followed by another frame; 1 if the log's header is damaged.

    A commit at the end of the log does not count: it may be incomplete because its writer was killed.
    """
    if not has_access(log, os.R_OK):
        return 0  # there is no log, or SQLite will report that it cannot be read
    frames = committed = last_commit = 0
    with open(log, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        header = file.read(_LOG_HEADER.size)
        if len(header) < _LOG_HEADER.size:
            return 0
        magic, page_bytes, salt, *checksum = _LOG_HEADER.unpack(header)
        if checksum != _log_checksum(header[:24], ">" if magic == _LOG_MAGIC + 1 else "<"):
            return int(size > _LOG_HEADER.size + _FRAME.size)
        for offset in range(_LOG_HEADER.size, size - page_bytes, _FRAME.size + page_bytes):
            frames += 1
            pages, frame_salt = _FRAME.unpack(os.pread(file.fileno(), _FRAME.size, offset))
            if frame_salt == salt:
                committed = last_commit
                last_commit = frames if pages else last_commit
    return committed


def _log_checksum(data: bytes, order: str) -> list[int]:
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    first = second = 0
    for word, next_word in zip(words[::2], words[1::2], strict=True):
        first = (first + word + second) % 2**32
        second = (second + next_word + first) % 2**32
    return [first, second]
