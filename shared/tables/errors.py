"""The errors for a record that cannot be stored and for a row that does not hold one."""

import attrs

from ..keys.errors import UnknownCode, message_of, shown_bytes
from ..records.fields import InvalidRecord as InvalidRecord


class UnknownValue(InvalidRecord):
    """A cell that would be valid if a `Literal` or Enum had its value, or an attrs class its attribute.

    It is probably of a later release.
    """


@attrs.define(on_setattr=attrs.setters.frozen)  # not a frozen class: tools such as typer set attributes of their own
class InvalidRow(InvalidRecord):
    """A stored row, or a cell of one, that is not a record of its table.

    The message names table, row, column if it is one cell, and reason.
    """

    table: str
    row: bytes
    reason: str
    """One line of text."""
    column: bytes | None = None
    """The damaged cell of a row with many records; None if it is the row."""
    is_unknown: bool = False
    """Whether it probably is a record of a later release, with a name of a `Code`, or a value of a `Literal`, that this
    release does not know."""

    @classmethod
    def of(cls, table: str, row: bytes, error: ValueError, column: bytes | None = None) -> "InvalidRow":
        """The error of a row, or of a cell, that could not be read for this reason."""
        return cls(table, row, message_of(error), column, isinstance(error, UnknownCode | UnknownValue))

    def __str__(self) -> str:
        column = "" if self.column is None else f", column {shown_bytes(self.column)}"
        return f"{self.table}: row {shown_bytes(self.row)}{column}: {self.reason}"
