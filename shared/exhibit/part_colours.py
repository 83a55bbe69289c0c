"""What the parts of a design's keys are for, which decides their colours, in pictures and on a terminal."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from ..designs.design import Design
from ..designs.patterns import part_line, prefix_line
from ..keys import Code
from ..tables import ItemCells, TableLayout

Role: TypeAlias = Literal["owner", "state", "time", "id", "salt", "value", "none"]
"""What a part of a key is for; `value` is not in the key, `none` is empty."""

Colours: TypeAlias = Mapping[str, tuple[str, str]]
"""Fill and line, by role."""
LIGHT: Colours = {
    "owner": ("#d3e6f8", "#0b5a9c"),
    "state": ("#fbdcc8", "#a8440c"),
    "time": ("#f8ebb4", "#7d6000"),
    "id": ("#cfeede", "#08694a"),
    "salt": ("#ecdaf1", "#80378c"),
    "value": ("#f1f3f5", "#8c959f"),
    "none": ("#ffffff", "#8c959f"),
}
DARK: Colours = {
    "owner": ("#12395c", "#74b9f5"),
    "state": ("#552a10", "#f39a62"),
    "time": ("#463900", "#e3c54a"),
    "id": ("#0d4432", "#52cd9f"),
    "salt": ("#472150", "#da9be4"),
    "value": ("#21262d", "#6e7681"),
    "none": ("#0d1117", "#6e7681"),
}
INK = {"light": ("#1f2328", "#57606a", "#ffffff"), "dark": ("#e6edf3", "#9aa4ae", "#0d1117")}
"""Text, secondary text and ground."""


def roles_of(design: Design) -> Mapping[str, Role]:
    """The role of each part of the design's keys, by its name: the same in every picture of the design.

    A time is a part whose name ends in `_ms`. What comes first in a key of several parts is an owner. Other parts
    before the time, and codes, are states or kinds; what comes after the time, or is the whole key, is an id.
    """
    tables = design.main.record_tables
    keys = [_names(table) for table in tables]
    owners = {names[0] for names in keys if len(names) > 1 and not names[0].endswith("_ms")}
    states = {part.name for table in tables for part in table.key.parts if isinstance(part.codec, Code)}
    return {name: _role(name, owners, states, keys) for names in keys for name in names}


def key_boxes(table: TableLayout[Any, Any], roles: Mapping[str, Role]) -> list[tuple[str, Role]]:
    """The parts of a row key in order, prefixes too, each with its label and its role.

    Of a part that no key of the design itself has, the place decides: what comes first, and at whose values the table
    is split, is a bucket.
    """
    boxes: list[tuple[str, Role]] = [(prefix_line(prefix), "salt") for prefix in table.key.prefixes]
    first: Role = "salt" if table.splits.points else "owner"
    for number, part in enumerate(table.key.parts):
        role = roles.get(part.name, "id" if number else first)
        boxes.append((f"{part_line(part)}{' ↓' if part.codec.descending else ''}", role))
    return boxes


def _names(table: TableLayout[Any, Any]) -> list[str]:
    """The parts of a row key, then those of a qualifier."""
    names = [part.name for part in table.key.parts]
    if isinstance(table.cells, ItemCells):
        names += [part.name for part in table.cells.qualifier.parts if part.name not in names]
    return names


def _role(name: str, owners: set[str], states: set[str], keys: Iterable[list[str]]) -> Role:
    if name.endswith("_ms"):
        return "time"
    if name in owners:
        return "owner"
    names = next(names for names in keys if name in names)
    comes_before_a_time = any(later.endswith("_ms") for later in names[names.index(name) :])
    return "state" if name in states or comes_before_a_time else "id"
