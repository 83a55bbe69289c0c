"""Processes that assign ids to the same names, and what they leave in the table of the dictionary."""

from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import attrs
import happybase

from shared.keys import KeyLayout, TrailingBytes, part, row_key
from shared.stores import connect
from shared.tables import Family, RecordCells, TableLayout
from shared.writes import Dictionary
from tests.shared.writes.processes import Log


@row_key
class AnyRow:
    row: bytes = part(TrailingBytes, "a name, an id, or the counter")


NAMES: TableLayout[Any, Any] = TableLayout(
    "names", "a mapping", KeyLayout(AnyRow), RecordCells(AnyRow, {}, marker="id:x"), {"id": Family(), "name": Family()}
)


def color_names(connection: happybase.Connection, **options: Any) -> Dictionary:
    return Dictionary(connection, NAMES.name, "color", **{"id_bytes": 3, **options})


@attrs.frozen
class Mappings:
    """What a table holds of one dictionary."""

    counter: int
    forward: dict[bytes, bytes]
    """Ids by name."""
    reverse: dict[bytes, bytes]
    """Names by id."""

    @property
    def leaked(self) -> list[bytes]:
        """Ids of which their name knows nothing."""
        return [id for id, name in self.reverse.items() if self.forward.get(name) != id]


def mappings(connection: happybase.Connection) -> Mappings:
    """The mappings; asserts that every name has an id of its own, and every id the name that has it."""
    forward: dict[bytes, bytes] = {}
    reverse: dict[bytes, bytes] = {}
    counter = 0
    for row, cells in connection.table(NAMES.name).scan():
        if row == b"\x00":
            counter = int.from_bytes(cells.pop(b"id:color"), "big")
        if b"id:color" in cells:
            forward[row] = cells[b"id:color"]
        if b"name:color" in cells:
            reverse[row] = cells[b"name:color"]
    assert len({*forward.values()}) == len(forward), f"two names have one id: {forward}"
    assert {name: reverse.get(id) for name, id in forward.items()} == {name: name for name in forward}
    return Mappings(counter, forward, reverse)


def assign_all(url: str, log: Path, seed: int, names: list[str]) -> None:
    """Assigns ids to all names, in an order of its own, and writes down what it was answered."""
    Random(seed).shuffle(names)
    with closing(connect(url)) as connection:
        dictionary, answers = color_names(connection), Log(log)
        for name in names:
            answers.write(name=name, id=dictionary.assign(name).hex())
