"""Failures of the file under an embedded store, each in one line that says what to do."""

import sqlite3

DAMAGED = "the file is damaged, restore it from a copy"
_FULL_OR_FAILED = "the disk is full or failed, free some space and try again"
ADVICE = {
    "SQLITE_BUSY": "another process is writing to it, try again when that is done",
    "SQLITE_BUSY_SNAPSHOT": "another process wrote to it meanwhile, try again",
    "SQLITE_PROTOCOL": "too many processes opened it at once, try again",
    "SQLITE_FULL": "the disk is full, free some space and try again",
    "SQLITE_READONLY": "it cannot be written, make the file and its folder writable",
    "SQLITE_READONLY_DBMOVED": "it, or its log, was moved, replaced or deleted while the store was open,"
    " put it back or open it where it is now",
    "SQLITE_CANTOPEN": "it cannot be opened, make the file and its folder writable",
    "SQLITE_IOERR": "the disk failed, check it",
    # SQLite cannot distinguish a quota, or a limit on the size of files, from a failing disk.
    "SQLITE_IOERR_WRITE": _FULL_OR_FAILED,
    "SQLITE_IOERR_SHMSIZE": _FULL_OR_FAILED,
    "SQLITE_IOERR_SHORT_READ": DAMAGED,
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_ERROR": DAMAGED,  # the catalogue is damaged, because the store's own statements are correct
    "SQLITE_TOOBIG": DAMAGED,
    "SQLITE_NOTADB": "it is not a store, choose another path",
}


def explain(error: sqlite3.Error, path: str | None, wait_s: float) -> str:
    """One line for a failure of SQLite: the file, what to do, and SQLite's own words."""
    group = group_of(error)
    advice = ADVICE.get(_name(error)) or ADVICE.get(group, "SQLite refused")
    waited = f" (waited {wait_s:g} s)" if advice is ADVICE["SQLITE_BUSY"] else ""
    return f"{path or 'store in memory'}: {advice}{waited}: {one_line(error)}"


def one_line(error: sqlite3.Error) -> str:
    """SQLite's own message on one line; it may quote a damaged catalogue."""
    return " ".join(str(error).split())


def group_of(error: sqlite3.Error) -> str:
    """The group of an error: `SQLITE_BUSY` for `SQLITE_BUSY_RECOVERY`."""
    return "_".join(_name(error).split("_")[:2])


def _name(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", "")


def damage_error(what: str) -> sqlite3.DatabaseError:
    """The error for damage that SQLite does not report."""
    return _error("SQLITE_CORRUPT", what)


def overtaken_error() -> sqlite3.DatabaseError:
    """The error for a read without locks from a file that another process wrote during the read."""
    return _error("SQLITE_BUSY_SNAPSHOT", "the file has changed")


def moved_error() -> sqlite3.DatabaseError:
    """The error for a write to a file that is no longer at its path."""
    return _error("SQLITE_READONLY_DBMOVED", "acknowledged writes are in the file that was open")


def _error(name: str, text: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(text)
    error.sqlite_errorname = name
    return error
