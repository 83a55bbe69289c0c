"""The blocks about the length of a row key: the bytes that it takes, where it starts in memory, the time of a get."""

import json
from math import lcm
from pathlib import Path
from typing import Any

from shared.exhibit.comparison import stored_bytes
from shared.exhibit.hfiles import CELL_BYTES
from shared.exhibit.markdown import below, filled, markdown_table
from shared.keys.limits import MAX_ROW_BYTES

KEY_TIMES = Path(__file__).parents[3] / "fixtures" / "keys" / "times.json"
"""What `python -m tests.programs key_times` recorded."""
LENGTHS = (8, 15, 16, 17, 32, 50, 100)
CELLS = (1, 5, 20)
COLUMN, VALUE_BYTES = b"f:v", 8
LONG_FAMILY = "information"
ROWS = 10_000_000
ROW_STARTS_AT = 10
"""In a `KeyValue` the row comes after the lengths of key and value, 4 bytes each, and its own, 2 bytes."""
ALIGNED_TO = 8


def lengths_block() -> str:
    """What keys of some lengths take in rows of one or more cells, and how many of them start at a multiple of 8."""
    rows = [(str(length), *(_sizes(length, cells) for cells in CELLS), f"{aligned(length):.0%}") for length in LENGTHS]
    columns = ("key", *(f"{cells} cell{'s' * (cells > 1)} a row" for cells in CELLS), "aligned")
    caption = (
        f"Bytes of a row with a column of {len(COLUMN) - 1} bytes and values of {VALUE_BYTES}, before compression "
        f"({CELL_BYTES} bytes for each cell, the key, the column and the value); then the GB that the keys alone take "
        f"in {ROWS // 10**6} million such rows. Aligned: the share of cells whose row key starts at a multiple of "
        f"{ALIGNED_TO} bytes, with values of any size at most {_aligned_at_most():.0%}."
    )
    names = (
        f"The names of columns are stored as often: a family `{LONG_FAMILY}` instead of `{LONG_FAMILY[0]}` adds "
        f"{_added_by(LONG_FAMILY) / 1e9:.3g} GB to these rows if they have {CELLS[-1]} cells."
    )
    return "\n\n".join([below(caption, markdown_table(columns, rows)), filled(names)])


def _added_by(family: str) -> int:
    """The bytes that a family's name adds to all rows with most cells, beside a name of one letter."""
    long, short = (stored_bytes(b"", f"{name}:v".encode(), b"") for name in (family, family[0]))
    return ROWS * CELLS[-1] * (long - short)


def _sizes(length: int, cells: int) -> str:
    row = cells * stored_bytes(bytes(length), COLUMN, bytes(VALUE_BYTES))
    return f"{row:,}; {ROWS * cells * length / 1e9:.3g} GB"


def aligned(length: int, value_bytes: int = VALUE_BYTES) -> float:
    """The share of cells, one after another, whose key of this length starts at a multiple of 8."""
    cell = stored_bytes(bytes(length), COLUMN, bytes(value_bytes))
    starts = range(ROW_STARTS_AT, ROW_STARTS_AT + lcm(cell, ALIGNED_TO), cell)
    return sum(start % ALIGNED_TO == 0 for start in starts) / len(starts)


def _aligned_at_most() -> float:
    return max(aligned(length, value_bytes) for length in LENGTHS for value_bytes in range(ALIGNED_TO))


def times_block() -> str:
    """How long gets of keys of some lengths take on a real HBase, and what it says of the longest key."""
    recorded: dict[str, Any] = json.loads(KEY_TIMES.read_text(encoding="utf-8"))
    rows = [
        (
            str(times["key_bytes"]),
            f"{times['median_ms']:.2f}",
            f"{times['p99_ms']:.2f}",
            f"{times['below_1_ms']:.0%}",
        )
        for times in recorded["times"]
    ]
    medians = [times["median_ms"] for times in recorded["times"]]
    caption = (
        f"Milliseconds of {recorded['gets']:,} gets of each length, of random rows among {recorded['rows']:,} in the "
        f"block cache. The medians differ by {max(medians) - min(medians):.2f} ms. The region server itself counted "
        f"{recorded['region_server']['p99_ms']} ms or less for 99 % of the gets. It stores a key of {MAX_ROW_BYTES:,} "
        f'bytes, and refuses one of {MAX_ROW_BYTES + 1:,}: "{recorded["refused"]}". Measured on HBase '
        f"{recorded['hbase']}, {recorded['date']}, on {recorded['cores']} busy cores: `python -m tests.programs "
        "key_times`."
    )
    return below(caption, markdown_table(("key bytes", "median", "99 % within", "below 1 ms"), rows))
