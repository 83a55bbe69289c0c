"""Keys written by hand, compared with those that the layouts make."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..keys import KeyLayout


def check_golden_keys(layouts: Mapping[str, KeyLayout[Any]], golden: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Each key `{"key": {part: value}, "row": hex}` of each table encodes to its row and decodes from it."""
    assert golden.keys() == layouts.keys()
    for name, layout in layouts.items():
        assert golden[name] != [], name
        for example in golden[name]:
            values = {part: _value(layout, part, value) for part, value in example["key"].items()}
            key, row = layout.key_class(**values), bytes.fromhex(example["row"])
            assert layout.encode(key) == row, f"{name}: {key}"
            assert layout.decode(row) == key, f"{name}: {key}"


def _value(layout: KeyLayout[Any], part: str, value: Any) -> Any:
    """A value as it is in JSON, where bytes are hex."""
    try:
        layout.part_named[part].codec.encode(value)
    except ValueError:
        return bytes.fromhex(value)
    return value
