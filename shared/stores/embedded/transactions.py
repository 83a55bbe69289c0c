"""The embedded store's database: opened, closed, its transactions, and what a fork leaves to the parent."""

import logging
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from weakref import WeakSet

from ..outcomes.connection_errors import StoreError
from .damage import check_database
from .database import SharedDatabase, files_at, open_database, state_of
from .failures import explain, moved_error, overtaken_error
from .stored_tables import StoredTable

_log = logging.getLogger(__name__)


class Transactions:
    """One SQLite database: a file, or memory. Only the thread that holds `lock` may call.

    `waits_for_clock` says whether puts that the server dates wait for the next millisecond if they would lose a version
    in this one, and `has_waited` whether the puts of this thread already did: see `dating.py`.
    """

    def __init__(self, path: str | None, wait_s: float) -> None:
        self.path = path
        self.wait_s = wait_s
        self.rows_read: int = 0
        self.lock = threading.RLock()
        self.waits_for_clock = True
        self._others = threading.Condition(self.lock)
        self._of_thread = threading.local()
        self.open()
        _engines.add(self)

    # Opening and closing

    def is_open(self) -> bool:
        """Whether calls can be made."""
        return self._is_open

    def open(self) -> None:
        """Opens the file, or a new and empty store in memory."""
        self._database, self._state, self._is_checked = open_database(self.path, self.wait_s)
        self._files = files_at(self.path) if self.path is not None else []
        self._is_moved = False
        self._is_open = True
        self.why_closed = "the store is closed"
        self._cursor: sqlite3.Cursor | None = None
        self._tables: dict[bytes, StoredTable] | None = None
        self._tables_version = 0

    def close(self) -> None:
        """Closes the file; a store in memory is lost. Waits for a running call."""
        with self.lock:
            if self._is_open and self.path is not None and files_at(self.path) != self._files:
                self._save_moved()
                _log.warning("%s", self.explain(moved_error()))
            self._is_open = False
            self._database.close()

    def leave_to_parent(self) -> Iterator[sqlite3.Connection]:
        """In a forked process, closes the store but not its database, which it yields if the store was open."""
        self.lock = threading.RLock()
        self._others = threading.Condition(self.lock)
        if self._is_open:
            yield self._database
            self._database = sqlite3.connect(":memory:")
            self._database.close()
            self._is_open = False
            self.why_closed = "the store belongs to the process that this one was forked from: connect again here"

    def interrupt(self, for_s: float) -> None:
        """Interrupts the running statement, from any thread: its writes are undone, and its call fails.

        For `for_s` seconds calls do not wait for another process either.
        """
        if isinstance(self._database, SharedDatabase):
            self._database.stop_waiting(for_s)
        self._database.interrupt()

    def copy_to(self, other: "Transactions") -> None:
        """Copies the whole store into another one, which nothing has read yet."""
        with self.lock, other.lock:
            self._database.backup(other._database)

    def check(self) -> None:
        """Reads the whole store and raises sqlite3.DatabaseError if it is damaged."""
        check_database(self._database)

    def explain(self, error: sqlite3.Error) -> str:
        """One line that says what to do about a failure of SQLite."""
        return explain(error, self.path, self.wait_s)

    # A read-only file is read without locks as long as no process writes it

    def _follow(self) -> None:
        """Opens the file again if another process has written it."""
        if self._state is not None and not self._is_same():
            stale = self._database
            try:
                self.open()
            except StoreError as error:
                text = str(error).removeprefix(f"{self.path}: ")
                raise sqlite3.OperationalError(f"the file has changed and cannot be opened again: {text}") from error
            stale.close()

    def _check_same(self) -> None:
        """Raises if another process has written the file during the read."""
        if self._state is not None and not self._is_same():
            raise overtaken_error()

    def _is_same(self) -> bool:
        return self.path is None or state_of(self.path) == self._state

    # Transactions

    @property
    def has_waited(self) -> bool:
        """Whether the transaction of this thread has already waited for the clock."""
        return getattr(self._of_thread, "has_waited", False)

    @has_waited.setter
    def has_waited(self, has_waited: bool) -> None:
        self._of_thread.has_waited = has_waited

    def writing(self) -> AbstractContextManager[None]:
        """A transaction: all writes inside the block, or none. Waits `wait_s` seconds for a writer in another process.

        While it waits, other threads may read. Raises if the file is no longer at its path, because the next process
        would not see the writes.
        """
        return Transaction(self, writes=True)

    def undo(self) -> None:
        """Ends the scan and rolls back the transaction that an interrupted call left open, if there are any."""
        with self.lock:
            self._tables = None
            if self._is_open:
                if self._cursor is not None:
                    self._cursor.close()  # an open statement would keep showing the store as it was
                if self._database.in_transaction:
                    self._database.execute("rollback")

    def begin(self, *, writes: bool) -> None:
        """Begins a transaction; first rolls back one that an interrupted call left open."""
        if self._database.in_transaction:
            self.undo()
        if not writes:
            self._database.execute("begin")
            return
        if self._is_moved:
            self._check_path()
        if isinstance(self._database, SharedDatabase):
            self._database.execute("begin immediate", pause=self._leave_to_others)
        else:
            self._database.execute("begin immediate")

    def _leave_to_others(self, seconds: float) -> None:
        with self._others:
            self._others.wait(seconds)

    def commit(self, *, writes: bool) -> None:
        """Commits a transaction; a write is not acknowledged if the file is no longer at its path."""
        self._database.execute("commit")
        if writes and self.path is not None:
            self._check_path()

    def _check_path(self) -> None:
        assert self.path is not None
        self._is_moved = files_at(self.path) != self._files
        if self._is_moved:
            self._save_moved()
            raise moved_error()

    def _save_moved(self) -> None:
        """Copies the log into the open file, wherever that is now; on closing SQLite would not copy it."""
        with suppress(sqlite3.Error):
            self._database.execute("pragma wal_checkpoint(truncate)")


class Transaction:
    """A transaction as a context manager. A generator would leave the transaction open after Ctrl-C."""

    def __init__(self, engine: Transactions, *, writes: bool) -> None:
        self._engine = engine
        self._writes = writes

    def __enter__(self) -> None:
        try:
            self._engine.begin(writes=self._writes)
        except BaseException:
            self._engine.undo()
            raise

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._engine.commit(writes=self._writes)
                return
        except BaseException:
            self._engine.undo()
            raise
        self._engine.undo()


# A forked process must neither use nor close SQLite's connections of its parent (sqlite.org/howtocorrupt.html, 2.6). No
# call runs during a fork, so that the child has no half of a transaction; there each store is closed, but its database
# is kept, unused, until the child ends.
_engines: "WeakSet[Transactions]" = WeakSet()
_forking = threading.Lock()
_held: list[Transactions] = []
_of_parents: list[sqlite3.Connection] = []


def _before_fork() -> None:
    _forking.acquire()
    _held[:] = _engines
    for engine in _held:
        engine.lock.acquire()


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().lock.release()
    _forking.release()


def _after_fork_in_child() -> None:
    while _held:
        _of_parents.extend(_held.pop().leave_to_parent())
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
