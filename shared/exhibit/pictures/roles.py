"""What the parts of a design's keys are for, which decides their colours."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...designs.design import Design
from ...designs.patterns import part_line, prefix_line
from ...keys import Code
from ...tables import ItemCells, TableLayout
from .drawing import Role


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
