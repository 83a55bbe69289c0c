"""The byte ruler of a row key: its bytes under the names of the parts and their values."""

from typing import Any

from .keys import Field, KeyLayout
from .times import show_time


def show_value(name: str, value: Any) -> str:
    """A value as a person reads it: names in `_ms` are times, text without control characters stands as it is."""
    if name.endswith("_ms") and type(value) is int:
        return show_time(value)
    if isinstance(value, bytes):
        return value.hex(" ")
    if isinstance(value, str):
        return value if value.isprintable() and value.strip() == value != "" else repr(value)
    return str(value)


def ruler(layout: KeyLayout[Any], row: bytes, width: int = 100) -> str:
    """Three lines of text, names over values over bytes in hex; further threes where `width` characters are full.

    seller_id          placed_ms                order_number
    s-17               2020-02-06T08:08:37.000Z n-42
    73 2d 31 37 00 01  7f ff fe 8f e4 f2 cd f7  6e 2d 34 32 00 01
    """
    blocks: list[str] = []
    columns: list[tuple[str, str, str]] = []
    for column in (cut for field in layout.fields(row) for cut in _cut(field, width)):
        if columns and sum(_wide(each) + 2 for each in columns) + _wide(column) > width:
            blocks.append(_lines(columns))
            columns = []
        columns.append(column)
    return "\n".join([*blocks, _lines(columns)])


def _cut(field: Field, width: int) -> list[tuple[str, str, str]]:
    """A field as one column, or as several where its bytes alone are wider than a line."""
    at_once = (width + 1) // 3
    value = "" if field.value is None else show_value(field.name, field.value)
    pieces = [field.data[at : at + at_once] for at in range(0, len(field.data), at_once)] or [b""]
    first, *others = pieces
    return [(field.name, value, first.hex(" ") or "(no bytes)"), *(("", "", piece.hex(" ")) for piece in others)]


def _wide(column: tuple[str, str, str]) -> int:
    return max(map(len, column))


def _lines(columns: list[tuple[str, str, str]]) -> str:
    widths = [_wide(column) for column in columns]
    lines = (
        "  ".join(text.ljust(wide) for text, wide in zip(line, widths, strict=True))
        for line in zip(*columns, strict=True)
    )
    return "\n".join(line.rstrip() for line in lines if line.strip())
