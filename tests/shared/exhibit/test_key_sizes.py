"""Sizes of keys and cells, beside a `KeyValue` of HBase put together by hand."""

import json
import struct

import attrs
import pytest

from domains.monitoring.keys import POINTS
from domains.orders.keys import BY_SELLER, ORDERS
from shared.exhibit import stored_bytes
from shared.exhibit.key_sizes import key_size_words
from shared.exhibit.linting import Cell, LintedTable, Samples
from shared.exhibit.linting.sizes import sizes_of
from shared.keys import EscapedText, InvalidKey, KeyLayout, part, row_key
from shared.keys.limits import MAX_ROW_BYTES
from tests.programs.pages.key_lengths import KEY_TIMES, LENGTHS, aligned, lengths_block, times_block

PUT = 4


def key_value(row: bytes, column: bytes, value: bytes) -> bytes:
    """A cell as `KeyValue` has it: two lengths, row, family, qualifier, timestamp, type and value."""
    family, _colon, qualifier = column.partition(b":")
    key = struct.pack(">H", len(row)) + row + bytes([len(family)]) + family + qualifier + struct.pack(">QB", 0, PUT)
    return struct.pack(">II", len(key), len(value)) + key + value


@pytest.mark.parametrize("length", LENGTHS)
def test_a_cell_has_its_key_column_and_value_and_20_bytes_more(length: int) -> None:
    assert stored_bytes(bytes(length), b"f:v", bytes(8)) == len(key_value(bytes(length), b"f:v", bytes(8)))


@pytest.mark.parametrize("length", LENGTHS)
def test_a_key_of_16_bytes_starts_at_a_multiple_of_8_as_seldom_as_others(length: int) -> None:
    def share(value_bytes: int) -> float:
        key, cells = b"k" * length, b""
        for _ in range(64):
            cells += key_value(key, b"f:v", bytes(value_bytes))
        starts = range(cells.index(key), len(cells), len(cells) // 64)
        return sum(start % 8 == 0 for start in starts) / 64

    line = next(line for line in lengths_block().splitlines() if line.startswith(f"| {length} |"))
    assert line.endswith(f"| {share(8):.0%} |")
    shares = [share(value_bytes) for value_bytes in range(40)]
    assert shares == [aligned(length, value_bytes) for value_bytes in range(40)]
    assert max(shares) == 1 / 4


def test_a_long_name_of_a_family_is_stored_with_every_cell() -> None:
    added = len(key_value(b"k", b"information:v", b"")) - len(key_value(b"k", b"i:v", b""))
    assert added * 20 * 10_000_000 == 2e9
    assert "a family `information` instead of `i` adds 2 GB to these rows" in " ".join(lengths_block().split())


def test_keys_of_100_bytes_in_ten_million_rows_take_1_gb_for_each_cell_of_a_row() -> None:
    line = next(line for line in lengths_block().splitlines() if line.startswith("| 100 |"))
    assert line.startswith("| 100 | 130; 1 GB | 650; 5 GB | 2,600; 20 GB |")


def test_a_get_takes_less_than_a_millisecond_whatever_the_length_of_its_key_as_recorded() -> None:
    recorded = json.loads(KEY_TIMES.read_text(encoding="utf-8"))
    medians = {times["key_bytes"]: times["median_ms"] for times in recorded["times"]}
    assert {15, 16, 17, 100} <= medians.keys()
    assert max(medians.values()) < 1
    assert f"| 16 | {medians[16]:.2f} |" in times_block()
    assert f"99 % of the gets. It stores a key of {MAX_ROW_BYTES:,} bytes" in " ".join(times_block().split())
    assert recorded["refused"] == f"Row length {MAX_ROW_BYTES + 1} is > {MAX_ROW_BYTES}"


@row_key
class ByText:
    text: str = part(EscapedText, "any")


def test_the_longest_key_has_32767_bytes_not_64_kb() -> None:
    layout = KeyLayout(ByText)
    assert len(layout.encode(ByText("k" * 32_765))) == MAX_ROW_BYTES == 32_767
    with pytest.raises(InvalidKey, match=r"a row key has 1\.\.32767 bytes \(got 32768\)"):
        layout.encode(ByText("k" * 32_766))


def test_explain_names_the_bytes_of_a_key_and_of_the_cells_that_repeat_it() -> None:
    assert key_size_words(BY_SELLER.layout, b"k" * 20) == (
        "20 bytes of at most 32,767; besides their values the cells take o:i 42, o:a 42, o:st 43"
    )
    assert key_size_words(ORDERS.layout, b"n-42").endswith("the cells take o:order 30")
    assert key_size_words(POINTS.layout, b"k" * 20).endswith(
        "each cell takes 40 bytes, and those of its column and value"
    )


def test_the_sizes_of_samples_are_those_of_their_cells() -> None:
    rows = (b"k" * 10, b"k" * 30)
    cells = [Cell(row, column, b"12345") for row in rows for column in (b"o:i", b"o:st")]
    sizes = sizes_of(LintedTable(BY_SELLER.layout, Samples(cells=cells)))
    stored = sum(len(key_value(*attrs.astuple(cell))) for cell in cells)
    assert sizes == {
        "key": 20,
        "cells_per_row": 2,
        "cell": stored / 4,
        "keys": 80 / stored,
        "columns": 10 / stored,
        "values": 20 / stored,
    }
