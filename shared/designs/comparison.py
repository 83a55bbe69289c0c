"""The variants of a design side by side: what each question costs, what a record takes, and where new rows go."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs
import happybase

from ..tables.layouts import TableLayout
from .design import Design, Variant, load_samples
from .metering import Measured, measure
from .patterns import key_line

CELL_BYTES = 20
"""What HBase's `KeyValue` takes besides row, family, qualifier and value: lengths, timestamp and type."""
RANGES = 8
"""Key ranges that a table is cut into, of equal size, to see how new rows spread over them."""


@attrs.frozen
class Compared:
    """A variant with the samples loaded: its costs."""

    variant: Variant
    measured: list[Measured]
    rows_per_record: float
    """Rows that one record writes."""
    bytes_per_record: float
    """Of all cells of a record, with the row key in each as HBase stores it; before compression."""
    busiest_shares: tuple[float, ...]
    """For each table: of its newest rows, the part that goes to one of its `RANGES`."""


def compared(connection: happybase.Connection, design: Design, variant: Variant) -> Compared:
    """Loads the samples into the empty tables of a variant, asks every question and looks at the rows."""
    repository = load_samples(connection, design, variant)
    measured = measure(connection, repository, design.patterns)
    tables = [list(_rows(connection, table)) for table in variant.tables]
    # One table, at least, has one row for each record.
    records = max(map(len, tables))
    return Compared(
        variant,
        measured,
        sum(map(len, tables)) / records,
        sum(size for rows in tables for _row, _written_ms, size in rows) / records,
        tuple(
            busiest_share([(row, written_ms) for row, written_ms, _size in rows], design.newest_ms) for rows in tables
        ),
    )


def busiest_share(rows: Sequence[tuple[bytes, int]], newest_ms: int) -> float:
    """The part of the newest rows that falls into one key range, of `RANGES` that hold equal parts of the older rows.

    Rows come with the time they were written at; the newest are those of the last `newest_ms` milliseconds.
    """
    if not rows or newest_ms < 1:
        return 0.0
    border_ms = max(written_ms for _, written_ms in rows) - newest_ms
    older = sorted(row for row, written_ms in rows if written_ms <= border_ms)
    borders = quantiles(older, RANGES)
    newest = Counter(bisect_right(borders, row) for row, written_ms in rows if written_ms > border_ms)
    return max(newest.values()) / newest.total()


def quantiles(rows: Sequence[bytes], ranges: int) -> list[bytes]:
    """The keys at which sorted rows fall into ranges of equal size."""
    return [rows[len(rows) * number // ranges] for number in range(1, ranges)] if rows else []


def _rows(connection: happybase.Connection, table: TableLayout[Any, Any]) -> Iterator[tuple[bytes, int, int]]:
    """Row keys with the time they were written at, and the bytes of their cells."""
    for row, cells in connection.table(table.name).scan(include_timestamp=True):
        # A column is family, colon and qualifier; HBase stores no colon.
        size = sum(CELL_BYTES + len(row) + len(column) - 1 + len(value) for column, (value, _) in cells.items())
        yield row, max(written_ms for _, written_ms in cells.values()), size


WRITTEN_COLUMNS = ("rows written", "bytes stored", f"newest rows in one of {RANGES} ranges")


def written_of(each: Compared) -> tuple[str, str, str]:
    """Under `WRITTEN_COLUMNS`: rows and bytes of a record, and for each table the newest rows in one key range."""
    shares = " / ".join(f"{share:.0%}" for share in each.busiest_shares)
    return f"{each.rows_per_record:.0f}", f"{each.bytes_per_record:.0f}", shares


def figures_of(each: Measured) -> tuple[str, str, str]:
    """Rows read for each that is returned, ranges, RPCs; dashes where the question is refused."""
    if each.refused:
        return "-", "-", "-"
    rows = f"{each.rows_read / len(each.records):.1f}" if each.records else f"{each.rows_read} for none"
    return rows, str(len(each.cost.ranges)), str(each.cost.rpcs)


def comparison_columns(design: Design) -> tuple[str, ...]:
    """Above `comparison_row`."""
    return ("variant", "keys", *(pattern.question for pattern in design.patterns), *WRITTEN_COLUMNS)


def comparison_row(each: Compared) -> tuple[str, ...]:
    """A variant in one line of text."""
    keys = "<br>".join(key_line(table.layout) for table in each.variant.tables)
    return (each.variant.name, keys, *map(cost_of, each.measured), *written_of(each))


def cost_of(each: Measured) -> str:
    """`1.1 / 1 / 3`, the `figures_of` a question; after what else had to be done, or `refused`."""
    if each.refused:
        return "refused"
    done = {
        "by filter": bool(each.server_filtered),
        "filtered": bool({*each.client_work} - {"order"}),
        "sorted": "order" in each.client_work,
    }
    return " ".join([*(word for word, was_done in done.items() if was_done), " / ".join(figures_of(each))])


def refusals(found: Iterable[Compared]) -> list[tuple[str, str, str]]:
    """Variant, question and the planner's reason, where a key cannot answer."""
    return [
        (each.variant.name, one.pattern.question, one.refused) for each in found for one in each.measured if one.refused
    ]
