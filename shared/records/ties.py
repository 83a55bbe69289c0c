"""Ties: what distinguishes records that have all other parts of their row key in common, such as two of one moment.

A tie is a hash of the whole record, or a number that counts the equal records of a file from 0:

    tie: bytes = attrs.field(default=attrs.Factory(tie_of, takes_self=True), validator=fixed_bytes(TIE_BYTES))
    tie: int = attrs.field(default=0, validator=integer(0, 2**64 - 1))

A record keeps a tie that it is given, such as a number from its source, and so does a changed copy.
"""

import hashlib
from functools import cache
from itertools import islice
from typing import Any, TypeVar

import attrs
import msgpack

from ..keys.errors import shown

TIE_BYTES = 8
"""The width of a tie in bytes."""

R = TypeVar("R", bound=Any)


TIES_IN_MEMORY = 100_000
"""About how many ties `Repeats` holds in memory; it keeps those of earlier times in a temporary file."""


def tie_of(record: Any, ordinal: int = 0) -> bytes:
    """The tie of a record with an attribute `tie`, made of all its other attributes; every program computes the same.

    The first eight bytes of the md5 of these attributes in their order, then of `ordinal`, each as text, in msgpack.
    `ordinal` counts records that are equal in all other attributes, from 0.
    """
    values = [getattr(record, name) for name in _hashed(record.__class__)]
    values.append(ordinal)
    # Lone surrogates are packed too, and values of wrong types as an error shows them: the validators, which run later,
    # refuse them.
    texts = [value if type(value) is str else shown(value) for value in values]
    packed = msgpack.packb(texts, unicode_errors="surrogatepass")
    return hashlib.md5(packed, usedforsecurity=False).digest()[:TIE_BYTES]


@cache
def _hashed(record_type: type[Any]) -> tuple[str, ...]:
    """The names of the attributes that make a tie."""
    return tuple(field.name for field in attrs.fields(record_type) if field.name != "tie")


class Repeats:
    """Numbers the equal records of one file, so that each has a tie of its own.

    Reading the same file again gives the same ties, so it changes nothing. A record with a tie from its source keeps
    it. Remembers the tie of every record of the file by its `time_ms`, if it has one: those of the latest times in
    memory, the others in a temporary file, which needs about 30 bytes for each record.
    """

    def __init__(self) -> None:
        self._recent: dict[int, dict[bytes, int]] = {}
        """How often each tie came, by time, in the order in which the times came first."""
        self._in_memory = 0
        self._earlier: _EarlierTies | None = None

    def __call__(self, record: R) -> R:
        """The record; if an equal one came before, with a tie of its own."""
        is_hash = isinstance(record.tie, bytes)
        if not is_hash and record.tie != 0:
            return record
        tie: bytes = record.tie if isinstance(record.tie, bytes) else tie_of(record)
        seen = self._ties_at(getattr(record, "time_ms", 0))
        ordinal = seen.get(tie, 0)
        seen[tie] = ordinal + 1
        if not ordinal:
            self._in_memory += 1
            return record
        if is_hash and tie != tie_of(record):
            return record
        return attrs.evolve(record, tie=tie_of(record, ordinal) if is_hash else ordinal)

    def _ties_at(self, time_ms: int) -> dict[bytes, int]:
        """How often each tie of a time came."""
        seen = self._recent.get(time_ms)
        if seen is None:
            if self._in_memory > TIES_IN_MEMORY:
                self._move_half()
            seen = self._recent[time_ms] = {} if self._earlier is None else self._earlier.take(time_ms)
            self._in_memory += len(seen)
        return seen

    def _move_half(self) -> None:
        """Moves the times that were met first to the file."""
        if self._earlier is None:
            self._earlier = _EarlierTies()
        moved = {time_ms: self._recent.pop(time_ms) for time_ms in [*islice(self._recent, len(self._recent) // 2 + 1)]}
        self._in_memory -= sum(map(len, moved.values()))
        self._earlier.keep(moved)


class _EarlierTies:
    """How often each tie came, by time, in a temporary file, which vanishes with the process."""

    def __init__(self) -> None:
        import sqlite3

        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute("pragma journal_mode = off")
        self._database.execute("create table ties (time_ms integer primary key, packed blob)")

    def keep(self, ties: dict[int, dict[bytes, int]]) -> None:
        packed = ((time_ms, msgpack.packb(seen)) for time_ms, seen in ties.items())
        self._database.execute("begin")
        self._database.executemany("insert or replace into ties values (?, ?)", packed)
        self._database.execute("commit")

    def take(self, time_ms: int) -> dict[bytes, int]:
        stored = self._database.execute("select packed from ties where time_ms = ?", (time_ms,)).fetchone()
        if stored is None:
            return {}
        seen: Any = msgpack.unpackb(stored[0])
        return dict(seen)
