"""The byte ruler of a row key: its bytes, below the names and values of its parts; and the same for cells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import zip_longest
from typing import Any

import attrs
from rich.cells import cell_len, chop_cells

from ..intents.source_cells import SourceCells
from ..keys import KeyLayout, Rest
from ..keys.errors import shown
from ..keys.parts import Segment
from ..keys.slice_codecs import share_codec
from ..records import show_time
from ..records.lengths import LENGTH, show_length
from ..records.plain_values import plain_scalar
from ..tables import ItemCells, OtherColumns, Packing, RecordCells, TableLayout

ITEMS_SHOWN = 3
"""The most cells that are shown of a row with many records."""
GAP = 2
"""Blanks between two columns of a ruler."""
DATES = range(date(1970, 1, 1).toordinal(), date(2200, 1, 1).toordinal())
"""The days that are shown as dates. A smaller number more likely counts something else, such as the days of a month."""
NAMES, VALUES, BYTES = range(3)
"""The kinds of lines of a ruler, from top to bottom."""


def show_value(name: str, value: Any) -> str:
    """A value as a person reads it: a number whose name ends in `_ms` as a time, printable text as it is.

    A number whose name ends in `_day` is a date if `date.toordinal()` makes it of one of the years 1970 to 2199.
    `every_ms` is a length of time. Times, Enums, UUIDs and Decimals are as `rowbook ask` reads them.
    """
    value = plain_scalar(value)
    if isinstance(value, bytes):
        return value.hex(" ")
    if isinstance(value, str):
        return value if value.isprintable() and value.strip() == value != "" else repr(value)
    if name == LENGTH and type(value) is int:
        return show_length(value)
    if name.endswith("_day") and type(value) is int and value in DATES:
        return date.fromordinal(value).isoformat()
    try:
        return show_time(value) if name.endswith("_ms") and type(value) is int else str(value)
    except ValueError:  # Python writes no int of more than 4,300 digits
        return shown(value)


def ruler(layout: KeyLayout[Any], row: bytes, width: int = 100) -> str:
    """Three lines of text, names over values over bytes in hex; three more if the line is wider than `width`.

    seller_id          placed_ms                 order_number
    s-17               2020-02-06T08:08:37.000Z  n-42
    73 2d 31 37 00 01  7f ff fe 8f e6 74 d0 77   6e 2d 34 32 00 01
    """
    return "\n".join(text for _kind, text in ruler_lines(layout, row, width))


def ruler_lines(layout: KeyLayout[Any], row: bytes, width: int) -> list[tuple[int, str]]:
    """The lines of a ruler, each with its kind."""
    return laid_out((column for segment in layout.segments(row) for column in _segment_columns(segment, width)), width)


def part_lines(layout: KeyLayout[Any], row: bytes, width: int) -> list[tuple[int, list[tuple[int, str]]]]:
    """The lines of a ruler, each with its kind and the texts of its columns, each with the place of its part."""
    segments = enumerate(layout.segments(row))
    columns = [(place, column) for place, segment in segments for column in _segment_columns(segment, width)]
    lines: list[tuple[int, list[tuple[int, str]]]] = []
    for block in _blocks([column for _place, column in columns], width):
        places, columns = [place for place, _column in columns[: len(block)]], columns[len(block) :]
        lines += ((kind, [*zip(places, texts, strict=True)]) for kind, texts in _lines_of(block))
    return lines


def rows_ruler(layout: KeyLayout[Any], rows: Iterable[bytes], width: int = 100) -> str:
    """Several rows under one line of names, each as its values over its bytes, so that their order can be seen."""
    segments = [layout.segments(row) for row in rows]
    columns: list[tuple[str, ...]] = []
    for same_part in zip(*segments, strict=True):
        columns.append((same_part[0].name, *(text for segment in same_part for text in value_and_bytes(segment))))
    return "\n".join(text for _kind, text in laid_out(columns, width))


def value_and_bytes(segment: Segment) -> tuple[str, str]:
    """The value of a part, and its bytes, with no spaces between them."""
    if isinstance(segment.value, bytes):
        value = segment.value.hex()
    else:
        value = "" if segment.value is None else show_value(segment.name, segment.value)
    return value, segment.data.hex() or "(no bytes)"


def cell_lines(table: TableLayout[Any, Any], cells: Mapping[bytes, bytes], width: int) -> list[tuple[int, str]]:
    """The lines of a row's cells: names over values over columns, which replace the bytes of a ruler."""
    columns: list[tuple[str, ...]] = []
    if isinstance(table.cells, ItemCells):
        for column in sorted(cells)[:ITEMS_SHOWN]:
            columns += _item_columns(table.cells, column, cells[column], width)
        columns += _others(len(cells) - ITEMS_SHOWN)
    elif isinstance(table.cells, SourceCells):
        if (cell := cells.get(table.cells.columns[0])) is not None:
            columns += _source_columns(table.cells, cell, width)
    elif isinstance(table.cells, RecordCells):
        columns += _record_columns(table.cells, cells, width)
    else:  # a domain's own cells, which only the domain can decode
        for column in sorted(cells)[:ITEMS_SHOWN]:
            columns += _cut("qualifier", "", [column.partition(b":")[2].hex(" ")], width)
            columns += _cut("value", "", [cells[column].hex(" ")], width)
        columns += _others(len(cells) - ITEMS_SHOWN)
    return laid_out(columns, width)


def _others(count: int) -> list[tuple[str, ...]]:
    return [(f"and {count} more cells", "", "")] if count > 0 else []


def _record_columns(cells: RecordCells[Any], stored: Mapping[bytes, bytes], width: int) -> Iterable[tuple[str, ...]]:
    """The attributes of a record over their columns."""
    for name, declared in cells.attributes.items():
        if isinstance(declared, OtherColumns):
            for column in sorted(filter(cells.mappings[name].has, stored)):
                text = column.decode(errors="backslashreplace")
                of_key = f"{name}[{text.partition(':')[2]}]"
                yield from _cut(of_key, _show_cell("", cells.packing(name), stored[column]), [text], width)
        elif (data := stored.get(cells.column(name))) is not None:
            yield from _cut(name, _show_cell(name, cells.packing(name), data), [declared.name], width)
    if cells.marker is not None and cells.columns[0] in stored:
        yield from _cut("(there is a record)", "", [cells.marker], width)


def _source_columns(cells: SourceCells[Any], cell: bytes, width: int) -> Iterable[tuple[str, ...]]:
    """The one cell of a source: its revision over the cell's column, then its record."""
    column = cells.columns[0].decode()
    try:
        opened = cells.opened(cell)
    except ValueError as error:
        return _cut("(damaged)", str(error), [column], width)
    record: Iterable[tuple[str, ...]] = (
        () if opened.cells is None else _record_columns(cells.cells, opened.cells, width)
    )
    return [*_cut("revision", str(opened.revision), [column], width), *((name, value, "") for name, value, _ in record)]


def _item_columns(cells: ItemCells[Any], column: bytes, value: bytes, width: int) -> Iterable[tuple[str, ...]]:
    """A cell of a row with many records: the parts of its qualifier, then its value, over the bytes of both."""
    qualifier = column.partition(b":")[2]
    try:
        segments = cells.qualifier.segments(qualifier)
    except ValueError as error:
        return _cut("(damaged)", str(error), [qualifier.hex(" ")], width)
    columns: list[tuple[str, ...]] = []
    for segment in segments:
        is_rest = isinstance(share_codec(cells.qualifier.part_named[segment.name].codec), Rest)
        segment = (
            attrs.evolve(segment, name=f"rest of {segment.name}", value=str(segment.value)) if is_rest else segment
        )
        columns += _segment_columns(segment, width)
    names = (cells.value,) if isinstance(cells.value, str) else cells.value
    return [*columns, *_cut(", ".join(names), _show_cell("", cells.packing, value), [value.hex(" ")], width)]


def _show_cell(name: str, packing: Packing, data: bytes) -> str:
    try:
        return show_value(name, packing.unpack(data))
    except Exception as error:  # msgpack's errors have no common base
        return f"{data.hex(' ')} (damaged: {str(error) or type(error).__name__})".lstrip()


def _segment_columns(segment: Segment, width: int) -> Iterable[tuple[str, ...]]:
    value = "" if segment.value is None else show_value(segment.name, segment.value)
    bytes_per_line = max(1, (width + 1) // 3)
    starts = range(0, len(segment.data), bytes_per_line)
    data = [segment.data[start : start + bytes_per_line].hex(" ") for start in starts]
    return _cut(segment.name, value, data or ["(no bytes)"], width)


def _cut(name: str, value: str, below: list[str], width: int) -> Iterable[tuple[str, ...]]:
    """A value as one column, or as several if it, or the text below it, is wider than a line."""
    return zip_longest([name], chop_cells(value, max(1, width)), below, fillvalue="")


def laid_out(
    columns: Iterable[tuple[str, ...]], width: int, labels: tuple[str, ...] | None = None
) -> list[tuple[int, str]]:
    """Columns of texts side by side, in blocks no wider than `width`, each after the `labels` of its lines."""
    return [
        (kind, (" " * GAP).join(texts).rstrip())
        for block in _blocks(columns, width, () if labels is None else (labels,))
        for kind, texts in _lines_of(block)
    ]


def _blocks(
    columns: Iterable[tuple[str, ...]], width: int, start: Sequence[tuple[str, ...]] = ()
) -> Iterator[list[tuple[str, ...]]]:
    """The columns in blocks no wider than `width`, each of which begins with `start`."""
    block = [*start]
    for column in columns:
        if len(block) > len(start) and sum(_column_width(one) + GAP for one in block) + _column_width(column) > width:
            yield block
            block = [*start]
        block.append(column)
    yield block


def _lines_of(block: list[tuple[str, ...]]) -> Iterator[tuple[int, list[str]]]:
    """The lines of a block that have any text, each with its kind and the text of each column, filled with blanks."""
    widths = [_column_width(column) for column in block]
    for kind, texts in enumerate(zip(*block, strict=True)):
        if any(texts):
            yield kind, [text + " " * (cells - cell_len(text)) for text, cells in zip(texts, widths, strict=True)]


def _column_width(column: tuple[str, ...]) -> int:
    return max(map(cell_len, column))
