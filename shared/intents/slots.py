"""Slots: the rows of an intents table, one for each write that a process has under way at a time.

A slot is used again and again, so the table has as many rows as there were writes at the same time, not one for each
write.
"""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import attrs

from ..keys import FixedBytes, KeyLayout, UInt32, part, row_key
from ..tables import Column, RecordCells, TableLayout

PROCESS_BYTES = 8
CLOCK_SLOT = 2**32 - 1
"""The slot of a process that never has a write: only the region server dates its row, see `checked_moment`."""


@row_key
class SlotOfProcess:
    """One slot of one process.

    Order:  by process, at random, so that the slots of several processes are in several regions.
    Serves: a scan of all slots, which recovery reads.
    Costs:  one put to begin a write, one to end it.
    Fixed:  nothing; the rows mean nothing once their writes have ended.
    Source: none
    """

    process: bytes = part(FixedBytes(PROCESS_BYTES), "random, drawn when the process writes first")
    slot: int = part(UInt32, "counts the writes that this process has under way")


@attrs.frozen
class Intent:
    """The write that a slot has under way, or its last one."""

    process: bytes
    slot: int
    source_row: bytes | None
    """None if the write has ended."""
    revision: int
    """The revision of the source that the writer read."""
    write_id: bytes
    touched: dict[str, dict[bytes, list[bytes]]]
    """The derived cells that the write puts or deletes, those of the rows that it changes: columns by row, by table."""
    source_table: str = ""
    """The name of the source's table; empty in an intent of an earlier release, and if the write has ended."""


def idle(process: bytes, slot: int) -> Intent:
    """The content of a slot between two writes."""
    return Intent(process, slot, None, 0, b"", {})


INTENT_CELLS = RecordCells(
    Intent,
    {
        "source_row": Column("i:s"),
        "revision": Column("i:r"),
        "write_id": Column("i:w"),
        "touched": Column("i:t"),
        "source_table": Column("i:n"),
    },
)
SOURCE_TABLE = INTENT_CELLS.column("source_table")
"""A column that earlier releases pass over: one that deletes the row of an idle slot leaves this cell."""


def intents_table(name: str) -> TableLayout[SlotOfProcess, Intent]:
    """The table of the intents of one domain. Without a TTL: an intent that expired would never be recovered."""
    return TableLayout(name, "the write that a slot has under way", KeyLayout(SlotOfProcess), INTENT_CELLS)


def holds_intents(table: TableLayout[Any, Any]) -> bool:
    """Whether a table holds writes under way, not records."""
    return table.cells.record is Intent


@attrs.define
class Slot:
    """A slot of this process. One write has it at a time."""

    process: bytes
    slot: int
    last_ms: int = 0
    """The largest timestamp in its row: the next intent must be dated later."""


# One lock for all, because a forked child must replace it: a thread that only the parent has may hold it.
_lock = threading.Lock()


def _replace_lock() -> None:
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_replace_lock)


class Slots:
    """The slots of this process, for all its threads and stores."""

    def __init__(self) -> None:
        self._pid = 0
        self._process = b""
        self._free: list[Slot] = []
        self._made = 0

    @property
    def process(self) -> bytes:
        """The id of this process."""
        with _lock:
            self._renew_if_forked()
            return self._process

    @contextmanager
    def taken(self, last_at_most_ms: int | None = None) -> Generator[Slot]:
        """A slot that no other write has. After an exception it is never used again, because recovery may need it.

        A slot that holds a timestamp above `last_at_most_ms`, because the clock was ahead then, is not used again.
        """
        with self.several_taken(1, last_at_most_ms) as (slot,):
            yield slot

    @contextmanager
    def several_taken(self, count: int, last_at_most_ms: int | None = None) -> Generator[list[Slot]]:
        """As many slots, each as from `taken`; after an exception none of them is used again."""
        slots = [self._take(last_at_most_ms) for _ in range(count)]
        pid = os.getpid()
        yield slots
        with _lock:
            if pid == self._pid:
                self._free += slots

    def _take(self, last_at_most_ms: int | None) -> Slot:
        with _lock:
            self._renew_if_forked()
            while self._free:
                slot = self._free.pop()
                if last_at_most_ms is None or slot.last_ms <= last_at_most_ms:
                    return slot
            self._made += 1
            return Slot(self._process, self._made - 1)

    def _renew_if_forked(self) -> None:
        """Draws a new id in a forked child, which must not use the slots of its parent."""
        if self._pid != os.getpid():
            self._pid, self._process = os.getpid(), os.urandom(PROCESS_BYTES)
            self._free, self._made = [], 0


SLOTS = Slots()
