"""Golden keys: values beside the rows that they must become, in a file that readers in other languages can use."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import attrs
import happybase

from ..keys import KeyLayout
from ..records.plain_values import plain_value
from ..tables import TableLayout

STORED_KEYS = 5
"""Golden keys of each table that `stored_keys` takes."""


def check_golden_keys(layouts: Mapping[str, KeyLayout[Any]], golden: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Each key `{"key": {part: value}, "row": hex}` of each table encodes to its row and decodes from it."""
    assert golden.keys() == layouts.keys()
    for name, layout in layouts.items():
        assert golden[name] != [], name
        for example in golden[name]:
            row = bytes.fromhex(example["row"])
            key = layout.decode(row)
            assert json_values(key) == example["key"], f"{name}: {key}"
            assert layout.encode(key) == row, f"{name}: {key}"


def write_golden_keys(path: Path, stored: Iterable[tuple[TableLayout[Any, Any], Iterable[Any]]], **more: Any) -> None:
    """Writes {table: [{"key": {part: value}, "row": hex}]} to a file, of some keys, or records, of each table.

    `more` are further entries. Bytes are in hex.
    """
    golden: dict[str, Any] = {}
    for table, records in stored:
        keys = dict.fromkeys(map(table.key.key_of, records))
        golden[table.name] = [{"key": json_values(key), "row": table.key.encode(key).hex()} for key in keys]
    path.write_text(json.dumps(golden | more, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def json_values(record: Any, without: str = "") -> dict[str, Any]:
    """The attributes of a key or a record, all but one, as JSON shows them: bytes in hex, times as ISO 8601."""
    return {name: plain_value(value) for name, value in attrs.asdict(record).items() if name != without}


def stored_keys(connection: happybase.Connection, table: TableLayout[Any, Any]) -> list[Any]:
    """The keys of the first rows of a table."""
    return [table.key.decode(row) for row, _ in islice(connection.table(table.name).scan(), STORED_KEYS)]
