"""The declared table of erasures: those that are not over, and the sources of the records that they deleted."""

from typing import Any

import attrs

from ..keys import KeyLayout, TrailingBytes, TrailingText, part, row_key
from ..records import LAST_MS, integer
from ..tables import TEXTS, Column, ItemCells, RecordCells, TableLayout


@row_key
class ErasedName:
    """One name that is erased.

    Order:  by name.
    Serves: recovery, which reads all erasures.
    Costs:  one put to begin an erasure, one to end it, and one for each 1,000 sources.
    Fixed:  nothing; the row goes with the last trace of the name.
    Source: none
    """

    name: str = part(TrailingText, "who is erased")


@row_key
class ErasedRow:
    """The row of a source that an erasure deleted, as the qualifier of a cell.

    Order:  by row.
    Serves: `forget`, after `FORGET_MS`.
    Costs:  one cell for each source, so that no cell grows.
    Fixed:  nothing
    Source: none
    """

    source_row: bytes = part(TrailingBytes, "the row of the source")


@attrs.frozen
class Erasure:
    """An erasure that has left traces."""

    name: str
    at_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """When the last record was deleted; before that, when the erasure began."""
    is_ended: bool
    """Whether all records were deleted. If not, the eraser is at work, or has died."""
    source_tables: tuple[str, ...] = ()
    """The names of its sources' tables; empty if an earlier release has stored it, or if it has no sources."""


@attrs.frozen
class ErasedSource:
    """A source whose record an erasure deleted."""

    name: str
    source_row: bytes


class ErasuresTable:
    """The table of a repository's erasures, with a family for each writer's sources. Without a TTL.

    An erasure names rows of its sources, so a repository with other sources needs a table of its own.
    """

    def __init__(self, name: str, writers: int = 1) -> None:
        columns = {"at_ms": Column("e:t"), "is_ended": Column("e:e"), "source_tables": Column("e:n", TEXTS)}
        key, cells = KeyLayout(ErasedName), RecordCells(Erasure, columns)
        self.layout: TableLayout[ErasedName, Erasure] = TableLayout(name, "an erasure that is not over", key, cells)
        self.sources: tuple[TableLayout[ErasedName, ErasedSource], ...] = tuple(
            TableLayout(
                name, "the sources of erased records", key, ItemCells(ErasedSource, f"s{number}", KeyLayout(ErasedRow))
            )
            for number in range(writers)
        )
        """The same table, for the sources of each writer."""

    @property
    def tables(self) -> tuple[TableLayout[Any, Any], ...]:
        """All layouts of the table, for `create_tables`."""
        return (self.layout, *self.sources)
