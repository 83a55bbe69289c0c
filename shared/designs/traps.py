"""Published mistakes as code: the wrong way and the right way, run on the same rows."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from ..tables import TableLayout, create_tables

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class Outcome:
    """What both ways of a trap returned, in words and numbers that were counted."""

    task: str
    """What both ways had to do."""
    wrong: str
    """What the wrong way returned or stored."""
    right: str
    """What the right way returned or stored."""


@attrs.frozen
class Trap:
    """A mistake that is published."""

    name: str
    published_as: str
    """The key or the code, as its source has it."""
    run: Callable[[Any], Outcome]
    """Runs both ways on stores in memory; takes the `Design`, for its samples."""


TEXT_COLUMN = b"f:v"
"""The column of the texts of a `scratch_table`."""
TRAP_COLUMNS = ("trap", "published as", "asked for", "what it gives", "the right way gives")


def trap_row(trap: Trap, design: Any) -> tuple[str, ...]:
    """A trap of a `Design` and its outcome as one row of text, under `TRAP_COLUMNS`."""
    outcome = trap.run(design)
    return (trap.name, trap.published_as, outcome.task, outcome.wrong, outcome.right)


def scratch_store(tables: Iterable[TableLayout[Any, Any]]) -> "happybase.Connection":
    """A new store in memory with these tables, empty. It ends with its connection."""
    from ..stores import connect

    connection = connect("embedded:")
    create_tables(connection, tables)
    return connection


def scratch_table(texts: Mapping[bytes, str] | None = None, families: Iterable[str] = ("f",)) -> "happybase.Table":
    """A table of a new store in memory, as published code makes it; its rows hold `texts`, each in the cell `f:v`."""
    from ..stores import connect

    connection = connect("embedded:")
    connection.create_table("t", {family: {} for family in families})
    table = connection.table("t")
    with table.batch() as batch:
        for row, text in (texts or {}).items():
            batch.put(row, {TEXT_COLUMN: text.encode()})
    return table


def texts_of(rows: Iterable[tuple[bytes, Mapping[bytes, bytes]]]) -> list[str]:
    """The texts of rows of a `scratch_table`, such as a scan gives them."""
    return [cells[TEXT_COLUMN].decode() for _row, cells in rows]
