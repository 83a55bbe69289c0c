"""The rows of a range in words: the values that it binds instead of the bytes of its ends."""

from typing import Any

from ..designs.ruler import show_value
from ..keys import HashPrefix, InvalidKey, KeyLayout, between, successor
from ..keys.conditions import AnyOf, Between, StartingWith
from ..keys.ranges import RowRange

VALUE_CHARACTERS = 80
"""The most characters that are shown of a value."""
_PREFIXES = {"Salt": "bucket", "Modulo": "bucket", "HashPrefix": "hash", "TimeBucket": "slice"}


def range_words(rows: RowRange, layout: KeyLayout[Any] | None = None) -> str:
    """`seller_id s-17, placed_ms 2026-01-12T00:00:00.000Z up to 2026-01-19T00:00:00.000Z`; empty if nothing is known.

    If no query made the range, such as that of a get, the values are decoded by `layout`, which also tells whether a
    hash is stored as hex digits.
    """
    if not rows.start and rows.stop is None:
        return "all rows"
    parts = rows.parts or (() if layout is None else _decoded_range(rows, layout))
    is_text = layout is not None and any(isinstance(prefix, HashPrefix) and prefix.hex for prefix in layout.prefixes)
    return ", ".join(_words(name, condition, is_text) for name, condition in parts if condition != between())


def _decoded_range(rows: RowRange, layout: KeyLayout[Any]) -> tuple[tuple[str, Any], ...]:
    """The values that all keys of a range have, and the interval of the part after them; empty if none are known."""
    start, rest_of_start = _decoded(rows.start, layout)
    if rest_of_start:
        return ()
    if rows.stop in (rows.start + b"\0", successor(rows.start)):
        return tuple(start)
    stop, rest_of_stop = _decoded(rows.stop or b"", layout)
    if rest_of_stop or len(start) != len(stop) or start[:-1] != stop[:-1]:
        return ()
    (name, first), (_name, end) = start[-1], stop[-1]
    is_ascending = name in layout.part_named and not layout.part_named[name].codec.descending
    return (*start[:-1], (name, Between(first, end))) if is_ascending else ()


def _decoded(row: bytes, layout: KeyLayout[Any]) -> tuple[list[tuple[str, Any]], bytes]:
    """The prefixes and the whole parts at the start of a row, and the bytes after them."""
    values: list[tuple[str, Any]] = []
    for prefix in layout.spread:
        values.append((type(prefix).__name__, row[: prefix.width_bytes]))
        row = row[prefix.width_bytes :]
    if layout.time_bucket is not None:
        return [], row or b"\0"
    for part in layout.parts:
        if not row:
            break
        try:
            value, row = part.codec.decode_first(row)
        except InvalidKey:
            break
        values.append((part.name, value))
    return values, row


def _words(name: str, condition: Any, hash_is_text: bool) -> str:
    if name in _PREFIXES and isinstance(condition, bytes):
        is_text = hash_is_text and name == "HashPrefix"
        return f"{_PREFIXES[name]} {condition.decode() if is_text else condition.hex(' ')}"
    unit = "slice_ms" if name == "TimeBucket" else name
    name = _PREFIXES.get(name, name)
    if isinstance(condition, Between):
        since = "" if condition.since is None else _value(unit, condition.since)
        until = "" if condition.until is None else _value(unit, condition.until)
        return f"{name} {since} up to {until}" if since and until else f"{name} {_open_end(since, until)}"
    if isinstance(condition, StartingWith):
        return f"{name} starting with {_value(unit, condition.start)}"
    if isinstance(condition, AnyOf):
        return f"{name} {' or '.join(_value(unit, value) for value in condition.values)}"
    return f"{name} {_value(unit, condition)}"


def _value(name: str, value: Any) -> str:
    text = show_value(name, value)
    return text if len(text) <= VALUE_CHARACTERS else f"{text[:VALUE_CHARACTERS]}... ({len(text)} characters)"


def _open_end(since: str, until: str) -> str:
    """An interval without one of its ends."""
    return f"from {since}" if since else f"up to {until}"
