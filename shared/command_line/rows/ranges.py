"""The ranges of rows that a question reads, in words and as JSON."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import happybase
from rich.cells import cell_len
from rich.console import Console

from ...designs import Measurement
from ...exhibit.range_words import range_words
from ...keys.ranges import RowRange
from ...tables import TableLayout
from ..screen.terminal import count, line, wrapped

RANGES_SHOWN = 8
KEY_BYTES_SHOWN = 80


def show_ranges(
    to: Console,
    ranges: Iterable[tuple[bytes, RowRange]],
    tables: Iterable[TableLayout[Any, Any]],
    connection: happybase.Connection,
) -> None:
    """Writes the ranges, each in a line; names of tables are without the connection's prefix."""
    prefix = connection.table_prefix
    table_prefix = b"" if prefix is None else prefix + connection.table_prefix_separator
    tables = list(tables)
    keys = Counter(name for name, _key_class in {(table.name, table.key.key_class) for table in tables})
    layouts = {table.name: table.key for table in tables if keys[table.name] == 1}  # otherwise no row tells which
    ranges_: list[tuple[str, str]] = []
    for stored_name, rows in ranges:
        name = stored_name.removeprefix(table_prefix).decode()
        ranges_.append((name, range_words(rows, layouts.get(name)) or shown_range(rows)))
    widest = max((cell_len(name) for name, _ in ranges_), default=0)
    for name, range_ in ranges_[:RANGES_SHOWN]:
        wrapped(to, f"  {name.ljust(widest)}  {range_}")
    if len(ranges_) > RANGES_SHOWN:
        line(to, f"  and {count(len(ranges_) - RANGES_SHOWN, 'more range')}, which --json shows")


def shown_range(rows: RowRange) -> str:
    r"""`row n-42`, `s-17\x00\x01 up to s-17\x00\x02`: keys as HBase's tools write them."""
    if rows.stop == rows.start + b"\0":
        return f"row {shown_row(rows.start)}"
    return (
        f"{shown_row(rows.start) or 'the first row'} up to {'the end' if rows.stop is None else shown_row(rows.stop)}"
    )


def shown_row(row: bytes) -> str:
    """The start of a row key as the HBase shell prints it."""
    text = "".join(
        chr(byte) if 0x21 <= byte <= 0x7E and byte != 0x5C else f"\\x{byte:02X}" for byte in row[:KEY_BYTES_SHOWN]
    )
    return text if len(row) <= KEY_BYTES_SHOWN else f"{text}... ({len(row)} bytes)"


def figures(measurement: Measurement) -> dict[str, Any]:
    """The figures of an answer's cost."""
    cost = measurement.cost
    return {
        "left_to_the_client": measurement.client_work,
        "left_to_a_filter": measurement.server_filtered,
        "ranges": [
            {"table": table.decode(), "from": rows.start, "up_to": rows.stop} for table, rows in measurement.ranges
        ],
        "rpcs": cost.rpcs,
        "round_trips": cost.round_trips,
        "rows_read": measurement.rows_read,
        "rows_returned": len(measurement.records),
        "bytes_fetched": cost.bytes_fetched,
    }
