"""What the parts of a design's keys are for, which decides their colours."""

from collections.abc import Mapping
from typing import Any

from ...keys import Code
from ...tables import ItemCells, TableLayout
from ..design import Design
from .drawing import Role


def roles_of(design: Design) -> Mapping[str, Role]:
    """The role of each part, by its name, the same in every picture of the design.

    A time is a part whose name ends in `_ms`. The part that comes first in a key of several is its owner. Parts between
    it and the time, and codes, are states or kinds; a part after the time, or one that is the whole key, is an id.
    """
    roles: dict[str, Role] = {}
    tables = [table for variant in design.variants for table in variant.record_tables]
    for table in sorted(tables, key=lambda table: -len(_names(table))):  # a longer key tells more about its parts
        names = _names(table)
        times = [number for number, name in enumerate(names) if name.endswith("_ms")]
        for number, name in enumerate(names):
            if name not in roles:
                roles[name] = _role(table, name, number, len(names), times)
    return roles


def _names(table: TableLayout[Any, Any]) -> list[str]:
    """The parts of a row key, then those of a qualifier."""
    names = [part.name for part in table.key.parts]
    if isinstance(table.cells, ItemCells):
        names += [part.name for part in table.cells.qualifier.parts if part.name not in names]
    return names


def _role(table: TableLayout[Any, Any], name: str, number: int, count: int, times: list[int]) -> Role:
    if name.endswith("_ms"):
        return "time"
    part = table.key.part_named.get(name)
    if part is not None and isinstance(part.codec, Code):
        return "state"
    if count == 1 or (times and number > times[-1] and times[-1] > 0):
        return "id"
    return "owner" if number == 0 else "state"
