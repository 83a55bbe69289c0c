"""Ranges of row keys, and the plan that they make for one question."""

from collections.abc import Mapping
from typing import Any

import attrs

from .limits import MAX_ROW_BYTES
from .reference import ReferenceLayout


def successor(prefix: bytes) -> bytes | None:
    """The first key after all keys that start with `prefix`; None if only the end of the table comes after them.

    61 -> 62    61 ff -> 62    ff ff -> None
    """
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None


def next_row(row: bytes) -> bytes | None:
    """The very next possible row key after `row`; None if `row` is the last one.

    61 -> 61 00
    """
    return row + b"\x00" if len(row) < MAX_ROW_BYTES else successor(row)


@attrs.frozen(repr=False)
class RowRange:
    """The keys from `start` up to, but not including, `stop`; None is the end of the table."""

    start: bytes
    stop: bytes | None
    parts: tuple[tuple[str, Any], ...] = attrs.field(default=(), eq=False)
    """The prefixes and conditions that all its keys share, in key order: the bytes of spreading prefixes by class name,
    then the condition of each part that is bound. For a single row: its parts, without prefixes. Empty if the range was
    not made for a question."""

    def __contains__(self, row: bytes) -> bool:
        return self.start <= row and (self.stop is None or row < self.stop)

    def __repr__(self) -> str:  # as attrs makes it, but faster: a cursor's digest needs it for every range
        return f"RowRange(start={self.start!r}, stop={self.stop!r})"

    def __str__(self) -> str:
        return f"[{self.start.hex()}, {'end' if self.stop is None else self.stop.hex()})"


EVERY_ROW = RowRange(b"", None)
"""A whole table, also the rows in no bucket of a salt."""


@attrs.frozen(repr=False)
class Stream:
    """Ranges that are read one after the other, in key order."""

    ranges: tuple[RowRange, ...]
    prefix_bytes: int = 0
    """Length in bytes of the prefix that all its keys share; streams are merged by the key after it."""

    def __repr__(self) -> str:  # as in RowRange
        return f"Stream(ranges={self.ranges!r}, prefix_bytes={self.prefix_bytes!r})"


@attrs.frozen
class Plan:
    """The ranges that answer one question, and the conditions that the client has to check.

    There is one stream for each bucket of the spreading prefixes, and for each value of a merged `any_of`; otherwise a
    single stream. Merging the streams by the key after their prefixes gives all rows in the order of that remaining
    key.
    """

    streams: tuple[Stream, ...]
    point: bytes | None = None
    """The whole key if the question binds every part to a value: a get, never a prefix."""
    column: bytes | None = None
    """The only column to get, if the question also binds every part of a qualifier."""
    qualifiers: RowRange | None = None
    """The qualifiers to read of every row, in a table whose rows hold many records; None for all of them."""
    conditions: Mapping[str, Any] = attrs.field(factory=dict[str, Any], hash=False)
    """The conditions by part, as the caller gave them; empty for a whole table."""
    residual: Mapping[str, Any] = attrs.field(factory=dict[str, Any], hash=False)
    """The conditions that the ranges do not guarantee, by part: the reader compares them with every record."""
    layout: ReferenceLayout[Any] | None = attrs.field(default=None, eq=False, repr=False)
    """The layout of the row keys that made the plan; None if it was made by hand."""
    table: str | None = attrs.field(default=None, eq=False, repr=False)
    """The name of the table whose layout was asked; None if a key layout was asked."""

    @property
    def ranges(self) -> tuple[RowRange, ...]:
        """All ranges, stream after stream."""
        return tuple(range_ for stream in self.streams for range_ in stream.ranges)

    def __str__(self) -> str:
        return "\n".join(map(str, self.ranges)) or "no range"
