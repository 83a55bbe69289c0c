"""The checksums in an embedded store's file: a record that is not as the store wrote it is never an answer."""

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import gt, lt
from typing import Any, TypeAlias
from zlib import crc32

from .failures import damage_error

_MOST_AHEAD = 16

Record: TypeAlias = tuple[int, bytes, bytes, int, Any, int]
"""Of a cell: table id, row, column, timestamp, value, checksum; a tombstone has the value None."""


def cell_checksum(table_id: int, row: bytes, column: bytes, timestamp: int, value: bytes | None = None) -> int:
    """The checksum of a cell or a tombstone. It is signed, so SQLite stores it in five bytes, not seven."""
    return crc32(value or b"", crc32(b"%d %d %b%b" % (table_id, timestamp, row, column))) - 2**31


def record_checksum(*values: int | bytes | str) -> int:
    """The checksum of a record of the catalogue."""
    return crc32(repr(values).encode(errors="backslashreplace")) - 2**31


def add_checksums(database: sqlite3.Connection) -> None:
    """Adds both functions to a database's SQL; damaged text becomes a `str` that the store never writes."""
    database.text_factory = _text
    database.create_function("cell_checksum", -1, cell_checksum, deterministic=True)
    database.create_function("record_checksum", -1, record_checksum, deterministic=True)


def _text(stored: bytes) -> str:
    return stored.decode(errors="surrogateescape")


def verify(records: Sequence[Record], *, down: bool = False) -> None:
    """Raises sqlite3.DatabaseError if a cell or tombstone is damaged, or if they are not in the order of their keys."""
    try:
        for table_id, row, column, timestamp, value, checksum in records:
            if checksum != cell_checksum(table_id, row, column, timestamp, value):
                raise damage_error(f"a cell of row {row!r} does not match its checksum")
        if not all(map(gt if down else lt, records, islice(records, 1, None))):
            raise damage_error("rows are out of order")
    except TypeError as error:
        raise damage_error("a cell is not of its type") from error


def verified(cursor: sqlite3.Cursor, *, down: bool = False) -> Iterator[list[Record]]:
    """The records of a statement, verified; few are read ahead, 1 and then up to 16, as a caller may stop early."""
    last: list[Record] = []
    count = 1
    while records := cursor.fetchmany(count):
        verify(last + records, down=down)
        yield records
        last, count = records[-1:], min(2 * count, _MOST_AHEAD)
