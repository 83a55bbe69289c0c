"""The size of HBase's files (HFile, version 3) for given cells: plain, with FAST_DIFF, and with GZ.

A file has blocks of 64 KB, each with a header, checksums and an entry in the index; a Bloom filter; and a trailer. The
formats are those of HBase 2.6: `FastDiffDeltaEncoder`, `HFileBlock`, `FixedFileTrailer`.
"""

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from ..keys.limits import BLOCK_BYTES
from ..tables.layouts import PhysicalTable

if TYPE_CHECKING:
    import happybase

CELL_BYTES = 20
"""Bytes of a cell besides row, family, qualifier and value: lengths, timestamp and type."""
FIRST_NUMBER = 256
"""The number of the first write to a region, about. HBase counts the writes to each, and stores its number with a cell
until a compaction some days later: no compression saves these bytes."""
HEADER_BYTES = 33
CHECKED_BYTES, CHECKSUM_BYTES = 16_384, 4
"""The bytes of a block that share a checksum, and the bytes of a checksum."""
INDEX_BYTES = 24
"""Bytes of an entry of the index besides the row of its key: offset, size, lengths, timestamp and type."""
BLOOM_BYTES = 1.2
"""Bytes of the Bloom filter for each row: 9.6 bits, for one false answer in a hundred."""
FILE_BYTES = 4_900
"""Bytes of a file besides: the trailer is 4,096, then facts about the file and roots of its indexes."""

ENCODINGS = ("NONE", "FAST_DIFF", "GZ")
"""The forms that are told apart: plain, `DATA_BLOCK_ENCODING => 'FAST_DIFF'`, and `COMPRESSION => 'GZ'`."""


@attrs.frozen
class FileCell:
    """A cell of a file of one family."""

    row: bytes
    family: bytes
    qualifier: bytes
    timestamp_ms: int
    value: bytes
    number: int = 0
    """The number of the write that put it."""

    @property
    def key(self) -> bytes:
        """Its key in the file: length and row, length and family, qualifier, timestamp, type."""
        row = len(self.row).to_bytes(2, "big") + self.row
        family = bytes([len(self.family)]) + self.family
        return row + family + self.qualifier + self.timestamp_ms.to_bytes(8, "big") + b"\4"

    @property
    def plain(self) -> bytes:
        """The cell without encoding: lengths of key and value, key, value, number of its write."""
        key = self.key
        lengths = len(key).to_bytes(4, "big") + len(self.value).to_bytes(4, "big")
        return lengths + key + self.value + self.number_bytes

    @property
    def number_bytes(self) -> bytes:
        """The number of its write, as Hadoop stores it: one byte up to 127, otherwise -112 - length, and the bytes."""
        if self.number < 128:
            return bytes([self.number])
        length = -(-self.number.bit_length() // 8)
        return bytes([256 - 112 - length]) + self.number.to_bytes(length, "big")


@attrs.frozen
class FileSize:
    """The size of a file of some cells."""

    cells: int
    rows: int
    blocks: int
    growing_bytes: int
    """Bytes that grow with the number of cells; a file has `FILE_BYTES` more."""


def file_cells(connection: "happybase.Connection", table: PhysicalTable) -> Iterator[FileCell]:
    """Every cell of a table, each of its versions too.

    Costs: one scan; in families that keep several versions, one call for each column of a row.
    """
    rows = connection.table(table.name)
    for row, cells in rows.scan(include_timestamp=True):
        for column, (value, timestamp_ms) in cells.items():
            family, _, qualifier = column.partition(b":")
            kept = table.families[family.decode()].max_versions
            versions = [(value, timestamp_ms)]
            if kept > 1:
                versions = rows.cells(row, column, versions=kept, include_timestamp=True)
            for version, version_ms in versions:
                yield FileCell(row, family, qualifier, version_ms, version)


def file_sizes(cells: Iterable[FileCell], has_bloom: bool = True) -> dict[str, FileSize]:
    """The size of one file with these cells in each of the `ENCODINGS`; one write put all cells of a timestamp."""
    ordered = sorted(_numbered([*cells]), key=lambda cell: (cell.row, cell.qualifier, -cell.timestamp_ms))
    blocks = [*_blocks(ordered)]
    rows = len({cell.row for cell in ordered})
    # A sample that fills a block in part has a part of what goes with it, so that a larger file follows.
    full_blocks = sum(len(cell.plain) for cell in ordered) / BLOCK_BYTES
    key_bytes = sum(len(block[0].row) for block in blocks) / max(1, len(blocks))
    around = full_blocks * (HEADER_BYTES + INDEX_BYTES + key_bytes) + BLOOM_BYTES * rows * has_bloom

    def size(data_bytes: int) -> FileSize:
        checksums = data_bytes / CHECKED_BYTES * CHECKSUM_BYTES
        return FileSize(len(ordered), rows, len(blocks), round(data_bytes + checksums + around))

    return {encoding: size(sum(map(data_bytes_of, blocks))) for encoding, data_bytes_of in _DATA_BYTES.items()}


def _numbered(cells: Sequence[FileCell]) -> Iterator[FileCell]:
    times = sorted({cell.timestamp_ms for cell in cells})
    number_of = {time_ms: number for number, time_ms in enumerate(times, FIRST_NUMBER)}
    return (attrs.evolve(cell, number=number_of[cell.timestamp_ms]) for cell in cells)


def _blocks(cells: Iterable[FileCell]) -> Iterator[list[FileCell]]:
    """The cells of each block: it ends with the cell that makes it as large as a block."""
    block: list[FileCell] = []
    size = 0
    for cell in cells:
        block.append(cell)
        size += len(cell.plain)
        if size >= BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block


def _plain_bytes(block: Sequence[FileCell]) -> int:
    return sum(len(cell.plain) for cell in block)


def _compressed_bytes(block: Sequence[FileCell]) -> int:
    return len(gzip.compress(b"".join(cell.plain for cell in block), compresslevel=6))


def _fast_diff_bytes(block: Sequence[FileCell]) -> int:
    cells = zip([None, *block], block, strict=False)
    return 2 + sum(len(fast_diff(before, cell)) + len(cell.number_bytes) for before, cell in cells)  # two name it


_DATA_BYTES: dict[str, Callable[[Sequence[FileCell]], int]] = {
    "NONE": _plain_bytes,
    "FAST_DIFF": _fast_diff_bytes,
    "GZ": _compressed_bytes,
}


def fast_diff(before: FileCell | None, cell: FileCell) -> bytes:
    """A cell behind another one: a byte of flags, what differs of key and timestamp, the value unless it is the same.

    flags | key length, unless same | value length, unless same | bytes that the keys share | rest of row and
    qualifier | rest of the timestamp | type, unless same | value, unless same. Lengths have 7 bits in a byte.
    """
    key = cell.key
    if before is None:
        return b"\0" + _short(len(key)) + _short(len(cell.value)) + _short(0) + key + cell.value
    key_before, row_end = before.key, 2 + len(cell.row)
    shared = _shared(key_before[:-9], key[:-9])
    time_before, time = key_before[-9:-1], key[-9:-1]
    shared_time = min(7, _shared(time_before, time))
    same_key, same_length = len(key) == len(key_before), len(cell.value) == len(before.value)
    same_value = cell.value == before.value
    return b"".join(
        [
            bytes([same_key | same_length << 1 | 1 << 2 | same_value << 3 | shared_time << 4]),
            b"" if same_key else _short(len(key)),
            b"" if same_length else _short(len(cell.value)),
            _short(shared),
            key[shared:-9] if shared >= row_end else key[shared:row_end] + cell.qualifier,
            time[shared_time:],
            b"" if same_value else cell.value,
        ]
    )


def _shared(one: bytes, other: bytes) -> int:
    """The bytes that two texts share at their beginnings."""
    for count, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return count
    return min(len(one), len(other))


def _short(number: int) -> bytes:
    """A length with 7 bits in a byte."""
    text = bytes([number & 0x7F])
    while number := number >> 7:
        text = bytes([number & 0x7F | 0x80]) + text
    return text
