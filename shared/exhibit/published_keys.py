"""Row keys and columns byte for byte as they were published, next to the design's own for the same values."""

from collections.abc import Mapping
from typing import Any

import attrs

from ..keys import KeyLayout
from ..keys.parts import Segment
from ..tables import ItemCells, RecordCells, TableLayout

LONG_MAX = 2**63 - 1
"""Java's `Long.MAX_VALUE`, from which published keys subtract a time."""
SIGN = "`Int64` flips the sign bit, so that negative numbers sort first; a long sorts them last"
"""Why the bytes of a number are not those of `Bytes.toBytes(long)`."""


def any_text(name: str, longer: str) -> str:
    """Why a text ends with a terminator: without it, a scan of `name` would also find `longer`."""
    return f"any text, with the terminator `00 01`; without it {name} would also match {longer}"


def added_tie(records: str) -> str:
    """Why a key has a tie: without it, `records` of one moment would be one row."""
    return f"added: without it, {records} in one millisecond overwrite each other"


@attrs.frozen
class PublishedKey:
    """A published row key, the key of this suite for the same values, and why they differ.

    If the rows of the table hold many records, it may also be the key of a record in its row: the qualifier.
    """

    source: str
    """The id of the published idea, such as S0.13."""
    quoted: str
    """The key as published: `[seller id][timestamp][order number]`."""
    table: TableLayout[Any, Any]
    """The table of this suite."""
    key: Any
    """A key of that table, or a qualifier."""
    parts: Mapping[str, bytes]
    """The bytes of the published key, in its order, each under the name of the part or prefix that holds them here."""
    deviations: Mapping[str, str]
    """By name of a part or prefix, why its bytes are not those published."""

    @property
    def row(self) -> bytes:
        """The row, or the qualifier, as published."""
        return b"".join(self.parts.values())

    @property
    def is_qualifier(self) -> bool:
        """Whether it is a qualifier, not a row key."""
        cells = self.table.cells
        return isinstance(cells, ItemCells) and isinstance(self.key, cells.qualifier.key_class)

    @property
    def segments(self) -> list[Segment]:
        """The row or qualifier of this suite, cut into prefixes and parts."""
        cells = self.table.cells
        layout: KeyLayout[Any] = self.table.key
        if isinstance(cells, ItemCells) and self.is_qualifier:
            layout = cells.qualifier
        return layout.segments(layout.encode(self.key))

    @property
    def differing(self) -> list[str]:
        """The prefixes and parts whose bytes are not those published, in the order of the key."""
        return [segment.name for segment in self.segments if segment.data != self.parts.get(segment.name, b"")]


@attrs.frozen
class PublishedColumn:
    """A published column, the column of this suite for the same attribute, and why they differ."""

    source: str
    """The id of the published idea, such as S3.7."""
    quoted: str
    """The column as published: `user:info:name`."""
    table: TableLayout[Any, Any]
    """The table of this suite, with a column for each attribute of its record."""
    attribute: str
    column: bytes
    """The published column, its family and its qualifier."""
    deviation: str = ""
    """Why the bytes are not those published; empty if they are."""

    @property
    def here(self) -> bytes:
        """The column of this suite."""
        cells = self.table.cells
        assert isinstance(cells, RecordCells)
        return cells.column(self.attribute)
