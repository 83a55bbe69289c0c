"""The pages of the keys: which codec and which prefix to choose; their bytes, what they refuse, the same in Java."""

import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from itertools import starmap
from typing import Any
from uuid import UUID

from shared.exhibit.markdown import markdown_list, markdown_table
from shared.keys import InvalidKey, InvalidQuestion, TimeBucket, shown
from shared.keys.errors import shown_bytes
from shared.tables.cells import packing_for
from shared.tables.declared_types import type_name
from shared.tables.packing import MSGPACK
from tests.programs.pages.codec_entries import (
    CODECS,
    COLUMN_VALUES,
    ENTRIES,
    JAVA_IMPORTS,
    PREFIXES,
    TRAPS,
    CodecEntry,
    Entry,
    Misuse,
    PrefixEntry,
    Trap,
)
from tests.programs.pages.key_lengths import lengths_block, times_block


def java_value(value: Any) -> str:
    """Java that declares a value as `v`; an int from 2**63 on is the long with the same bits."""
    if isinstance(value, datetime):
        return f'Instant v = Instant.parse("{value.isoformat().replace("+00:00", "Z")}")'
    if isinstance(value, date | UUID):
        kind, read = ("UUID", "fromString") if isinstance(value, UUID) else ("LocalDate", "parse")
        return f'{kind} v = {kind}.{read}("{value}")'
    if isinstance(value, bool):
        return f"boolean v = {str(value).lower()}"
    if isinstance(value, str):
        return f"String v = {json.dumps(value)}"
    if isinstance(value, bytes):
        return f'byte[] v = HexFormat.of().parseHex("{value.hex()}")'
    if isinstance(value, float):
        return f"double v = {value}"
    return f"long v = {value:#x}L" if value >= 1 << 63 else f"long v = {value}L"


def refusal(entry: Entry) -> str:
    """The message of the error that the entry's refused value or use raises."""
    try:
        _ = entry.refused.call() if isinstance(entry.refused, Misuse) else entry.encode(entry.refused)
    except (InvalidKey, InvalidQuestion) as error:
        return str(error)
    raise ValueError(f"{entry}: must refuse {shown(entry.refused)}")


def _code(value: object) -> str:
    return f"`{value if isinstance(value, date | UUID) else shown(value)}`"  # a datetime is a date, too


def _codec_row(entry: CodecEntry) -> tuple[str, ...]:
    codec = entry.codec
    order = "reversed" if codec.descending else "yes" if codec.ordered else "no"
    width = "varies" if codec.width_bytes is None else str(codec.width_bytes)
    return f"`{entry}`", order, width, *_first_value(entry)


def _prefix_row(entry: PrefixEntry) -> tuple[str, ...]:
    prefix = entry.prefix
    values = None if isinstance(prefix, TimeBucket) else prefix.every_value()
    return f"`{entry}`", entry.use, str(prefix.width_bytes), "refused" if values is None else str(len(values))


def _first_value(entry: Entry) -> tuple[str, str]:
    value = entry.values[0]
    return _code(value), f"`{shown_bytes(entry.encode(value))}`"


JAVA_COMMENT = "// The bytes of `v` in each codec and prefix, as a `byte[]`, in Java 17; nothing is checked. Generated."
OUT_OF_RANGE = re.compile(r"must be (-?\d+)\.\.(-?\d+) \(got -?\d+\)")
"""What a codec says of a number that it cannot hold; the page says it once."""
ANOTHER_TYPE = re.compile(r"must be (?:an? )?\w+ \(got .*, \w+\)")
"""What a codec says of a value of another type; the page says it once, too."""


def _refused_items() -> Iterator[str]:
    """Each refusal with a text of its own, except what the page says of the codecs that a codec accepts."""
    refusals = {refusal(entry): entry for entry in reversed(ENTRIES)}
    for message, entry in reversed(refusals.items()):
        is_said = OUT_OF_RANGE.fullmatch(message) or ANOTHER_TYPE.fullmatch(message)
        if not is_said and not (entry in CODECS and isinstance(entry.refused, Misuse)):
            what = entry.refused.words if isinstance(entry.refused, Misuse) else _code(entry.refused)
            yield f"`{entry}` refuses {what}: `{message}`"


def _trap_row(trap: Trap) -> tuple[str, ...]:
    first, second = trap.encode(trap.first), trap.encode(trap.second)
    found = "right" if first < second else "**wrong**" if first > second else "**one key**"
    shown_first, shown_second = (f"`{shown_bytes(data)}`" for data in (first, second))
    return trap.form, _code(trap.first), shown_first, _code(trap.second), shown_second, found


def _java(entry: Entry) -> str:
    return f"// {entry}, {java_value(entry.values[0]).partition(' = ')[0]}\n{entry.java}"


def _column_row(declared: Any, words: str, value: Any) -> tuple[str, ...]:
    cell = packing_for(declared, MSGPACK).pack(value)
    return f"`{type_name(declared)}`".replace("datetime.", ""), words, f"`{value}`", f"`{shown_bytes(cell)}`"


def java_text() -> str:
    """The text file of the expressions in Java."""
    return "\n\n".join([JAVA_COMMENT, JAVA_IMPORTS, *map(_java, ENTRIES)]) + "\n"


def keys_blocks() -> dict[str, str]:
    """The tables of the pages of the keys, from the declared entries."""
    return {
        "codecs": markdown_table(("codec", "order-preserving", "width", "value", "bytes"), map(_codec_row, CODECS)),
        "prefixes": markdown_table(
            ("prefix", "use it for", "bytes", "ranges without the part"), map(_prefix_row, PREFIXES)
        ),
        "prefix-bytes": markdown_table(
            ("prefix", "value", "bytes"), ((f"`{entry}`", *_first_value(entry)) for entry in PREFIXES)
        ),
        "lengths": lengths_block(),
        "times": times_block(),
        "refused": markdown_list(_refused_items()),
        "columns": markdown_table(("type", "in the cell", "value", "bytes"), starmap(_column_row, COLUMN_VALUES)),
        "traps": markdown_table(
            ("format", "must come first", "bytes", "must come second", "bytes", "order"), map(_trap_row, TRAPS)
        ),
    }
